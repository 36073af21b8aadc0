"""The closed network, and a database that nothing enters without TLS and IAM."""

import json
from typing import Any

from tests.infra.conftest import Synthesised


def statements(stack: Synthesised) -> list[dict[str, Any]]:
    """Every statement of every policy in the stacks."""
    policies = [*stack.all("AWS::IAM::Policy").values()]
    inline = [
        policy
        for role in stack.all("AWS::IAM::Role").values()
        for policy in role.get("Policies", [])
    ]
    return [
        statement
        for policy in [*policies, *inline]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def test_no_way_leads_in_or_out(aws: Synthesised) -> None:
    assert not aws.kinds() & {
        "AWS::EC2::NatGateway",
        "AWS::EC2::InternetGateway",
        "AWS::EC2::EIP",
        "AWS::EC2::VPCEndpoint",
        "AWS::EC2::Route",
    }
    assert len(aws.all("AWS::EC2::Subnet")) == 2
    assert not any(one.get("MapPublicIpOnLaunch") for one in aws.all("AWS::EC2::Subnet").values())


def test_the_database_asks_for_tls_and_so_does_the_proxy(aws: Synthesised) -> None:
    assert aws.one("AWS::RDS::DBParameterGroup")["Parameters"] == {"rds.force_ssl": "1"}
    assert aws.one("AWS::RDS::DBProxy")["RequireTLS"] is True


def test_the_proxy_lets_nobody_in_without_iam(aws: Synthesised) -> None:
    proxy = aws.one("AWS::RDS::DBProxy")

    assert proxy["DefaultAuthScheme"] == "IAM_AUTH"
    assert [auth["IAMAuth"] for auth in proxy["Auth"]] == ["REQUIRED"]


def test_the_database_is_encrypted_closed_backed_up_and_protected(aws: Synthesised) -> None:
    instance = aws.one("AWS::RDS::DBInstance")

    assert instance["StorageEncrypted"] is True
    assert instance["PubliclyAccessible"] is False
    assert instance["EnableIAMDatabaseAuthentication"] is True
    assert instance["BackupRetentionPeriod"] == 7
    assert instance["DeletionProtection"] is True
    assert int(instance["EngineVersion"].split(".")[0]) >= 17


def test_no_template_holds_a_password(aws: Synthesised) -> None:
    instance = aws.one("AWS::RDS::DBInstance")

    assert instance["ManageMasterUserPassword"] is True
    assert "MasterUserPassword" not in instance
    assert "unsafe" not in json.dumps(aws.templates).lower()
    assert "replaced by" not in json.dumps(aws.templates)


def test_only_the_functions_reach_the_proxy_and_only_the_proxy_the_database(
    aws: Synthesised,
) -> None:
    ingress = aws.all("AWS::EC2::SecurityGroupIngress").values()

    assert len(ingress) == 2
    assert all("SourceSecurityGroupId" in rule and "CidrIp" not in rule for rule in ingress)


def test_each_function_may_log_in_as_one_database_user_only(aws: Synthesised) -> None:
    logins = [one for one in statements(aws) if one["Action"] == "rds-db:connect"]
    users = sorted(
        json.dumps(one["Resource"]).rpartition("/")[2][:-3].strip('"]') for one in logins
    )

    # recall, curate, prepare, commit, authorizer, gardener; the proxy itself; migrate.
    assert users == ["tributary_admin"] + ["tributary_app"] * 7
    assert not any("*" in json.dumps(one["Resource"]) for one in logins)


def test_the_laptop_has_no_network_and_no_database_of_its_own(local: Synthesised) -> None:
    assert set(local.templates) == {"service"}
    assert not {kind for kind in local.kinds() if kind.startswith(("AWS::EC2::", "AWS::RDS::"))}
