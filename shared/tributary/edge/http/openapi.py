"""The OpenAPI 3.1 document, made of the routes and of the models that check them."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from tributary.edge.http import requests, responses
from tributary.edge.routes import ROUTES, Route

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """What one route takes and gives."""

    response: type[BaseModel]
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    status: int = 200


SHAPES = {
    "POST /v1/recall": Shape(responses.RecallResponse, requests.RecallRequest),
    "POST /v1/learn": Shape(responses.LearnResponse, requests.LearnRequest),
    "GET /v1/decisions/{decision_id}": Shape(responses.DecisionResponse),
    "POST /v1/lessons/{lesson_id}/reinforce": Shape(responses.ReinforcedResponse),
    "POST /v1/lessons/{lesson_id}/retire": Shape(responses.RetiredResponse, requests.RetireRequest),
    "GET /v1/lessons": Shape(responses.LessonsResponse, query=requests.LessonsPage),
    "GET /v1/lessons/{lesson_id}": Shape(responses.LessonResponse),
    "GET /v1/lessons/{lesson_id}/history": Shape(responses.HistoryResponse),
    "GET /v1/disputes": Shape(responses.DisputesResponse, query=requests.Page),
    "POST /v1/disputes/{dispute_id}/resolve": Shape(
        responses.DisputeResponse, requests.ResolveRequest
    ),
    "GET /v1/stats": Shape(responses.StatsResponse),
    "GET /v1/audit": Shape(responses.AuditResponse, query=requests.AuditPage),
    "POST /v1/agents": Shape(responses.NewAgentResponse, requests.AgentRequest, status=201),
    "GET /v1/agents": Shape(responses.AgentsResponse),
    "DELETE /v1/agents/{name}": Shape(responses.RevokedResponse),
    "POST /v1/scratch": Shape(responses.ScratchResponse, status=201),
    "DELETE /v1/scratch": Shape(responses.RemovedResponse),
}
REF = "#/components/schemas/{model}"
PROBLEMS = {
    "400": "A field is unusable; `field` names it",
    "401": "No key (the body is API Gateway's)",
    "403": "The key is wrong or revoked, or its role does not allow this",
    "404": "No such thing in this tribe",
    "409": "Its state does not allow this",
    "422": "The idempotency key belongs to another request",
    "503": "Nothing was stored; `Retry-After` says when to call again",
}
LEARN_HEADERS = {
    "Idempotency-Key": "The same key gives the same lesson and the same answer, once.",
    "Prefer": "`respond-async` answers 202 before the learn is settled.",
}


def document(version: str) -> Schema:
    """The whole document, as JSON."""
    models: dict[type[BaseModel], None] = {
        responses.ProblemResponse: None,
        responses.AcceptedResponse: None,
    }
    for shape in SHAPES.values():
        models |= dict.fromkeys(one for one in (shape.response, shape.body, shape.query) if one)
    _, schemas = models_json_schema([(model, "validation") for model in models], ref_template=REF)
    paths: dict[str, Schema] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tributary",
            "version": version,
            "description": "Shared, persistent, conflict-safe memory for AI agents.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "bearerFormat": "trib_..."}
            },
        },
    }


def _operation(route: Route) -> Schema:
    shape = SHAPES[f"{route.method} {route.path}"]
    operation: Schema = {
        "summary": route.summary,
        "description": f"Needs the role {route.role.label}.",
        "operationId": _operation_id(route),
        "parameters": _parameters(route, shape),
        "responses": _responses(route, shape),
    }
    if shape.body:
        operation["requestBody"] = {"required": True, "content": _json(shape.body)}
    return operation


def _operation_id(route: Route) -> str:
    parts = [part.strip("{}") for part in route.path.split("/")[2:]]
    return "_".join([route.method.lower(), *parts])


def _parameters(route: Route, shape: Shape) -> list[Schema]:
    found = [
        {"name": part.strip("{}"), "in": "path", "required": True, "schema": _path_schema(part)}
        for part in route.path.split("/")
        if part.startswith("{")
    ]
    if shape.query:
        for name, schema in shape.query.model_json_schema(ref_template=REF)["properties"].items():
            found.append({"name": name, "in": "query", "required": False, "schema": schema})
    if route.path == "/v1/learn":
        found += [
            {"name": name, "in": "header", "description": said, "schema": {"type": "string"}}
            for name, said in LEARN_HEADERS.items()
        ]
    return found


def _path_schema(part: str) -> Schema:
    return {"type": "string"} | ({"format": "uuid"} if part.endswith("_id}") else {})


def _responses(route: Route, shape: Shape) -> Schema:
    said: Schema = {
        str(shape.status): {"description": "Done", "content": _json(shape.response)},
    }
    if route.path == "/v1/learn":
        accepted = _json(responses.AcceptedResponse)
        said["202"] = {"description": "Accepted, with `Prefer: respond-async`", "content": accepted}
    problem = {"application/problem+json": _json(responses.ProblemResponse)["application/json"]}
    return said | {
        status: {"description": why, "content": problem} for status, why in PROBLEMS.items()
    }


def _json(model: type[BaseModel]) -> Schema:
    return {"application/json": {"schema": {"$ref": REF.format(model=model.__name__)}}}
