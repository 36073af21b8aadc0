"""How a function logs in to the database."""

from tributary.adapters.postgres.database import Connect, connector
from tributary.edge.settings import Settings


def database(settings: Settings) -> Connect:
    """How to open a connection as these settings say."""
    return connector(
        password=lambda: _token(settings) if settings.db_auth == "iam" else None,
        host=settings.db_host,
        port=settings.db_port,
        dbname=settings.db_name,
        user=settings.db_user,
        sslmode=settings.db_sslmode,
        connect_timeout=5,
    )


def _token(settings: Settings) -> str:
    """A fresh IAM token, made by signing locally; it lives for 15 minutes."""
    import boto3

    token: str = boto3.client("rds").generate_db_auth_token(
        settings.db_host, settings.db_port, settings.db_user
    )
    return token
