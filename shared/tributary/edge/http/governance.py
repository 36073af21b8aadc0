"""The routes about disputes, the audit, agents and counts."""

from tributary.domain.roles import Role
from tributary.edge.http.call import Answer, Call, uuid_of
from tributary.edge.http.lessons import cursor
from tributary.edge.http.present import agent as presented
from tributary.edge.http.present import next_cursor
from tributary.edge.http.requests import AgentRequest, AuditPage, NoParameters, Page, ResolveRequest
from tributary.edge.http.responses import (
    AgentsResponse,
    AuditEntryResponse,
    AuditResponse,
    DisputeResponse,
    DisputesResponse,
    NewAgentResponse,
    RevokedResponse,
    StatsResponse,
)
from tributary.edge.runtime import wiring


def disputes(call: Call) -> Answer:
    """A page of open disputes, oldest first."""
    call.actor.require(Role.CURATOR)
    page = call.parameters(Page)
    found = wiring().ledger.disputes(call.actor.tribe, cursor(page.cursor), page.limit)
    return Answer(
        DisputesResponse(
            disputes=[DisputeResponse.model_validate(dispute) for dispute in found],
            next=next_cursor(found, page.limit, found[-1].id if found else None),
        )
    )


def resolve(call: Call) -> Answer:
    """Settle a dispute."""
    asked = call.body(ResolveRequest)
    dispute_id = call.path_id("dispute_id")
    settled = wiring().curate.resolve(call.actor, dispute_id, asked.resolution, asked.reason)
    return Answer(DisputeResponse.model_validate(settled))


def stats(call: Call) -> Answer:
    """Counts of the caller's tribe."""
    call.actor.require(Role.READER)
    call.parameters(NoParameters)
    tribe = call.actor.tribe
    return Answer(StatsResponse(tribe=tribe, counts=wiring().ledger.stats(tribe)))


def audit(call: Call) -> Answer:
    """A page of changes, newest first."""
    call.actor.require(Role.CURATOR)
    page = call.parameters(AuditPage)
    lesson_id = None if page.lesson_id is None else uuid_of(page.lesson_id, "lesson_id")
    found = wiring().ledger.audit(call.actor.tribe, lesson_id, cursor(page.cursor), page.limit)
    return Answer(
        AuditResponse(
            entries=[AuditEntryResponse.model_validate(entry) for entry in found],
            next=next_cursor(found, page.limit, found[-1].id if found else None),
        )
    )


def add_agent(call: Call) -> Answer:
    """Add an agent; its key is shown this once."""
    asked = call.body(AgentRequest)
    added = wiring().agents.add(call.actor, asked.name, Role[asked.role.upper()])
    return Answer(NewAgentResponse(name=added.name, role=added.role.label, key=added.key), 201)


def agents(call: Call) -> Answer:
    """Every agent of the tribe, by name."""
    call.parameters(NoParameters)
    return Answer(
        AgentsResponse(agents=[presented(one) for one in wiring().agents.all(call.actor)])
    )


def revoke(call: Call) -> Answer:
    """End an agent's key."""
    call.nothing()
    name = call.path("name")
    wiring().agents.revoke(call.actor, name)
    return Answer(RevokedResponse(name=name, revoked=True))
