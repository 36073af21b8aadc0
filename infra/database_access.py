"""How the functions reach PostgreSQL: the one thing the service stack knows of the database."""

from dataclasses import dataclass
from typing import Literal

from aws_cdk import aws_ec2 as ec2

from infra.functions import Login

APP_USER = "tributary_app"  # owns nothing; row-level security applies to it


@dataclass(frozen=True, slots=True)
class NetworkAccess:
    """The inside of a VPC from which the database can be reached."""

    vpc: ec2.IVpc
    security_group: ec2.ISecurityGroup  # the functions'


@dataclass(frozen=True, slots=True)
class DatabaseAccess:
    """An endpoint, and how to log in there."""

    host: str
    port: int
    name: str
    admin_user: str  # runs the migrations
    auth: Literal["iam", "trust"]
    sslmode: str  # libpq's
    app_user: str = APP_USER
    ssl_root_cert: str | None = None  # a file in the function's environment
    network: NetworkAccess | None = None  # None: reachable from anywhere, as on a laptop
    resource_id: str | None = None  # in rds-db:connect ARNs; None without IAM
    instance_id: str | None = None  # for the metrics of RDS; None when it is not RDS

    def user(self, login: Login) -> str:
        return self.admin_user if login == "admin" else self.app_user

    def environment(self, login: Login) -> dict[str, str]:
        """The environment variables a function needs to log in."""
        variables = {
            "TRIBUTARY_DB_HOST": self.host,
            "TRIBUTARY_DB_PORT": str(self.port),
            "TRIBUTARY_DB_NAME": self.name,
            "TRIBUTARY_DB_USER": self.user(login),
            "TRIBUTARY_DB_AUTH": self.auth,
            "TRIBUTARY_DB_SSLMODE": self.sslmode,
        }
        if self.ssl_root_cert:
            variables["PGSSLROOTCERT"] = self.ssl_root_cert
        return variables
