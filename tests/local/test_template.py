import copy
import json
from pathlib import Path
from typing import Any

import pytest

from local.intrinsics import Resolver, TemplateError, Values
from local.plan import EventSourcePlan, QueuePlan, RoutePlan, SchedulePlan, StackPlan, Throttle
from local.template import read_template

VALUES = Values(
    ssm={"/x/hashes": "abc123"}, secrets={"opencost:SecretString:::": "hunter2"}, sqs_endpoint="http://127.0.0.1:9"
)
CODE = {"S3Bucket": {"Fn::Sub": "assets-${AWS::AccountId}-${AWS::Region}"}, "S3Key": "code.zip"}
FUNCTION_ARN = "arn:aws:lambda:us-east-1:123456789012:function:Work"
TEMPLATE: dict[str, Any] = {
    "Description": "a stack",
    "Parameters": {"Hashes": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/x/hashes"}},
    "Resources": {
        "Layer": {"Type": "AWS::Lambda::LayerVersion", "Properties": {"Content": {**CODE, "S3Key": "layer.zip"}}},
        "Work": {
            "Type": "AWS::Lambda::Function",
            "DependsOn": ["Role"],
            "Properties": {
                "Runtime": "python3.13",
                "Handler": "work.handler.handler",
                "Code": CODE,
                "Timeout": 300,
                "MemorySize": 512,
                "Layers": [{"Ref": "Layer"}],
                "Role": {"Fn::GetAtt": ["Role", "Arn"]},
                "VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}]},
                "Environment": {"Variables": {"QUEUE_URL": {"Ref": "Queue"}, "HASHES": {"Ref": "Hashes"}}},
            },
        },
        "Role": {"Type": "AWS::IAM::Role", "Properties": {"AnythingAtAll": 1}},
        "Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": {}},
        "Dead": {"Type": "AWS::SQS::Queue", "Properties": {"MessageRetentionPeriod": 1_209_600}},
        "Queue": {
            "Type": "AWS::SQS::Queue",
            "Properties": {
                "VisibilityTimeout": 1800,
                "DelaySeconds": 5,
                "RedrivePolicy": {"deadLetterTargetArn": {"Fn::GetAtt": ["Dead", "Arn"]}, "maxReceiveCount": 20},
            },
        },
        "Mapping": {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {
                "FunctionName": {"Ref": "Work"},
                "EventSourceArn": {"Fn::GetAtt": ["Queue", "Arn"]},
                "BatchSize": 10,
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
                "ScalingConfig": {"MaximumConcurrency": 5},
            },
        },
        "Api": {"Type": "AWS::ApiGatewayV2::Api", "Properties": {"Name": "x", "ProtocolType": "HTTP"}},
        "Integration": {
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": {
                    "Fn::Join": [
                        "",
                        ["arn:aws:apigateway:x:lambda:path/", {"Fn::GetAtt": ["Work", "Arn"]}, "/invocations"],
                    ]
                },
                "PayloadFormatVersion": "2.0",
                "TimeoutInMillis": 29000,
            },
        },
        "Route": {
            "Type": "AWS::ApiGatewayV2::Route",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "AuthorizationType": "NONE",
                "RouteKey": "ANY /hook",
                "Target": {"Fn::Join": ["/", ["integrations", {"Ref": "Integration"}]]},
            },
        },
        "Stage": {
            "Type": "AWS::ApiGatewayV2::Stage",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "StageName": "$default",
                "AutoDeploy": True,
                "RouteSettings": {"ANY /hook": {"ThrottlingRateLimit": 50, "ThrottlingBurstLimit": 100}},
            },
        },
        "Tick": {
            "Type": "AWS::Scheduler::Schedule",
            "Properties": {
                "FlexibleTimeWindow": {"Mode": "OFF"},
                "ScheduleExpression": "rate(5 minutes)",
                "Target": {
                    "Arn": {"Fn::GetAtt": ["Work", "Arn"]},
                    "Input": '{"job": "tick"}',
                    "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
                    "RetryPolicy": {"MaximumRetryAttempts": 0},
                },
            },
        },
    },
    "Outputs": {"Url": {"Value": {"Fn::GetAtt": ["Api", "ApiEndpoint"]}}},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Give the template with one value set; `path` has slashes between its keys."""
    template = copy.deepcopy(TEMPLATE)
    *parents, last = path.split("/")
    place = template
    for key in parents:
        place = place[key]
    place[last] = value
    return template


def read(folder: Path, template: dict[str, Any] = TEMPLATE) -> StackPlan:
    files = {
        name: {
            "source": {"path": f"asset.{name}", "packaging": "zip"},
            "destinations": {"here": {"bucketName": "b", "objectKey": f"{name}.zip"}},
        }
        for name in ("code", "layer")
    }
    (folder / "CostIntel.template.json").write_text(json.dumps(template))
    (folder / "CostIntel.assets.json").write_text(json.dumps({"files": files}))
    return read_template(folder, VALUES)


def test_a_function_has_its_settings_code_and_layers(tmp_path: Path) -> None:
    """Handler, limits, environment, folders and the network are read."""
    (function,) = read(tmp_path).functions

    assert function.handler == "work.handler.handler"
    assert (function.timeout_seconds, function.memory_mb, function.in_vpc) == (300, 512, True)
    assert function.code == tmp_path / "asset.code"
    assert function.layers == (tmp_path / "asset.layer",)
    assert function.environment == {"QUEUE_URL": "http://127.0.0.1:9/123456789012/Queue", "HASHES": "abc123"}
    assert function.reserved_concurrency is None


def test_queues_have_their_times_and_redrive(tmp_path: Path) -> None:
    """What the template leaves out has SQS's own defaults."""
    dead_arn = "arn:aws:sqs:us-east-1:123456789012:Dead"
    dead = QueuePlan(
        name="Dead",
        arn=dead_arn,
        visibility_seconds=30,
        delay_seconds=0,
        retention_seconds=1_209_600,
        dead_letter_arn=None,
        receive_count=None,
    )
    queue = QueuePlan(
        name="Queue",
        arn="arn:aws:sqs:us-east-1:123456789012:Queue",
        visibility_seconds=1800,
        delay_seconds=5,
        retention_seconds=345_600,
        dead_letter_arn=dead_arn,
        receive_count=20,
    )

    assert read(tmp_path).queues == (dead, queue)


