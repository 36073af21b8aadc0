"""Has this very learn been committed before?"""

from collections.abc import Callable
from hashlib import sha256

from psycopg import Connection
from psycopg.rows import DictRow

from tributary.adapters.postgres import rows
from tributary.domain.errors import IdempotencyKeyReusedError
from tributary.domain.lesson import Draft
from tributary.ports import Attempt, Learned

SETTLED = """
SELECT d.*, k.request_hash FROM decisions d
LEFT JOIN idempotency_keys k
    ON k.tribe = %(tribe)s AND k.agent = %(agent)s AND k.key = %(key)s
WHERE d.tribe = %(tribe)s AND d.id = coalesce(
    (SELECT decision_id FROM idempotency_keys
     WHERE tribe = %(tribe)s AND agent = %(agent)s AND key = %(key)s),
    %(decision)s)
"""


def settled(connection: Connection[DictRow], attempt: Attempt) -> Callable[[], Learned | None]:
    """Ask now, answer when called: within a pipeline the question costs no round trip.

    The answer raises IdempotencyKeyReusedError when the key came with another request.
    """
    cursor = connection.execute(
        SETTLED,
        {
            "tribe": attempt.actor.tribe,
            "agent": attempt.actor.agent,
            "key": attempt.idempotency_key,
            "decision": attempt.decision_id,
        },
    )

    def answer() -> Learned | None:
        row = cursor.fetchone()
        if row is None:
            return None
        if row["request_hash"] not in (None, request_hash(attempt.draft)):
            raise IdempotencyKeyReusedError
        return rows.learned(row)

    return answer


def request_hash(draft: Draft) -> bytes:
    """SHA-256 of all that the caller asked for."""
    parts = (draft.content, draft.situation, draft.tags, draft.validity)
    return sha256(repr(parts).encode()).digest()
