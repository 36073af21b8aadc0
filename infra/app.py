"""From the CDK context to stacks."""

import json
import sys

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.config import Config, InvalidConfigError, read_config
from infra.database_access import DatabaseAccess
from infra.database_stack import DatabaseStack
from infra.network_stack import NetworkStack
from infra.service_stack import ServiceStack


def main() -> None:
    """Synthesise; exits with one line when the context is unusable."""
    app = App(analytics_reporting=False)
    try:
        build(app)
    except InvalidConfigError as error:
        sys.exit(str(error))
    app.synth()


def build(app: App) -> ServiceStack:
    """Make every stack of the stage that the context names; raises InvalidConfigError."""
    config = config_of(app)
    if config.stage == "aws":
        # A finding that nobody accepted, with a reason, stops the synthesis.
        Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    return ServiceStack(app, config, _database(app, config))


def config_of(app: App) -> Config:
    """The stage's settings, with `-c overrides={...}` (JSON) on top."""
    stage = app.node.try_get_context("stage")
    values = app.node.try_get_context(str(stage))
    overrides = app.node.try_get_context("overrides")
    return read_config(stage, {**(values or {}), **_parse(overrides)})


def _parse(overrides: object) -> dict[str, object]:
    if not overrides:
        return {}
    try:
        parsed = json.loads(str(overrides))
    except ValueError:
        raise InvalidConfigError("overrides", "must be JSON") from None
    if not isinstance(parsed, dict):
        raise InvalidConfigError("overrides", "must be a JSON object")
    return parsed


def _database(app: App, config: Config) -> DatabaseAccess:
    if config.stage == "aws":
        network = NetworkStack(app, config)
        return DatabaseStack(app, config, network.vpc).access
    return DatabaseAccess(
        host=config.database_host,
        port=config.database_port,
        name="tributary",
        admin_user="postgres",
        auth="trust",
        sslmode="disable",
    )
