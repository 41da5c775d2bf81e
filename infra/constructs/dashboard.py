"""The dashboard's rows, along the path of a sync."""

from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch

from infra.constructs.watched import Watched, own_count

Row = Sequence[cloudwatch.IWidget]


def dashboard_rows(watched: Watched) -> Sequence[Row]:
    """Return the rows: what is called, what became of it, what was collected, how the functions do, what is stored."""
    return (_requests(watched), _work(), _collected(), _functions(watched), _storage(watched))


def _requests(watched: Watched) -> Row:
    """Return the row about the HTTP API."""
    api = watched.http_api.api
    return (
        _graph("Requests", [api.metric_count(statistic="Sum")]),
        _graph("Refused and failed", [api.metric_client_error(), api.metric_server_error()]),
        _graph("Latency", [api.metric_latency(statistic=statistic) for statistic in ("p50", "p95", "p99")]),
    )


def _work() -> Row:
    """Return the row about syncs (docs/metrics.md)."""
    syncs = [
        ("webhook", "SyncsQueued"),
        ("measure", "SyncsReceived"),
        ("exporter", "SyncsReconciled"),
        ("measure", "FiguresMeasured"),
    ]
    refused = [("webhook", "TokensRefused"), ("api", "TokensRefused"), ("webhook", "NotificationsRefused")]
    return (
        _graph("Syncs and figures", [own_count(*count) for count in syncs]),
        _graph("Refused callers", [own_count(*count) for count in refused]),
    )


def _collected() -> Row:
    """Return the row about what is asked of OpenCost and Kubernetes (docs/metrics.md)."""
    hours = [("measure", "HoursStored"), ("measure", "HoursFailed")]
    days = [("history", "DaysStored"), ("history", "DaysFailed"), ("history", "SeriesRowsChanged")]
    failed = [("exporter", "ListsFailed"), ("exporter", "OpenCostUnreachable")]
    return (
        _graph("Hours asked from OpenCost", [own_count(*count, minutes=60) for count in hours]),
        _graph("Days and their series", [own_count(*count, minutes=60) for count in days]),
        _graph("Failed lists, OpenCost unreachable", [own_count(*count) for count in failed]),
    )


def _functions(watched: Watched) -> Row:
    """Return the row about the functions."""
    watched_functions = (watched.webhook, watched.measure, watched.history, watched.exporter, watched.api)
    functions = [one.function for one in watched_functions]
    return (
        _graph("Invocations", [function.metric_invocations() for function in functions]),
        _graph("Errors", [function.metric_errors() for function in functions]),
        _graph("Duration, p95", [function.metric_duration(statistic="p95") for function in functions]),
    )


def _storage(watched: Watched) -> Row:
    """Return the row about queue and database."""
    queue, instance = watched.queue, watched.database.instance
    waiting = [
        queue.queue.metric_approximate_number_of_messages_visible(),
        queue.queue.metric_approximate_age_of_oldest_message(),
        queue.dead_letters.metric_approximate_number_of_messages_visible(),
    ]
    load = [instance.metric_cpu_utilization(), instance.metric_database_connections()]
    return (
        _graph("Waiting syncs", waiting),
        _graph("Database CPU and connections", load),
        _graph("Database free storage", [instance.metric_free_storage_space()]),
    )


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    """Return a third of a row."""
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=8, height=6)
