"""The routes about scratch tribes, which `tributary doctor` works in."""

from tributary.edge.http.call import Answer, Call
from tributary.edge.http.responses import RemovedResponse, ScratchResponse
from tributary.edge.runtime import wiring


def open_(call: Call) -> Answer:
    """A new tribe that ends within the hour; its key is shown this once."""
    call.nothing()
    return Answer(ScratchResponse.model_validate(wiring().scratch.open(call.actor)), 201)


def remove(call: Call) -> Answer:
    """Remove the caller's own tribe, which must be a scratch tribe."""
    call.nothing()
    return Answer(RemovedResponse.model_validate(wiring().scratch.remove(call.actor)))
