"""Functions, API, workflow, schedule, alarms and dashboard."""

import json
from typing import Any

import pytest

from infra.functions import FUNCTIONS
from infra.learn_workflow import STATES
from tests.infra.conftest import Synthesised
from tests.infra.test_network_and_database import statements
from tributary.edge.routes import ROUTES

NEEDS_DATABASE = {"recall", "curate", "prepare", "commit", "authorizer", "gardener", "migrate"}
EMBEDS = {"recall", "curate", "prepare", "gardener"}


def functions(stack: Synthesised) -> dict[str, dict[str, Any]]:
    """Our functions by name; CDK's own have no name of ours."""
    return {
        one["FunctionName"].rpartition("-")[2]: one
        for one in stack.all("AWS::Lambda::Function").values()
        if "FunctionName" in one
    }


def test_no_policy_allows_actions_by_wildcard(aws: Synthesised) -> None:
    actions = [
        action
        for one in statements(aws)
        for action in ([one["Action"]] if isinstance(one["Action"], str) else one["Action"])
    ]

    assert actions
    assert not [action for action in actions if "*" in action]


def test_no_managed_policy_is_attached_to_a_role_of_ours(aws: Synthesised) -> None:
    roles = aws.all("AWS::IAM::Role")
    attached = {name for name, role in roles.items() if role.get("ManagedPolicyArns")}

    assert len(roles) == len(FUNCTIONS) + len(["workflow", "proxy", "CDK's trigger"])
    assert all("Trigger" in name for name in attached)


def test_every_function_of_the_folder_is_there_with_a_timeout_and_tracing(
    aws: Synthesised,
) -> None:
    ours = functions(aws)

    assert set(ours) == {spec.name for spec in FUNCTIONS}
    for spec in FUNCTIONS:
        assert ours[spec.name]["Timeout"] == spec.timeout_seconds
        assert ours[spec.name]["TracingConfig"] == {"Mode": "Active"}
        assert ours[spec.name]["Runtime"] == "python3.13"
        assert ours[spec.name]["Architectures"] == ["arm64"]
        assert "LoggingConfig" in ours[spec.name]


def test_only_what_needs_the_database_is_in_the_vpc(aws: Synthesised) -> None:
    assert {name for name, one in functions(aws).items() if "VpcConfig" in one} == NEEDS_DATABASE


def test_only_what_embeds_carries_the_model(aws: Synthesised) -> None:
    layers = {name: len(one["Layers"]) for name, one in functions(aws).items()}

    assert {name for name, count in layers.items() if count == 2} == EMBEDS
    assert {count for name, count in layers.items() if name not in EMBEDS} == {1}


@pytest.mark.parametrize(
    ("name", "user"),
    [("recall", "tributary_app"), ("migrate", "tributary_admin"), ("learn", None)],
)
def test_a_function_is_told_how_to_log_in(aws: Synthesised, name: str, user: str | None) -> None:
    variables = functions(aws)[name]["Environment"]["Variables"]

    assert variables.get("TRIBUTARY_DB_USER") == user
    assert variables.get("TRIBUTARY_DB_AUTH") == (user and "iam")
    assert variables.get("TRIBUTARY_DB_SSLMODE") == (user and "verify-full")
    assert variables["POWERTOOLS_SERVICE_NAME"] == name


SNAPPED = {"recall", "prepare"}


def test_what_a_caller_waits_for_starts_from_a_snapshot(aws: Synthesised) -> None:
    asked = {name: one.get("SnapStart") for name, one in functions(aws).items()}

    assert {name for name, one in asked.items() if one} == SNAPPED
    assert all(asked[name] == {"ApplyOn": "PublishedVersions"} for name in SNAPPED)


def test_what_lambda_takes_no_snapshot_of_is_not_asked_for(aws: Synthesised) -> None:
    """SnapStart excludes provisioned concurrency, EFS and more than 512 MB of storage."""
    for name in SNAPPED:
        assert not {"EphemeralStorage", "FileSystemConfigs"} & functions(aws)[name].keys()
    for alias in aws.all("AWS::Lambda::Alias").values():
        assert "ProvisionedConcurrencyConfig" not in alias


def test_only_published_versions_have_snapshots_so_callers_call_an_alias(
    aws: Synthesised,
) -> None:
    resources = aws.templates["service"]["Resources"]
    aliases = {name for name, one in resources.items() if one["Type"] == "AWS::Lambda::Alias"}
    calls = json.dumps(
        [
            *aws.all("AWS::ApiGatewayV2::Integration").values(),
            aws.one("AWS::StepFunctions::StateMachine")["DefinitionSubstitutions"],
        ]
    )

    assert len(aliases) == len(SNAPPED)
    assert all(calls.count(json.dumps({"Ref": alias})) == 1 for alias in aliases)


def test_the_laptop_starts_without_snapshots(local: Synthesised) -> None:
    assert not any("SnapStart" in one for one in functions(local).values())
    assert "AWS::Lambda::Alias" not in local.kinds()


def test_every_log_group_forgets(aws: Synthesised) -> None:
    groups = aws.all("AWS::Logs::LogGroup").values()

    assert len(groups) == len(FUNCTIONS) + len(["access", "workflow"])
    assert {group["RetentionInDays"] for group in groups} == {30}


