"""What callers send. Anything unknown is refused: scope comes from the key alone."""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from tributary.domain.errors import InvalidInputError
from tributary.domain.lesson import MAX_CONTENT, MAX_TAG, MAX_TAGS, Status
from tributary.domain.validity import parse_instant
from tributary.ports import Resolution
from tributary.usecases.recall import MAX_QUERY

MAX_PAGE = 200


def _instant(field: str) -> Any:
    def parse(value: object) -> datetime | None:
        if value is None:
            return None
        if not isinstance(value, str):
            raise InvalidInputError(field, "must be a string, an RFC 3339 instant")
        return parse_instant(value, field)

    return BeforeValidator(parse, json_schema_input_type=datetime | None)


class Request(BaseModel):
    """Strict: 1.5, "10" and true are not whole numbers."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", strict=True, frozen=True, hide_input_in_errors=True
    )


class RecallRequest(Request):
    """A query for lessons."""

    query: str = Field(description=f"What you want to know; at most {MAX_QUERY} characters.")
    k: int = Field(5, ge=1, description="How many lessons; more than 200 are cut to 200.")
    tags: list[str] = Field([], description="Only lessons that have all of these.")
    as_of: Annotated[datetime | None, _instant("as_of")] = Field(
        None, description="What was believed at this instant; with an offset."
    )
    true_at: Annotated[datetime | None, _instant("true_at")] = Field(
        None, description="What is held true of this instant; with an offset."
    )
    min_similarity: float | None = Field(None, ge=-1, le=1, allow_inf_nan=False)


class LearnRequest(Request):
    """One lesson."""

    content: str = Field(description=f"One statement; at most {MAX_CONTENT} characters.")
    situation: str | None = Field(None, description="Where and how it was learnt.")
    tags: list[str] = Field([], description=f"At most {MAX_TAGS}, each up to {MAX_TAG} characters.")
    valid_from: Annotated[datetime | None, _instant("valid_from")] = None
    valid_to: Annotated[datetime | None, _instant("valid_to")] = None


class RetireRequest(Request):
    """Why a lesson is taken out of recall."""

    reason: str


class ResolveRequest(Request):
    """How a dispute ends."""

    resolution: Annotated[Resolution, Field(strict=False)]
    reason: str | None = None


class AgentRequest(Request):
    """A new caller."""

    name: str
    role: Annotated[str, Field(pattern="^(reader|writer|curator)$")] = "writer"


class Page(BaseModel):
    """Query parameters of a list; `cursor` is the `next` of the page before."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    limit: int = Field(50, ge=1, le=MAX_PAGE)
    cursor: str | None = None


class LessonsPage(Page):
    """What a list of lessons is narrowed to."""

    status: Status | None = None
    tag: str | None = None
    agent: str | None = None


class AuditPage(Page):
    """What a list of changes is narrowed to."""

    lesson_id: str | None = None


class NoParameters(BaseModel):
    """For routes that take none."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)
