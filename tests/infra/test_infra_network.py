"""The cluster's VPC, used and not changed; the database in it."""

import json
from typing import Any

import pytest

from infra.constructs.network import tcp_port
from tests.infra.given import EVERY_SETTING
from tests.infra.reading import Properties, functions, only, resources

MEASURE, API, MIGRATE = "measure.handler.handler", "api.handler.handler", "migrate.handler.handler"
HISTORY, EXPORTER = "history.handler.handler", "exporter.handler.handler"


def group_of(template: dict[str, Any], handler: str) -> str:
    """Return the logical id of the one security group of a function in the VPC."""
    (group,) = functions(template)[handler]["VpcConfig"]["SecurityGroupIds"]
    name: str = group["Fn::GetAtt"][0]
    return name


def database_group(template: dict[str, Any]) -> str:
    """Return the logical id of the database's one security group."""
    (group,) = only(template, "AWS::RDS::DBInstance")["VPCSecurityGroups"]
    name: str = group["Fn::GetAtt"][0]
    return name


def egress(template: dict[str, Any], group: str) -> list[tuple[Any, Any]]:
    """Return what a security group may reach: where and on which port."""
    rules: list[Properties] = template["Resources"][group]["Properties"]["SecurityGroupEgress"]
    return [(rule.get("DestinationSecurityGroupId", rule.get("CidrIp")), rule.get("ToPort")) for rule in rules]


def test_there_is_no_network_of_our_own(template: dict[str, Any]) -> None:
    """No VPC, no NAT gateway, no endpoint and no address is made."""
    networking = {resource["Type"] for resource in template["Resources"].values() if "AWS::EC2" in resource["Type"]}

    assert networking == {"AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress"}


def test_functions_and_database_stand_in_the_given_subnets(full_template: dict[str, Any]) -> None:
    """The ids the operator gives are used as they are."""
    subnets = EVERY_SETTING["subnet_ids"].split(",")

    assert only(full_template, "AWS::RDS::DBSubnetGroup")["SubnetIds"] == subnets
    for handler in (MEASURE, HISTORY, EXPORTER, API, MIGRATE):
        assert functions(full_template)[handler]["VpcConfig"]["SubnetIds"] == subnets
    for group in resources(full_template, "AWS::EC2::SecurityGroup").values():
        assert group["VpcId"] == EVERY_SETTING["vpc_id"]


@pytest.mark.parametrize("handler", [MEASURE, HISTORY])
def test_measure_and_history_reach_the_database_and_opencost(full_template: dict[str, Any], handler: str) -> None:
    """Both have two ways out: PostgreSQL, and OpenCost's port behind the cluster's security group."""
    database = {"Fn::GetAtt": [database_group(full_template), "GroupId"]}

    assert egress(full_template, group_of(full_template, handler)) == [
        (database, 5432),
        (EVERY_SETTING["cluster_security_group_id"], 443),
    ]


def test_exporter_reaches_the_database_and_the_cluster(template: dict[str, Any], full_template: dict[str, Any]) -> None:
    """OpenCost's port and, where Kubernetes is configured, the API server's; here both are 443."""
    database = {"Fn::GetAtt": [database_group(full_template), "GroupId"]}

    assert egress(full_template, group_of(full_template, EXPORTER)) == [
        (database, 5432),
        (EVERY_SETTING["cluster_security_group_id"], 443),
    ]
    assert [port for _, port in egress(template, group_of(template, EXPORTER))] == [5432, 9003]


@pytest.mark.parametrize("handler", [API, MIGRATE])
def test_api_and_migrate_reach_the_database_only(template: dict[str, Any], handler: str) -> None:
    """Neither the Kubernetes API nor OpenCost nor the internet is within their reach."""
    database = {"Fn::GetAtt": [database_group(template), "GroupId"]}

    assert egress(template, group_of(template, handler)) == [(database, 5432)]


def test_the_database_reaches_nothing(template: dict[str, Any]) -> None:
    """Its one rule leads to itself, because a group without rules would reach everything."""
    assert egress(template, database_group(template)) == [("127.0.0.1/32", None)]


def test_the_database_is_reached_by_four_functions(template: dict[str, Any]) -> None:
    """PostgreSQL's port is open to the groups of measure, exporter, api and migrate and to nobody else."""
    rules = resources(template, "AWS::EC2::SecurityGroupIngress").values()
    callers = {rule["SourceSecurityGroupId"]["Fn::GetAtt"][0] for rule in rules}

    assert callers == {group_of(template, handler) for handler in (MEASURE, EXPORTER, API, MIGRATE)}
    for rule in rules:
        assert rule["GroupId"] == {"Fn::GetAtt": [database_group(template), "GroupId"]}
        assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 5432, 5432)


