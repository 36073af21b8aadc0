"""The one construct that every Lambda function goes through."""

from collections.abc import Mapping

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.config import Config
from infra.database_access import DatabaseAccess
from infra.functions import FunctionSpec, Login
from infra.layers import RUNTIME, Layers, architecture
from infra.log_group import log_group
from infra.nag import accept


class MemoryFunction(Construct):
    """A function with its own role and log group, and only the access its spec asks for.

    `entry` is what to call: the function, or the alias of its version that has a snapshot.
    """

    def __init__(
        self,
        scope: Construct,
        spec: FunctionSpec,
        *,
        config: Config,
        layers: Layers,
        database: DatabaseAccess,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(scope, spec.name.capitalize())
        self.spec = spec
        self.log_group = log_group(self, config, f"/{config.prefix}/{spec.name}")
        self.role = self._role(database)
        snapped = config.snap_start and spec.snapped
        network = database.network if spec.login else None
        self.function = lambda_.Function(
            self,
            "Function",
            function_name=f"{config.prefix}-{spec.name}",
            runtime=RUNTIME,
            architecture=architecture(config),
            handler="handler.handler",
            code=lambda_.Code.from_asset(config.asset("functions", spec.name)),
            layers=layers.of(spec),
            memory_size=config.memory_mib.get(spec.name, spec.memory_mib),
            timeout=Duration.seconds(spec.timeout_seconds),
            reserved_concurrent_executions=config.reserved_concurrency.get(spec.name),
            environment=self._environment(config, database) | dict(environment or {}),
            role=self.role,
            log_group=self.log_group,
            tracing=lambda_.Tracing.ACTIVE,
            vpc=network.vpc if network else None,
            vpc_subnets=_isolated() if network else None,
            security_groups=[network.security_group] if network else None,
            snap_start=lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if snapped else None,
        )
        self.entry = self._published() if snapped else self.function
        accept(
            self.role,
            {"AwsSolutions-IAM5[Resource::*]": "X-Ray and network interfaces have no ARNs"},
        )
        accept(
            self.function,
            {"AwsSolutions-L1": "python3.13 is the runtime that the layers are built for"},
        )

    def _published(self) -> lambda_.IFunction:
        """Lambda takes snapshots of published versions only: what calls, calls an alias of one.

        A deployment replaces the version, and with it the snapshot that is paid for.
        """
        return lambda_.Alias(self, "Live", alias_name="live", version=self.function.current_version)

    def _role(self, database: DatabaseAccess) -> iam.Role:
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        self.log_group.grant_write(role)
        if self.spec.login and database.network:
            _allow_network_interfaces(role)
        if self.spec.login and database.resource_id:
            role.add_to_policy(self._login_statement(database, self.spec.login))
        return role

    def _login_statement(self, database: DatabaseAccess, login: Login) -> iam.PolicyStatement:
        arn = Stack.of(self).format_arn(
            service="rds-db",
            resource="dbuser",
            resource_name=f"{database.resource_id}/{database.user(login)}",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        return iam.PolicyStatement(actions=["rds-db:connect"], resources=[arn])

    def _environment(self, config: Config, database: DatabaseAccess) -> dict[str, str]:
        variables = {
            "POWERTOOLS_SERVICE_NAME": self.spec.name,
            "POWERTOOLS_METRICS_NAMESPACE": "Tributary",
            "POWERTOOLS_LOG_LEVEL": "INFO",
        }
        if self.spec.login:
            variables |= database.environment(self.spec.login)
        if self.spec.embeds:
            variables["TRIBUTARY_MODEL_DIR"] = config.model_dir
        if self.spec.classifies:
            variables["TRIBUTARY_CLASSIFIER"] = "heuristic"
        return variables


def _allow_network_interfaces(role: iam.Role) -> None:
    """What Lambda needs to put a function into a VPC; EC2 takes no resource for most of it."""
    role.add_to_policy(
        iam.PolicyStatement(
            actions=[
                "ec2:AssignPrivateIpAddresses",
                "ec2:CreateNetworkInterface",
                "ec2:DeleteNetworkInterface",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSubnets",
                "ec2:UnassignPrivateIpAddresses",
            ],
            resources=["*"],
        )
    )


def _isolated() -> ec2.SubnetSelection:
    return ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
