"""From what PostgreSQL says to what it means for the caller."""

import psycopg
from psycopg import errors

from tributary.domain.errors import (
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


def translated(error: psycopg.Error) -> TributaryError | None:
    """The domain's error for the database's, or None for one that is a bug of ours."""
    if isinstance(error, RETRIED):
        return SerializationConflictError(error.sqlstate or "", 1)
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return DatabaseUnavailableError("it is read-only")
    if isinstance(error, errors.QueryCanceled):
        return DatabaseUnavailableError("a statement took too long")
    if isinstance(error, (errors.TransactionTimeout, errors.IdleInTransactionSessionTimeout)):
        return DatabaseUnavailableError("a transaction took too long")
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return DatabaseUnavailableError(f"SQLSTATE {error.sqlstate or 'none'}")
    return None
