"""The clocks that drive measure, history and exporter."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from infra.constructs.functions import CostFunction

SOURCE = "costintel.schedule"


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """What a function is started for, by name, and how often."""

    name: str
    description: str
    every_minutes: int
    function: CostFunction

    @property
    def event(self) -> Mapping[str, str]:
        """What the function is invoked with."""
        return {"source": SOURCE, "job": self.name}

    @property
    def rate(self) -> str:
        """The rate in Scheduler's words."""
        return f"rate({self.every_minutes} minute{'s' if self.every_minutes > 1 else ''})"


class Schedule(Construct):
    """Jobs that are never repeated: one that failed or came late is made good by the next."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        measure: CostFunction,
        history: CostFunction,
        exporter: CostFunction,
    ) -> None:
        super().__init__(scope, construct_id)
        self._add(
            "Tick",
            Job(
                name="tick",
                description="hours due, pending syncs, settling, what the live list showed",
                every_minutes=1,
                function=measure,
            ),
            role_name="Role",
        )
        self._add(
            "Days",
            Job(
                name="days",
                description="days closed, healed and filled back, series, what is old",
                every_minutes=60,
                function=history,
            ),
            role_name="DaysRole",
        )
        self._add(
            "Live",
            Job(
                name="live",
                description="the lists of what lives in the cluster",
                every_minutes=5,
                function=exporter,
            ),
            role_name="LiveRole",
        )

    def _add(self, name: str, job: Job, *, role_name: str) -> None:
        """Add the schedule of a job."""
        target = job.function.function.function_arn
        scheduler.CfnSchedule(
            self,
            name,
            description=f"cost-intel: {job.description}",
            schedule_expression=job.rate,
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=target,
                role_arn=self._role(role_name, target).role_arn,
                input=json.dumps(job.event),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_retry_attempts=0, maximum_event_age_in_seconds=60
                ),
            ),
        )

    def _role(self, name: str, function_arn: str) -> iam.Role:
        """Return the role that may start the one function, for schedules of this account only."""
        account = {"StringEquals": {"aws:SourceAccount": Stack.of(self).account}}
        role = iam.Role(self, name, assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com", conditions=account))
        role.add_to_policy(iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[function_arn]))
        return role
