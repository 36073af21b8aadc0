"""The learn workflow: the state machine of statemachines/learn.asl.json, and who may run it."""

import json
from collections.abc import Mapping
from pathlib import Path

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.config import Config
from infra.log_group import log_group
from infra.nag import accept

DEFINITION = Path(__file__).parents[1] / "statemachines" / "learn.asl.json"
STATES = {
    "PrepareFunctionArn": "prepare",
    "ClassifyFunctionArn": "classify",
    "CommitFunctionArn": "commit",
}  # what the definition calls it -> the function


class LearnWorkflow(Construct):
    """An Express state machine that may invoke its three functions and nothing else."""

    def __init__(
        self, scope: Construct, config: Config, functions: Mapping[str, lambda_.IFunction]
    ) -> None:
        super().__init__(scope, "Workflow")
        arns = {name: functions[function].function_arn for name, function in STATES.items()}
        self.state_machine = sfn.StateMachine(
            self,
            "Learn",
            state_machine_name=f"{config.prefix}-learn",
            state_machine_type=sfn.StateMachineType.EXPRESS,
            definition_body=sfn.DefinitionBody.from_string(_minified(DEFINITION)),
            definition_substitutions=arns,
            role=self._role(list(arns.values())),
            tracing_enabled=True,
            logs=sfn.LogOptions(
                destination=log_group(
                    self, config, f"/aws/vendedlogs/states/{config.prefix}-learn"
                ),
                level=sfn.LogLevel.ERROR,
                include_execution_data=False,  # it holds the text of lessons
            ),
        )
        accept(
            self.state_machine,
            {"AwsSolutions-SF1": "a line per event costs more than it tells; errors are logged"},
        )

    def let_start(self, role: iam.IRole) -> None:
        """Allow the role to run this workflow, synchronously or not."""
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=["states:StartSyncExecution", "states:StartExecution"],
                resources=[self.state_machine.state_machine_arn],
            )
        )

    def _role(self, function_arns: list[str]) -> iam.Role:
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com"))
        role.add_to_policy(
            iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=function_arns)
        )
        accept(
            role,
            {"AwsSolutions-IAM5[Resource::*]": "X-Ray and log delivery take no resource"},
        )
        return role


def _minified(definition: Path) -> str:
    return json.dumps(json.loads(definition.read_text()), separators=(",", ":"))
