"""PostgreSQL on RDS, behind RDS Proxy; IAM is the only way in."""

from typing import cast

from aws_cdk import Duration, Fn, RemovalPolicy, SecretValue, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.config import Config
from infra.database_access import APP_USER, DatabaseAccess, NetworkAccess
from infra.nag import accept

ADMIN_USER = "tributary_admin"
DATABASE = "tributary"
_PORT = 5432
_ENGINE = rds.DatabaseInstanceEngine.postgres(version=rds.PostgresEngineVersion.VER_17)
# RDS Proxy presents a certificate of Amazon Trust Services, which the runtime's bundle knows.
_AMAZON_LINUX_CA_BUNDLE = "/etc/pki/tls/certs/ca-bundle.crt"


class DatabaseStack(Stack):
    """An instance whose master password RDS itself keeps and rotates, and its proxy."""

    def __init__(self, scope: Construct, config: Config, vpc: ec2.IVpc) -> None:
        super().__init__(scope, f"{config.prefix}-database")
        self.vpc = vpc
        self.functions_group = self._group("Functions", "Functions that use the database")
        self.proxy_group = self._group("ProxyGroup", "RDS Proxy")
        self.functions_group.add_egress_rule(self.proxy_group, ec2.Port.tcp(_PORT))
        self.proxy_group.add_ingress_rule(self.functions_group, ec2.Port.tcp(_PORT))
        self.instance = self._instance(config)
        self.proxy = self._proxy(config)

    @property
    def access(self) -> DatabaseAccess:
        """What the service stack needs to know."""
        return DatabaseAccess(
            host=self.proxy.endpoint,
            port=_PORT,
            name=DATABASE,
            admin_user=ADMIN_USER,
            auth="iam",
            sslmode="verify-full",
            ssl_root_cert=_AMAZON_LINUX_CA_BUNDLE,
            network=NetworkAccess(self.vpc, self.functions_group),
            # arn:aws:rds:region:account:db-proxy:prx-...; IAM wants the last part.
            resource_id=Fn.select(6, Fn.split(":", self.proxy.db_proxy_arn)),
            instance_id=self.instance.instance_identifier,
        )

    def _group(self, name: str, description: str) -> ec2.SecurityGroup:
        return ec2.SecurityGroup(
            self, name, vpc=self.vpc, description=description, allow_all_outbound=False
        )

    def _instance(self, config: Config) -> rds.DatabaseInstance:
        instance = rds.DatabaseInstance(
            self,
            "Instance",
            engine=_ENGINE,
            instance_type=ec2.InstanceType(config.database_instance_class),
            vpc=self.vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            database_name=DATABASE,
            credentials=rds.Credentials.from_password(
                ADMIN_USER, SecretValue.unsafe_plain_text("replaced by _let_rds_keep_the_password")
            ),
            parameter_group=rds.ParameterGroup(
                self, "Parameters", engine=_ENGINE, parameters={"rds.force_ssl": "1"}
            ),
            allocated_storage=config.database_storage_gib,
            max_allocated_storage=config.database_storage_gib * 5,
            storage_type=rds.StorageType.GP3,
            storage_encrypted=True,
            multi_az=config.database_multi_az,
            iam_authentication=True,
            publicly_accessible=False,
            backup_retention=Duration.days(config.backup_days),
            copy_tags_to_snapshot=True,
            deletion_protection=config.deletion_protection,
            removal_policy=RemovalPolicy.SNAPSHOT,
            auto_minor_version_upgrade=True,
        )
        _let_rds_keep_the_password(instance)
        accept(instance, _accepted(config))
        return instance

    def _proxy(self, config: Config) -> rds.DatabaseProxy:
        role = iam.Role(self, "ProxyRole", assumed_by=iam.ServicePrincipal("rds.amazonaws.com"))
        self.instance.grant_connect(role, APP_USER)
        cfn = cast("rds.CfnDBInstance", self.instance.node.default_child)
        master = secretsmanager.Secret.from_secret_complete_arn(
            self, "Master", cfn.attr_master_user_secret_secret_arn
        )
        return rds.DatabaseProxy(
            self,
            "Proxy",
            db_proxy_name=config.prefix,
            proxy_target=rds.ProxyTarget.from_instance(self.instance),
            vpc=self.vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            security_groups=[self.proxy_group],
            role=role,
            # Whoever has no secret here logs in to the database with IAM as well, all the way.
            default_auth_scheme=rds.DefaultAuthScheme.IAM_AUTH,
            secrets=[master],
            iam_auth=True,
            require_tls=True,
            borrow_timeout=Duration.seconds(5),
            max_connections_percent=90,
        )


def _let_rds_keep_the_password(instance: rds.DatabaseInstance) -> None:
    """RDS makes the master password, keeps it in Secrets Manager and rotates it every 7 days."""
    cfn = cast("rds.CfnDBInstance", instance.node.default_child)
    cfn.master_user_password = None
    cfn.manage_master_user_password = True


def _accepted(config: Config) -> dict[str, str]:
    accepted = {
        "AwsSolutions-RDS11": "the network is closed; an unusual port would hide it from nobody",
    }
    if not config.database_multi_az:
        accepted["AwsSolutions-RDS3"] = "one zone by choice (database_multi_az); it halves the bill"
    if not config.deletion_protection:
        accepted["AwsSolutions-RDS10"] = "switched off by choice (deletion_protection)"
    return accepted
