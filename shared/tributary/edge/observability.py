"""Structured logs and EMF metrics. Neither ever holds a lesson's text, a query or a key."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from aws_lambda_powertools import Logger, Metrics

from tributary.domain.errors import TributaryError


class UnexpectedError(Exception):
    """Stands for an error that nobody raised on purpose, and holds nothing but its type."""


@cache
def logger() -> Logger:
    """JSON lines; service and level come from the POWERTOOLS_ variables."""
    return Logger()


def places(error: Exception) -> list[str]:
    """Where an error came from, innermost last, without its message: that may quote a lesson."""
    found, here = [], error.__traceback__
    while here:
        found.append(f"{here.tb_frame.f_code.co_qualname}:{here.tb_lineno}")
        here = here.tb_next
    return found


@contextmanager
def unquoted() -> Iterator[None]:
    """Keep the message of an unexpected error out of Lambda's log: it may quote a lesson.

    Errors that are raised on purpose pass. Raises UnexpectedError.
    """
    try:
        yield
    except TributaryError:
        raise
    except Exception as error:  # noqa: BLE001  it leaves again, as another
        kind = type(error).__name__
        logger().error("unexpected error", extra={"error": kind, "stack": places(error)})
        raise UnexpectedError(kind) from None


@cache
def metrics() -> Metrics:
    """CloudWatch metrics in the embedded metric format, in the namespace of the environment."""
    return Metrics()
