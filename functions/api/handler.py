"""Entry point: every route but the webhook's."""

import os
import time
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from api.app import Api, Outcome, create_app
from costintel.argocd.answer import Answer
from costintel.argocd.request import request_id
from costintel.argocd.tokens import TokenHashes
from costintel.config import Environment
from costintel.wiring import build_api

_TOKENS = "PROXY_TOKEN_HASHES"

_logger = Logger()
_metrics = Metrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "CostIntel", service="api")


def build(environment: Environment) -> Api:
    """Put the API together from the settings. Raises ConfigurationError."""
    tokens = TokenHashes.parse(environment.text(_TOKENS), setting=_TOKENS)
    return create_app(build_api(environment), tokens=tokens)


_api = build(Environment(os.environ))


def handler(event: Mapping[str, Any], context: object) -> Answer:
    """Answer one request, log what became of it and count refused tokens and lost storage."""
    _logger.set_correlation_id(request_id(event))
    started = time.perf_counter()
    outcome = _api.answer(event, context)
    _report(outcome, milliseconds=round((time.perf_counter() - started) * 1000, 1))
    return outcome.answer


def _report(outcome: Outcome, *, milliseconds: float) -> None:
    """Log the route's rule, never the path as sent, and no header but the application's name once it is authorized."""
    level = _logger.warning if outcome.code else _logger.info
    level(
        outcome.code or "answered",
        extra={
            "route": outcome.rule,
            "status": outcome.answer["statusCode"],
            "application": str(outcome.application or ""),
            "milliseconds": milliseconds,
        },
    )
    metric = _counted(outcome.code)
    if metric:
        _metrics.add_metric(name=metric, unit=MetricUnit.Count, value=1)
        _metrics.flush_metrics()


def _counted(code: str) -> str:
    if code.startswith("token_"):
        return "TokensRefused"
    return "StorageFailures" if code in {"storage_unavailable", "not_ready"} else ""
