"""The handler of `exporter`, in its own process, over HTTP and a real PostgreSQL."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from local.demo.live import live_objects
from local.standin_kubernetes import Access, Fault, StandInKubernetes
from tests.exporter.conftest import LIVE, NOW, RunHandler, at
from tests.exporter.installation import TOKEN

Rows = list[tuple[Any, ...]]


@pytest.fixture
def rows(database_url: str) -> Iterator[Any]:
    """Give what reads rows."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield lambda query: connection.execute(query.encode()).fetchall()


def test_a_run_stores_every_list_and_leaves_a_summary(
    run_handler: RunHandler, kubernetes: StandInKubernetes, rows: Any
) -> None:
    """Four complete lists, what OpenCost said of itself, the rows of work, and one log line that says all of it."""
    ran = run_handler(LIVE, **at(kubernetes))

    assert ran.answers == [{}]
    assert rows("SELECT kind, complete FROM live_lists ORDER BY kind") == [
        ("applications", True),
        ("hpas", True),
        ("namespaces", True),
        ("vpas", True),
    ]
    counts = "SELECT (SELECT count(*) FROM {}), (SELECT count(*) FROM {}), (SELECT count(*) FROM {}), (SELECT count(*) FROM {})"
    tables = ("applications", "namespaces", "recommendations", "autoscalers")
    objects = live_objects(NOW)
    assert rows(counts.format(*tables)) == [
        (
            41,
            len(objects["namespaces"]),
            len(objects["verticalpodautoscalers"]),
            len(objects["horizontalpodautoscalers"]),
        )
    ]
    assert rows("SELECT count(*) FROM work WHERE kind = 'install'") == [(38,)]
    (version, reachable, pricing) = rows("SELECT version, reachable, pricing FROM opencost_status")[0]
    assert (version.split()[0], reachable, set(pricing)) == ("1.120.2", True, {"sources", "counts"})
    (told,) = ran.told
    ((job, summary),) = rows("SELECT job, summary FROM run_summaries")
    assert (job, told["level"]) == ("live", "INFO")
    assert {name: told[name] for name in summary} == summary
    assert summary["findings"]["classes"] == {"access_application": 1, "measured": 38, "other_cluster": 2}
    assert (summary["lists"]["applications"]["items"], summary["lists"]["applications"]["written"]) == (41, 41)


def test_the_second_run_writes_what_changed(run_handler: RunHandler, kubernetes: StandInKubernetes) -> None:
    """Nothing changed: no row is written, no work is new, nothing is counted."""
    ran = run_handler(LIVE, LIVE, **at(kubernetes))

    second = ran.told[1]
    assert [(one["written"], one["removed"]) for one in second["lists"].values()] == [(0, 0)] * 4
    findings = second["findings"]
    assert [findings[name] for name in ("missed", "installs", "corrections", "prunes")] == [0, 0, 0, 0]
    assert ran.metrics == {}


def test_without_kubernetes_it_says_so_and_looks_at_opencost(run_handler: RunHandler, rows: Any) -> None:
    """One line a run; no list is noted."""
    ran = run_handler(LIVE)

    (told,) = ran.told
    assert told["level"] == "INFO"
    assert told["kubernetes"] == "no Kubernetes is configured: install, reconciliation and recommendations are off"
    assert (told["lists"], told["findings"], told["opencost"]["reachable"]) == ({}, {}, True)
    assert rows("SELECT count(*) FROM live_lists") == [(0,)]
    assert rows("SELECT reachable FROM opencost_status") == [(True,)]


@pytest.mark.parametrize("kind", ["namespaces", "applications", "verticalpodautoscalers", "horizontalpodautoscalers"])
def test_one_list_that_fails_does_not_stop_the_others(
    run_handler: RunHandler, kubernetes: StandInKubernetes, rows: Any, kind: str
) -> None:
    """It is noted with what to do about it, counted, and a warning; nothing follows from Applications that were not listed."""
    readable = kubernetes.access.readable - {kind}
    kubernetes.access = Access(accepts=TOKEN.__eq__, readable=readable)

    ran = run_handler(LIVE, **at(kubernetes))

    failed = rows("SELECT error FROM live_lists WHERE NOT complete")
    assert len(failed) == 1
    assert failed[0][0].startswith(f"{kind}: reading them is forbidden (403); the role needs the rule")
    assert ran.metrics == {"ListsFailed": 1.0}
    (told,) = ran.told
    assert (told["level"], told["warnings"]) == ("WARNING", [failed[0][0]])
    assert (told["findings"] == {}) == (kind == "applications")
    assert rows("SELECT count(*) FROM live_lists WHERE complete") == [(3,)]


def test_a_failed_list_changes_nothing_of_what_is_stored(
    run_handler: RunHandler, kubernetes: StandInKubernetes, rows: Any
) -> None:
    """The answer ends in its middle: yesterday's Applications stay, and the rows of work as well."""
    run_handler(LIVE, **at(kubernetes))
    before = rows("SELECT * FROM applications ORDER BY name"), rows("SELECT * FROM work ORDER BY subject")
    kubernetes.faults.add(Fault(path="applications", truncate=True))

    run_handler(LIVE, **at(kubernetes))

    assert (rows("SELECT * FROM applications ORDER BY name"), rows("SELECT * FROM work ORDER BY subject")) == before
    ((complete, error),) = rows("SELECT complete, error FROM live_lists WHERE kind = 'applications'")
    assert (complete, error) == (False, "applications: the API server's answer broke off")


