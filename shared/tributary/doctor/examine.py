"""The whole examination: which checks, in which order."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from time import perf_counter

from tributary.doctor import contention
from tributary.doctor.catalogue import check_catalogue
from tributary.doctor.door import Door, Load, Tick
from tributary.doctor.isolation import check_isolation
from tributary.doctor.model import check_model
from tributary.doctor.paths import check_plans
from tributary.doctor.report import Check, Held, Report, not_checkable
from tributary.doctor.rooms import callers, rooms
from tributary.doctor.shipped import SHIPPED
from tributary.doctor.topics import content
from tributary.domain.errors import TransientError
from tributary.domain.roles import Actor, Role

OVER_HTTPS = "not checkable over HTTPS: run it with --dsn"


class Part(StrEnum):
    """What can be asked for."""

    CONTENTION = "contention"
    PLANS = "plans"
    ISOLATION = "isolation"
    MODEL = "model"


Checks = Callable[[], list[Check]]


def examine(door: Door, parts: frozenset[Part], load: Load, tick: Tick) -> Report:
    """Do the parts in their order; each works in scratch tribes that it removes.

    Raises ConfigurationError or ConflictingStateError saying what to do when the installation
    cannot be examined at all.
    """
    began = perf_counter()
    with rooms(door, 1):
        tick("opening a scratch tribe", 1, 1)
    done: list[Check] = []
    for name, checks in _plan(door, load, tick):
        if name in parts:
            done += _finished(name, checks)
    return Report(door.name, tuple(done), round(perf_counter() - began, 1))


def _plan(door: Door, load: Load, tick: Tick) -> Iterator[tuple[Part, Checks]]:
    yield Part.MODEL, lambda: [check_model(door, tick)]
    yield Part.ISOLATION, partial(_isolation, door, tick)
    yield Part.PLANS, partial(_plans, door, tick)
    yield Part.CONTENTION, lambda: [contention.same_tribe(door, load, tick)]
    yield Part.CONTENTION, lambda: [contention.different_tribes(door, load, tick)]


def _finished(name: str, checks: Checks) -> list[Check]:
    """A check that a passing error ended early has shown nothing, and so has failed."""
    try:
        return checks()
    except TransientError as error:
        why = (f"{error}: see that the installation is up, and run it again",)
        return [Check(name, "was not finished", "the installation gave up", Held.FAILED, {}, why)]


def _isolation(door: Door, tick: Tick) -> list[Check]:
    by_the_door = check_isolation(door, tick)
    if door.connect is None:
        return [by_the_door, not_checkable("isolation by the database", OVER_HTTPS)]
    tick("reading the catalogue", 0, 1)
    with rooms(door, 1) as (room,), callers(room) as (caller,):
        caller.learn(content(0, 0), "catalogue")
        return [by_the_door, check_catalogue(door.connect, room.tribe)]


def _plans(door: Door, tick: Tick) -> list[Check]:
    if door.connect is None:
        return [not_checkable("plans of the shipped queries", OVER_HTTPS)]
    tick("executing the shipped queries", 0, len(SHIPPED))
    with rooms(door, 1) as (room,):
        return check_plans(door.connect, Actor(room.tribe, "doctor", Role.CURATOR))
