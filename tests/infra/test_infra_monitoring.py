"""Alarms and the dashboard."""

import json
import re
from typing import Any

from infra import paths
from tests.infra.reading import function_id, only, resources

ALARM = "AWS::CloudWatch::Alarm"


def alarms_on(template: dict[str, Any], metric: str) -> list[dict[str, Any]]:
    """Return the alarms on a metric."""
    return [alarm for alarm in resources(template, ALARM).values() if alarm["MetricName"] == metric]


def test_there_are_few_alarms_and_one_dashboard(template: dict[str, Any]) -> None:
    """Ten alarms at most, each with a sentence for whoever is woken."""
    alarms = resources(template, ALARM)

    assert len(alarms) <= 10
    assert all(len(alarm["AlarmDescription"]) > 20 for alarm in alarms.values())
    assert len(resources(template, "AWS::CloudWatch::Dashboard")) == 1


def test_a_single_dead_letter_raises_an_alarm(template: dict[str, Any]) -> None:
    """One message in the dead-letter queue is enough."""
    queues = resources(template, "AWS::SQS::Queue")
    (dead_letters,) = (name for name, queue in queues.items() if "RedrivePolicy" not in queue)
    (alarm,) = alarms_on(template, "ApproximateNumberOfMessagesVisible")
    (dimension,) = alarm["Dimensions"]

    assert dimension["Value"] == {"Fn::GetAtt": [dead_letters, "QueueName"]}
    assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (1, "GreaterThanOrEqualToThreshold")


def test_a_schedule_that_stands_still_raises_an_alarm(template: dict[str, Any]) -> None:
    """No invocation of measure for a quarter of an hour is bad, and so is no figure about it."""
    (alarm,) = alarms_on(template, "Invocations")

    assert alarm["Dimensions"] == [
        {"Name": "FunctionName", "Value": {"Ref": function_id(template, "measure.handler.handler")}}
    ]
    assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (1, "LessThanThreshold")
    assert (alarm["Period"], alarm["TreatMissingData"]) == (900, "breaching")


def test_a_failing_webhook_raises_an_alarm_at_once(template: dict[str, Any]) -> None:
    """One error of webhook is enough, because Argo CD repeats a notification only twice."""
    webhook = {"Ref": function_id(template, "webhook.handler.handler")}
    errors = [alarm for alarm in alarms_on(template, "Errors") if alarm["Dimensions"][0]["Value"] == webhook]

    (alarm,) = errors
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (1, 1)


def test_the_rest_of_the_watch(template: dict[str, Any]) -> None:
    """Throttled webhooks, old messages, server errors and the database's storage and CPU are watched too."""
    watched = {alarm["MetricName"] for alarm in resources(template, ALARM).values()}

    assert {"Throttles", "ApproximateAgeOfOldestMessage", "5xx", "FreeStorageSpace", "CPUUtilization"} <= watched


def test_hours_that_stay_away_raise_an_alarm(template: dict[str, Any]) -> None:
    """Three hours in which measure reports no stored hour, or nothing at all, are bad."""
    (alarm,) = alarms_on(template, "HoursStored")

    assert (alarm["Namespace"], alarm["Dimensions"]) == ("CostIntel", [{"Name": "service", "Value": "measure"}])
    assert (alarm["Period"], alarm["EvaluationPeriods"], alarm["Statistic"]) == (3600, 3, "Sum")
    assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (1, "LessThanThreshold")
    assert alarm["TreatMissingData"] == "breaching"


def test_counts_on_the_dashboard_are_reported_by_the_functions(template: dict[str, Any]) -> None:
    """Each of our own metrics that is shown is named in the code of the function it is shown for."""
    parts = only(template, "AWS::CloudWatch::Dashboard")["DashboardBody"]["Fn::Join"][1]
    text = "".join(part for part in parts if isinstance(part, str))
    shown = set(re.findall(r'"CostIntel","(\w+)","service","(\w+)"', text))

    assert ("HoursStored", "measure") in shown
    for name, service in shown:
        sources = (paths.FUNCTIONS / service).glob("*.py")

        assert any(f'"{name}"' in source.read_text(encoding="utf-8") for source in sources), name


def test_alarms_tell_nobody_by_default(template: dict[str, Any]) -> None:
    """Without address or topic the alarms show on the dashboard only, and no topic is made."""
    assert not resources(template, "AWS::SNS::Topic")
    assert not any("AlarmActions" in alarm for alarm in resources(template, ALARM).values())


def test_alarms_tell_the_address_they_are_given(full_template: dict[str, Any]) -> None:
    """Each alarm tells the topic when it starts and ends, and the topic the address."""
    (topic_id,) = resources(full_template, "AWS::SNS::Topic")

    for alarm in resources(full_template, ALARM).values():
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic_id}]
    subscription = only(full_template, "AWS::SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "operations@example.com")


def test_the_topic_lets_alarms_in_and_plain_http_out(full_template: dict[str, Any]) -> None:
    """CloudWatch's alarms of this account may publish, nobody may without TLS."""
    statements = only(full_template, "AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
    by_effect = {statement["Effect"]: statement for statement in statements}

    assert by_effect["Allow"]["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert by_effect["Allow"]["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    assert by_effect["Deny"]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_the_dashboard_shows_the_alarms_and_the_path_of_a_sync(template: dict[str, Any]) -> None:
    """Requests, functions, queue and database are on one page with the alarms."""
    text = json.dumps(only(template, "AWS::CloudWatch::Dashboard")["DashboardBody"])

    for title in ("Requests", "Duration, p95", "Waiting syncs", "Database free storage"):
        assert title in text
    for alarm in resources(template, ALARM):
        assert alarm in text
