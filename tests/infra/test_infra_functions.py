"""The functions: how they run, what starts them, what they are told."""

import json
from typing import Any

import pytest

from costintel.config import SETTINGS
from tests.infra.reading import environment, function_id, functions, only, resources

WEBHOOK, MEASURE, API = "webhook.handler.handler", "measure.handler.handler", "api.handler.handler"
HISTORY, EXPORTER = "history.handler.handler", "exporter.handler.handler"
MIGRATE, BOOTSTRAP = "migrate.handler.handler", "migrate.bootstrap.handler"

# Read by Powertools itself, by bootstrap alone, or never set on AWS.
POWERTOOLS = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE"}
BOOTSTRAP_ONLY = {"MASTER_SECRET_ARN", "MIGRATE_FUNCTION_NAME"}
LOCAL_ONLY = {
    "APPLICATIONS_FILE",
    "AWS_REGION",
    "CLOCK_OFFSET_SECONDS",
    "DATABASE_URL",
    "KUBECONFIG",
    "KUBERNETES_TOKEN",
}


@pytest.mark.parametrize(
    ("handler", "memory_mb", "timeout_seconds", "in_vpc"),
    [
        (WEBHOOK, 512, 10, False),
        (MEASURE, 512, 300, True),
        (HISTORY, 512, 900, True),
        (EXPORTER, 512, 300, True),
        (API, 1024, 29, True),
        (MIGRATE, 512, 300, True),
        (BOOTSTRAP, 512, 330, False),
    ],
)
def test_each_function_has_its_size_its_time_and_its_place(
    template: dict[str, Any], handler: str, memory_mb: int, timeout_seconds: int, in_vpc: bool
) -> None:
    """Memory, timeout and placement of a function are the ones decided for it."""
    function = functions(template)[handler]

    assert (function["MemorySize"], function["Timeout"], "VpcConfig" in function) == (
        memory_mb,
        timeout_seconds,
        in_vpc,
    )


def test_there_are_no_other_functions(template: dict[str, Any]) -> None:
    """Seven handlers run in Python; the one other function is CDK's, for the trigger."""
    assert set(functions(template)) == {WEBHOOK, MEASURE, HISTORY, EXPORTER, API, MIGRATE, BOOTSTRAP}
    assert len(resources(template, "AWS::Lambda::Function")) == 8


def test_all_run_python_3_13_on_arm_with_both_layers(template: dict[str, Any]) -> None:
    """Every function has the runtime that the bytecode was compiled for, and both layers."""
    layers = set(resources(template, "AWS::Lambda::LayerVersion"))
    for function in functions(template).values():
        assert function["Runtime"] == "python3.13"
        assert function["Architectures"] == ["arm64"]
        assert {layer["Ref"] for layer in function["Layers"]} == layers
    assert len(layers) == 2


def test_the_queue_feeds_measure_in_batches_with_partial_failures(template: dict[str, Any]) -> None:
    """The event source is the queue, ten messages at most, five batches at once, failures reported one by one."""
    mapping = only(template, "AWS::Lambda::EventSourceMapping")

    assert mapping["FunctionName"] == {"Ref": function_id(template, MEASURE)}
    assert mapping["BatchSize"] == 10
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 5}
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    queue_id, attribute = mapping["EventSourceArn"]["Fn::GetAtt"]
    assert attribute == "Arn"
    assert "RedrivePolicy" in template["Resources"][queue_id]["Properties"]


def test_the_queue_keeps_what_could_not_be_stored(template: dict[str, Any]) -> None:
    """No delay, 30 minutes of visibility, 20 receptions, then 14 days in the dead-letter queue; both encrypted."""
    queues = resources(template, "AWS::SQS::Queue")
    (queue,) = (queue for queue in queues.values() if "RedrivePolicy" in queue)
    dead_letters_id = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]

    assert queue.get("DelaySeconds", 0) == 0
    assert queue["VisibilityTimeout"] == 1800
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 20
    assert queues[dead_letters_id]["MessageRetentionPeriod"] == 14 * 86400
    assert len(queues) == 2
    assert all(queue["SqsManagedSseEnabled"] for queue in queues.values())


def test_a_message_is_invisible_for_six_times_what_measure_may_take(template: dict[str, Any]) -> None:
    """AWS asks for six times the function's timeout, so that throttling makes no duplicates."""
    (queue,) = (queue for queue in resources(template, "AWS::SQS::Queue").values() if "RedrivePolicy" in queue)

    assert queue["VisibilityTimeout"] >= 6 * functions(template)[MEASURE]["Timeout"]


