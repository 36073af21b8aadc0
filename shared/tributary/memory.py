"""Tributary in one process: the library's front door."""

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from uuid import UUID

from psycopg.conninfo import make_conninfo

from tributary.adapters.classify.heuristic import HeuristicClassifier
from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.adapters.postgres import embedded
from tributary.adapters.postgres.database import Connect, connector
from tributary.adapters.postgres.migrate import migrate
from tributary.domain.errors import ConfigurationError, InvalidInputError
from tributary.domain.lesson import clean_name, draft
from tributary.domain.roles import Actor, Role
from tributary.edge.wiring import Wiring
from tributary.ports import Classifier, Embedder, Learned, Recalled
from tributary.usecases.curate import History
from tributary.usecases.learn.attempt import new_attempt
from tributary.usecases.recall import recall_query

APP_ROLE = "tributary_app"


class Memory(AbstractContextManager["Memory"]):
    """One agent's view of one tribe's memory. Close it, or use it as a context manager.

    Threads may share one; they take turns. A process that forks opens its own after the fork,
    because the embedding model does not survive one.
    """

    def __init__(self, wiring: Wiring, actor: Actor) -> None:
        self._wiring = wiring
        self._actor = actor

    @classmethod
    def open(
        cls,
        dsn: str | None = None,
        tribe: str = "default",
        agent: str = "local",
        role: str = "curator",
        classifier: str | Classifier = "local",
        embedder: str | Embedder = "onnx",
    ) -> Self:
        """Open a memory, and bring its database to the newest schema.

        Without a DSN the database is PostgreSQL embedded under `.local/` (or
        `$TRIBUTARY_HOME`). `classifier` is "local" or "heuristic", which are the same rule-based
        classifier for now, or an object of your own (ports.Classifier); `embedder` is "onnx" or an
        object of your own (ports.Embedder).

        Raises ConfigurationError, InvalidInputError, DatabaseUnavailableError.
        """
        actor = Actor(clean_name(tribe, "tribe"), clean_name(agent, "agent"), _role(role))
        wiring = open_wiring(dsn, _classifier(classifier), _embedder(embedder))
        wiring.registry.found(actor.tribe)
        return cls(wiring, actor)

    def learn(
        self,
        content: str,
        *,
        situation: str | None = None,
        tags: Sequence[str] = (),
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Learned:
        """Learn one lesson; the answer says what became of it.

        Raises InvalidInputError (nothing was stored), TransientError (nothing was stored; call
        again with the same `idempotency_key`), IdempotencyKeyReusedError, ForbiddenError.
        """
        lesson = draft(
            content,
            situation=situation,
            tags=tags,
            valid_from=valid_from,
            valid_to=valid_to,
        )
        attempt = new_attempt(self._actor, lesson, self._wiring.ids, idempotency_key)
        return self._wiring.learn(attempt)

    def learn_many(self, items: Iterable[dict[str, Any]]) -> list[Learned | InvalidInputError]:
        """Learn each item (the keyword arguments of `learn`, with `content`) on its own.

        One result per item, in order; an item that cannot be used does not stop the others.
        """
        return [self._learn_item(item) for item in items]

    def _learn_item(self, item: Any) -> Learned | InvalidInputError:
        if not isinstance(item, dict):
            return InvalidInputError("item", "must be a dict with `content` and more")
        unknown = item.keys() - {
            "content", "situation", "tags", "valid_from", "valid_to", "idempotency_key"
        }  # fmt: skip
        if unknown:
            return InvalidInputError(min(unknown), "is not a field of a lesson")
        try:
            return self.learn(**{"content": None, **item})
        except InvalidInputError as error:
            return error

    def recall(
        self,
        query: str,
        *,
        k: int = 5,
        tags: Sequence[str] = (),
        as_of: datetime | None = None,
        true_at: datetime | None = None,
        min_similarity: float | None = None,
    ) -> Recalled:
        """The `k` lessons that match best, best first.

        `as_of` asks what was believed at an instant, `true_at` what is held true of one.
        Raises InvalidInputError, EmbeddingFailedError, DatabaseUnavailableError.
        """
        wanted = recall_query(
            query, k=k, tags=tags, as_of=as_of, true_at=true_at, min_similarity=min_similarity
        )
        return self._wiring.recall(self._actor, wanted)

    def reinforce(self, id: UUID | str) -> bool:  # noqa: A002
        """Say that a lesson helped. True when it was counted: once per agent and hour."""
        return self._wiring.curate.reinforce(self._actor, _uuid(id))

    def retire(self, id: UUID | str, reason: str) -> None:  # noqa: A002
        """Take a lesson out of recall; it stays in the history."""
        self._wiring.curate.retire(self._actor, _uuid(id), reason)

    def history(self, id: UUID | str) -> History:  # noqa: A002
        """The chain that explains a lesson, oldest first, and its audit."""
        return self._wiring.curate.history(self._actor, _uuid(id))

    def close(self) -> None:
        """Close the connection."""
        self._wiring.database.close()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open_wiring(
    dsn: str | None, classifier: Classifier | None = None, embedder: Embedder | None = None
) -> Wiring:
    """The use cases over a database that is brought to the newest schema."""
    return Wiring(
        _prepared(dsn),
        make_embedder=lambda: embedder or OnnxEmbedder.load(),
        make_classifier=lambda: classifier or HeuristicClassifier(),
    )


def embedded_admin() -> str:
    """The DSN of the embedded database, as its superuser; started when it is not running."""
    return embedded.start(_embedded_folder())


def _embedded_folder() -> Path:
    # Absolute, because the process may change its folder later.
    return Path(os.environ.get("TRIBUTARY_HOME") or ".local").absolute() / "memory"


def _prepared(dsn: str | None) -> Connect:
    """How to connect to a database whose schema is up to date."""
    if dsn is not None:
        connect = connector(conninfo=dsn)
        migrate(connect)
        return connect
    folder = _embedded_folder()
    admin = embedded.start(folder)
    migrate(connector(conninfo=admin))
    # Row security holds for everyone but a superuser.
    return embedded.reviving(folder, connector(conninfo=make_conninfo(admin, user=APP_ROLE)))


def _role(name: str) -> Role:
    try:
        return Role[name.upper()]
    except (KeyError, AttributeError):
        raise InvalidInputError("role", "must be reader, writer or curator") from None


def _uuid(value: UUID | str) -> UUID:
    if isinstance(value, UUID):
        return value
    try:
        return UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise InvalidInputError("id", "is not a UUID") from None


def _embedder(chosen: str | Embedder) -> Embedder:
    if hasattr(chosen, "embed"):
        return cast("Embedder", chosen)
    if chosen == "onnx":
        return OnnxEmbedder.load()
    raise ConfigurationError(f"there is no embedder {chosen!r}: use 'onnx', or give an object")


def _classifier(chosen: str | Classifier) -> Classifier:
    if hasattr(chosen, "classify"):
        return cast("Classifier", chosen)
    if chosen in ("local", "heuristic"):
        return HeuristicClassifier()
    raise ConfigurationError(f"there is no classifier {chosen!r}: use 'local', or give an object")