def test_the_clusters_group_is_opened_only_when_asked(template: dict[str, Any], full_template: dict[str, Any]) -> None:
    """With the switch on, the cluster's group lets measure and exporter in; otherwise it is left alone."""

    def opened(found: dict[str, Any]) -> list[Properties]:
        rules = resources(found, "AWS::EC2::SecurityGroupIngress").values()
        return [rule for rule in rules if isinstance(rule["GroupId"], str)]

    assert opened(template) == []
    callers = [rule["SourceSecurityGroupId"]["Fn::GetAtt"][0] for rule in opened(full_template)]
    assert sorted(callers) == sorted(group_of(full_template, handler) for handler in (MEASURE, EXPORTER))
    for rule in opened(full_template):
        assert rule["GroupId"] == EVERY_SETTING["cluster_security_group_id"]
        assert (rule["FromPort"], rule["ToPort"]) == (443, 443)


def test_nothing_is_open_to_the_world(full_template: dict[str, Any]) -> None:
    """No rule names all addresses."""
    text = json.dumps(full_template)

    assert "0.0.0.0/0" not in text
    assert "::/0" not in text


@pytest.mark.parametrize(
    ("base_url", "port"),
    [
        ("https://api.example.com/api/v1/proxy", 443),
        ("http://opencost.example.com", 80),
        ("http://opencost.example.com:9003", 9003),
        ("https://[2001:db8::1]:8443/model", 8443),
    ],
)
def test_opencosts_port_is_the_urls(base_url: str, port: int) -> None:
    """A port in the URL counts, else the scheme's own."""
    assert tcp_port(base_url) == port


def test_the_database_is_small_encrypted_and_backed_up(template: dict[str, Any]) -> None:
    """PostgreSQL 18 on a t4g.micro with 20 GB of gp3, encrypted, seven days of backups, in one zone by default."""
    instance = only(template, "AWS::RDS::DBInstance")

    assert instance["Engine"] == "postgres"
    assert instance["EngineVersion"].startswith("18.")
    assert instance["DBInstanceClass"] == "db.t4g.micro"
    assert (instance["StorageType"], instance["AllocatedStorage"]) == ("gp3", "20")
    assert instance["StorageEncrypted"] is True
    assert instance["BackupRetentionPeriod"] == 7
    assert instance["MultiAZ"] is False


def test_the_database_survives_accidents(template: dict[str, Any]) -> None:
    """It cannot be deleted by mistake, and what deletes or replaces it leaves a snapshot."""
    (database_id,) = resources(template, "AWS::RDS::DBInstance")
    resource = template["Resources"][database_id]

    assert resource["Properties"]["DeletionProtection"] is True
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Snapshot", "Snapshot")


def test_the_database_is_private_and_authenticates_by_iam_over_tls(template: dict[str, Any]) -> None:
    """It has no public address, accepts IAM tokens, refuses plain connections, and has a CA the layer trusts."""
    instance = only(template, "AWS::RDS::DBInstance")
    parameters = only(template, "AWS::RDS::DBParameterGroup")["Parameters"]

    assert instance["PubliclyAccessible"] is False
    assert instance["EnableIAMDatabaseAuthentication"] is True
    assert instance["CACertificateIdentifier"] == "rds-ca-rsa2048-g1"
    assert parameters["rds.force_ssl"] == "1"


def test_rds_keeps_the_master_password_itself(template: dict[str, Any]) -> None:
    """The password is made, stored and rotated by RDS; neither template nor stack has a secret or a proxy."""
    instance = only(template, "AWS::RDS::DBInstance")

    assert instance["ManageMasterUserPassword"] is True
    assert "MasterUserPassword" not in instance
    assert not resources(template, "AWS::SecretsManager::Secret")
    assert not resources(template, "AWS::RDS::DBProxy")


def test_the_databases_size_is_a_setting(full_template: dict[str, Any]) -> None:
    """Instance class and a second zone are the operator's choice."""
    instance = only(full_template, "AWS::RDS::DBInstance")

    assert (instance["DBInstanceClass"], instance["MultiAZ"]) == ("db.t4g.small", True)
