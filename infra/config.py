"""What an operator may choose, read from the CDK context and checked before anything is made."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from infra.functions import FUNCTIONS

Stage = Literal["aws", "local"]
Architecture = Literal["arm64", "x86_64"]


class InvalidConfigError(Exception):
    """A value of the CDK context is unusable; names the key."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"cdk.json context, {key}: {reason}")
        self.key = key


@dataclass(frozen=True, slots=True)
class Config:
    """One stage's settings; the keys are those of the stage's object in cdk.json."""

    stage: Stage
    asset_dir: str  # holds functions/<name> and layers/<name>, relative to the project
    architecture: Architecture = "arm64"
    authorizer_cache_seconds: int = 10  # how long a revoked key may still work
    gardener_schedule: str = "rate(1 hour)"
    log_retention_days: int = 30
    alarm_email: str | None = None  # None: alarms are there, but nobody is told
    throttle_rate: int = 200  # requests a second over all routes
    throttle_burst: int = 400
    snap_start: bool = True  # start recall and prepare from a snapshot; a few dollars a month
    model_dir: str = "/opt/model"  # where Lambda unpacks the embedding layer
    database_host: str = "127.0.0.1"  # this and the port: only without a stack of its own
    database_port: int = 5432
    database_instance_class: str = "t4g.micro"
    database_storage_gib: int = 20
    database_multi_az: bool = False
    backup_days: int = 7
    deletion_protection: bool = True
    memory_mib: Mapping[str, int] = field(default_factory=dict)  # by function, over the default
    reserved_concurrency: Mapping[str, int] = field(default_factory=dict)  # by function

    @property
    def prefix(self) -> str:
        """What the names of stacks and functions begin with."""
        return "tributary" if self.stage == "aws" else f"tributary-{self.stage}"

    @property
    def assets(self) -> Path:
        return Path(self.asset_dir)

    def asset(self, kind: Literal["functions", "layers"], name: str) -> str:
        """The folder to deploy; raises InvalidConfigError when it was not built."""
        folder = self.assets / kind / name
        if not folder.is_dir():
            raise InvalidConfigError(
                "asset_dir", f"{folder} is missing; run `python -m scripts.build all` first"
            )
        return str(folder)


_TYPES = {one.name: str(getattr(one.type, "__name__", one.type)) for one in fields(Config)}
_RANGES = {
    "authorizer_cache_seconds": (0, 3600),
    "throttle_rate": (1, 10_000),
    "throttle_burst": (1, 10_000),
    "database_storage_gib": (20, 16_384),
    "database_port": (1, 65_535),
    "backup_days": (1, 35),
}
# CloudWatch Logs knows a fixed set of days (API PutRetentionPolicy); CDK names them.
RETENTION = MappingProxyType(
    {
        1: "ONE_DAY",
        3: "THREE_DAYS",
        7: "ONE_WEEK",
        14: "TWO_WEEKS",
        30: "ONE_MONTH",
        90: "THREE_MONTHS",
        180: "SIX_MONTHS",
        365: "ONE_YEAR",
    }
)
_MEMORY_MIB = (128, 10_240)


def read_config(stage: object, values: object) -> Config:
    """The stage's Config from its object in the CDK context; raises InvalidConfigError."""
    if stage != "aws" and stage != "local":
        raise InvalidConfigError("stage", f"must be one of {', '.join(get_args(Stage))}")
    if not isinstance(values, Mapping):
        raise InvalidConfigError(str(stage), "must be an object with the settings of this stage")
    settings = {str(key): value for key, value in values.items() if value is not None}
    _check_keys(settings)
    for name, value in settings.items():
        _check_type(name, value)
        _check_range(name, value)
    return Config(stage=stage, **settings)


def _check_keys(settings: Mapping[str, object]) -> None:
    known = {one.name for one in fields(Config)} - {"stage"}
    for name in settings:
        if name not in known:
            raise InvalidConfigError(
                name, f"is not a setting; there are {', '.join(sorted(known))}"
            )
    for one in fields(Config):
        required = one.default is MISSING and one.default_factory is MISSING
        if required and one.name not in {"stage", *settings}:
            raise InvalidConfigError(one.name, "is missing")


def _check_type(name: str, value: object) -> None:
    kind = _TYPES[name]
    if kind.startswith("Mapping"):
        _check_numbers(name, value)
    elif kind == "int" and not _is_count(value):
        raise InvalidConfigError(name, "must be a whole number")
    elif kind == "bool" and not isinstance(value, bool):
        raise InvalidConfigError(name, "must be true or false")
    elif kind not in {"int", "bool"} and not (isinstance(value, str) and value):
        raise InvalidConfigError(name, "must be a non-empty string")


def _check_numbers(name: str, value: object) -> None:
    if not isinstance(value, Mapping) or not all(_is_count(one) for one in value.values()):
        raise InvalidConfigError(name, "must map function names to whole numbers")
    if unknown := set(value) - {spec.name for spec in FUNCTIONS}:
        raise InvalidConfigError(name, f"there is no function {min(unknown)}")


def _check_range(name: str, value: object) -> None:
    if name in _RANGES and isinstance(value, int):
        low, high = _RANGES[name]
        if not low <= value <= high:
            raise InvalidConfigError(name, f"must be {low} to {high}")
    if name == "log_retention_days" and value not in RETENTION:
        raise InvalidConfigError(name, f"must be one of {', '.join(map(str, RETENTION))}")
    if name == "architecture" and value not in get_args(Architecture):
        raise InvalidConfigError(name, f"must be one of {', '.join(get_args(Architecture))}")
    if name == "gardener_schedule" and not re.fullmatch(r"(rate|cron)\(.+\)", str(value)):
        raise InvalidConfigError(name, "must be rate(...) or cron(...)")
    if name == "memory_mib" and isinstance(value, Mapping):
        low, high = _MEMORY_MIB
        if not all(low <= one <= high for one in value.values()):
            raise InvalidConfigError(name, f"must be {low} to {high} for every function")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
