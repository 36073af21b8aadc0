"""Alarms: something failed, or the database is about to."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cw
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.config import Config
from infra.http_api import HttpApi
from infra.memory_function import MemoryFunction

_PERIOD = Duration.minutes(5)
_GIB = 1024**3


class Alarms(Construct):
    """Every alarm tells the topic, when there is one."""

    def __init__(self, scope: Construct, config: Config) -> None:
        super().__init__(scope, "Alarms")
        self.prefix = config.prefix
        self.topic = self._topic(config.alarm_email) if config.alarm_email else None

    def watch_functions(self, functions: Sequence[MemoryFunction]) -> None:
        """Errors of each function, and throttles in the whole account, which share one limit."""
        for one in functions:
            errors = one.function.metric_errors(period=_PERIOD, statistic="Sum")
            self._above(f"{one.spec.name}-errors", errors, one.spec.alarm_at_errors - 1)
        throttles = lambda_.Function.metric_all_throttles(period=_PERIOD, statistic="Sum")
        self._above("functions-throttled", throttles, 0)

    def watch_workflow(self, machine: sfn.StateMachine) -> None:
        """Learns that failed or ran out of time."""
        self._above("learn-failed", machine.metric_failed(period=_PERIOD, statistic="Sum"), 4)
        self._above("learn-timed-out", machine.metric_timed_out(period=_PERIOD, statistic="Sum"), 0)

    def watch_api(self, http: HttpApi) -> None:
        """Answers of 5xx."""
        errors = http.api.metric_server_error(period=_PERIOD, statistic="Sum")
        self._above("http-5xx", errors, 0)

    def watch_database(self, instance_id: str, storage_gib: int) -> None:
        """Processor, connections and free storage of the RDS instance."""
        self._above("database-cpu", rds_metric(instance_id, "CPUUtilization"), 80, periods=3)
        # A t4g.micro allows about 80 (RDS: least of DBInstanceClassMemory/9531392 and 5000).
        self._above("database-connections", rds_metric(instance_id, "DatabaseConnections"), 60)
        free = rds_metric(instance_id, "FreeStorageSpace")
        self._alarm(
            "database-storage",
            free,
            storage_gib * _GIB // 10,
            cw.ComparisonOperator.LESS_THAN_THRESHOLD,
        )

    def _above(self, name: str, metric: cw.IMetric, threshold: int, *, periods: int = 1) -> None:
        over = cw.ComparisonOperator.GREATER_THAN_THRESHOLD
        self._alarm(name, metric, threshold, over, periods=periods)

    def _alarm(
        self,
        name: str,
        metric: cw.IMetric,
        threshold: int,
        comparison: cw.ComparisonOperator,
        *,
        periods: int = 1,
    ) -> None:
        alarm = cw.Alarm(
            self,
            name,
            alarm_name=f"{self.prefix}-{name}",
            metric=metric,
            threshold=threshold,
            comparison_operator=comparison,
            evaluation_periods=periods,
            treat_missing_data=cw.TreatMissingData.NOT_BREACHING,
        )
        if self.topic:
            alarm.add_alarm_action(actions.SnsAction(self.topic))

    def _topic(self, email: str) -> sns.Topic:
        topic = sns.Topic(self, "Topic", topic_name=f"{self.prefix}-alarms", enforce_ssl=True)
        topic.add_subscription(subscriptions.EmailSubscription(email))
        return topic


def rds_metric(instance_id: str, name: str) -> cw.Metric:
    """A metric of one RDS instance, averaged over five minutes."""
    return cw.Metric(
        namespace="AWS/RDS",
        metric_name=name,
        dimensions_map={"DBInstanceIdentifier": instance_id},
        statistic="Average",
        period=_PERIOD,
    )
