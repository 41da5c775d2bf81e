"""The recorded edge cases, each served as it was recorded and asked by the client."""

from datetime import datetime
from typing import Any

import pytest

from costintel.cost.window import Window
from costintel.errors import OpenCostRefused
from tests.opencost.conftest import MakeClient
from tests.opencost.entries import rows_of
from tests.opencost.recordings import RECORDED, recorded_json
from tests.opencost.scripted_server import ScriptedServer, reply, reply_file

_HOUR = Window(datetime.fromisoformat("2026-11-28T09:00:00Z"), datetime.fromisoformat("2026-11-28T10:00:00Z"))
_VERSIONS = ("1.113", "1.120.2")
_AGGREGATED = {
    "edge-24h.json",
    "edge-day-all.json",
    "edge-day-controller.json",
    "edge-day-label-team.json",
    "edge-day-namespace-idle.json",
    "edge-day-namespace.json",
    "edge-day-step-1h.json",
    "edge-five-minutes.json",
}
_EMPTY = {"edge-before-data.json", "edge-empty-outage.json", "edge-future.json", "edge-zero-length.json"}
_IGNORED_FILTERS = {"edge-bad-filter.json", "edge-bad-step.json", "edge-no-match-accumulate.json", "edge-no-match.json"}
_REFUSED = {
    "edge-illegal-window.txt": "answered 400: Invalid 'window' parameter: illegal window: 86400s",
    "edge-reversed-window.json": "answered 500: illegal window: ",
}
_NEW_REFUSED = {
    "edge-bad-filter.json": "answered 500: invalid filter: parsing filter: 1 error occurred",
    "edge-bad-step.json": "answered 400: Invalid step parameter",
    "edge-no-match-accumulate.json": "answered 500: error accumulating by all",
}


def _edge(version: str, file: str) -> dict[str, Any]:
    return next(one for one in recorded_json(f"{version}/edges.json") if one["file"] == file)


def _window(edge: dict[str, Any]) -> Window:
    start, _, end = edge["query"]["window"].partition(",")
    if not end or end < start:
        return _HOUR
    return Window(datetime.fromisoformat(start), datetime.fromisoformat(end))


def _serve(server: ScriptedServer, version: str, file: str) -> Window:
    edge = _edge(version, file)
    path = RECORDED / version / file
    server.on("/assets", reply(200, b'{"code":200,"data":{}}'))
    server.on("/allocation", reply_file(path, edge["status"], edge["content_type"]))
    return _window(edge)


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("file", sorted(_EMPTY))
def test_windows_without_data_are_empty(
    version: str, file: str, server: ScriptedServer, make_client: MakeClient
) -> None:
    """T25: outage, before the first sample, future, no length: HTTP 200 and nothing in it."""
    answer = make_client().answer(_serve(server, version, file), cluster_id="made")
    assert (answer.row_count, answer.observed, answer.assets) == (0, None, ())


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("file", sorted(_AGGREGATED))
def test_aggregated_answers_are_refused(
    version: str, file: str, server: ScriptedServer, make_client: MakeClient
) -> None:
    """Merged entries, several sets, or a window that was moved (T1): not what was asked for."""
    window = _serve(server, version, file)
    with pytest.raises(OpenCostRefused, match=r"container by container|several sets|another window"):
        make_client().answer(window, cluster_id="made")


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("file", sorted(_REFUSED))
def test_errors_are_refused_with_their_text(
    version: str, file: str, server: ScriptedServer, make_client: MakeClient
) -> None:
    """T2: a 400 with JSON glued to its text, a 500 for a window that runs backwards."""
    window = _serve(server, version, file)
    with pytest.raises(OpenCostRefused, match=_REFUSED[file]):
        make_client().answer(window, cluster_id="made")


@pytest.mark.parametrize("file", sorted(_NEW_REFUSED))
def test_the_new_version_refuses_bad_parameters(file: str, server: ScriptedServer, make_client: MakeClient) -> None:
    """T6, T7, T22: 1.120.2 answers 400 or 500 with a text."""
    window = _serve(server, "1.120.2", file)
    with pytest.raises(OpenCostRefused, match=_NEW_REFUSED[file]):
        make_client().answer(window, cluster_id="made")


def test_a_filter_without_a_match_is_an_empty_list(server: ScriptedServer, make_client: MakeClient) -> None:
    """T6: `[]` from 1.120.2."""
    assert make_client().answer(_serve(server, "1.120.2", "edge-no-match.json"), cluster_id="made").row_count == 0


@pytest.mark.parametrize("file", sorted(_IGNORED_FILTERS))
def test_the_old_version_ignores_filters(file: str, server: ScriptedServer, make_client: MakeClient) -> None:
    """T4: 1.113 answers the whole cluster, 20 rows, whatever was filtered: one reason why nothing is filtered there."""
    assert make_client().answer(_serve(server, "1.113", file), cluster_id="made").row_count == 20


@pytest.mark.parametrize(("version", "end"), [("1.113", "2026-11-30T09:00:00Z"), ("1.120.2", "2026-11-30T08:20:10Z")])
def test_the_running_hour_ends_where_the_version_says(
    version: str, end: str, server: ScriptedServer, make_client: MakeClient
) -> None:
    """1.120.2 clamps running rows to now, 1.113 does not; unmounted ones end with the window in both."""
    answer = make_client().answer(_serve(server, version, "edge-running-hour.json"), cluster_id="made")
    assert answer.observed is not None
    assert answer.observed[1] == int(datetime.fromisoformat(end).timestamp())
    hour_end = int(datetime.fromisoformat("2026-11-30T09:00:00Z").timestamp())
    assert {row.end for row in rows_of(answer) if not row.running} == {hour_end}


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("file", ["edge-bad-filter.assets.txt", "edge-illegal-window.assets.txt"])
def test_assets_errors_are_refused(version: str, file: str, server: ScriptedServer, make_client: MakeClient) -> None:
    """T30: plain text with 400 or 500."""
    edge = _edge(version, file)
    server.on("/assets", reply_file(RECORDED / version / file, edge["status"], edge["content_type"]))
    with pytest.raises(OpenCostRefused, match=f"/assets: answered {edge['status']}"):
        make_client().answer(_HOUR, cluster_id="made")


def test_every_recorded_allocation_edge_is_tested() -> None:
    """A new recording must be given its expectation."""
    files = {edge["file"] for edge in recorded_json("1.120.2/edges.json") if edge["path"] == "/allocation"}
    assert files == {*_EMPTY, *_AGGREGATED, *_REFUSED, *_IGNORED_FILTERS, "edge-running-hour.json"}
