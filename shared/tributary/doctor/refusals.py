"""From an answer that is no success to the error that it stands for."""

import json
from typing import Any

from tributary.domain.errors import (
    ClassifierFailedError,
    ConfigurationError,
    DatabaseUnavailableError,
    EmbeddingFailedError,
    IdempotencyKeyReusedError,
    NotFoundError,
    SerializationConflictError,
    TransientError,
    TributaryError,
)


class RefusedError(TributaryError):
    """The API refused a call that the doctor took for a right one."""


def refusal(status: int, body: str, call: str) -> TributaryError:
    """What a status of 300 or more means for the doctor; `call` is the method and the path."""
    problem = json_object(body) or {}
    said = problem.get("detail") or problem.get("message") or f"status {status}"
    if status in (401, 403):
        return ConfigurationError(
            f"the key is refused ({said}): give a curator's key with --key or TRIBUTARY_KEY"
        )
    if status == 404 and problem.get("code") == "not_found":
        return NotFoundError("answer to", call)
    if status in (404, 405):
        return no_such(call)
    if status == 409:
        return ConfigurationError(f"{call}: {said}")
    if status == 422:
        return IdempotencyKeyReusedError()
    if status in (429, 502, 503, 504):
        return _passing(problem.get("code"), said)
    return RefusedError(f"{call} was answered {status}: {said}")


def no_such(call: str) -> ConfigurationError:
    """Somebody else listens there, or an older version."""
    return ConfigurationError(
        f"there is no {call}: is --url the address of this version of Tributary?"
    )


def unreachable(url: str) -> ConfigurationError:
    """Nobody listens there."""
    return ConfigurationError(f"nothing answers at {url}: check --url")


def _passing(code: Any, said: str) -> TransientError:
    """By the code that says that nothing was stored; else it may have been."""
    if code == "contention":
        return SerializationConflictError("none", 1)
    if code == "database_unavailable":
        return DatabaseUnavailableError(said)
    if code == "embedding_failed":
        return EmbeddingFailedError(said)
    if code == "classifier_failed":
        return ClassifierFailedError(said)
    return TransientError(said)


def json_object(text: str) -> dict[str, Any] | None:
    """None for what is something else."""
    try:
        document = json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
