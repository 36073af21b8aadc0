"""The functions, told by their environment to use a database of the test's choice."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from tests.functions.conftest import started
from tests.functions.service import Service


@contextmanager
def functions_on(dsn: str, tribe: str, **more: str) -> Iterator[Service]:
    """The HTTPS API of one tribe over that database, in this process; `more` are variables."""
    with started(dsn, **more) as patch:
        service = Service(tribe)
        patch.setattr(import_module("functions.learn.handler"), "workflow", service.workflow)
        yield service
