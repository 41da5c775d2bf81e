"""What an operator decides about an installation: typed, checked, read from CDK context.

Each setting is the context key `cost-intel:NAME`; lists are comma separated, switches are `true` or `false`.
The network ids have placeholders, so that the stack synthesizes for tests and for one machine without an AWS account.
"""

import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, Self

CONTEXT_PREFIX = "cost-intel:"

PLACEHOLDER_VPC_ID = "vpc-00000000000000000"
PLACEHOLDER_SUBNET_IDS = ("subnet-0000000000000000a", "subnet-0000000000000000b")
PLACEHOLDER_SECURITY_GROUP_ID = "sg-00000000000000000"
PLACEHOLDER_OPENCOST_BASE_URL = "http://opencost.invalid:9003"
OPENCOST_SERVICE_PROXY = "/api/v1/namespaces/opencost/services/http:opencost:9003/proxy"
"""Path of OpenCost's service behind an API server; RBAC names the service in just these letters."""

Target = Literal["host", "lambda"]


class SettingsError(ValueError):
    """A setting is unknown or has a value that cannot work; the text names it and what was expected."""


def _text(default: str, *, pattern: str, expected: str) -> str:
    """Return a field holding text that matches `pattern`, described to the operator as `expected`."""
    value: str = field(default=default, metadata={"pattern": pattern, "expected": expected})
    return value


def _optional(*, pattern: str, expected: str) -> str:
    """Return a field that may stay empty."""
    return _text("", pattern=rf"(?:{pattern})?", expected=f"{expected}, or nothing")


def _number(default: int, *, low: int, high: int) -> int:
    """Return a field holding a whole number between `low` and `high`."""
    value: int = field(default=default, metadata={"allowed": range(low, high + 1), "expected": f"{low} to {high}"})
    return value


def _one_of(default: int, *others: int) -> int:
    """Return a field holding one of a few numbers."""
    allowed = (default, *others)
    value: int = field(default=default, metadata={"allowed": allowed, "expected": f"one of {sorted(allowed)}"})
    return value