def test_an_api_server_that_is_away_fails_every_list(run_handler: RunHandler) -> None:
    """Four failed lists, told as such; OpenCost is looked at all the same."""
    ran = run_handler(LIVE, KUBERNETES_ENDPOINT="http://127.0.0.1:9", KUBERNETES_TOKEN=TOKEN)

    assert ran.metrics == {"ListsFailed": 4.0}
    assert ran.told[0]["opencost"]["reachable"] is True
    assert TOKEN not in ran.output


def test_a_ca_file_that_is_missing_fails_every_list(run_handler: RunHandler) -> None:
    """It is told by the setting's name."""
    ran = run_handler(
        LIVE, KUBERNETES_ENDPOINT="https://127.0.0.1:9", KUBERNETES_TOKEN=TOKEN, KUBERNETES_CA_FILE="none"
    )

    assert ran.told[0]["warnings"] == ["KUBERNETES_CA_FILE: expected a readable file of PEM certificates"] * 4


def test_an_opencost_that_is_away_is_noted_with_the_reason(
    run_handler: RunHandler, kubernetes: StandInKubernetes, rows: Any
) -> None:
    """What it last told of itself stays; the lists are stored."""
    run_handler(LIVE, **at(kubernetes))

    ran = run_handler(LIVE, **at(kubernetes), OPENCOST_BASE_URL="http://127.0.0.1:9")

    ((version, reachable, error),) = rows("SELECT version, reachable, error FROM opencost_status")
    assert (version.split()[0], reachable, error) == ("1.120.2", False, "/clusterInfo: no connection")
    assert ran.metrics == {"OpenCostUnreachable": 1.0}
    assert ran.told[0]["warnings"] == ["OpenCost: /clusterInfo: no connection"]
    assert ran.told[0]["lists"]["applications"]["complete"] is True


def test_without_postgresql_it_is_told_and_not_raised(run_handler: RunHandler) -> None:
    """The schedule comes again in five minutes."""
    ran = run_handler(LIVE, DATABASE_URL="postgresql://127.0.0.1:9/none")

    assert (ran.answers, ran.metrics) == ([{}], {"JobsStopped": 1.0})
    assert ran.told[0]["level"] == "WARNING"


@pytest.mark.parametrize("event", [{}, {"source": "costintel.schedule", "job": "tick"}, {"Records": []}])
def test_any_other_event_is_refused(run_handler: RunHandler, event: dict[str, Any]) -> None:
    """A misconfigured trigger is an error, not a success."""
    (answer,) = run_handler(event).answers

    assert answer == "raised InvalidInput: event: expected the schedule's live job"


def test_remote_costs_are_pruned_only_when_asked(
    run_handler: RunHandler, kubernetes: StandInKubernetes, rows: Any, database_url: str
) -> None:
    """A record of an Application of another cluster gets a row of work with the setting, and none without."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO cost_actuals (id, cluster, application_namespace, application_name, project, destination_server,"
            " destination_name, destination_namespace, resources_omitted, namespaces, measured_on, found_by, stage,"
            " sync_finished_at, finished_at_known, revision, revisions, sync_status, health_status, initiated_by, images,"
            " received_at, measured_at, scope) VALUES ('x', 'local', 'argocd', 'checkout-us-east-1', '', '', '', 'shop',"
            " false, '{shop}', 'sync', 'webhook', 'early', now(), true, '', '{}', '', '', '', '{}', now(), now(), 'namespace')"
        )

    run_handler(LIVE, **at(kubernetes))
    by_default = rows("SELECT subject FROM work WHERE kind = 'prune'")
    run_handler(LIVE, **at(kubernetes), PRUNE_REMOTE_COST="true")

    assert by_default == []
    assert rows("SELECT subject FROM work WHERE kind = 'prune'") == [("argocd:checkout-us-east-1",)]


def test_applications_come_from_a_file_where_one_is_named(run_handler: RunHandler, tmp_path: Path, rows: Any) -> None:
    """What `kubectl get applications -A -o json` prints; the other lists need an API server, and say so."""
    document = tmp_path / "applications.json"
    document.write_text(json.dumps({"kind": "List", "items": live_objects(NOW)["applications"]}))

    ran = run_handler(LIVE, APPLICATIONS_FILE=str(document))

    assert rows("SELECT count(*) FROM applications") == [(41,)]
    assert ran.metrics == {"ListsFailed": 3.0}


def test_a_cold_start_loads_no_kubernetes_client_and_no_aws_sdk(run_handler: RunHandler) -> None:
    """The client alone takes longer than everything else together; it is loaded with the first list."""
    loaded = set(run_handler().modules)

    assert loaded.isdisjoint({"kubernetes", "boto3", "botocore.session", "botocore.auth", "pydantic", "yaml"})
    assert {"costintel.wiring", "httpx", "psycopg"} <= loaded


def test_a_setting_that_cannot_work_stops_it(run_handler: RunHandler) -> None:
    """The switch is neither true nor false."""
    with pytest.raises(AssertionError, match="PRUNE_REMOTE_COST: expected true or false"):
        run_handler(LIVE, PRUNE_REMOTE_COST="yes")
