"""Entry point: `POST /api/cost-analysis/on-sync`."""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from costintel import clock
from costintel.argocd.answer import Answer
from costintel.argocd.destination import DestinationRules
from costintel.argocd.notification import SKIP_REASONS
from costintel.argocd.request import request_id
from costintel.argocd.tokens import TokenHashes
from costintel.config import Environment
from webhook.queue import SyncQueue
from webhook.receiving import Outcome, Receiver, Rules

_TOKENS = "WEBHOOK_TOKEN_HASHES"

_logger = Logger()
_metrics = Metrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "CostIntel", service="webhook")


def build(environment: Environment) -> Receiver:
    """Put the receiver together from the settings. Raises ConfigurationError."""
    rules = Rules(
        tokens=TokenHashes.parse(environment.text(_TOKENS), setting=_TOKENS),
        cluster=environment.text("CLUSTER_NAME"),
        destinations=DestinationRules(environment.listed("CLUSTER_ALIASES")),
        access=environment.access_application(),
    )
    return Receiver(rules, SyncQueue(environment.required("QUEUE_URL")), now=clock.now)


_receiver = build(Environment(os.environ))


def handler(event: Mapping[str, Any], _context: object) -> Answer:
    """Answer one notification, log what became of it and count it. Neither tokens nor bodies are logged."""
    _logger.set_correlation_id(request_id(event))
    outcome = _receiver.receive(event)
    level = _logger.info if outcome.answer["statusCode"] < 300 else _logger.warning
    level(outcome.code, extra={"status": outcome.answer["statusCode"], **outcome.facts})
    _metrics.add_metric(name=_metric(outcome), unit=MetricUnit.Count, value=1)
    _metrics.flush_metrics()
    return outcome.answer


def _metric(outcome: Outcome) -> str:
    """Return the metric that counts the outcome: five in all, whatever the codes."""
    if outcome.code == "queued":
        return "SyncsQueued"
    if outcome.code in SKIP_REASONS:
        return "SyncsSkipped"
    if outcome.code.startswith("token_"):
        return "TokensRefused"
    return "QueueFailures" if outcome.code == "queue_unavailable" else "NotificationsRefused"
