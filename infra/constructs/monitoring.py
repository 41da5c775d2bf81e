"""Alarms, whom they tell, and the dashboard."""

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra.constructs.alarms import AlarmPlan, alarm_plans
from infra.constructs.dashboard import dashboard_rows
from infra.constructs.watched import Watched
from infra.settings import Settings


class Monitoring(Construct):
    """The alarms and one dashboard, which shows them first."""

    def __init__(self, scope: Construct, construct_id: str, *, watched: Watched, settings: Settings) -> None:
        super().__init__(scope, construct_id)
        self._topic = self._topic_of(settings)
        alarms = [self._alarm(plan) for plan in alarm_plans(watched)]
        dashboard = cloudwatch.Dashboard(
            self, "Dashboard", dashboard_name=settings.stack_name, default_interval=Duration.days(1)
        )
        dashboard.add_widgets(cloudwatch.AlarmStatusWidget(alarms=alarms, width=24, height=3))
        for row in dashboard_rows(watched):
            dashboard.add_widgets(*row)

    def _topic_of(self, settings: Settings) -> sns.ITopic | None:
        """Return the topic alarms go to: the operator's, a new one with the operator's address, or none."""
        if settings.alarm_topic_arn:
            return sns.Topic.from_topic_arn(self, "Topic", settings.alarm_topic_arn)
        if not settings.alarm_email:
            return None
        topic = sns.Topic(self, "Topic", enforce_ssl=True)
        # The topic's own policy replaces AWS's default one, which is what alarms publish by.
        alarms = iam.ServicePrincipal(
            "cloudwatch.amazonaws.com", conditions={"StringEquals": {"aws:SourceAccount": Stack.of(self).account}}
        )
        topic.grant_publish(alarms)
        topic.add_subscription(subscriptions.EmailSubscription(settings.alarm_email))
        return topic

    def _alarm(self, plan: AlarmPlan) -> cloudwatch.Alarm:
        """Return the alarm, telling the topic when it starts and when it ends."""
        alarm = cloudwatch.Alarm(
            self,
            plan.name,
            alarm_description=plan.meaning,
            metric=plan.metric,
            threshold=plan.threshold,
            evaluation_periods=plan.periods,
            comparison_operator=plan.comparison,
            treat_missing_data=plan.missing,
        )
        if self._topic:
            alarm.add_alarm_action(actions.SnsAction(self._topic))
            alarm.add_ok_action(actions.SnsAction(self._topic))
        return alarm
