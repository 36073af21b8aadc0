"""One table from errors to answers: `application/problem+json` (RFC 9457) with a stable code."""

from dataclasses import dataclass

from tributary.domain import errors


@dataclass(frozen=True, slots=True)
class Problem:
    """How one kind of error is answered."""

    status: int
    code: str  # stable: programs may rely on it
    title: str
    retry_after: int | None = None  # seconds


TABLE: dict[str, Problem] = {
    errors.InvalidInputError.__name__: Problem(400, "invalid_input", "A field is unusable"),
    errors.ForbiddenError.__name__: Problem(403, "forbidden", "The key's role does not allow this"),
    errors.NotFoundError.__name__: Problem(404, "not_found", "No such thing in this tribe"),
    errors.ConflictingStateError.__name__: Problem(
        409, "conflicting_state", "Its state does not allow this"
    ),
    errors.IdempotencyKeyReusedError.__name__: Problem(
        422, "idempotency_key_reused", "The idempotency key belongs to another request"
    ),
    errors.StaleCandidatesError.__name__: Problem(503, "contention", "Others were faster", 1),
    errors.TopicBusyError.__name__: Problem(503, "contention", "Others were faster", 1),
    errors.SerializationConflictError.__name__: Problem(503, "contention", "Others were faster", 1),
    errors.DatabaseUnavailableError.__name__: Problem(
        503, "database_unavailable", "The database is unavailable", 5
    ),
    errors.EmbeddingFailedError.__name__: Problem(
        503, "embedding_failed", "No usable embedding", 5
    ),
    errors.ClassifierFailedError.__name__: Problem(
        503, "classifier_failed", "No usable verdict", 5
    ),
}
TIMED_OUT = Problem(503, "timed_out", "The learn was not settled in time", 1)
INTERNAL = Problem(500, "internal", "This is our fault")


class UpstreamError(errors.TransientError):
    """A function or service behind this one ended in a way that its caller can only retry."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.title)
        self.problem = problem


def problem_of(error: Exception) -> Problem:
    """The row for an error; INTERNAL for one that nobody raised on purpose."""
    if isinstance(error, UpstreamError):
        return error.problem
    return TABLE.get(type(error).__name__, INTERNAL)


def body_of(error: Exception, problem: Problem) -> dict[str, object]:
    """The RFC 9457 document; `field` only where one is at fault."""
    known = problem is not INTERNAL
    document: dict[str, object] = {
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "detail": str(error) if known else "The request was not carried out.",
        "code": problem.code,
    }
    field = getattr(error, "field", None)
    return document | ({"field": field} if field else {})
