"""Chroma in process: a persistent client, and a collection for each tenant.

https://docs.trychroma.com: `PersistentClient`, `create_collection(configuration=...)`, and vectors
given to `add` and `query`.
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Self
from uuid import uuid4

import chromadb
from chromadb.config import Settings

from scripts.bench.systems.base import Lesson, Place

BATCH = 5_000  # the client refuses batches above its max_batch_size of 5,461


class Chroma:
    """Implements System."""

    name = "Chroma"
    version = version("chromadb")

    def __init__(self, place: Place) -> None:
        self._place = place
        self._collections: dict[str, Any] = {}

    def open(self) -> None:
        self._client = chromadb.PersistentClient(
            str(self._place.folder), settings=Settings(anonymized_telemetry=False)
        )

    def add(self, lessons: Sequence[Lesson]) -> None:
        for tenant in dict.fromkeys(one.tenant for one in lessons):
            own = [one for one in lessons if one.tenant == tenant]
            for start in range(0, len(own), BATCH):
                self._add(tenant, own[start : start + BATCH])

    def _add(self, tenant: str, lessons: Sequence[Lesson]) -> None:
        self._collection(tenant).add(
            ids=[str(uuid4()) for _ in lessons],
            documents=[one.text for one in lessons],
            embeddings=[one.vector for one in lessons],
        )

    fill = add

    def search(
        self,
        tenant: str,
        text: str,  # noqa: ARG002  it knows vectors only
        vector: Sequence[float],
        k: int,
    ) -> list[str]:
        found = self._collection(tenant).query(query_embeddings=[vector], n_results=k)
        return list(found["documents"][0])

    def another(self) -> Self:
        """The same client: Chroma in process is not for several processes."""
        return self

    def close(self) -> None:
        self._collections.clear()
        self._client.close()

    def _collection(self, tenant: str) -> Any:
        if tenant not in self._collections:
            self._collections[tenant] = self._client.get_or_create_collection(
                tenant, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
            )
        return self._collections[tenant]