@pytest.mark.parametrize(
    ("handler", "job", "rate"),
    [
        (MEASURE, "tick", "rate(1 minute)"),
        (HISTORY, "days", "rate(60 minutes)"),
        (EXPORTER, "live", "rate(5 minutes)"),
    ],
)
def test_a_job_is_started_at_its_rate_and_never_repeated(
    template: dict[str, Any], handler: str, job: str, rate: str
) -> None:
    """The schedule invokes the function with the job's event, without flexible window and without retries."""
    (schedule,) = (
        schedule
        for schedule in resources(template, "AWS::Scheduler::Schedule").values()
        if schedule["Target"]["Arn"] == {"Fn::GetAtt": [function_id(template, handler), "Arn"]}
    )

    assert schedule["ScheduleExpression"] == rate
    assert schedule["FlexibleTimeWindow"] == {"Mode": "OFF"}
    assert schedule["Target"]["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert json.loads(schedule["Target"]["Input"]) == {"source": "costintel.schedule", "job": job}


@pytest.mark.parametrize("handler", [WEBHOOK, MEASURE, HISTORY, EXPORTER, API, MIGRATE])
def test_a_function_is_told_nothing_it_does_not_read(full_template: dict[str, Any], handler: str) -> None:
    """Every variable in the template is a setting of the code for that function, or one of Powertools."""
    service = handler.partition(".")[0]
    read = {setting.name for setting in SETTINGS if service in setting.functions}

    assert set(environment(full_template, handler)) - read - POWERTOOLS == set()


@pytest.mark.parametrize("handler", [WEBHOOK, MEASURE, HISTORY, EXPORTER, API, MIGRATE])
def test_a_function_is_told_everything_it_reads(full_template: dict[str, Any], handler: str) -> None:
    """Every setting of the code is in the template when the operator gives it; some are for one machine, one is Lambda's."""
    service = handler.partition(".")[0]
    read = {setting.name for setting in SETTINGS if service in setting.functions}

    assert read - LOCAL_ONLY - set(environment(full_template, handler)) == set()


def test_bootstrap_is_told_whom_to_start_with_which_credential(template: dict[str, Any]) -> None:
    """Bootstrap has the master secret's ARN and migrate's name beside what every function has."""
    variables = environment(template, BOOTSTRAP)
    (database_id,) = resources(template, "AWS::RDS::DBInstance")

    assert set(variables) == {"CLUSTER_NAME", "LOG_LEVEL"} | POWERTOOLS | BOOTSTRAP_ONLY
    assert variables["MIGRATE_FUNCTION_NAME"] == {"Ref": function_id(template, MIGRATE)}
    assert variables["MASTER_SECRET_ARN"] == {"Fn::GetAtt": [database_id, "MasterUserSecret.SecretArn"]}


@pytest.mark.parametrize(
    ("handler", "service"),
    [
        (WEBHOOK, "webhook"),
        (MEASURE, "measure"),
        (API, "api"),
        (MIGRATE, "migrate"),
        (BOOTSTRAP, "bootstrap"),
        (HISTORY, "history"),
        (EXPORTER, "exporter"),
    ],
)
def test_log_lines_and_metrics_carry_the_functions_name(template: dict[str, Any], handler: str, service: str) -> None:
    """Powertools' service is the function, its namespace the project."""
    variables = environment(template, handler)

    assert variables["POWERTOOLS_SERVICE_NAME"] == service
    assert variables["POWERTOOLS_METRICS_NAMESPACE"] == "CostIntel"


@pytest.mark.parametrize(
    ("handler", "variable", "parameter"),
    [
        (WEBHOOK, "WEBHOOK_TOKEN_HASHES", "/cost-intel/prod/webhook-token-hashes"),
        (API, "PROXY_TOKEN_HASHES", "/cost-intel/prod/proxy-token-hashes"),
        (API, "METRICS_TOKEN_HASHES", "/cost-intel/prod/metrics-token-hashes"),
    ],
)
def test_token_hashes_come_from_ssm(full_template: dict[str, Any], handler: str, variable: str, parameter: str) -> None:
    """A function's token hashes are the value of the SSM parameter named after cluster and caller."""
    reference = environment(full_template, handler)[variable]["Ref"]
    declared = full_template["Parameters"][reference]

    assert (declared["Type"], declared["Default"]) == ("AWS::SSM::Parameter::Value<String>", parameter)


def test_no_function_knows_anothers_token(full_template: dict[str, Any]) -> None:
    """Only webhook has the webhook token's hashes, only api the other two."""
    knowing = {
        handler: {name for name in environment(full_template, handler) if name.endswith("_TOKEN_HASHES")}
        for handler in functions(full_template)
    }

    assert {handler: names for handler, names in knowing.items() if names} == {
        WEBHOOK: {"WEBHOOK_TOKEN_HASHES"},
        API: {"PROXY_TOKEN_HASHES", "METRICS_TOKEN_HASHES"},
    }


def test_the_settings_reach_the_functions(full_template: dict[str, Any]) -> None:
    """What the operator writes is what the functions read."""
    webhook, measure = environment(full_template, WEBHOOK), environment(full_template, MEASURE)

    assert webhook["CLUSTER_NAME"] == measure["CLUSTER_NAME"] == "prod"
    assert webhook["CLUSTER_ALIASES"] == "https://prod.example.com,prod"
    assert webhook["CLUSTER_ACCESS_APP"] == "argocd:cost-access"
    assert measure["CLUSTER_ID"] == "cluster-one"
    assert measure["OPENCOST_CA_FILE"] == "/opt/certificates/opencost.pem"
    assert measure["OPENCOST_BASE_URL"].endswith("/services/http:opencost:9003/proxy")


def test_the_exporter_is_told_how_to_reach_the_cluster(full_template: dict[str, Any]) -> None:
    """Endpoint, CA and name of the cluster; who is not measured; what of other clusters is deleted."""
    exporter, api = environment(full_template, EXPORTER), environment(full_template, API)

    assert exporter["KUBERNETES_ENDPOINT"] == "https://api.prod.example.com"
    assert exporter["KUBERNETES_CA_FILE"] == "/opt/certificates/kubernetes.pem"
    assert exporter["EKS_CLUSTER_NAME"] == environment(full_template, MEASURE)["EKS_CLUSTER_NAME"] == "prod-1"
    assert exporter["PRUNE_REMOTE_COST"] == "true"
    assert exporter["CLUSTER_ACCESS_APP"] == api["CLUSTER_ACCESS_APP"] == "argocd:cost-access"
    assert api["CLUSTER_SCOPE_APP"] == "argocd:platform"


def test_without_kubernetes_the_exporter_still_looks_at_opencost(template: dict[str, Any]) -> None:
    """No endpoint, and nothing is deleted unless somebody wants it."""
    exporter = environment(template, EXPORTER)

    assert not {"KUBERNETES_ENDPOINT", "KUBERNETES_CA_FILE", "EKS_CLUSTER_NAME"} & set(exporter)
    assert (exporter["OPENCOST_BASE_URL"], exporter["PRUNE_REMOTE_COST"]) == ("http://opencost.invalid:9003", "false")


def test_opencosts_token_is_a_reference_to_its_secret(full_template: dict[str, Any]) -> None:
    """The template holds the secret's name; CloudFormation puts the token into measure's environment."""
    reference = environment(full_template, MEASURE)["OPENCOST_TOKEN"]

    assert reference == (
        "{{resolve:secretsmanager:arn:aws:secretsmanager:eu-central-1:111122223333:secret:opencost-AbCdEf"
        ":SecretString:::}}"
    )


def test_what_the_operator_leaves_out_is_not_in_the_environment(template: dict[str, Any]) -> None:
    """An optional setting without a value is absent, not empty."""
    assert not {"CLUSTER_ID", "OPENCOST_TOKEN", "OPENCOST_CA_FILE"} & set(environment(template, MEASURE))
    assert not {"CLUSTER_ALIASES", "CLUSTER_ACCESS_APP"} & set(environment(template, WEBHOOK))


def test_reserved_concurrency_is_a_setting(template: dict[str, Any], full_template: dict[str, Any]) -> None:
    """By default api has 20 and the others share the account's; 0 takes it away, a number gives it."""
    key = "ReservedConcurrentExecutions"
    by_default = {handler: function.get(key) for handler, function in functions(template).items()}
    as_set = {handler: function.get(key) for handler, function in functions(full_template).items()}

    assert by_default == dict.fromkeys(functions(template)) | {API: 20}
    assert as_set == dict.fromkeys(functions(template)) | {MEASURE: 10}


def test_every_function_writes_to_a_log_group_that_forgets(
    template: dict[str, Any], full_template: dict[str, Any]
) -> None:
    """Each function has its own log group, kept as long as the setting says; so are the access logs."""
    groups = resources(template, "AWS::Logs::LogGroup")
    used = {function["LoggingConfig"]["LogGroup"]["Ref"] for function in functions(template).values()}

    assert len(used) == 7
    assert used < set(groups)
    assert {group["RetentionInDays"] for group in groups.values()} == {30}
    assert {group["RetentionInDays"] for group in resources(full_template, "AWS::Logs::LogGroup").values()} == {90}


def test_the_schema_changes_before_the_functions_that_need_it(template: dict[str, Any]) -> None:
    """The trigger starts bootstrap's current version after the database and migrate, and before those that read it."""
    (trigger_id,) = resources(template, "Custom::Trigger")
    trigger = template["Resources"][trigger_id]
    version = template["Resources"][trigger["Properties"]["HandlerArn"]["Ref"]]["Properties"]
    (database_id,) = resources(template, "AWS::RDS::DBInstance")

    assert version["FunctionName"] == {"Ref": function_id(template, BOOTSTRAP)}
    assert {database_id, function_id(template, MIGRATE)} <= set(trigger["DependsOn"])
    for handler in (MEASURE, HISTORY, EXPORTER, API):
        assert trigger_id in template["Resources"][function_id(template, handler)]["DependsOn"]


def test_the_trigger_waits_longer_than_the_functions_run(template: dict[str, Any]) -> None:
    """Trigger, bootstrap and migrate time out from the inside out, so that the innermost error is the one seen."""
    trigger = only(template, "Custom::Trigger")
    found = functions(template)

    assert int(trigger["Timeout"]) / 1000 > found[BOOTSTRAP]["Timeout"] > found[MIGRATE]["Timeout"]
