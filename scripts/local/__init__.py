"""The local stack: PostgreSQL, AWS and the deployed service on one laptop, without Docker."""
