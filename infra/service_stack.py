"""The service: functions, API, workflow, schedule. The same on AWS and on a laptop."""

from aws_cdk import CfnOutput, Duration, Stack, triggers
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.alarms import Alarms
from infra.config import Config
from infra.dashboard import Dashboard
from infra.database_access import DatabaseAccess
from infra.functions import FUNCTIONS
from infra.garden import GardenSchedule
from infra.http_api import HttpApi
from infra.layers import Layers
from infra.learn_workflow import LearnWorkflow
from infra.memory_function import MemoryFunction


class ServiceStack(Stack):
    """Knows of the database only how to reach it."""

    def __init__(self, scope: Construct, config: Config, database: DatabaseAccess) -> None:
        super().__init__(scope, f"{config.prefix}-service")
        self.config = config
        layers = Layers(self, config)
        self.functions = {
            spec.name: MemoryFunction(self, spec, config=config, layers=layers, database=database)
            for spec in FUNCTIONS
        }
        lambdas = {name: one.entry for name, one in self.functions.items()}
        self.workflow = self._workflow(lambdas)
        self.http = HttpApi(self, config, lambdas)
        self.garden = GardenSchedule(self, config, lambdas["gardener"])
        if config.stage == "aws":
            self._migrate_on_deploy(self.functions["migrate"].function)
        self._observe(database)
        self._outputs()

    def _workflow(self, lambdas: dict[str, lambda_.IFunction]) -> LearnWorkflow:
        workflow = LearnWorkflow(self, self.config, lambdas)
        workflow.let_start(self.functions["learn"].role)
        self.functions["learn"].function.add_environment(
            "TRIBUTARY_STATE_MACHINE_ARN", workflow.state_machine.state_machine_arn
        )
        return workflow

    def _migrate_on_deploy(self, migrate: lambda_.Function) -> None:
        """Run the migrations whenever the code changed, before anything may need them."""
        trigger = triggers.Trigger(self, "Migration", handler=migrate, timeout=Duration.minutes(5))
        trigger.execute_before(self.http.stage, self.garden)

    def _observe(self, database: DatabaseAccess) -> None:
        functions = list(self.functions.values())
        alarms, dashboard = Alarms(self, self.config), Dashboard(self, self.config)
        dashboard.add_api(self.http)
        dashboard.add_workflow(self.workflow.state_machine)
        dashboard.add_functions(functions)
        alarms.watch_api(self.http)
        alarms.watch_workflow(self.workflow.state_machine)
        alarms.watch_functions(functions)
        if database.instance_id:
            dashboard.add_database(database.instance_id)
            alarms.watch_database(database.instance_id, self.config.database_storage_gib)

    def _outputs(self) -> None:
        CfnOutput(self, "ApiUrl", value=self.http.url)
        CfnOutput(self, "ApiId", value=self.http.api.api_id)
        CfnOutput(self, "MigrateFunction", value=self.functions["migrate"].function.function_name)
        CfnOutput(self, "StateMachineArn", value=self.workflow.state_machine.state_machine_arn)
