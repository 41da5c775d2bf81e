"""Every sample and every recorded notification, with its answer written out."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.argocd.events import Sent
from tests.webhook.receivers import AUTHORIZED, KeepingQueue, events, posted, receiver

SAMPLES = Path(__file__).parents[1] / "samples"

# File -> what a queued sync carries: how many resources could own pods.
QUEUED_SAMPLES = {
    "webhook-300-resources.json": 60,
    "webhook-300-resources-oversize.json": 60,
    "webhook-apps-in-any-namespace.json": 2,
    "webhook-deployment.json": 1,
    "webhook-empty-destination.json": 1,
    "webhook-helm-hook-jobs.json": 4,
    "webhook-multi-source.json": 6,
    "webhook-rollout-cronjob-statefulset.json": 6,
}
SKIPPED_SAMPLES = {
    "webhook-remote-cluster.json": "other_cluster",
    "webhook-remote-cluster-by-name.json": "other_cluster",
    "webhook-unicode.json": "other_cluster",
    "webhook-sync-failed.json": "sync_not_succeeded",
}
REFUSED_SAMPLES = {"webhook-naive-template-invalid-json.txt": ("body_malformed", "message")}
NAIVE_SAMPLE = "webhook-naive-template-no-value.json"

QUEUED_RECORDINGS = {
    "notifications/600-mixed-resources": 150,
    "notifications/600-workloads": 600,
    "notifications/app-in-other-namespace": 1,
    "notifications/both-initiators": 1,
    "notifications/cronjob": 1,
    "notifications/degraded-after-sync": 1,
    "notifications/deployment-service-configmap": 1,
    "notifications/destination-by-name": 1,
    "notifications/destination-without-namespace": 1,
    "notifications/empty-project": 1,
    "notifications/hooks": 3,
    "notifications/multi-source": 2,
    "notifications/no-resources": 0,
    "notifications-real-controller/cronjob": 1,
    "notifications-real-controller/deployment-service-configmap-automated": 1,
    "notifications-real-controller/deployment-service-configmap-by-user": 1,
    "notifications-real-controller/multi-source": 2,
    "notifications-real-controller/orders-synced-through-the-api-server": 1,
    "notifications-real-controller/presync-hook": 0,
    "notifications-real-controller/presync-hook-again": 0,
}
SKIPPED_RECORDINGS = {"notifications/unusual-names": "other_cluster"}
# These were sent without the token, or with one that Argo CD could not resolve: (as sent, with the right token).
UNAUTHORIZED_RECORDINGS = {
    "notifications/naive-template": ((401, "token_missing"), (400, "body_malformed", "syncMessage")),
    "notifications/whole-app": ((401, "token_missing"), (400, "field_malformed", "applicationNamespace")),
    "notifications/no-webhook-section": ((401, "token_unresolved"), (405, "method_not_allowed", None)),
}
SILENT_RECORDINGS = {
    "notifications/dry-run",
    "notifications/failed",
    "notifications/never-synced",
    "notifications/not-refreshed",
    "notifications/old-sync",
    "notifications/running",
    "notifications/unmanaged-namespace",
}


def sample(name: str) -> str:
    return (SAMPLES / "argocd" / name).read_text(encoding="utf-8")


def recording(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((SAMPLES / f"argocd-recorded/{name}.json").read_text(encoding="utf-8"))
    return document


def sent(request: dict[str, Any], *, authorized: bool = False) -> Sent:
    """Return a recorded request; `authorized`: with the right token in place of what was sent."""
    headers = [(name, value) for name, value in request["headers"] if not (authorized and name == "Authorization")]
    return Sent(
        method=request["method"],
        path=request["path"],
        headers=[*headers, *(AUTHORIZED if authorized else ())],
        body=request["body"] or "",
    )


def answers(request: Sent, queue: KeepingQueue | None = None) -> list[tuple[int, dict[str, Any]]]:
    """Return status and document of the answers, one for each payload format."""
    receiving = receiver(queue or KeepingQueue())
    outcomes = [receiving.receive(event).answer for event in events(request)]
    return [(outcome["statusCode"], json.loads(outcome["body"])) for outcome in outcomes]


def test_every_sample_has_its_answer_here() -> None:
    """No sample is left without an expectation."""
    written = {*QUEUED_SAMPLES, *SKIPPED_SAMPLES, *REFUSED_SAMPLES, NAIVE_SAMPLE}

    assert written == {path.name for path in (SAMPLES / "argocd").glob("webhook-*")}


def test_every_recording_has_its_answer_here() -> None:
    """No recording is left without an expectation, and the silent ones sent nothing through the configured service."""
    names = {
        f"{folder}/{path.stem}"
        for folder in ("notifications", "notifications-real-controller")
        for path in (SAMPLES / "argocd-recorded" / folder).glob("*.json")
    }

    assert names == {*QUEUED_RECORDINGS, *SKIPPED_RECORDINGS, *UNAUTHORIZED_RECORDINGS, *SILENT_RECORDINGS}
    assert all(recording(name)["request"] is None for name in SILENT_RECORDINGS)


@pytest.mark.parametrize(("name", "resources"), QUEUED_SAMPLES.items())
def test_samples_that_are_queued(name: str, resources: int) -> None:
    """202 with the sync's id, and one message with the resources that could own pods."""
    queue = KeepingQueue()
    first, second = answers(posted(sample(name)), queue)

    assert first == second == (202, {"status": "queued", "id": queue.syncs[0].id})
    assert len(queue.syncs[0].resources or ()) == resources
    assert len(first[1]["id"]) == 32


