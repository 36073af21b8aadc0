"""From what PostgreSQL says to what it means for the caller."""

import psycopg
from psycopg import errors

from tributary.adapters.postgres.patience import SilentServerError
from tributary.domain.errors import (
    ConflictingStateError,
    DatabaseUnavailableError,
    SerializationConflictError,
    TributaryError,
)

# lessons_one_truth turns a race that slipped past gate and isolation into an error.
RETRIED = (
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.LockNotAvailable,
    errors.UniqueViolation,
)

SCRATCH_GONE = "TS001"  # raised by enter_tribe

# The first that fits is what the caller is told of it.
UNAVAILABLE: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.ReadOnlySqlTransaction, "it is read-only"),
    # "cannot use serializable mode in a hot standby", as in the middle of a fail-over
    (errors.FeatureNotSupported, "it is a standby"),
    (errors.QueryCanceled, "a statement took too long"),
    (errors.TransactionTimeout, "a transaction took too long"),
    (errors.IdleInTransactionSessionTimeout, "a transaction took too long"),
    (SilentServerError, "it does not answer"),
    (psycopg.OperationalError, ""),
    (psycopg.InterfaceError, ""),
)


def translated(error: psycopg.Error) -> TributaryError | None:
    """The domain's error for the database's, or None for one that is a bug of ours."""
    if isinstance(error, RETRIED):
        return SerializationConflictError(error.sqlstate or "", 1)
    if error.sqlstate == SCRATCH_GONE:
        return ConflictingStateError("the scratch tribe", "of this key", "removed", "still there")
    for kind, reason in UNAVAILABLE:
        if isinstance(error, kind):
            return DatabaseUnavailableError(reason or _said(error))
    return None


def _said(error: psycopg.Error) -> str:
    return f"SQLSTATE {error.sqlstate}" if error.sqlstate else "the connection broke"