def test_the_api_has_the_routes_of_the_table_and_no_other(aws: Synthesised) -> None:
    made = {route["RouteKey"] for route in aws.all("AWS::ApiGatewayV2::Route").values()}

    assert made == {f"{route.method} {route.path}" for route in ROUTES}


def test_no_route_goes_round_the_authorizer(aws: Synthesised) -> None:
    routes = aws.all("AWS::ApiGatewayV2::Route").values()

    assert {route["AuthorizationType"] for route in routes} == {"CUSTOM"}


@pytest.mark.parametrize(("stage", "seconds"), [("aws", 10), ("local", 0)])
def test_the_authorizer_answers_simply_and_is_remembered_for_a_while(
    request: pytest.FixtureRequest, stage: str, seconds: int
) -> None:
    stack: Synthesised = request.getfixturevalue(stage)
    authorizer = stack.one("AWS::ApiGatewayV2::Authorizer")

    assert authorizer["EnableSimpleResponses"] is True
    assert authorizer["AuthorizerPayloadFormatVersion"] == "2.0"
    assert authorizer["IdentitySource"] == ["$request.header.Authorization"]
    assert authorizer["AuthorizerResultTtlInSeconds"] == seconds


def test_no_log_holds_the_text_of_lessons(aws: Synthesised) -> None:
    logging = aws.one("AWS::StepFunctions::StateMachine")["LoggingConfiguration"]
    access = aws.one("AWS::ApiGatewayV2::Stage")["AccessLogSettings"]["Format"]

    assert (logging["Level"], logging["IncludeExecutionData"]) == ("ERROR", False)
    assert json.loads(access)["route"] == "$context.routeKey"
    assert "body" not in access.lower()


def test_the_workflow_is_express_and_every_name_in_it_is_substituted(aws: Synthesised) -> None:
    machine = aws.one("AWS::StepFunctions::StateMachine")
    definition = machine["DefinitionString"]

    assert machine["StateMachineType"] == "EXPRESS"
    assert set(machine["DefinitionSubstitutions"]) == set(STATES)
    assert all(f"${{{name}}}" in definition for name in machine["DefinitionSubstitutions"])


def test_learn_may_start_the_one_workflow_and_nothing_else(aws: Synthesised) -> None:
    starts = [one for one in statements(aws) if "states:StartSyncExecution" in one["Action"]]

    assert len(starts) == 1
    assert list(starts[0]["Resource"]) == ["Ref"]


def test_the_gardener_is_called_by_a_schedule(aws: Synthesised) -> None:
    rule = aws.one("AWS::Events::Rule")

    assert rule["ScheduleExpression"] == "rate(1 hour)"
    assert "Gardener" in json.dumps(rule["Targets"])


def test_migrations_run_before_the_api_and_the_gardener_are_there(aws: Synthesised) -> None:
    resources = aws.templates["service"]["Resources"]
    (trigger,) = [name for name, one in resources.items() if one["Type"] == "Custom::Trigger"]

    for kind in ("AWS::ApiGatewayV2::Stage", "AWS::Events::Rule"):
        (waiting,) = [one for one in resources.values() if one["Type"] == kind]
        assert trigger in waiting["DependsOn"]


def test_the_laptop_gets_the_same_service_but_for_the_trigger(
    aws: Synthesised, local: Synthesised
) -> None:
    def kinds(stack: Synthesised) -> set[str]:
        return {one["Type"] for one in stack.templates["service"]["Resources"].values()}

    only_aws = {"Custom::Trigger", "AWS::Lambda::Version", "AWS::Lambda::Alias", "AWS::SNS::Topic"}
    only_aws |= {"AWS::SNS::Subscription", "AWS::SNS::TopicPolicy"}
    assert kinds(aws) - kinds(local) == only_aws
    assert kinds(local) <= kinds(aws)
    assert set(functions(local)) == set(functions(aws))


def test_alarms_watch_every_function_the_workflow_the_api_and_the_database(
    aws: Synthesised,
) -> None:
    names = {one["AlarmName"] for one in aws.all("AWS::CloudWatch::Alarm").values()}
    watched = ["functions-throttled", "learn-failed", "learn-timed-out", "http-5xx"]
    watched += ["database-cpu", "database-connections", "database-storage"]

    assert names == {f"tributary-{spec.name}-errors" for spec in FUNCTIONS} | {
        f"tributary-{name}" for name in watched
    }


def test_every_alarm_tells_somebody_when_there_is_an_address(
    aws: Synthesised, local: Synthesised
) -> None:
    assert all(one["AlarmActions"] for one in aws.all("AWS::CloudWatch::Alarm").values())
    assert aws.one("AWS::SNS::Subscription")["Endpoint"] == "ops@example.org"
    assert "AWS::SNS::Topic" not in local.kinds()


def test_the_dashboard_shows_use_speed_failures_and_the_database(aws: Synthesised) -> None:
    dashboard = json.dumps(aws.one("AWS::CloudWatch::Dashboard")["DashboardBody"])

    for title in ("Requests", "Latency", "Function errors", "Learns", "Database load"):
        assert title in dashboard
