"""One table of routes: what the functions serve, what is deployed and what is documented."""

from importlib import import_module

import pytest

from tests.architecture.arrows import ROOT
from tributary.edge.http.openapi import SHAPES
from tributary.edge.routes import ROUTES, Route

FOLDERS = sorted(path.parent.name for path in (ROOT / "functions").glob("*/handler.py"))


def key(route: Route) -> str:
    return f"{route.method} {route.path}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_function_serves_exactly_the_routes_of_its_folder(folder: str) -> None:
    served = getattr(import_module(f"functions.{folder}.handler"), "ROUTES", {})
    assert list(served) == [key(route) for route in ROUTES if route.function == folder]
    assert all(map(callable, served.values()))


def test_every_route_belongs_to_a_function_that_exists() -> None:
    assert {route.function for route in ROUTES} == {"recall", "learn", "curate"}
    assert {route.function for route in ROUTES} <= set(FOLDERS)


def test_routes_are_told_apart_and_documented() -> None:
    keys = [key(route) for route in ROUTES]
    assert len(set(keys)) == len(keys)
    assert sorted(SHAPES) == sorted(keys)
    assert len({route.summary for route in ROUTES}) == len(ROUTES)


def test_every_function_has_a_handler() -> None:
    for folder in FOLDERS:
        assert callable(import_module(f"functions.{folder}.handler").handler)
