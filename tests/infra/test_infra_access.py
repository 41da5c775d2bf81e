"""Who may do what: the roles, and the network."""

from typing import Any

import pytest

from tests.infra.reading import (
    allowed,
    environment,
    function_id,
    functions,
    listed,
    resources,
    role_of,
    statements,
)

WEBHOOK, MEASURE, API = "webhook.handler.handler", "measure.handler.handler", "api.handler.handler"
MIGRATE, BOOTSTRAP = "migrate.handler.handler", "migrate.bootstrap.handler"
HISTORY, EXPORTER = "history.handler.handler", "exporter.handler.handler"
IN_VPC = (MEASURE, HISTORY, EXPORTER, API, MIGRATE)

LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
INTERFACES = {
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
}
CONSUMING = {
    "sqs:ChangeMessageVisibility",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:GetQueueUrl",
    "sqs:ReceiveMessage",
}


@pytest.mark.parametrize(
    ("handler", "own"),
    [
        (WEBHOOK, {"sqs:SendMessage"}),
        (MEASURE, INTERFACES | CONSUMING | {"rds-db:connect"}),
        (HISTORY, INTERFACES | {"rds-db:connect"}),
        (EXPORTER, INTERFACES | {"rds-db:connect"}),
        (API, INTERFACES | {"rds-db:connect"}),
        (MIGRATE, INTERFACES | {"rds-db:connect"}),
        (BOOTSTRAP, {"secretsmanager:GetSecretValue", "lambda:InvokeFunction"}),
    ],
)
def test_a_function_may_do_exactly_its_work(template: dict[str, Any], handler: str, own: set[str]) -> None:
    """Beside writing its log, each function has the actions of its own work and no other."""
    assert set(allowed(template, handler)) == LOGS | own


def test_webhook_may_send_to_one_queue(template: dict[str, Any]) -> None:
    """Webhook's permission names the queue it is told about."""
    queue_id = environment(template, WEBHOOK)["QUEUE_URL"]["Ref"]

    assert allowed(template, WEBHOOK)["sqs:SendMessage"] == {"Fn::GetAtt": [queue_id, "Arn"]}


@pytest.mark.parametrize(
    ("handler", "role"),
    [
        (MEASURE, "costintel_writer"),
        (HISTORY, "costintel_writer"),
        (EXPORTER, "costintel_writer"),
        (API, "costintel_api"),
        (MIGRATE, "costintel_owner"),
    ],
)
def test_a_function_logs_in_as_its_own_database_role(template: dict[str, Any], handler: str, role: str) -> None:
    """The user in the environment is the only one the function's role may connect as, on this instance."""
    resource = allowed(template, handler)["rds-db:connect"]["Fn::Join"][1]
    (database_id,) = resources(template, "AWS::RDS::DBInstance")

    assert environment(template, handler)["DATABASE_USER"] == role
    assert resource[-1] == f"/{role}"
    assert {"Fn::GetAtt": [database_id, "DbiResourceId"]} in resource


def test_bootstrap_may_read_one_secret_and_start_one_function(template: dict[str, Any]) -> None:
    """Bootstrap's permissions name the master secret and migrate."""
    (database_id,) = resources(template, "AWS::RDS::DBInstance")
    permissions = allowed(template, BOOTSTRAP)

    assert permissions["secretsmanager:GetSecretValue"] == {"Fn::GetAtt": [database_id, "MasterUserSecret.SecretArn"]}
    assert permissions["lambda:InvokeFunction"] == {"Fn::GetAtt": [function_id(template, MIGRATE), "Arn"]}


def test_each_function_writes_to_its_own_log_group(template: dict[str, Any]) -> None:
    """A function may write to the log group it is configured with and to no other."""
    for handler, function in functions(template).items():
        group = function["LoggingConfig"]["LogGroup"]["Ref"]

        assert allowed(template, handler)["logs:PutLogEvents"] == {"Fn::GetAtt": [group, "Arn"]}


def test_only_network_interfaces_are_allowed_on_any_resource(template: dict[str, Any]) -> None:
    """The star stands for no resource but the interfaces that Lambda makes for a function in the VPC."""
    starred: set[str] = set()
    for role_id in resources(template, "AWS::IAM::Role"):
        for statement in statements(template, role_id):
            if statement["Effect"] == "Allow" and "*" in listed(statement["Resource"]):
                starred |= set(listed(statement["Action"]))

    assert starred == INTERFACES


@pytest.mark.parametrize("handler", IN_VPC)
def test_code_in_the_vpc_may_not_use_the_interface_permissions(template: dict[str, Any], handler: str) -> None:
    """What Lambda may do to network interfaces in the function's name is denied to the function's code."""
    denials = [
        statement
        for statement in statements(template, role_of(functions(template)[handler]))
        if statement["Effect"] == "Deny"
    ]

    (denial,) = denials
    assert set(denial["Action"]) == INTERFACES
    assert denial["Condition"] == {
        "ArnEquals": {"lambda:SourceFunctionArn": {"Fn::GetAtt": [function_id(template, handler), "Arn"]}}
    }


def test_every_function_has_a_role_of_its_own(template: dict[str, Any]) -> None:
    """No two functions share a role, and none has one of AWS's account-wide policies."""
    roles = [role_of(function) for function in functions(template).values()]

    assert len(set(roles)) == len(roles) == 7
    assert not any("ManagedPolicyArns" in template["Resources"][role]["Properties"] for role in roles)


def test_a_schedule_may_start_its_function_only(template: dict[str, Any]) -> None:
    """Each schedule's role invokes one function and nothing else, and only schedules of this account may take it."""
    started = set()
    for schedule in resources(template, "AWS::Scheduler::Schedule").values():
        role_id = schedule["Target"]["RoleArn"]["Fn::GetAtt"][0]
        (statement,) = statements(template, role_id)
        (trust,) = template["Resources"][role_id]["Properties"]["AssumeRolePolicyDocument"]["Statement"]

        assert statement["Action"] == "lambda:InvokeFunction"
        assert statement["Resource"] == schedule["Target"]["Arn"]
        assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
        started.add(statement["Resource"]["Fn::GetAtt"][0])
    assert started == {function_id(template, handler) for handler in (MEASURE, HISTORY, EXPORTER)}


def test_access_entries_are_made_when_asked(template: dict[str, Any], full_template: dict[str, Any]) -> None:
    """Exporter's role, and measure's and history's as OpenCost is behind the API server, join the group with the rights."""
    entries = resources(full_template, "AWS::EKS::AccessEntry").values()
    principals = {entry["PrincipalArn"]["Fn::GetAtt"][0] for entry in entries}

    assert resources(template, "AWS::EKS::AccessEntry") == {}
    assert principals == {role_of(functions(full_template)[handler]) for handler in (EXPORTER, HISTORY, MEASURE)}
    for entry in entries:
        assert (entry["ClusterName"], entry["Type"], entry["KubernetesGroups"]) == (
            "prod-1",
            "STANDARD",
            ["cost-intel-readers"],
        )


def test_queues_refuse_plain_http(template: dict[str, Any]) -> None:
    """Both queues have a policy that denies every request without TLS."""
    policies = resources(template, "AWS::SQS::QueuePolicy").values()
    guarded = {policy["Queues"][0]["Ref"] for policy in policies}

    assert guarded == set(resources(template, "AWS::SQS::Queue"))
    for policy in policies:
        (statement,) = policy["PolicyDocument"]["Statement"]
        assert (statement["Effect"], statement["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
