"""What a function is told by its environment."""

import os
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tributary.domain.errors import ConfigurationError

PREFIX = "TRIBUTARY_"


class Settings(BaseModel):
    """The variables `TRIBUTARY_<NAME>`; those of the database are absent outside the VPC."""

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())

    db_host: str = ""
    db_port: int = 5432
    db_name: str = "tributary"
    db_user: str = "tributary_app"
    db_auth: Literal["iam", "trust"] = "iam"
    db_sslmode: str = "verify-full"
    state_machine_arn: str = ""
    classifier: Literal["heuristic"] = "heuristic"

    @classmethod
    def load(cls, environ: Mapping[str, str] = os.environ) -> "Settings":
        """Raises ConfigurationError naming the variable at fault."""
        given = {
            name.removeprefix(PREFIX).lower(): value
            for name, value in environ.items()
            if name.startswith(PREFIX)
        }
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            raise ConfigurationError(
                f"{PREFIX}{str(first['loc'][0]).upper()}: {first['msg']}"
            ) from None