def _names(default: tuple[str, ...], *, pattern: str, expected: str, at_least: int) -> tuple[str, ...]:
    """Return a field holding several texts, each matching `pattern`."""
    value: tuple[str, ...] = field(
        default=default, metadata={"pattern": pattern, "expected": expected, "at_least": at_least}
    )
    return value


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings of one installation; the defaults suit one cluster of up to about 5,000 applications.

    Raises `SettingsError` when a value cannot work.
    """

    # What is measured.
    cluster_name: str = _text(
        "local", pattern=r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", expected="a name of 1 to 63 characters"
    )
    cluster_id: str = _optional(pattern=r"[^\s,]{1,253}", expected="OpenCost's id of the cluster")
    cluster_aliases: tuple[str, ...] = _names(
        (), pattern=r"[^\s,]+", expected="server URLs or destination names of this cluster", at_least=0
    )
    cluster_access_app: str = _optional(pattern=r"[a-z0-9.-]+:[a-z0-9.-]+", expected="namespace:name of an Application")
    cluster_scope_app: str = _optional(
        pattern=r"[a-z0-9.-]+:[a-z0-9.-]+|off", expected="namespace:name of an Application, off"
    )
    currency: str = _text("USD", pattern=r"[A-Z]{3}", expected="an ISO 4217 code such as USD")
    month_hours: int = _one_of(720, 730)
    daily_history_days: int = _number(400, low=0, high=3650)
    opencost_base_url: str = _text(
        PLACEHOLDER_OPENCOST_BASE_URL,
        pattern=r"https?://[^\s/?#@]+(?:/[^\s?#]*)?",
        expected="an http:// or https:// URL",
    )
    opencost_token_secret_arn: str = _optional(
        pattern=r"arn:aws[a-z-]*:secretsmanager:\S+", expected="the ARN of a Secrets Manager secret"
    )
    opencost_ca_file: str = _optional(pattern=r".+", expected="the path of a PEM file")
    opencost_read_timeout_seconds: int = _number(240, low=5, high=240)
    lease_seconds: int = _number(60, low=10, high=300)
    # What lives in it.
    kubernetes_endpoint: str = _optional(
        pattern=r"https://[^\s/?#@]+", expected="the https:// address of the cluster's API server, without a path"
    )
    kubernetes_ca_file: str = _optional(pattern=r".+", expected="the path of a PEM file")
    eks_cluster_name: str = _optional(pattern=r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", expected="the EKS cluster's name")
    eks_access_entries: bool = False
    prune_remote_cost: bool = False
    # Where it runs.
    stack_name: str = _text("cost-intel", pattern=r"[A-Za-z][A-Za-z0-9-]{0,62}", expected="a CloudFormation stack name")
    vpc_id: str = _text(PLACEHOLDER_VPC_ID, pattern=r"vpc-[0-9a-f]{8,17}", expected="the id of the cluster's VPC")
    subnet_ids: tuple[str, ...] = _names(
        PLACEHOLDER_SUBNET_IDS, pattern=r"subnet-[0-9a-f]{8,17}", expected="ids of private subnets", at_least=2
    )
    cluster_security_group_id: str = _text(
        PLACEHOLDER_SECURITY_GROUP_ID,
        pattern=r"sg-[0-9a-f]{8,17}",
        expected="the id of the security group in front of OpenCost",
    )
    open_cluster_security_group: bool = False
    database_ca_file: str = _optional(pattern=r".+", expected="the path of a PEM file")
    database_instance_class: str = _text(
        "db.t4g.micro", pattern=r"db\.[a-z0-9]+\.[a-z0-9]+", expected="an RDS instance class such as db.t4g.micro"
    )
    database_multi_az: bool = False
    database_backup_days: int = _number(7, low=1, high=35)
    database_deletion_protection: bool = True
    # How much of it.
    api_reserved_concurrency: int = _number(20, low=0, high=1000)
    measure_reserved_concurrency: int = _number(0, low=0, high=1000)
    webhook_requests_per_second: int = _number(500, low=1, high=10000)
    webhook_burst: int = _number(1000, low=1, high=5000)
    api_requests_per_second: int = _number(200, low=1, high=10000)
    api_burst: int = _number(400, low=1, high=5000)
    # How it is watched.
    alarm_email: str = _optional(pattern=r"[^@\s]+@[^@\s]+", expected="an e-mail address")
    alarm_topic_arn: str = _optional(pattern=r"arn:aws[a-z-]*:sns:\S+", expected="the ARN of an SNS topic")
    log_level: str = _text("INFO", pattern="DEBUG|INFO|WARNING|ERROR", expected="DEBUG, INFO, WARNING or ERROR")
    log_retention_days: int = _one_of(30, 1, 3, 7, 14, 90, 180, 365)

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        for setting in fields(self):
            _check(setting, getattr(self, setting.name))
        if self.alarm_email and self.alarm_topic_arn:
            raise SettingsError(
                "alarm_email: expected nothing beside alarm_topic_arn, the topic has its own subscribers"
            )
        if not self.eks_cluster_name and (self.kubernetes_endpoint or self.eks_access_entries):
            asking = "kubernetes_endpoint" if self.kubernetes_endpoint else "eks_access_entries"
            raise SettingsError(f"eks_cluster_name: expected the EKS cluster's name, because {asking} is set")
        if 0 < self.measure_reserved_concurrency <= MEASURE_QUEUE_CONCURRENCY:
            raise SettingsError(
                f"measure_reserved_concurrency: expected 0 (none) or more than {MEASURE_QUEUE_CONCURRENCY}:"
                " the queue alone uses that many, and what is throttled ends in the dead-letter queue"
            )

    @classmethod
    def parse(cls, texts: Mapping[str, str]) -> Self:
        """Return the settings written in `texts` (name to text, without the context prefix).

        Raises `SettingsError` for an unknown name or a text that cannot be read.
        """
        known = {setting.name: setting for setting in fields(cls)}
        unknown = sorted(set(texts) - set(known))
        if unknown:
            raise SettingsError(f"{unknown[0]}: no such setting; expected one of {', '.join(known)}")
        values: dict[str, Any] = {name: _read(known[name], text) for name, text in texts.items()}
        return cls(**values)

    @property
    def opencost_url(self) -> str:
        """The address of OpenCost: the one given, else that of its service behind the API server's proxy."""
        if self.opencost_base_url == PLACEHOLDER_OPENCOST_BASE_URL and self.kubernetes_endpoint:
            return f"{self.kubernetes_endpoint}{OPENCOST_SERVICE_PROXY}"
        return self.opencost_base_url

    @property
    def opencost_ca(self) -> str:
        """The PEM file OpenCost's certificate is verified with: the one given, else the API server's where that is asked."""
        return self.opencost_ca_file or (self.kubernetes_ca_file if self.is_opencost_behind_api_server else "")

    @property
    def is_opencost_behind_api_server(self) -> bool:
        """Whether OpenCost is asked through the cluster's API server."""
        endpoint = self.kubernetes_endpoint
        return bool(endpoint) and self.opencost_url.startswith(f"{endpoint}/")

    @property
    def is_placeholder(self) -> bool:
        """Whether the network ids or OpenCost's address are placeholders, so that the stack cannot be deployed."""
        return (
            self.vpc_id == PLACEHOLDER_VPC_ID
            or self.subnet_ids == PLACEHOLDER_SUBNET_IDS
            or self.cluster_security_group_id == PLACEHOLDER_SECURITY_GROUP_ID
            or self.opencost_url == PLACEHOLDER_OPENCOST_BASE_URL
        )


MEASURE_QUEUE_CONCURRENCY = 5
"""How many batches of the queue `measure` works on at once."""


def _check(setting: Field[Any], value: object) -> None:
    """Raise `SettingsError` unless `value` satisfies what the field's metadata asks for."""
    rules = setting.metadata
    if isinstance(value, str):
        _check_text(setting.name, value, rules)
    elif isinstance(value, tuple):
        if len(value) < rules["at_least"]:
            raise SettingsError(f"{setting.name}: expected at least {rules['at_least']} {rules['expected']}")
        for text in value:
            _check_text(setting.name, text, rules)
    elif not isinstance(value, bool) and value not in rules["allowed"]:
        raise SettingsError(f"{setting.name}: expected {rules['expected']}, got {value}")


def _check_text(name: str, text: str, rules: Mapping[str, Any]) -> None:
    """Raise `SettingsError` unless `text` matches the field's pattern."""
    if not re.fullmatch(rules["pattern"], text):
        raise SettingsError(f"{name}: expected {rules['expected']}, got {text!r}")


def _read(setting: Field[Any], text: str) -> str | int | bool | tuple[str, ...]:
    """Return the value that `text` writes, by the field's type."""
    if setting.type == tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if setting.type is bool:
        return _read_switch(setting.name, text)
    if setting.type is int:
        return _read_number(setting.name, text)
    return text.strip()


def _read_switch(name: str, text: str) -> bool:
    """Return whether the switch is on."""
    if text.strip().lower() not in {"true", "false"}:
        raise SettingsError(f"{name}: expected true or false, got {text!r}")
    return text.strip().lower() == "true"


def _read_number(name: str, text: str) -> int:
    """Return the whole number."""
    if not re.fullmatch(r"\d{1,9}", text.strip()):
        raise SettingsError(f"{name}: expected a whole number, got {text!r}")
    return int(text)
