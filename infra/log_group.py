"""Log groups are made here, so that each one ends."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import RETENTION, Config


def log_group(scope: Construct, config: Config, name: str) -> logs.LogGroup:
    """A log group that forgets after the configured days and goes with its stack."""
    return logs.LogGroup(
        scope,
        "Logs",
        log_group_name=name,
        retention=logs.RetentionDays[RETENTION[config.log_retention_days]],
        removal_policy=RemovalPolicy.DESTROY,
    )
