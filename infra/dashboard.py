"""The first dashboard: is it used, is it fast, does it fail, how is the database."""

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cw
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.alarms import rds_metric
from infra.config import Config
from infra.http_api import HttpApi
from infra.memory_function import MemoryFunction


class Dashboard(Construct):
    """Widgets of 12 columns, two in a row."""

    def __init__(self, scope: Construct, config: Config) -> None:
        super().__init__(scope, "Dashboard")
        self.dashboard = cw.Dashboard(self, "Dashboard", dashboard_name=config.prefix)

    def add_api(self, http: HttpApi) -> None:
        """Requests and answers, and how long they took."""
        self._row(
            _graph(
                "Requests",
                http.api.metric_count(statistic="Sum", label="requests"),
                http.api.metric_client_error(statistic="Sum", label="4xx"),
                http.api.metric_server_error(statistic="Sum", label="5xx"),
            ),
            _graph(
                "Latency, ms",
                http.api.metric_latency(statistic="p50", label="p50"),
                http.api.metric_latency(statistic="p95", label="p95"),
            ),
        )

    def add_functions(self, functions: Sequence[MemoryFunction]) -> None:
        """Errors and durations of each function."""
        self._row(
            _graph(
                "Function errors (contention raises on purpose)",
                *(one.function.metric_errors(label=one.spec.name) for one in functions),
            ),
            _graph(
                "Function duration p95, ms",
                *(
                    one.function.metric_duration(statistic="p95", label=one.spec.name)
                    for one in functions
                ),
            ),
        )

    def add_workflow(self, machine: sfn.StateMachine) -> None:
        """How learns ended, and how long they took."""
        self._row(
            _graph(
                "Learns",
                machine.metric_succeeded(label="succeeded"),
                machine.metric_failed(label="failed"),
                machine.metric_timed_out(label="timed out"),
                machine.metric_throttled(label="throttled"),
            ),
            _graph(
                "Learn duration, ms",
                machine.metric_time(statistic="p50", label="p50"),
                machine.metric_time(statistic="p95", label="p95"),
            ),
        )

    def add_database(self, instance_id: str) -> None:
        """Load and room of the RDS instance."""
        self._row(
            _graph(
                "Database load",
                rds_metric(instance_id, "CPUUtilization"),
                rds_metric(instance_id, "DatabaseConnections"),
            ),
            _graph("Database free storage, bytes", rds_metric(instance_id, "FreeStorageSpace")),
        )

    def _row(self, left: cw.IWidget, right: cw.IWidget) -> None:
        self.dashboard.add_widgets(left, right)


def _graph(title: str, *metrics: cw.IMetric) -> cw.GraphWidget:
    return cw.GraphWidget(title=title, left=list(metrics), width=12)
