"""Scratch tribes on PostgreSQL: stored functions, because only the owner may delete."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from tributary.adapters.postgres.database import Database


class PostgresScratchStore:
    """Implements usecases.scratch.ScratchStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(
        self, parent: str, tribe: str, agent: str, key_hash: bytes, life: timedelta, most: int
    ) -> datetime | None:
        with self._database.reading(parent) as connection:
            cursor = connection.execute(
                "SELECT open_scratch(%s, %s, %s, %s, %s) AS ends",
                (tribe, agent, key_hash, life, most),
            )
        ends: datetime | None = (cursor.fetchone() or {})["ends"]
        return ends

    def remove(self, tribe: str, batch: int) -> Mapping[str, int] | None:
        # Not inside the tribe: whoever is in it is waited for.
        with self._database.outside_tribes() as connection:
            cursor = connection.execute("SELECT remove_scratch(%s, %s) AS removed", (tribe, batch))
        removed: Mapping[str, int] | None = (cursor.fetchone() or {})["removed"]
        return removed

    def expired(self) -> tuple[str, ...]:
        with self._database.outside_tribes() as connection:
            cursor = connection.execute(
                "SELECT name FROM scratch_tribes WHERE expires_at <= now() ORDER BY expires_at"
            )
        return tuple(row["name"] for row in cursor.fetchall())
