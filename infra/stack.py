"""The stack: every construct and how they hang together."""

from aws_cdk import CfnOutput, DefaultStackSynthesizer, SecretValue, Stack
from aws_cdk.aws_lambda_event_sources import SqsEventSource
from constructs import Construct

from infra.bundling import Bundle
from infra.constructs.api import HttpApi
from infra.constructs.cluster_access import ClusterAccess
from infra.constructs.database import READER, WRITER, Database
from infra.constructs.functions import CostFunction, FunctionPlan, Surroundings
from infra.constructs.layers import Layers
from infra.constructs.migration import Migration
from infra.constructs.monitoring import Monitoring
from infra.constructs.network import Network
from infra.constructs.queue import SyncQueue
from infra.constructs.schedule import Schedule
from infra.constructs.tokens import TokenHashes
from infra.constructs.watched import Watched
from infra.settings import MEASURE_QUEUE_CONCURRENCY, Settings

STACK_ID = "CostIntel"


class Installation:
    """One installation as one stack. The template needs no Conditions, Mappings, Rules or imports."""

    def __init__(self, scope: Construct, *, settings: Settings, bundle: Bundle) -> None:
        self.stack = Stack(
            scope,
            STACK_ID,
            stack_name=settings.stack_name,
            description="cost-intel: what each Argo CD application costs",
            analytics_reporting=False,
            synthesizer=DefaultStackSynthesizer(generate_bootstrap_version_rule=False),
        )
        # CDK itself writes both a reference to a role and a dependency on it.
        self.stack.template_options.metadata = {"cfn-lint": {"config": {"ignore_checks": ["W3005"]}}}
        self._settings = settings
        self._bundle = bundle
        self._network = Network(self.stack, "Network", settings=settings)
        self._database = Database(self.stack, "Database", network=self._network, settings=settings)
        self._queue = SyncQueue(self.stack, "Syncs")
        self._tokens = TokenHashes(self.stack, "Tokens", settings=settings)
        layers = Layers(self.stack, "Layers", bundle=bundle)
        self._surroundings = Surroundings(settings=settings, network=self._network, layers=layers)
        self._wire(self._webhook(), self._measure(), self._history(), self._exporter(), self._api())

    def _wire(
        self,
        webhook: CostFunction,
        measure: CostFunction,
        history: CostFunction,
        exporter: CostFunction,
        api: CostFunction,
    ) -> None:
        """Connect the functions with what starts them, and with what must happen before they change."""
        migration = Migration(
            self.stack, "Migration", bundle=self._bundle, database=self._database, surroundings=self._surroundings
        )
        migration.before(measure, history, exporter, api)
        http_api = HttpApi(self.stack, "HttpApi", webhook=webhook, api=api, settings=self._settings)
        Schedule(self.stack, "Schedule", measure=measure, history=history, exporter=exporter)
        ClusterAccess(
            self.stack,
            "ClusterAccess",
            settings=self._settings,
            exporter=exporter,
            measure=measure,
            history=history,
        )
        watched = Watched(
            webhook=webhook,
            measure=measure,
            history=history,
            exporter=exporter,
            api=api,
            queue=self._queue,
            database=self._database,
            http_api=http_api,
        )
        Monitoring(self.stack, "Monitoring", watched=watched, settings=self._settings)
        CfnOutput(self.stack, "ApiUrl", value=http_api.api.api_endpoint, description="What Argo CD calls")

    def _webhook(self) -> CostFunction:
        """Return the function that takes notifications: outside the VPC, may send to one queue."""
        settings = self._settings
        environment = {
            "QUEUE_URL": self._queue.queue.queue_url,
            "WEBHOOK_TOKEN_HASHES": self._tokens.webhook,
            "CLUSTER_ALIASES": ",".join(settings.cluster_aliases),
            "CLUSTER_ACCESS_APP": settings.cluster_access_app,
        }
        plan = FunctionPlan(
            handler="webhook.handler.handler",
            code=self._bundle.functions["webhook"],
            memory_mb=512,
            timeout_seconds=10,
            environment=_present(environment),
        )
        webhook = CostFunction(self.stack, "Webhook", plan=plan, surroundings=self._surroundings)
        webhook.allow("sqs:SendMessage", self._queue.queue.queue_arn)
        return webhook

    def _measure(self) -> CostFunction:
        """Return the function that asks OpenCost: fed by the queue and the tick, writes the database."""
        settings = self._settings
        plan = FunctionPlan(
            handler="measure.handler.handler",
            code=self._bundle.functions["measure"],
            memory_mb=512,
            timeout_seconds=300,
            environment={**self._database.environment(WRITER), **_present(self._measure_environment())},
            security_group=self._network.measure,
            reserved_concurrency=settings.measure_reserved_concurrency,
        )
        measure = CostFunction(self.stack, "Measure", plan=plan, surroundings=self._surroundings)
        self._database.allow_connect(measure.role, WRITER)
        measure.function.add_event_source(
            SqsEventSource(
                self._queue.queue,
                batch_size=10,
                max_concurrency=MEASURE_QUEUE_CONCURRENCY,
                report_batch_item_failures=True,
            )
        )
        return measure

    def _measure_environment(self) -> dict[str, str]:
        """Return what measure asks OpenCost for, and how; empty values are settings left out."""
        settings = self._settings
        return {
            "CLUSTER_ID": settings.cluster_id,
            "CURRENCY": settings.currency,
            "MONTH_HOURS": str(settings.month_hours),
            **self._opencost_environment(),
            "LEASE_SECONDS": str(settings.lease_seconds),
        }

    def _opencost_environment(self) -> dict[str, str]:
        """Return how OpenCost is reached."""
        settings = self._settings
        secret = settings.opencost_token_secret_arn
        return {
            "OPENCOST_BASE_URL": settings.opencost_url,
            # CloudFormation resolves the reference; the template holds the secret's name only.
            "OPENCOST_TOKEN": SecretValue.secrets_manager(secret).unsafe_unwrap() if secret else "",
            "OPENCOST_CA_FILE": "/opt/certificates/opencost.pem" if settings.opencost_ca else "",
            "OPENCOST_READ_TIMEOUT_SECONDS": str(settings.opencost_read_timeout_seconds),
            "EKS_CLUSTER_NAME": settings.eks_cluster_name,
        }

    def _history(self) -> CostFunction:
        """Return the function that keeps days: started every hour, asks OpenCost for whole days, writes the database."""
        settings = self._settings
        environment = {
            "CLUSTER_ID": settings.cluster_id,
            "CLUSTER_ALIASES": ",".join(settings.cluster_aliases),
            "CLUSTER_ACCESS_APP": settings.cluster_access_app,
            "DAILY_HISTORY_DAYS": str(settings.daily_history_days),
            **self._opencost_environment(),
            "LEASE_SECONDS": str(settings.lease_seconds),
        }
        plan = FunctionPlan(
            handler="history.handler.handler",
            code=self._bundle.functions["history"],
            memory_mb=512,
            timeout_seconds=900,
            environment={**self._database.environment(WRITER), **_present(environment)},
            security_group=self._network.measure,
        )
        history = CostFunction(self.stack, "History", plan=plan, surroundings=self._surroundings)
        self._database.allow_connect(history.role, WRITER)
        return history

    def _exporter(self) -> CostFunction:
        """Return the function that lists what lives in the cluster: the only one that knows Kubernetes."""
        settings = self._settings
        environment = {
            "CLUSTER_ALIASES": ",".join(settings.cluster_aliases),
            "CLUSTER_ACCESS_APP": settings.cluster_access_app,
            **self._opencost_environment(),
            "KUBERNETES_ENDPOINT": settings.kubernetes_endpoint,
            "KUBERNETES_CA_FILE": "/opt/certificates/kubernetes.pem" if settings.kubernetes_ca_file else "",
            "PRUNE_REMOTE_COST": str(settings.prune_remote_cost).lower(),
        }
        plan = FunctionPlan(
            handler="exporter.handler.handler",
            code=self._bundle.functions["exporter"],
            memory_mb=512,
            timeout_seconds=300,
            environment={**self._database.environment(WRITER), **_present(environment)},
            security_group=self._network.exporter,
        )
        exporter = CostFunction(self.stack, "Exporter", plan=plan, surroundings=self._surroundings)
        self._database.allow_connect(exporter.role, WRITER)
        return exporter

    def _api(self) -> CostFunction:
        """Return the function that answers: reads the database, reaches nothing else."""
        settings = self._settings
        plan = FunctionPlan(
            handler="api.handler.handler",
            code=self._bundle.functions["api"],
            memory_mb=1024,
            timeout_seconds=29,
            environment={
                **self._database.environment(READER),
                "PROXY_TOKEN_HASHES": self._tokens.proxy,
                "METRICS_TOKEN_HASHES": self._tokens.metrics,
                "CURRENCY": settings.currency,
                "MONTH_HOURS": str(settings.month_hours),
                "DAILY_HISTORY_DAYS": str(settings.daily_history_days),
                **_present(self._gate_environment()),
            },
            security_group=self._network.api,
            reserved_concurrency=settings.api_reserved_concurrency,
        )
        api = CostFunction(self.stack, "Api", plan=plan, surroundings=self._surroundings)
        self._database.allow_connect(api.role, READER)
        return api

    def _gate_environment(self) -> dict[str, str]:
        """Return who may see the whole cluster, and which Applications are in it."""
        settings = self._settings
        return {
            "CLUSTER_ALIASES": ",".join(settings.cluster_aliases),
            "CLUSTER_SCOPE_APP": settings.cluster_scope_app,
            "CLUSTER_ACCESS_APP": settings.cluster_access_app,
        }


def _present(environment: dict[str, str]) -> dict[str, str]:
    """Return the variables that have a value."""
    return {name: text for name, text in environment.items() if text}
