"""The stand-in answers as a real API server was measured to answer."""

import base64
import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.standin_kubernetes import Access, Fault, StandInKubernetes, Store, stored
from tests.opencost.scripted_server import ScriptedServer, reply

NAMESPACES = "/api/v1/namespaces"
APPLICATIONS = "/apis/argoproj.io/v1alpha1/applications"
PROXY = "/api/v1/namespaces/opencost/services/http:opencost:9003/proxy"
METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Caller:
    """Asks a stand-in with a token, over one connection."""

    def __init__(self, stand_in: StandInKubernetes, token: str = "t") -> None:
        self._connection = http.client.HTTPConnection(stand_in.endpoint.removeprefix("http://"), timeout=10)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, path: str, method: str = "GET", body: object = None, **headers: str) -> tuple[int, Any]:
        """Give status and body, parsed where it is JSON."""
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, path, body=sent, headers={**self._headers, **headers})
        answer = self._connection.getresponse()
        self.headers = answer.headers
        text = answer.read()
        is_json = (answer.getheader("Content-Type") or "").startswith("application/json")
        return answer.status, json.loads(text) if is_json and text else text

    def close(self) -> None:
        self._connection.close()


def item(name: str, namespace: str = "") -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"metadata": metadata, "spec": {"of": name}}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stand_in(clock: Clock) -> Iterator[StandInKubernetes]:
    store = Store(clock=clock)
    store.put_bodies("namespaces", map(stored, [item(f"n{number}") for number in range(5)]))
    store.put_bodies("applications", map(stored, [item("web", "team-b"), item("web", "team-a"), item("api", "team-b")]))
    with StandInKubernetes(store) as started:
        yield started


@pytest.fixture
def caller(stand_in: StandInKubernetes) -> Iterator[Caller]:
    made = Caller(stand_in)
    yield made
    made.close()


def names(answer: dict[str, Any]) -> list[str]:
    return [one["metadata"]["name"] for one in answer["items"]]


def test_a_built_in_list(caller: Caller) -> None:
    """Kind and version first, the items without theirs, no continue token when all fits."""
    status, answer = caller.ask(NAMESPACES)

    assert (status, list(answer)) == (200, ["kind", "apiVersion", "metadata", "items"])
    assert (answer["kind"], answer["apiVersion"]) == ("NamespaceList", "v1")
    assert names(answer) == ["n0", "n1", "n2", "n3", "n4"]
    assert set(answer["metadata"]) == {"resourceVersion"}


def test_a_custom_list_is_in_order(caller: Caller) -> None:
    """Sorted by namespace, then name; keys are sorted, as a CRD's are."""
    _, answer = caller.ask(APPLICATIONS)

    assert list(answer) == ["apiVersion", "items", "kind", "metadata"]
    assert [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in answer["items"]] == [
        ("team-a", "web"),
        ("team-b", "api"),
        ("team-b", "web"),
    ]


def test_a_list_of_one_namespace(caller: Caller) -> None:
    """Only what is in it."""
    _, answer = caller.ask("/apis/argoproj.io/v1alpha1/namespaces/team-b/applications")

    assert names(answer) == ["api", "web"]


def test_one_object(caller: Caller) -> None:
    """By namespace and name, or a 404 that names it."""
    path = "/apis/argoproj.io/v1alpha1/namespaces/team-a/applications"

    assert caller.ask(f"{path}/web")[1]["spec"] == {"of": "web"}
    status, answer = caller.ask(f"{path}/api")
    assert (status, answer["message"]) == (404, 'applications.argoproj.io "api" not found')
    assert caller.ask(f"{NAMESPACES}/n3")[1]["metadata"] == {"name": "n3"}


def test_pages(caller: Caller) -> None:
    """`limit` and `continue` walk the list; what is left is counted; the last page has no token."""
    _, first = caller.ask(f"{NAMESPACES}?limit=2")
    _, second = caller.ask(f"{NAMESPACES}?limit=2&continue={first['metadata']['continue']}")
    _, third = caller.ask(f"{NAMESPACES}?limit=2&continue={second['metadata']['continue']}")

    assert [names(page) for page in (first, second, third)] == [["n0", "n1"], ["n2", "n3"], ["n4"]]
    assert [page["metadata"].get("remainingItemCount") for page in (first, second, third)] == [3, 1, None]
    assert "continue" not in third["metadata"]
    assert len({page["metadata"]["resourceVersion"] for page in (first, second, third)}) == 1


def test_the_limit_may_change_between_pages(caller: Caller) -> None:
    """The token knows the place, not the limit."""
    _, first = caller.ask(f"{NAMESPACES}?limit=3")
    _, second = caller.ask(f"{NAMESPACES}?limit=1&continue={first['metadata']['continue']}")

    assert names(second) == ["n3"]