def test_the_event_source_names_queue_function_and_limits(tmp_path: Path) -> None:
    """Batch size, concurrency and partial failures are read."""
    expected = EventSourcePlan(
        function_arn=FUNCTION_ARN,
        queue_arn="arn:aws:sqs:us-east-1:123456789012:Queue",
        batch_size=10,
        maximum_concurrency=5,
        partial_failures=True,
    )

    assert read(tmp_path).event_sources == (expected,)


def test_a_route_leads_through_its_integration_to_a_function(tmp_path: Path) -> None:
    """Route, integration, its time and the stage's throttle come together."""
    expected = RoutePlan(
        key="ANY /hook", function_arn=FUNCTION_ARN, timeout_seconds=29.0, throttle=Throttle(rate=50.0, burst=100)
    )

    assert read(tmp_path).routes == (expected,)


def test_other_routes_get_the_stages_default_throttle(tmp_path: Path) -> None:
    """A route without settings of its own has the default ones."""
    template = changed("Resources/Stage/Properties/RouteSettings", {})
    template["Resources"]["Stage"]["Properties"]["DefaultRouteSettings"] = {
        "ThrottlingRateLimit": 7,
        "ThrottlingBurstLimit": 9,
    }

    assert read(tmp_path, template).routes[0].throttle == Throttle(rate=7.0, burst=9)


def test_a_schedule_has_its_rate_and_event(tmp_path: Path) -> None:
    """Five minutes are 300 seconds."""
    expected = SchedulePlan(name="Tick", function_arn=FUNCTION_ARN, every_seconds=300, event={"job": "tick"})

    assert read(tmp_path).schedules == (expected,)


