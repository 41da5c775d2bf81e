"""The HTTP API."""

import json
from typing import Any

from tests.infra.reading import function_id, only, resources

WEBHOOK_ROUTE = "ANY /api/cost-analysis/on-sync"


def target_of(template: dict[str, Any], route_key: str) -> str:
    """Return the logical id of the function a route leads to."""
    (route,) = (
        route for route in resources(template, "AWS::ApiGatewayV2::Route").values() if route["RouteKey"] == route_key
    )
    prefix, reference = route["Target"]["Fn::Join"][1]
    assert prefix == "integrations/"
    integration = template["Resources"][reference["Ref"]]["Properties"]
    assert (integration["IntegrationType"], integration["PayloadFormatVersion"]) == ("AWS_PROXY", "2.0")
    name: str = integration["IntegrationUri"]["Fn::GetAtt"][0]
    return name


def test_the_webhooks_route_leads_to_webhook_and_all_others_to_api(template: dict[str, Any]) -> None:
    """There are two routes: the webhook's path with any method, and everything else."""
    keys = {route["RouteKey"] for route in resources(template, "AWS::ApiGatewayV2::Route").values()}

    assert keys == {WEBHOOK_ROUTE, "$default"}
    assert target_of(template, WEBHOOK_ROUTE) == function_id(template, "webhook.handler.handler")
    assert target_of(template, "$default") == function_id(template, "api.handler.handler")


def test_no_stage_name_stands_in_the_path(template: dict[str, Any]) -> None:
    """The one stage is $default, deployed by itself: Argo CD's proxy could not reach another."""
    stage = only(template, "AWS::ApiGatewayV2::Stage")

    assert (stage["StageName"], stage["AutoDeploy"]) == ("$default", True)


def test_each_route_has_its_own_throttle(template: dict[str, Any]) -> None:
    """A flood of notifications does not take the pages' share, nor the other way round."""
    settings = only(template, "AWS::ApiGatewayV2::Stage")["RouteSettings"]

    assert settings == {
        WEBHOOK_ROUTE: {"ThrottlingRateLimit": 500, "ThrottlingBurstLimit": 1000},
        "$default": {"ThrottlingRateLimit": 200, "ThrottlingBurstLimit": 400},
    }


def test_the_stage_comes_after_the_routes_it_throttles(template: dict[str, Any]) -> None:
    """API Gateway refuses a throttle for a route that does not exist."""
    (stage_id,) = resources(template, "AWS::ApiGatewayV2::Stage")

    assert set(resources(template, "AWS::ApiGatewayV2::Route")) <= set(template["Resources"][stage_id]["DependsOn"])


def test_access_logs_carry_no_header(template: dict[str, Any]) -> None:
    """A line tells who asked what and how it ended, and nothing of the request's headers or body."""
    stage = only(template, "AWS::ApiGatewayV2::Stage")
    fields = json.loads(stage["AccessLogSettings"]["Format"])

    assert {"requestId", "sourceIp", "method", "path", "status", "latencyMilliseconds"} <= set(fields)
    assert all(value.startswith("$context.") for value in fields.values())
    assert not any("header" in value.lower() or "authoriz" in value.lower() for value in fields.values())


def test_access_logs_go_to_a_log_group_named_without_a_star(template: dict[str, Any]) -> None:
    """API Gateway refuses the log group's own ARN, which ends in `:*`."""
    destination = only(template, "AWS::ApiGatewayV2::Stage")["AccessLogSettings"]["DestinationArn"]["Fn::Join"][1]

    assert destination[-1]["Ref"] in resources(template, "AWS::Logs::LogGroup")


def test_the_gateway_may_start_the_two_functions(template: dict[str, Any]) -> None:
    """Each function lets API Gateway invoke it, for this API only."""
    permissions = resources(template, "AWS::Lambda::Permission").values()
    (api_id,) = resources(template, "AWS::ApiGatewayV2::Api")
    invoked = {permission["FunctionName"]["Fn::GetAtt"][0] for permission in permissions}

    assert invoked == {
        function_id(template, "webhook.handler.handler"),
        function_id(template, "api.handler.handler"),
    }
    for permission in permissions:
        assert permission["Principal"] == "apigateway.amazonaws.com"
        assert {"Ref": api_id} in permission["SourceArn"]["Fn::Join"][1]


def test_the_address_is_an_output(template: dict[str, Any]) -> None:
    """What Argo CD has to call is told after a deployment."""
    (api_id,) = resources(template, "AWS::ApiGatewayV2::Api")

    assert template["Outputs"]["ApiUrl"]["Value"] == {"Fn::GetAtt": [api_id, "ApiEndpoint"]}
