"""Every error Tributary raises on purpose.

    TributaryError
    ├── InvalidInputError            the caller sent something unusable; names the field
    ├── ForbiddenError               the caller's role does not allow it
    ├── NotFoundError                no such lesson, decision, dispute or agent in this tribe
    ├── ConflictingStateError        the thing exists, but is not in a state that allows this
    ├── IdempotencyKeyReusedError    the key was used before, with another request
    ├── ConfigurationError           the operator must mend something
    └── TransientError               nothing was stored; the same call may succeed later
        ├── StaleCandidatesError         something near changed since the candidates were read
        ├── TopicBusyError               another learner holds the lease of the topic
        ├── SerializationConflictError   the database could not serialise the transaction
        ├── DatabaseUnavailableError     no connection, or it broke
        ├── EmbeddingFailedError         the embedder answered nothing usable
        └── ClassifierFailedError        the classifier answered nothing usable

The class name is the wire contract with the state machine: `ErrorEquals` in
`statemachines/learn.asl.json` matches it literally.
"""


class TributaryError(Exception):
    """Base of all errors raised on purpose."""


class InvalidInputError(TributaryError):
    """A field of the caller's input is unusable."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class ForbiddenError(TributaryError):
    """The caller's role is below the one the operation needs."""

    def __init__(self, role: str, needed: str) -> None:
        super().__init__(f"this needs the role {needed}; the key has the role {role}")
        self.role = role
        self.needed = needed


class NotFoundError(TributaryError):
    """Nothing of that kind and id exists in the caller's tribe."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"no {kind} {key} in this tribe")
        self.kind = kind
        self.key = key


class ConflictingStateError(TributaryError):
    """The thing exists, but its state does not allow the operation."""

    def __init__(self, kind: str, key: str, state: str, wanted: str) -> None:
        super().__init__(f"{kind} {key} is {state}; this needs it to be {wanted}")
        self.kind = kind
        self.key = key
        self.state = state
        self.wanted = wanted


class IdempotencyKeyReusedError(TributaryError):
    """The caller used one idempotency key for two different requests."""

    def __init__(self) -> None:
        super().__init__("this idempotency key was already used with a different request")


class ConfigurationError(TributaryError):
    """The installation is wrong in a way only an operator can mend."""


class TransientError(TributaryError):
    """Nothing was stored; the same call may succeed later."""


class StaleCandidatesError(TransientError):
    """Something near the new lesson changed after its candidates were read."""

    def __init__(self, changed: int) -> None:
        super().__init__(f"{changed} lessons near this one changed since it was compared")
        self.changed = changed


class TopicBusyError(TransientError):
    """Another learner holds the lease of this topic."""

    def __init__(self, lineage: str) -> None:
        super().__init__(f"another learner is settling the topic {lineage}")
        self.lineage = lineage


class SerializationConflictError(TransientError):
    """The database gave the transaction up (40001, 40P01 or 55P03) after all retries."""

    def __init__(self, sqlstate: str, attempts: int) -> None:
        super().__init__(f"gave up after {attempts} attempts (SQLSTATE {sqlstate})")
        self.sqlstate = sqlstate
        self.attempts = attempts


class DatabaseUnavailableError(TransientError):
    """The database cannot be reached, or the connection broke."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database is unavailable: {reason}")
        self.reason = reason


class EmbeddingFailedError(TransientError):
    """The embedder raised, or its vector is unusable."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"no usable embedding: {reason}")
        self.reason = reason


class ClassifierFailedError(TransientError):
    """The classifier raised, or its answer is unusable."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"no usable verdict: {reason}")
        self.reason = reason
