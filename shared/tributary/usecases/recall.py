"""Recall: the lessons that match a query best."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tributary.domain.errors import InvalidInputError
from tributary.domain.lesson import clean_tags, clean_text
from tributary.domain.roles import Actor, Role
from tributary.domain.validity import require_offset
from tributary.ports import Embedder, Ids, Recalled, RecallQuery, RecallStore

MAX_QUERY = 8_000  # characters
MAX_K = 200


def recall_query(
    text: str,
    *,
    k: int = 5,
    tags: Sequence[str] = (),
    as_of: datetime | None = None,
    true_at: datetime | None = None,
    min_similarity: float | None = None,
) -> RecallQuery:
    """A checked query; raises InvalidInputError naming the first field at fault."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidInputError("k", "must be a whole number of at least 1")
    if min_similarity is not None and not _is_cosine(min_similarity):
        raise InvalidInputError("min_similarity", "must be a number between -1 and 1")
    return RecallQuery(
        text=clean_text(text, "query", MAX_QUERY),
        k=k,
        tags=clean_tags(tags),
        as_of=None if as_of is None else require_offset(as_of, "as_of"),
        true_at=None if true_at is None else require_offset(true_at, "true_at"),
        min_similarity=min_similarity,
    )


def _is_cosine(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1 <= value <= 1


@dataclass(frozen=True, slots=True)
class Recall:
    """Raises ForbiddenError, EmbeddingFailedError, DatabaseUnavailableError."""

    store: RecallStore
    embedder: Embedder
    ids: Ids

    def __call__(self, actor: Actor, query: RecallQuery) -> Recalled:
        """At most `query.k` lessons, best first; `truncated` when there may be more."""
        actor.require(Role.READER)
        kept = RecallQuery(
            query.text, min(query.k, MAX_K), query.tags, query.as_of, query.true_at,
            query.min_similarity,
        )  # fmt: skip
        receipt_id = self.ids.new()
        found = self.store.recall(actor, kept, self.embedder.embed(query.text), receipt_id)
        truncated = query.k > MAX_K or not found.complete
        return Recalled(found.lessons, found.exact, truncated, receipt_id)
