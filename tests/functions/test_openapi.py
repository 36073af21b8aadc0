"""docs/openapi.json: up to date, valid, complete, and what the functions really answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator

from scripts import openapi
from tests.functions.service import Service
from tests.functions.test_roles import calls  # noqa: F401  a fixture
from tributary.edge.routes import ROUTES

DOCUMENT: dict[str, Any] = json.loads(openapi.PATH.read_text(encoding="utf-8"))
KEYS = [f"{route.method} {route.path}" for route in ROUTES]


def operation(key: str) -> dict[str, Any]:
    method, path = key.split(" ")
    found: dict[str, Any] = DOCUMENT["paths"][path][method.lower()]
    return found


def conforms(document: Any, schema: dict[str, Any]) -> None:
    """Check against a schema of the document, formats too."""
    whole = {"components": DOCUMENT["components"], **schema}
    Draft202012Validator(whole, format_checker=FormatChecker()).validate(document)


def test_the_committed_document_is_the_one_that_the_models_make() -> None:
    assert Path(__file__).parents[2] / "docs" / "openapi.json" == openapi.PATH
    made = openapi.text()
    assert openapi.PATH.read_text(encoding="utf-8") == made, "run: python -m scripts.openapi"


def test_the_document_is_valid_openapi() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_every_route_is_in_it_and_no_other() -> None:
    documented = [
        f"{method.upper()} {path}" for path, item in DOCUMENT["paths"].items() for method in item
    ]
    assert sorted(documented) == sorted(KEYS)
    assert len({operation(key)["operationId"] for key in KEYS}) == len(KEYS)


@pytest.mark.parametrize("route", ROUTES, ids=KEYS)
def test_an_operation_says_its_role_its_path_and_its_problems(route: Any) -> None:
    found = operation(f"{route.method} {route.path}")
    assert route.role.label in found["description"]
    names = [one["name"] for one in found["parameters"] if one["in"] == "path"]
    assert route.path.format(**dict.fromkeys(names, "x")).count("{") == 0
    assert {"400", "401", "403", "404", "409", "422", "503"} <= set(found["responses"])


@pytest.mark.parametrize("key", KEYS)
def test_a_real_answer_is_what_the_document_says(
    service: Service,
    calls: dict[str, dict[str, Any]],  # noqa: F811
    key: str,
) -> None:
    asked = calls[key]
    if "body" in asked:
        body_schema = operation(key)["requestBody"]["content"]["application/json"]["schema"]
        conforms(asked["body"], body_schema)
    answer = service(key, **asked)
    said = operation(key)["responses"][str(answer.status)]
    conforms(answer.body, said["content"]["application/json"]["schema"])


@pytest.mark.parametrize("key", KEYS)
def test_a_real_problem_is_what_the_document_says(service: Service, key: str) -> None:
    asked = {"authorizer": {"unavailable": "true"}}
    answer = service(key, path={"lesson_id": "x", "decision_id": "x", "dispute_id": "x",
                                "name": "x"}, **asked)  # fmt: skip
    said = operation(key)["responses"][str(answer.status)]
    conforms(answer.body, said["content"][answer.headers["content-type"]]["schema"])


def test_a_learn_that_is_not_waited_for_is_documented(service: Service) -> None:
    answer = service("POST /v1/learn", {"content": "x"}, headers={"prefer": "respond-async"})
    said = operation("POST /v1/learn")["responses"][str(answer.status)]
    conforms(answer.body, said["content"]["application/json"]["schema"])


@pytest.mark.parametrize(
    ("key", "body"),
    [
        ("POST /v1/recall", {}),
        ("POST /v1/recall", {"query": "x", "k": 0}),
        ("POST /v1/recall", {"query": "x", "tribe": "acme"}),
        ("POST /v1/recall", {"query": "x", "as_of": "yesterday"}),
        ("POST /v1/learn", {"content": 7}),
        ("POST /v1/agents", {"name": "bob", "role": "owner"}),
        ("POST /v1/disputes/{dispute_id}/resolve", {"resolution": "undo"}),
    ],
)
def test_what_the_document_forbids_is_refused(service: Service, key: str, body: Any) -> None:
    schema = operation(key)["requestBody"]["content"]["application/json"]["schema"]
    whole = {"components": DOCUMENT["components"], **schema}
    assert not Draft202012Validator(whole, format_checker=FormatChecker()).is_valid(body)
    service.problem(key, body, path={"dispute_id": "00000000-0000-0000-0000-000000000001"})


def test_an_instant_without_an_offset_is_no_date_time() -> None:
    asked = {"query": "x", "as_of": "2026-07-10T15:42:00"}
    schema = operation("POST /v1/recall")["requestBody"]["content"]["application/json"]["schema"]
    whole = {"components": DOCUMENT["components"], **schema}
    assert not Draft202012Validator(whole, format_checker=FormatChecker()).is_valid(asked)
