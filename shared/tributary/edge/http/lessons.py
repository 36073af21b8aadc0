"""The routes about lessons and decisions that are already there."""

from uuid import UUID

from tributary.domain.errors import NotFoundError
from tributary.domain.lesson import MAX_TAG, Status, clean_name, clean_text
from tributary.domain.roles import Role
from tributary.edge.http.call import Answer, Call, uuid_of
from tributary.edge.http.present import decision as presented
from tributary.edge.http.present import next_cursor
from tributary.edge.http.requests import LessonsPage, NoParameters, RetireRequest
from tributary.edge.http.responses import (
    HistoryResponse,
    LessonResponse,
    LessonsResponse,
    ReinforcedResponse,
    RetiredResponse,
)
from tributary.edge.runtime import wiring
from tributary.ports import LessonFilter
from tributary.usecases.curate import may_see_quarantined


def reinforce(call: Call) -> Answer:
    """Count a lesson as useful."""
    call.nothing()
    counted = wiring().curate.reinforce(call.actor, call.path_id("lesson_id"))
    return Answer(ReinforcedResponse(counted=counted))


def retire(call: Call) -> Answer:
    """Take a lesson out of recall."""
    lesson_id = call.path_id("lesson_id")
    wiring().curate.retire(call.actor, lesson_id, call.body(RetireRequest).reason)
    return Answer(RetiredResponse(id=lesson_id, status=Status.RETIRED))


def lessons(call: Call) -> Answer:
    """A page of lessons, newest first."""
    call.actor.require(Role.READER)
    page = call.parameters(LessonsPage)
    wanted = LessonFilter(
        status=page.status,
        tag=None if page.tag is None else clean_text(page.tag, "tag", MAX_TAG),
        agent=None if page.agent is None else clean_name(page.agent, "agent"),
        after=cursor(page.cursor),
        limit=page.limit,
        quarantined=may_see_quarantined(call.actor),
    )
    found = wiring().ledger.lessons(call.actor.tribe, wanted)
    return Answer(
        LessonsResponse(
            lessons=[LessonResponse.model_validate(lesson) for lesson in found],
            next=next_cursor(found, page.limit, found[-1].id if found else None),
        )
    )


def lesson(call: Call) -> Answer:
    """One lesson, whatever its status."""
    call.actor.require(Role.READER)
    call.parameters(NoParameters)
    lesson_id = call.path_id("lesson_id")
    found = wiring().ledger.lesson(call.actor.tribe, lesson_id)
    hidden = found and found.status is Status.QUARANTINED and not may_see_quarantined(call.actor)
    if found is None or hidden:
        raise NotFoundError("lesson", str(lesson_id))
    return Answer(LessonResponse.model_validate(found))


def history(call: Call) -> Answer:
    """The chain that explains a lesson, and its audit."""
    call.parameters(NoParameters)
    found = wiring().curate.history(call.actor, call.path_id("lesson_id"))
    return Answer(HistoryResponse.model_validate(found))


def decision(call: Call) -> Answer:
    """What one learn did; unknown until it is settled."""
    call.actor.require(Role.READER)
    call.parameters(NoParameters)
    decision_id = call.path_id("decision_id")
    found = wiring().ledger.decision(call.actor.tribe, decision_id)
    if found is None:
        raise NotFoundError("decision", str(decision_id))
    return Answer(presented(found))


def cursor(text: str | None) -> UUID | None:
    """Where a page starts. Raises InvalidInputError."""
    return None if text is None else uuid_of(text, "cursor")
