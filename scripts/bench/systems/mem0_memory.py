"""mem0 without its language model (`infer=False`), over pgvector: a `user_id` for each tenant.

https://docs.mem0.ai: `Memory.from_config`, `add(..., user_id=, infer=False)` and
`search(query, filters={"user_id": ...}, top_k=)`. Its embedding model is put in the place of the
configured one; its optional spaCy pipeline is not installed, because its makers do not publish
the model of that on the package index. Its keyword search works without.
"""

import hashlib
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Self
from uuid import uuid4

from mem0 import Memory

from scripts.bench.systems.base import DIMENSIONS, Given, Lesson, Place

UNUSED = {"provider": "openai", "config": {"api_key": "unused"}}


class Embedder(Given):
    """What mem0 calls of its EmbeddingBase."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        return self.vector(text)


class Mem0:
    """Implements System."""

    name = "mem0"
    version = version("mem0ai")

    def __init__(self, place: Place) -> None:
        self._place = place
        self._given = Embedder()

    def open(self) -> None:
        logging.getLogger("mem0").setLevel(logging.ERROR)  # that spaCy is missing, every time
        store = {
            "connection_string": self._place.dsn,
            "collection_name": "lessons",
            "embedding_model_dims": DIMENSIONS,
            "hnsw": True,
        }
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "llm": UNUSED,
                "embedder": UNUSED,
                "history_db_path": str(self._place.folder / f"history-{uuid4()}.db"),
            }
        )
        self._memory.embedding_model = self._given

    def add(self, lessons: Sequence[Lesson]) -> None:
        """One call a lesson: a call of several messages loops over them as well."""
        self._given.know(lessons)
        for one in lessons:
            self._memory.add(one.text, user_id=one.tenant, infer=False)

    def fill(self, lessons: Sequence[Lesson]) -> None:
        """Its vector store's own batch insert, of what `add` stores."""
        self._memory.vector_store.insert(
            vectors=[list(one.vector) for one in lessons],
            payloads=[_payload(one) for one in lessons],
            ids=[str(uuid4()) for _ in lessons],
        )

    def search(self, tenant: str, text: str, vector: Sequence[float], k: int) -> list[str]:
        self._given.know([Lesson(tenant, text, vector)])
        found = self._memory.search(text, filters={"user_id": tenant}, top_k=k)
        return [str(one["memory"]) for one in found["results"]]

    def another(self) -> Self:
        other = type(self)(self._place)
        other.open()
        return other

    def close(self) -> None:
        self._memory.vector_store.connection_pool.close()
        self._memory.close()


def _payload(lesson: Lesson) -> dict[str, str]:
    now = datetime.now(UTC).isoformat()
    return {
        "user_id": lesson.tenant,
        "role": "user",
        "data": lesson.text,
        "hash": hashlib.md5(lesson.text.encode(), usedforsecurity=False).hexdigest(),
        "created_at": now,
        "updated_at": now,
        "text_lemmatized": lesson.text,
    }
