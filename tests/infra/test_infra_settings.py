"""What the operator may write, and what he is told when it cannot work."""

import re

import pytest

from infra.settings import Settings, SettingsError
from tests.infra.given import EVERY_SETTING


def test_without_any_setting_the_network_is_a_placeholder() -> None:
    """The defaults synthesize, and say that they cannot be deployed."""
    assert Settings.parse({}).is_placeholder


def test_given_network_and_opencost_it_can_be_deployed() -> None:
    """Nothing is a placeholder any more when ids and address are given."""
    assert not Settings.parse(EVERY_SETTING).is_placeholder


@pytest.mark.parametrize("missing", ["vpc_id", "subnet_ids", "cluster_security_group_id", "opencost_base_url"])
def test_one_missing_place_is_enough_for_a_placeholder(missing: str) -> None:
    """Each of the four must be given; of OpenCost's address an API server's takes the place."""
    given = {name: text for name, text in EVERY_SETTING.items() if name not in {missing, "kubernetes_endpoint"}}

    assert Settings.parse(given).is_placeholder


def test_texts_become_what_the_settings_are() -> None:
    """Lists are split at commas, switches and numbers are read, blanks around them do not count."""
    settings = Settings.parse(
        {
            "subnet_ids": " subnet-0123456789abcdef0, subnet-0123456789abcdef1 ,",
            "open_cluster_security_group": "True",
            "month_hours": " 730",
            "currency": "EUR ",
        }
    )

    assert settings.subnet_ids == ("subnet-0123456789abcdef0", "subnet-0123456789abcdef1")
    assert settings.open_cluster_security_group is True
    assert settings.month_hours == 730
    assert settings.currency == "EUR"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("vpc", "vpc-01234567", "vpc: no such setting; expected one of"),
        ("vpc_id", "vpc-xyz", "vpc_id: expected the id of the cluster's VPC, got 'vpc-xyz'"),
        ("subnet_ids", "subnet-0123456789abcdef0", "subnet_ids: expected at least 2 ids of private subnets"),
        ("subnet_ids", "subnet-01234567,net-2", "subnet_ids: expected ids of private subnets, got 'net-2'"),
        ("currency", "dollar", "currency: expected an ISO 4217 code such as USD, got 'dollar'"),
        ("month_hours", "744", "month_hours: expected one of [720, 730], got 744"),
        ("month_hours", "7e2", "month_hours: expected a whole number, got '7e2'"),
        ("lease_seconds", "5", "lease_seconds: expected 10 to 300, got 5"),
        ("database_multi_az", "yes", "database_multi_az: expected true or false, got 'yes'"),
        ("opencost_base_url", "opencost:9003", "opencost_base_url: expected an http:// or https:// URL"),
        ("opencost_base_url", "http://u:p@opencost", "opencost_base_url: expected an http:// or https:// URL"),
        ("cluster_access_app", "cost-access", "cluster_access_app: expected namespace:name of an Application"),
        (
            "cluster_scope_app",
            "platform",
            "cluster_scope_app: expected namespace:name of an Application, off, or nothing",
        ),
        ("kubernetes_endpoint", "http://k", "kubernetes_endpoint: expected the https:// address of the cluster's API"),
        (
            "kubernetes_endpoint",
            "https://k/k8s",
            "kubernetes_endpoint: expected the https:// address of the cluster's API",
        ),
        (
            "kubernetes_endpoint",
            "https://k",
            "eks_cluster_name: expected the EKS cluster's name, because kubernetes_end",
        ),
        (
            "eks_access_entries",
            "true",
            "eks_cluster_name: expected the EKS cluster's name, because eks_access_entries is",
        ),
        ("alarm_email", "operations", "alarm_email: expected an e-mail address, or nothing"),
        ("log_level", "TRACE", "log_level: expected DEBUG, INFO, WARNING or ERROR"),
    ],
)
def test_a_setting_that_cannot_work_is_named(name: str, text: str, message: str) -> None:
    """The error has the setting's name and what was expected."""
    with pytest.raises(SettingsError, match=f"^{re.escape(message)}"):
        Settings.parse({name: text})


def test_opencost_is_behind_the_api_server_unless_it_is_elsewhere() -> None:
    """With an endpoint the service proxy is the default, and the API server's CA is OpenCost's."""
    cluster = {
        "kubernetes_endpoint": "https://k.example.com",
        "kubernetes_ca_file": "k.pem",
        "eks_cluster_name": "prod-1",
    }
    behind = Settings.parse(cluster)
    beside = Settings.parse({**cluster, "opencost_base_url": "https://opencost.example.com"})

    assert behind.opencost_url == ("https://k.example.com/api/v1/namespaces/opencost/services/http:opencost:9003/proxy")
    assert (behind.opencost_ca, behind.is_opencost_behind_api_server) == ("k.pem", True)
    assert (beside.opencost_url, beside.opencost_ca) == ("https://opencost.example.com", "")
    assert not beside.is_opencost_behind_api_server


def test_measure_may_not_have_less_concurrency_than_its_queue() -> None:
    """Below the queue's own five, throttled messages would end in the dead-letter queue."""
    with pytest.raises(SettingsError, match=r"measure_reserved_concurrency: expected 0 \(none\) or more than 5"):
        Settings.parse({"measure_reserved_concurrency": "5"})


def test_alarms_go_to_an_address_or_to_a_topic() -> None:
    """Both at once would be unclear."""
    both = {"alarm_email": "a@example.com", "alarm_topic_arn": "arn:aws:sns:eu-central-1:111122223333:alarms"}

    with pytest.raises(SettingsError, match="alarm_email: expected nothing beside alarm_topic_arn"):
        Settings.parse(both)
