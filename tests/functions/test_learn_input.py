"""What POST /v1/learn refuses, by name, before anything is started or stored."""

from typing import Any

import pytest

from tests.functions.service import Service
from tests.support.events import in_base64

LEARN = "POST /v1/learn"

BAD: list[tuple[str, Any]] = [
    ("content", {}),
    ("content", {"content": ""}),
    ("content", {"content": " \t\n"}),
    ("content", {"content": "\u200b\u3164"}),
    ("content", {"content": None}),
    ("content", {"content": 7}),
    ("content", {"content": ["x"]}),
    ("content", {"content": {"text": "x"}}),
    ("content", {"content": "x" * 8_001}),
    ("content", {"content": "x" * 200_000}),
    ("content", {"content": "a\ud800b"}),
    ("content", {"content": "a\0b"}),
    ("content", {"content": "a" + "\u0301" * 9_000}),
    ("situation", {"content": "x", "situation": ""}),
    ("situation", {"content": "x", "situation": "\ud800"}),
    ("situation", {"content": "x", "situation": "x" * 8_001}),
    ("situation", {"content": "x", "situation": 7}),
    ("tags", {"content": "x", "tags": [" "]}),
    ("tags", {"content": "x", "tags": ["x" * 65]}),
    ("tags", {"content": "x", "tags": ["a\0"]}),
    ("tags", {"content": "x", "tags": None}),
    ("tags", {"content": "x", "tags": [str(number) for number in range(21)]}),
    ("tags", {"content": "x", "tags": ["\ud800"]}),
    ("tags.0", {"content": "x", "tags": [None]}),
    ("valid_from", {"content": "x", "valid_from": "2026-07-10T15:42"}),
    ("valid_from", {"content": "x", "valid_from": "2026-07-10"}),
    ("valid_from", {"content": "x", "valid_from": 0}),
    ("valid_to", {"content": "x", "valid_to": "2026-07-10T15:42:00"}),
    ("valid_to", {"content": "x", "valid_to": "infinity"}),
    ("valid_to", {"content": "x", "valid_from": "2026-07-10T16:00Z",
                  "valid_to": "2026-07-10T15:42Z"}),
    ("tribe", {"content": "x", "tribe": "acme"}),
    ("role", {"content": "x", "role": "curator"}),
    ("agent", {"content": "x", "agent": "bob"}),
    ("status", {"content": "x", "status": "active"}),
    ("id", {"content": "x", "id": "00000000-0000-0000-0000-000000000000"}),
    ("protected", {"content": "x", "protected": True}),
    ("body", {"content": "x", "\ud800": 1}),
    ("\\x1b[31m", {"content": "x", "\x1b[31m": 1}),
    ("k" * 80, {"content": "x", "k" * 500: 1}),
]  # fmt: skip


@pytest.mark.parametrize(("field", "body"), BAD, ids=lambda value: ascii(value)[:50])
def test_bad_input_is_refused_by_name_and_nothing_is_stored(
    service: Service, field: str, body: Any
) -> None:
    before = service.stored()
    problem = service.problem(LEARN, body)
    assert (problem["status"], problem["code"], problem["field"]) == (400, "invalid_input", field)
    assert service.client.executions == []
    assert service.stored() == before


RAW: list[tuple[str, str | None, bool]] = [
    ("body", None, False),
    ("body", "", False),
    ("body", "null", False),
    ("body", "true", False),
    ("body", "7", False),
    ("body", '"content"', False),
    ("body", "[]", False),
    ("body", '[{"content": "x"}]', False),
    ("body", "{", False),
    ("body", '{"content": "x"', False),
    ("body", "{'content': 'x'}", False),
    ("body", '{"content": "x",}', False),
    ("body", '{"content": "x"} {"content": "y"}', False),
    ("body", '\ufeff{"content": "x"}', False),
    ("body", '{"content": "a\nb"}', False),
    ("body", "content=x", False),
    ("body", "[" * 100_000, False),
    ("body", '{"content": ' + "[" * 100_000, False),
    ("body", '{"a": ' * 50_000, False),
    ("body", '{"content": ' + "9" * 5_000 + "}", False),
    ("content", '{"content": "x", "content": "y"}', False),
    ("content", '{"content": "x", "\\u0063ontent": "x"}', False),
    ("tribe", '{"content": "x", "tribe": "a", "tribe": "b"}', False),
    ("content", '{"content": NaN}', False),
    ("content", '{"content": Infinity}', False),
    ("content", '{"content": "\\ud83e"}', False),
    ("body", "this is no base64!", True),
    ("body", "e30", True),
    ("body", "caf\u00e9", True),
    ("body", in_base64(b"\xff\xfe"), True),
    ("body", in_base64(b'{"content": "\xed\xa0\x80"}'), True),
    ("body", in_base64("{"), True),
    ("content", in_base64("{}"), True),
]


@pytest.mark.parametrize(
    ("field", "raw", "encoded"), RAW, ids=[f"{ascii(raw)[:40]}-{code}" for _, raw, code in RAW]
)
def test_a_body_that_is_no_lesson_is_refused_by_name(
    service: Service, field: str, raw: str | None, encoded: bool
) -> None:
    problem = service.problem(LEARN, raw=raw, encoded=encoded)
    assert (problem["status"], problem["code"], problem["field"]) == (400, "invalid_input", field)
    assert service.client.executions == []


def test_query_parameters_beside_a_body_are_refused(service: Service) -> None:
    problem = service.problem(LEARN, {"content": "x"}, query={"tribe": "acme-corp"})
    assert problem["field"] == "tribe"
    assert service.client.executions == []


def test_a_reader_may_not_learn(service: Service) -> None:
    problem = service.problem(LEARN, {"content": "x"}, role="reader")
    assert (problem["status"], problem["code"]) == (403, "forbidden")
    assert service.client.executions == []
