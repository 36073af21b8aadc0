"""`PGVectorStore` of langchain-postgres: a table for each tenant, with an HNSW index.

https://github.com/langchain-ai/langchain-postgres: `PGEngine`, `init_vectorstore_table`,
`add_embeddings`, `apply_vector_index(HNSWIndex())`; the hybrid form adds a tsvector column, its
GIN index, and reciprocal rank fusion.
"""

import asyncio
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Self

from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import (
    HybridSearchConfig,
    reciprocal_rank_fusion,
)
from langchain_postgres.v2.indexes import HNSWIndex
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL

from scripts.bench.systems.base import DIMENSIONS, Given, Lesson, Place

DEPTH = 40  # of each of the two searches that are fused; four times what is asked for


class LangChain:
    """Implements System; searches by meaning alone."""

    name = "langchain-postgres"
    version = version("langchain-postgres")

    def __init__(self, place: Place) -> None:
        self._place = place
        self._given = Given()
        self.stores: dict[str, Any] = {}

    def open(self) -> None:
        parts = conninfo_to_dict(self._place.dsn)
        url = URL.create(
            "postgresql+psycopg",
            username=str(parts["user"]),
            database=str(parts["dbname"]),
            query={"host": str(parts["host"])},
        )
        self._engine = PGEngine.from_connection_string(url)

    def add(self, lessons: Sequence[Lesson]) -> None:
        for tenant in dict.fromkeys(one.tenant for one in lessons):
            own = [one for one in lessons if one.tenant == tenant]
            store = self.stores.get(tenant) or self._made(tenant)
            store.add_embeddings([one.text for one in own], [list(one.vector) for one in own])

    fill = add

    def search(self, tenant: str, text: str, vector: Sequence[float], k: int) -> list[str]:
        self._given.know([Lesson(tenant, text, vector)])
        return self._texts(self.stores[tenant].similarity_search(text, k=k))

    @staticmethod
    def _texts(found: Sequence[Any]) -> list[str]:
        return [str(document.page_content) for document in found]

    def another(self) -> Self:
        other = type(self)(self._place)
        other.open()
        for tenant in self.stores:
            other.stores[tenant] = other.store_of(tenant)
        return other

    def close(self) -> None:
        asyncio.run(self._engine.close())

    def _made(self, tenant: str) -> Any:
        self._engine.init_vectorstore_table(
            _table(tenant), DIMENSIONS, hybrid_search_config=self._hybrid(tenant)
        )
        store = self.stores[tenant] = self.store_of(tenant)
        store.apply_vector_index(HNSWIndex())
        return store

    def store_of(self, tenant: str) -> Any:
        return PGVectorStore.create_sync(
            self._engine, self._given, _table(tenant), hybrid_search_config=self._hybrid(tenant)
        )

    def _hybrid(self, tenant: str) -> Any:  # noqa: ARG002
        return None


class LangChainHybrid(LangChain):
    """The same with its keyword search fused in."""

    name = "langchain-postgres, hybrid"

    def search(self, tenant: str, text: str, vector: Sequence[float], k: int) -> list[str]:
        self._given.know([Lesson(tenant, text, vector)])
        # The store's own configuration would keep the words of the first search for all others.
        config = self._hybrid(tenant)
        config.fts_query = text
        found = self.stores[tenant].similarity_search(text, k=k, hybrid_search_config=config)
        return self._texts(found)

    def _made(self, tenant: str) -> Any:
        store = super()._made(tenant)
        store.apply_hybrid_search_index()
        return store

    def _hybrid(self, tenant: str) -> Any:
        return HybridSearchConfig(
            tsv_column="content_tsv",
            tsv_lang="pg_catalog.english",
            fusion_function=reciprocal_rank_fusion,
            fusion_function_parameters={"rrf_k": 60},
            primary_top_k=DEPTH,
            secondary_top_k=DEPTH,
            index_name=f"{_table(tenant)}_words",
            index_type="GIN",
        )


def _table(tenant: str) -> str:
    return "lessons_" + re.sub(r"\W", "_", tenant)