@pytest.mark.parametrize(("name", "reason"), SKIPPED_SAMPLES.items())
def test_samples_that_are_skipped(name: str, reason: str) -> None:
    """200 with the reason, and no message."""
    queue = KeepingQueue()

    assert answers(posted(sample(name)), queue) == [(200, {"status": "skipped", "reason": reason})] * 2
    assert queue.messages == []


@pytest.mark.parametrize(("name", "expected"), REFUSED_SAMPLES.items())
def test_samples_that_are_refused(name: str, expected: tuple[str, str]) -> None:
    """400 with code, field and position, and no message."""
    queue = KeepingQueue()
    for status, document in answers(posted(sample(name)), queue):
        assert (status, document["code"], document["field"]) == (400, *expected)
        assert document["position"] == {"line": 9, "column": 77}
    assert queue.messages == []


def test_a_naive_template_that_leaves_no_value_is_refused() -> None:
    """Without a finish and with `<no value>` the template is not ours: 400 naming what is missing, and no message."""
    queue = KeepingQueue()
    for status, problem in answers(posted(sample(NAIVE_SAMPLE)), queue):
        assert (status, problem["code"], problem["field"]) == (400, "field_malformed", "syncFinishedAt")
    assert queue.messages == []


def test_a_naive_template_without_the_namespace_of_the_application_is_refused() -> None:
    """What nobody can tell apart is not guessed, however much else is there."""
    document = json.loads(sample(NAIVE_SAMPLE))
    for empty in ("<no value>", "", None):
        (status, problem), _ = answers(posted(json.dumps({**document, "applicationNamespace": empty})))

        assert (status, problem["code"], problem["field"]) == (400, "field_malformed", "applicationNamespace")


def test_a_template_without_resources_and_namespace_is_skipped() -> None:
    """Neither resources nor a destination namespace: there is nothing to measure."""
    document = json.loads(sample("webhook-deployment.json"))

    assert answers(posted(json.dumps({**document, "resources": [], "namespace": ""})))[0] == (
        200,
        {"status": "skipped", "reason": "no_namespace"},
    )


@pytest.mark.parametrize(("name", "resources"), QUEUED_RECORDINGS.items())
def test_recordings_that_are_queued(name: str, resources: int) -> None:
    """What a real controller sent is queued as it was meant, in application scope."""
    queue = KeepingQueue()
    first, second = answers(sent(recording(name)["request"]), queue)
    sync = queue.syncs[0]

    assert first == second == (202, {"status": "queued", "id": sync.id})
    assert sync.resources is not None
    assert len(sync.resources) == resources
    assert sync.finished_at_known


@pytest.mark.parametrize(("name", "reason"), SKIPPED_RECORDINGS.items())
def test_recordings_that_are_skipped(name: str, reason: str) -> None:
    """What a real controller sent about another cluster is understood and not measured."""
    assert answers(sent(recording(name)["request"])) == [(200, {"status": "skipped", "reason": reason})] * 2


@pytest.mark.parametrize(("name", "expected"), UNAUTHORIZED_RECORDINGS.items())
def test_recordings_without_the_token(name: str, expected: tuple[tuple[int, str], tuple[int, str, str | None]]) -> None:
    """The token is looked at first; with the right one the request's own mistake shows."""
    as_sent, with_token = expected
    request = recording(name)["request"]

    assert {(status, document["code"]) for status, document in answers(sent(request))} == {as_sent}
    assert {
        (status, document["code"], document.get("field"))
        for status, document in answers(sent(request, authorized=True))
    } == {with_token}


@pytest.mark.parametrize("name", sorted({*QUEUED_RECORDINGS, *SILENT_RECORDINGS, *SKIPPED_RECORDINGS}))
def test_requests_without_configured_headers_are_refused(name: str) -> None:
    """A service without its `headers` in the ConfigMap has no token."""
    for request in recording(name).get("requests_without_configured_headers", []):
        for status, document in answers(sent(request)):
            assert (status, document["code"]) == (401, "token_missing")


def test_hooks_and_resources_to_be_pruned_are_among_what_is_measured() -> None:
    """The recorded hook Job and the ReplicaSet waiting to be pruned are kept."""
    queue = KeepingQueue()
    answers(sent(recording("notifications/hooks")["request"]), queue)

    assert {(one.kind, one.name) for one in queue.syncs[0].resources or ()} == {
        ("Deployment", "billing"),
        ("Job", "billing-migrate"),
        ("ReplicaSet", "old"),
    }


def test_same_names_in_two_namespaces_are_two_applications() -> None:
    """The recorded team-a:web is not argocd:web."""
    queue = KeepingQueue()
    answers(sent(recording("notifications/app-in-other-namespace")["request"]), queue)

    assert str(queue.syncs[0].application) == "team-a:web"