def test_pages_show_one_moment(stand_in: StandInKubernetes, caller: Caller) -> None:
    """What was added, changed or deleted meanwhile does not show."""
    _, first = caller.ask(f"{NAMESPACES}?limit=2")
    stand_in.store.delete("namespaces", "", "n3")
    stand_in.store.put("namespaces", item("n2a"))
    _, rest = caller.ask(f"{NAMESPACES}?continue={first['metadata']['continue']}")

    assert names(rest) == ["n2", "n3", "n4"]
    assert names(caller.ask(NAMESPACES)[1]) == ["n0", "n1", "n2", "n2a", "n4"]


def test_a_token_lasts_five_minutes(caller: Caller, clock: Clock) -> None:
    """Then it is 410, reason Expired, with a token that goes on in the present."""
    _, first = caller.ask(f"{NAMESPACES}?limit=2")
    clock.now = 300
    assert caller.ask(f"{NAMESPACES}?limit=2&continue={first['metadata']['continue']}")[0] == 200
    clock.now = 301
    status, gone = caller.ask(f"{NAMESPACES}?limit=2&continue={first['metadata']['continue']}")

    assert (status, gone["kind"], gone["reason"], gone["code"]) == (410, "Status", "Expired", 410)
    assert gone["message"].startswith("The provided continue parameter is too old to display a consistent list result.")
    _, rest = caller.ask(f"{NAMESPACES}?continue={gone['metadata']['continue']}")
    assert names(rest) == ["n2", "n3", "n4"]


@pytest.mark.parametrize("token", ["x", "%F0", base64.urlsafe_b64encode(b"[]").decode(), "e30"])
def test_a_token_that_is_none(caller: Caller, token: str) -> None:
    """It is a bad request."""
    assert caller.ask(f"{NAMESPACES}?continue={token}")[0] == 400


def test_a_limit_that_is_none(caller: Caller) -> None:
    """It is a bad request; so are selectors, which this stand-in does not have."""
    assert caller.ask(f"{NAMESPACES}?limit=many")[0] == 400
    assert caller.ask(f"{NAMESPACES}?labelSelector=a%3Db")[0] == 400


def test_the_cache_knows_no_limit(caller: Caller) -> None:
    """At resourceVersion 0 everything comes at once."""
    _, answer = caller.ask(f"{NAMESPACES}?limit=2&resourceVersion=0")

    assert len(answer["items"]) == 5


def test_metadata_alone(caller: Caller) -> None:
    """Asked for in the Accept header."""
    _, answer = caller.ask(f"{NAMESPACES}?limit=1", Accept=f"{METADATA}, application/json")

    assert (answer["kind"], answer["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert answer["items"] == [
        {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "n0"}}
    ]


def test_who_has_no_good_token(stand_in: StandInKubernetes) -> None:
    """401 as a Status, without a token, with another, and on the service proxy."""
    stand_in.access = Access(accepts="t".__eq__)
    for token in ("", "other"):
        caller = Caller(stand_in, token)
        status, answer = caller.ask(NAMESPACES)
        assert (status, answer["kind"], answer["message"]) == (401, "Status", "Unauthorized")
        assert caller.ask(f"{PROXY}/")[0] == 401
        caller.close()


def test_what_no_rule_permits(stand_in: StandInKubernetes, caller: Caller) -> None:
    """403 names user, verb, resource and group, as RBAC words it."""
    stand_in.access = Access(readable=frozenset({"namespaces"}))
    status, answer = caller.ask(APPLICATIONS)

    assert (status, answer["reason"]) == (403, "Forbidden")
    assert answer["message"] == (
        'applications.argoproj.io is forbidden: User "cost-intel" cannot list resource "applications" '
        'in API group "argoproj.io" at the cluster scope'
    )


@pytest.mark.parametrize("path", ["/apis/argoproj.io/v1alpha1/rollouts", "/apis/argoproj.io/v2/applications", "/x"])
def test_what_is_not_installed(caller: Caller, path: str) -> None:
    """Plain text, no Status."""
    assert caller.ask(path) == (404, b"404 page not found\n")


def test_a_crd_may_be_missing(stand_in: StandInKubernetes, caller: Caller) -> None:
    """As in a cluster without VerticalPodAutoscalers."""
    stand_in.access = Access(installed=frozenset({"namespaces"}))

    assert caller.ask("/apis/autoscaling.k8s.io/v1/verticalpodautoscalers")[0] == 404


def test_the_proxy_passes_on_what_it_should(stand_in: StandInKubernetes, caller: Caller) -> None:
    """Path and query byte for byte, cookies too; the token stays; the answer has the API server's own headers."""
    with ScriptedServer() as service:
        service.on("/base/a/b", reply(200, b"body", "text/plain"))
        stand_in.services["opencost/opencost"] = f"{service.url}/base"
        status, body = caller.ask(f"{PROXY}/a/b?x=%22%2B+1", Cookie="c=d")
        (request,) = service.requests

    assert (status, body) == (200, b"body")
    assert (request.path, request.query) == ("/base/a/b", {"x": ['"+ 1']})
    assert (request.headers["cookie"], request.headers["x-forwarded-for"]) == ("c=d", "127.0.0.1")
    assert "authorization" not in request.headers
    assert caller.headers["Cache-Control"] == "no-cache, private"
    assert caller.headers["Audit-Id"]


