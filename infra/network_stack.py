"""The network: a VPC that nothing enters and nothing leaves."""

from aws_cdk import Stack
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from infra.config import Config
from infra.nag import accept


class NetworkStack(Stack):
    """Two isolated subnets: no NAT, no internet gateway, no endpoints, hence nothing to pay."""

    def __init__(self, scope: Construct, config: Config) -> None:
        super().__init__(scope, f"{config.prefix}-network")
        self.vpc = ec2.Vpc(
            self,
            "Vpc",
            max_azs=2,
            nat_gateways=0,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="isolated",
                    subnet_type=ec2.SubnetType.PRIVATE_ISOLATED,
                    cidr_mask=22,
                )
            ],
            restrict_default_security_group=False,
        )
        accept(
            self.vpc,
            {"AwsSolutions-VPC7": "no route leads in or out; only functions and the proxy talk"},
        )