def test_the_deployments_own_function_is_left_out(tmp_path: Path) -> None:
    """The CDK's Node function that runs triggers never runs here."""
    name = "AWSCDKTriggerCustomResourceProviderHandler"
    node = {"Type": "AWS::Lambda::Function", "Properties": {"Runtime": "nodejs24.x", "Handler": "x.y", "Code": CODE}}

    assert [function.name for function in read(tmp_path, changed(f"Resources/{name}", node)).functions] == ["Work"]


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("Conditions", {}, "Conditions"),
        ("Resources/Topic", {"Type": "AWS::DynamoDB::Table"}, "AWS::DynamoDB::Table"),
        ("Resources/Work/Condition", "Sometimes", "Condition"),
        ("Resources/Work/Properties/SnapStart", {"ApplyOn": "PublishedVersions"}, "SnapStart"),
        ("Resources/Work/Properties/Runtime", "nodejs24.x", "nodejs24.x"),
        ("Resources/Work/Properties/Code/S3ObjectVersion", "1", "S3ObjectVersion"),
        ("Resources/Queue/Properties/FifoQueue", True, "FifoQueue"),
        ("Resources/Queue/Properties/RedrivePolicy/other", 1, "other"),
        ("Resources/Mapping/Properties/FilterCriteria", {}, "FilterCriteria"),
        ("Resources/Mapping/Properties/BatchSize", 100, "BatchSize"),
        ("Resources/Api/Properties/CorsConfiguration", {}, "CorsConfiguration"),
        ("Resources/Api/Properties/ProtocolType", "WEBSOCKET", "WEBSOCKET"),
        ("Resources/Integration/Properties/PayloadFormatVersion", "1.0", "PayloadFormatVersion"),
        ("Resources/Integration/Properties/RequestParameters", {}, "RequestParameters"),
        ("Resources/Route/Properties/AuthorizationType", "JWT", "AuthorizationType"),
        ("Resources/Route/Properties/RouteKey", "GET /{app}", "/{app}"),
        ("Resources/Stage/Properties/StageName", "prod", "StageName"),
        ("Resources/Stage/Properties/RouteSettings/ANY /hook", {"DataTraceEnabled": True}, "ANY /hook"),
        ("Resources/Tick/Properties/ScheduleExpression", "cron(0 12 * * ? *)", "ScheduleExpression"),
        ("Resources/Tick/Properties/FlexibleTimeWindow", {"Mode": "FLEXIBLE"}, "Mode"),
        ("Resources/Tick/Properties/Target/RetryPolicy/MaximumRetryAttempts", 3, "MaximumRetryAttempts"),
        ("Resources/Tick/Properties/Target/DeadLetterConfig", {}, "DeadLetterConfig"),
        ("Resources/Tick/Properties/State", "DISABLED", "State"),
    ],
)
def test_what_is_not_interpreted_stops_the_start(tmp_path: Path, path: str, value: Any, named: str) -> None:
    """An unknown section, type, attribute, property or value is an error that names it."""
    if path.startswith("Resources/Stage/Properties/RouteSettings/"):
        template = changed("Resources/Stage/Properties/RouteSettings", {"ANY /hook": value})
    else:
        template = changed(path, value)

    with pytest.raises(TemplateError) as refusal:
        read(tmp_path, template)

    assert named in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "AWS::Region"}, "us-east-1"),
        ({"Fn::GetAtt": ["Work", "Arn"]}, FUNCTION_ARN),
        ({"Fn::GetAtt": "Work.Arn"}, FUNCTION_ARN),
        ({"Fn::Join": ["-", ["a", {"Ref": "Work"}]]}, "a-Work"),
        ({"Fn::Sub": "${AWS::Partition}/${Work}/${Work.Arn}/${!Kept}"}, f"aws/Work/{FUNCTION_ARN}/${{Kept}}"),
        ({"Fn::Sub": ["${One}", {"One": {"Ref": "Work"}}]}, "Work"),
        ({"Fn::Select": [1, {"Fn::Split": [":", "a:b:c"]}]}, "b"),
        ({"Ref": "Hashes"}, "abc123"),
        ("{{resolve:ssm:/x/hashes}}", "abc123"),
        ("{{resolve:ssm:/x/hashes:3}}", "abc123"),
        ("Bearer {{resolve:secretsmanager:opencost:SecretString:::}}", "Bearer hunter2"),
        ([{"deep": {"Ref": "AWS::AccountId"}}], [{"deep": "123456789012"}]),
    ],
)
def test_references_are_resolved(value: Any, expected: Any) -> None:
    """Each function and reference gives its value."""
    assert Resolver(TEMPLATE, VALUES).resolve(value) == expected


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"Fn::ImportValue": "other"}, "Fn::ImportValue"),
        ({"Ref": "Nobody"}, "Nobody"),
        ({"Fn::GetAtt": ["Work", "SnapStartResponse"]}, "SnapStartResponse"),
        ("{{resolve:ssm:/unknown}}", "/unknown"),
        ("{{resolve:secretsmanager:unknown}}", "unknown"),
    ],
)
def test_references_without_a_value_are_errors(value: Any, named: str) -> None:
    """What has no value here is named, never guessed."""
    with pytest.raises(TemplateError) as refusal:
        Resolver(TEMPLATE, VALUES).resolve(value)

    assert named in str(refusal.value)
