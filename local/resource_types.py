"""What the local stack knows of the template and does not act on, each with the reason.

Whatever is neither interpreted (local/template.py) nor listed here stops the start: a deployment must not do what nobody
could try on one machine.
"""

from collections.abc import Mapping

_PERMISSION = "permissions: one machine has one user"
_NETWORK = "the network: everything here is on loopback"
_WATCHING = "watching: nobody is alarmed about one machine"

IGNORED_TYPES: Mapping[str, str] = {
    "AWS::CloudWatch::Alarm": _WATCHING,
    "AWS::CloudWatch::Dashboard": _WATCHING,
    "AWS::EC2::SecurityGroup": _NETWORK,
    "AWS::EC2::SecurityGroupEgress": _NETWORK,
    "AWS::EC2::SecurityGroupIngress": _NETWORK,
    "AWS::IAM::ManagedPolicy": _PERMISSION,
    "AWS::IAM::Policy": _PERMISSION,
    "AWS::IAM::Role": _PERMISSION,
    "AWS::Lambda::Permission": _PERMISSION,
    "AWS::Lambda::Version": "one version exists here: the checkout",
    "AWS::Logs::LogGroup": "each function logs into a file",
    "AWS::RDS::DBInstance": "PostgreSQL is embedded, or DATABASE_URL's",
    "AWS::RDS::DBParameterGroup": "PostgreSQL is embedded, or DATABASE_URL's",
    "AWS::RDS::DBSubnetGroup": _NETWORK,
    "AWS::SNS::Subscription": _WATCHING,
    "AWS::SNS::Topic": _WATCHING,
    "AWS::SNS::TopicPolicy": _WATCHING,
    "AWS::SQS::QueuePolicy": _PERMISSION,
    "Custom::Trigger": "migrate is invoked directly, before anything else",
}

IGNORED_PROPERTIES: Mapping[str, Mapping[str, str]] = {
    "AWS::ApiGatewayV2::Api": {"Name": "a label"},
    "AWS::ApiGatewayV2::Stage": {
        "AccessLogSettings": "the functions' logs tell the requests",
        "AutoDeploy": "there is one deployment here",
    },
    "AWS::Lambda::Function": {
        "Architectures": "this machine's own",
        "Description": "a label",
        "LoggingConfig": "each function logs into a file",
        "Role": _PERMISSION,
        "TracingConfig": _WATCHING,
    },
    "AWS::Lambda::LayerVersion": {
        "CompatibleArchitectures": "the assets were built for this machine",
        "CompatibleRuntimes": "the assets were built for this machine",
        "Description": "a label",
    },
    "AWS::SQS::Queue": {"SqsManagedSseEnabled": "messages stay in memory"},
    "AWS::Scheduler::Schedule": {"Description": "a label"},
}

IGNORED_ATTRIBUTES = frozenset({"DeletionPolicy", "DependsOn", "Metadata", "UpdateReplacePolicy"})
"""Of a resource: they order and keep what a deployment creates; the local stack has its own order."""

IGNORED_SECTIONS = frozenset({"AWSTemplateFormatVersion", "Description", "Metadata", "Outputs"})
"""Of the template: nothing that runs."""

DEPLOYMENT_FUNCTION = "AWSCDKTriggerCustomResourceProvider"
"""How the logical id of the CDK's own function begins, which runs `Custom::Trigger` during a deployment."""
