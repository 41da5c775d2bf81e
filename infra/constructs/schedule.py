"""The clock that drives measure."""

import json

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from infra.constructs.functions import CostFunction

TICK_EVENT = {"source": "costintel.schedule", "job": "tick"}


class Schedule(Construct):
    """A tick every minute, never repeated: a tick that failed or came late is made good by the next one."""

    def __init__(self, scope: Construct, construct_id: str, *, measure: CostFunction) -> None:
        super().__init__(scope, construct_id)
        target = measure.function.function_arn
        scheduler.CfnSchedule(
            self,
            "Tick",
            description="cost-intel: hours due, pending syncs, settling",
            schedule_expression="rate(1 minute)",
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=target,
                role_arn=self._role(target).role_arn,
                input=json.dumps(TICK_EVENT),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_retry_attempts=0, maximum_event_age_in_seconds=60
                ),
            ),
        )

    def _role(self, function_arn: str) -> iam.Role:
        """Return the role that may start the one function, for schedules of this account only."""
        account = {"StringEquals": {"aws:SourceAccount": Stack.of(self).account}}
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com", conditions=account))
        role.add_to_policy(iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[function_arn]))
        return role
