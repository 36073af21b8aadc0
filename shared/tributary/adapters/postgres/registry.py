"""Registry on PostgreSQL: tribes, agents and the hashes of their keys."""

from tributary.adapters.postgres.database import Database
from tributary.domain.roles import Actor, Role
from tributary.ports import Agent


class PostgresRegistry:
    """Implements ports.Registry."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def found(self, tribe: str) -> None:
        with self._database.reading(tribe) as connection:
            connection.execute(
                "INSERT INTO tribes (name) VALUES (%s) ON CONFLICT DO NOTHING", (tribe,)
            )

    def tribes(self) -> tuple[str, ...]:
        # A scratch tribe may end at any moment, and has nothing that is worth tending.
        with self._database.outside_tribes() as connection:
            cursor = connection.execute(
                "SELECT name FROM tribes WHERE NOT starts_with(name, '~') ORDER BY name"
            )
        return tuple(row["name"] for row in cursor.fetchall())

    def add_agent(self, tribe: str, name: str, role: Role, key_hash: bytes) -> bool:
        with self._database.reading(tribe) as connection:
            cursor = connection.execute(
                "SELECT add_agent(%s, %s, %s, %s) AS added", (tribe, name, role.label, key_hash)
            )
        return bool((cursor.fetchone() or {})["added"])

    def agents(self, tribe: str) -> tuple[Agent, ...]:
        with self._database.reading(tribe) as connection:
            cursor = connection.execute(
                "SELECT name, role, created_at, revoked_at FROM agents"
                " WHERE tribe = %s ORDER BY name",
                (tribe,),
            )
        return tuple(
            Agent(**{**row, "role": Role[row["role"].upper()]}) for row in cursor.fetchall()
        )

    def revoke(self, tribe: str, name: str) -> bool:
        with self._database.reading(tribe) as connection:
            cursor = connection.execute(
                "UPDATE agents SET revoked_at = coalesce(revoked_at, now())"
                " WHERE tribe = %s AND name = %s RETURNING name",
                (tribe, name),
            )
        return cursor.fetchone() is not None

    def identify(self, key_hash: bytes) -> Actor | None:
        with self._database.outside_tribes() as connection:
            cursor = connection.execute("SELECT * FROM identify(%s)", (key_hash,))
        row = cursor.fetchone()
        return Actor(row["tribe"], row["agent"], Role[row["role"].upper()]) if row else None
