"""Events as API Gateway's HTTP API sends them to a function (payload format 2.0)."""

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

Event = dict[str, Any]
ABSENT = object()


def call(
    route: str,
    body: Any = ABSENT,
    *,
    tribe: str = "acme",
    agent: str = "ada",
    role: str = "curator",
    path: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    raw: str | None = None,
    encoded: bool = False,
    authorizer: Mapping[str, str] | None = None,
) -> Event:
    """A call of `route`, such as "POST /v1/recall", let through by the authorizer.

    `body` becomes JSON; `raw` is the body as it stands, and `encoded` says that it is base64.
    """
    method, template = route.split(" ")
    event = _event(method, template.format(**(path or {})), query, headers)
    event["routeKey"] = event["requestContext"]["routeKey"] = route
    context = authorizer or {"tribe": tribe, "agent": agent, "role": role}
    event["requestContext"]["authorizer"] = {"lambda": dict(context)}
    if path:
        event["pathParameters"] = dict(path)
    if raw is not None or body is not ABSENT:
        event["body"] = raw if raw is not None else json.dumps(body)
    event["isBase64Encoded"] = encoded
    return event


def in_base64(text: str | bytes) -> str:
    """As API Gateway encodes a body that it takes for binary."""
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def authorization(header: str | None) -> Event:
    """What the authorizer is asked (REQUEST, payload format 2.0)."""
    headers = {"authorization": header} if header else None
    event = _event("POST", "/v1/recall", None, headers)
    event |= {
        "type": "REQUEST",
        "routeArn": "arn:aws:execute-api:eu-central-1:000000000000:api/$default/POST/v1/recall",
        "identitySource": [header] if header is not None else [],
        "routeKey": "POST /v1/recall",
    }
    return event


def _event(
    method: str,
    path: str,
    query: Mapping[str, str] | None,
    headers: Mapping[str, str] | None,
) -> Event:
    event: Event = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": urlencode(query or {}, errors="surrogatepass"),
        "headers": {"content-type": "application/json", "host": "api", **(headers or {})},
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "api",
            "domainName": "api.execute-api.eu-central-1.amazonaws.com",
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": "test",
            },
            "requestId": "request",
            "routeKey": "$default",
            "stage": "$default",
            "time": "01/Jan/2026:00:00:00 +0000",
            "timeEpoch": 1767225600000,
        },
        "isBase64Encoded": False,
    }
    if query:
        event["queryStringParameters"] = dict(query)
    return event
