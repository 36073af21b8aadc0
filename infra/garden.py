"""The gardener's schedule."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.config import Config


class GardenSchedule(Construct):
    """An EventBridge rule that calls the gardener."""

    def __init__(self, scope: Construct, config: Config, gardener: lambda_.IFunction) -> None:
        super().__init__(scope, "Garden")
        self.rule = events.Rule(
            self,
            "Schedule",
            rule_name=f"{config.prefix}-gardener",
            description="Decays, retires and classifies parked lessons",
            schedule=events.Schedule.expression(config.gardener_schedule),
        )
        # The next run does what a failed one left, so an old call is not worth repeating.
        self.rule.add_target(
            targets.LambdaFunction(gardener, retry_attempts=0, max_event_age=Duration.minutes(5))
        )
