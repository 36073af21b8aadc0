"""The real clock and the real ids."""

import time
from datetime import UTC, datetime
from uuid import UUID

from uuid_utils.compat import uuid7


class SystemClock:
    """Implements ports.Clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class SystemIds:
    """Implements ports.Ids with UUIDv7: ordered by time within a process (RFC 9562)."""

    def new(self) -> UUID:
        return uuid7()
