"""The HTTPS API: one route of API Gateway for each line of ROUTES."""

from collections.abc import Mapping
from typing import cast

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import Config
from infra.log_group import log_group
from tributary.edge.routes import ROUTES

_METHODS = {
    "GET": apigw.HttpMethod.GET,
    "POST": apigw.HttpMethod.POST,
    "DELETE": apigw.HttpMethod.DELETE,
}
# Who called what, how it ended and how long it took; no header and no body.
_ACCESS_LOG = (
    '{"requestId":"$context.requestId","at":"$context.requestTime",'
    '"route":"$context.routeKey","status":"$context.status",'
    '"latencyMs":"$context.responseLatency","error":"$context.error.message",'
    '"authorizerError":"$context.authorizer.error"}'
)


class HttpApi(Construct):
    """An HTTP API whose every route asks the Lambda authorizer first."""

    def __init__(
        self, scope: Construct, config: Config, functions: Mapping[str, lambda_.IFunction]
    ) -> None:
        super().__init__(scope, "Http")
        self.api = apigw.HttpApi(
            self,
            "Api",
            api_name=config.prefix,
            create_default_stage=False,
            default_authorizer=_authorizer(config, functions["authorizer"]),
        )
        self._add_routes(functions)
        self.stage = self._stage(config)

    @property
    def url(self) -> str:
        """The address that the route paths follow."""
        return self.api.api_endpoint

    def _add_routes(self, functions: Mapping[str, lambda_.IFunction]) -> None:
        behind = {
            name: integrations.HttpLambdaIntegration(
                name, functions[name], scope_permission_to_route=False
            )
            for name in sorted({route.function for route in ROUTES})
        }
        for route in ROUTES:
            self.api.add_routes(
                path=route.path,
                methods=[_METHODS[route.method]],
                integration=behind[route.function],
            )

    def _stage(self, config: Config) -> apigw.HttpStage:
        stage = apigw.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            throttle=apigw.ThrottleSettings(
                rate_limit=config.throttle_rate, burst_limit=config.throttle_burst
            ),
            detailed_metrics_enabled=True,
        )
        cfn = cast("apigw.CfnStage", stage.node.default_child)
        cfn.access_log_settings = apigw.CfnStage.AccessLogSettingsProperty(
            destination_arn=_without_streams(log_group(self, config, f"/{config.prefix}/access")),
            format=_ACCESS_LOG,
        )
        return stage


def _without_streams(group: logs.LogGroup) -> str:
    """The ARN of the group itself; CloudFormation's own ends with `:*`."""
    return Stack.of(group).format_arn(
        service="logs",
        resource="log-group",
        resource_name=group.log_group_name,
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


def _authorizer(config: Config, function: lambda_.IFunction) -> authorizers.HttpLambdaAuthorizer:
    return authorizers.HttpLambdaAuthorizer(
        "Authorizer",
        function,
        authorizer_name=f"{config.prefix}-keys",
        response_types=[authorizers.HttpLambdaResponseType.SIMPLE],
        # API Gateway answers 401 by itself when the header is absent.
        identity_source=["$request.header.Authorization"],
        results_cache_ttl=Duration.seconds(config.authorizer_cache_seconds),
    )