def test_the_proxy_redirects_without_a_slash(caller: Caller) -> None:
    """301 to the path with one."""
    assert caller.ask(PROXY)[0] == 301
    assert caller.headers["Location"] == f"{PROXY}/"


def test_the_proxys_own_failures(stand_in: StandInKubernetes, caller: Caller) -> None:
    """A dry run, a service that is not there, one without pods, and a name the rule does not hold."""
    stand_in.services["opencost/opencost"] = ""
    assert caller.ask(f"{PROXY}/?dryRun=All")[0] == 400
    assert caller.ask(f"{PROXY}/")[1]["message"] == 'no endpoints available for service "http:opencost:9003"'
    assert caller.ask(f"{PROXY.replace('/opencost/', '/other/')}/")[1]["message"] == 'services "opencost" not found'
    status, answer = caller.ask(f"{PROXY.replace('http:opencost:9003', 'opencost:9003')}/")
    assert (status, answer["message"].partition(" is ")[0]) == (403, 'services "opencost:9003"')


def test_objects_can_be_put_and_deleted(stand_in: StandInKubernetes, caller: Caller) -> None:
    """Through the stand-in's own routes, which need no token."""
    stand_in.access = Access(accepts=lambda _: False)
    assert caller.ask("/_objects/applications", "PUT", [item("new", "team-c"), item("web", "team-a")]) == (
        200,
        {"put": 2},
    )
    assert caller.ask("/_objects/applications/team-b/api", "DELETE") == (200, {"deleted": 1})
    assert caller.ask("/_objects/applications/team-b/api", "DELETE")[0] == 404
    stand_in.access = Access()

    assert names(caller.ask(APPLICATIONS)[1]) == ["web", "web", "new"]


def test_faults_are_set_counted_and_forgotten(caller: Caller) -> None:
    """One call fails, as set; the next does not; DELETE forgets what is left."""
    status, answer = caller.ask("/_faults", "POST", {"path": "namespaces", "status": 503, "calls": 1})
    assert (status, answer["faults"]) == (200, [{"path": "namespaces", "status": 503, "calls": 1}])
    assert [caller.ask(NAMESPACES)[0] for _ in range(2)] == [503, 200]
    caller.ask("/_faults", "POST", [{"status": 500}, {"latency_seconds": 0}])
    assert len(caller.ask("/_faults")[1]["faults"]) == 2
    caller.ask("/_faults", "DELETE")

    assert caller.ask(NAMESPACES)[0] == 200


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ([7], "fault: expected a JSON object, got int"),
        ({"statu": 1}, "statu: unknown field, expected one of calls, continued, expire, hang"),
        ({"status": "500"}, "status: expected int, got '500'"),
        ({"status": True}, "status: expected int, got True"),
        ({"hang": 1}, "hang: expected bool, got 1"),
    ],
)
def test_a_fault_that_cannot_be(caller: Caller, fault: object, message: str) -> None:
    """The answer names the field and what was expected."""
    status, answer = caller.ask("/_faults", "POST", fault)

    assert status == 400
    assert answer["message"].startswith(message)


def test_calls_are_told(stand_in: StandInKubernetes, caller: Caller) -> None:
    """Path, query and status of each, in order, and counts; the stand-in's own routes do not count."""
    caller.ask(f"{NAMESPACES}?limit=2")
    caller.ask("/x")
    _, told = caller.ask("/_calls")

    assert told == {
        "total": 2,
        "connections": 1,
        "paths": {NAMESPACES: 1, "/x": 1},
        "calls": [
            {"path": NAMESPACES, "query": "limit=2", "status": 200},
            {"path": "/x", "query": "", "status": 404},
        ],
    }
    caller.ask("/_calls", "DELETE")
    assert caller.ask("/_calls")[1]["total"] == 0


def test_no_answer_at_all(stand_in: StandInKubernetes, caller: Caller) -> None:
    """A reset ends the connection, a cut answer ends in its middle."""
    stand_in.faults.add(Fault(reset=True, calls=1))
    with pytest.raises(ConnectionError):
        caller.ask(NAMESPACES)
    caller.close()
    stand_in.faults.add(Fault(truncate=True, calls=1))
    with pytest.raises(http.client.IncompleteRead):
        caller.ask(NAMESPACES)


def test_it_runs_as_a_program() -> None:
    """The first line is its endpoint; a token from the environment is demanded."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "local.standin_kubernetes", "--applications", "3"]
    environment = {"PYTHONPATH": str(root), "KUBERNETES_TOKEN": "wanted"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root, env=environment) as program:
        assert program.stdout is not None
        endpoint = program.stdout.readline().strip()
        connection = http.client.HTTPConnection(endpoint.removeprefix("http://"), timeout=10)
        statuses = []
        for token in ("wanted", "other"):
            connection.request("GET", APPLICATIONS, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            statuses.append((answer.status, answer.read().count(b'"kind":"Application"')))
        connection.close()
        program.terminate()

    assert statuses == [(200, 3), (401, 0)]
    assert program.returncode == 0
