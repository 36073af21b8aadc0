"""LangGraph's `PostgresStore` with semantic search: a namespace for each tenant.

https://docs.langchain.com/oss/python/langgraph/persistence: `index={"dims", "embed", "fields"}`,
`setup()`, `put` or a `batch` of `PutOp`, and `search(namespace, query=..., limit=...)`. Its index
is HNSW by default.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import Self
from uuid import uuid4

from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore

from scripts.bench.systems.base import DIMENSIONS, Given, Lesson, Place

BATCH = 100


class LangGraph:
    """Implements System."""

    name = "LangGraph PostgresStore"
    version = version("langgraph-checkpoint-postgres")

    def __init__(self, place: Place) -> None:
        self._place = place
        self._given = Given()
        self._open = ExitStack()

    def open(self) -> None:
        self.connect()
        self._store.setup()

    def connect(self) -> None:
        """Connect to what is there."""
        index = {"dims": DIMENSIONS, "embed": self._given.embed_documents, "fields": ["text"]}
        self._store = self._open.enter_context(
            PostgresStore.from_conn_string(self._place.dsn, index=index)
        )

    def add(self, lessons: Sequence[Lesson]) -> None:
        for start in range(0, len(lessons), BATCH):
            batch = lessons[start : start + BATCH]
            self._given.know(batch)
            self._store.batch(
                [PutOp(("lessons", one.tenant), str(uuid4()), {"text": one.text}) for one in batch]
            )

    fill = add

    def search(self, tenant: str, text: str, vector: Sequence[float], k: int) -> list[str]:
        self._given.know([Lesson(tenant, text, vector)])
        found = self._store.search(("lessons", tenant), query=text, limit=k)
        return [str(item.value["text"]) for item in found]

    def another(self) -> Self:
        other = type(self)(self._place)
        other.connect()
        return other

    def close(self) -> None:
        self._open.close()
