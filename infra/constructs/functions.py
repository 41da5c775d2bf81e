"""A function with its log group and a role of its own."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.bundling import Asset
from infra.constructs.acknowledgments import acknowledge
from infra.constructs.layers import ARCHITECTURE, RUNTIME, Layers, asset_code
from infra.constructs.log_groups import log_group
from infra.constructs.network import Network
from infra.settings import Settings

METRICS_NAMESPACE = "CostIntel"

# What Lambda itself needs to attach a function to a VPC; none of these actions can be narrowed to a resource.
_INTERFACE_ACTIONS = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class FunctionPlan:
    """What one function is: `handler` as Lambda starts it, memory in MB, and its own part of the environment."""

    handler: str
    code: Asset
    memory_mb: int
    timeout_seconds: int
    environment: Mapping[str, str]
    security_group: ec2.ISecurityGroup | None = None
    reserved_concurrency: int = 0

    @property
    def service(self) -> str:
        """The name under which its log lines and metrics appear."""
        package, module, _ = self.handler.split(".")
        return package if module == "handler" else module


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What all functions share."""

    settings: Settings
    network: Network
    layers: Layers


class CostFunction(Construct):
    """A function that may write to its own log group, attach to the VPC if it has a place there, and nothing else."""

    def __init__(self, scope: Construct, construct_id: str, *, plan: FunctionPlan, surroundings: Surroundings) -> None:
        super().__init__(scope, construct_id)
        self._plan = plan
        self._settings = surroundings.settings
        self.log_group = log_group(self, "Logs", settings=self._settings)
        self.role = self._role()
        network = surroundings.network
        self.function = lambda_.Function(
            self,
            "Function",
            description=f"cost-intel: {plan.service}",
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            handler=plan.handler,
            code=asset_code(plan.code),
            layers=surroundings.layers.all,
            memory_size=plan.memory_mb,
            timeout=Duration.seconds(plan.timeout_seconds),
            environment=self._environment(),
            role=self.role,
            log_group=self.log_group,
            reserved_concurrent_executions=plan.reserved_concurrency or None,
            vpc=network.vpc if plan.security_group else None,
            vpc_subnets=network.subnets if plan.security_group else None,
            security_groups=[plan.security_group] if plan.security_group else None,
        )
        acknowledge(self.function, "L1", "The layer's bytecode is compiled for 3.13, which AWS supports to June 2029")
        if plan.security_group:
            self._deny_interfaces_to_code()

    def allow(self, action: str, resource_arn: str) -> None:
        """Let the function do one thing to one resource."""
        self.role.add_to_policy(iam.PolicyStatement(actions=[action], resources=[resource_arn]))

    def _environment(self) -> dict[str, str]:
        """Return the variables of every function and this one's own."""
        return {
            "CLUSTER_NAME": self._settings.cluster_name,
            "LOG_LEVEL": self._settings.log_level,
            "POWERTOOLS_SERVICE_NAME": self._plan.service,
            "POWERTOOLS_METRICS_NAMESPACE": METRICS_NAMESPACE,
            **self._plan.environment,
        }

    def _role(self) -> iam.Role:
        """Return the role, with inline policies instead of AWS's account-wide managed ones."""
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[self.log_group.log_group_arn]
            )
        )
        if self._plan.security_group:
            role.add_to_policy(iam.PolicyStatement(actions=_INTERFACE_ACTIONS, resources=["*"]))
            acknowledge(role, "IAM5[Resource::*]", "Lambda's network interfaces have no ARN before they exist")
        return role

    def _deny_interfaces_to_code(self) -> None:
        """Deny the network interface actions to the function's code: only Lambda itself, in its name, needs them."""
        policy = iam.Policy(
            self,
            "InterfacesByLambdaOnly",
            statements=[
                iam.PolicyStatement(
                    effect=iam.Effect.DENY,
                    actions=_INTERFACE_ACTIONS,
                    resources=["*"],
                    conditions={"ArnEquals": {"lambda:SourceFunctionArn": self.function.function_arn}},
                )
            ],
        )
        policy.attach_to_role(self.role)
