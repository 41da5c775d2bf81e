"""The HTTP API in front of webhook and api."""

import json

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from infra.constructs.acknowledgments import acknowledge
from infra.constructs.functions import CostFunction
from infra.constructs.log_groups import log_group
from infra.settings import Settings

WEBHOOK_PATH = "/api/cost-analysis/on-sync"
WEBHOOK_ROUTE = f"ANY {WEBHOOK_PATH}"
DEFAULT_ROUTE = "$default"

# Never a header: callers present their tokens in Authorization.
_ACCESS_LOG_FIELDS = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "sourceIp": "$context.identity.sourceIp",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "routeKey": "$context.routeKey",
    "status": "$context.status",
    "responseBytes": "$context.responseLength",
    "latencyMilliseconds": "$context.responseLatency",
    "integrationError": "$context.integrationErrorMessage",
}


class HttpApi(Construct):
    """A regional HTTP API with the `$default` stage: Argo CD's proxy adds no path, so no stage name may stand in it.

    The webhook's route takes any method, so that the function itself refuses wrong ones, in its own words.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, webhook: CostFunction, api: CostFunction, settings: Settings
    ) -> None:
        super().__init__(scope, construct_id)
        self.api = apigatewayv2.HttpApi(self, "Api", api_name=settings.stack_name, create_default_stage=False)
        webhook_key = apigatewayv2.HttpRouteKey.with_(WEBHOOK_PATH, apigatewayv2.HttpMethod.ANY)
        routes = [
            self._route("Webhook", webhook_key, webhook),
            self._route("Default", apigatewayv2.HttpRouteKey.DEFAULT, api),
        ]
        for route in routes:
            acknowledge(
                route, "APIG4", "The functions compare token hashes; an authorizer would be one more cold start"
            )
        self.stage = self._stage(settings)
        # API Gateway refuses a stage that throttles a route which does not exist yet.
        self.stage.node.add_dependency(*routes)

    def _route(self, name: str, key: apigatewayv2.HttpRouteKey, target: CostFunction) -> apigatewayv2.HttpRoute:
        """Return the route that hands requests to the function."""
        integration = HttpLambdaIntegration(f"{name}Integration", target.function)
        return apigatewayv2.HttpRoute(self, name, http_api=self.api, route_key=key, integration=integration)

    def _stage(self, settings: Settings) -> apigatewayv2.CfnStage:
        """Return the `$default` stage with its access log and a throttle per route."""
        access_logs = log_group(self, "AccessLogs", settings=settings)
        return apigatewayv2.CfnStage(
            self,
            "Stage",
            api_id=self.api.api_id,
            stage_name="$default",
            auto_deploy=True,
            access_log_settings=apigatewayv2.CfnStage.AccessLogSettingsProperty(
                destination_arn=_arn_of(access_logs), format=json.dumps(_ACCESS_LOG_FIELDS)
            ),
            route_settings={
                WEBHOOK_ROUTE: _throttle(settings.webhook_requests_per_second, settings.webhook_burst),
                DEFAULT_ROUTE: _throttle(settings.api_requests_per_second, settings.api_burst),
            },
        )


def _arn_of(access_logs: logs.LogGroup) -> str:
    """Return the log group's ARN without the `:*` at its end, which API Gateway refuses."""
    arn: str = Stack.of(access_logs).format_arn(
        service="logs",
        resource="log-group",
        resource_name=access_logs.log_group_name,
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
    return arn


def _throttle(requests_per_second: int, burst: int) -> dict[str, int]:
    """Return a route's throttle, in the words of CloudFormation (the property is free-form JSON)."""
    return {"ThrottlingRateLimit": requests_per_second, "ThrottlingBurstLimit": burst}
