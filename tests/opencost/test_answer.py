"""One window's answer as a whole."""

import json

import pytest

from costintel.cost.hour import HourFacts, HourState, decide_states
from costintel.errors import OpenCostRefused
from costintel.opencost import answer as answer_module
from costintel.opencost.answer import WindowAnswer
from tests.opencost.entries import DAY, HOUR, container, node, only_row, read, read_bodies, seconds, span, unmounted


def _states(*answers: WindowAnswer) -> list[HourState | None]:
    facts = [
        HourFacts(start=0, running_rows=one.running_rows, rows=one.row_count, nodes=one.node_count) for one in answers
    ]
    return [hour.state for hour in decide_states(facts, good_before=False)]


def test_rows_are_grouped_by_namespace() -> None:
    """The cluster's own unmounted volumes stand under `__unmounted__`, a namespace's under it."""
    claimed = unmounted()
    claimed["properties"] |= {"namespace": "attic", "pod": "attic-unmounted-pvcs"}
    answer = read([container(), container(properties={"namespace": "pay"}), unmounted(), claimed], [node()])
    assert {name: len(rows) for name, rows in answer.rows_by_namespace.items()} == {
        "shop": 1,
        "pay": 1,
        "__unmounted__": 1,
        "attic": 1,
    }
    assert (answer.row_count, answer.running_rows, answer.node_count) == (4, 2, 1)


def test_unmounted_volumes_never_make_a_window_observed() -> None:
    """T11: they show the whole window, also its future part; the span is of running rows."""
    answer = read([container(**span(20, 40)), unmounted()])
    assert answer.observed == (seconds(20), seconds(40))


def test_an_empty_answer_is_no_observation() -> None:
    """T25: `[{}]` may be an outage, a time before the installation or beyond the retention."""
    for body in (b'{"code":200,"data":[{}]}', b'{"code":200,"data":[]}', b'{"code":200,"data":[null]}'):
        answer = read_bodies(body)
        assert (answer.row_count, answer.observed) == (0, None)


def test_a_pod_restarted_under_its_name_is_one_row() -> None:
    """T18: 12:00 to 22:00 with a gap inside shows its hull of 600 minutes and its cost of 1.60."""
    row = only_row(read([container(DAY, **span(720, 1320, DAY), cpuCost=1.6)], window=DAY))
    assert (row.minutes, row.cpu_cost) == (600, 1.6)


def test_blind_hours_are_told_from_good_ones() -> None:
    """T42, T43, T44: no node is default prices, no container is a gap, no usage is still good."""
    good = read([container()], [node()])
    unpriced = read([container(cpuCost=0.02)])
    gap = read([unmounted()], [node(ramByteHours=0)])
    silent = read([container(cpuCoreUsageAverage=0, ramByteUsageAverage=0)], [node()])
    assert _states(good, unpriced, gap, silent) == ["good", "unpriced", "gap", "good"]


def test_several_sets_are_refused() -> None:
    """T22, T40: one window is one set; Kubecost's precomputed days would come as several."""
    body = json.dumps({"code": 200, "data": [{"a": container()}, {"b": container()}]})
    with pytest.raises(OpenCostRefused, match="several sets"):
        read_bodies(body.encode())


def test_an_empty_set_beside_the_one_is_nothing() -> None:
    """T6: empty sets hold nothing and say nothing."""
    body = json.dumps({"code": 200, "data": [{}, {"a": container()}, None]})
    assert read_bodies(body.encode()).row_count == 1


def test_more_containers_than_can_be_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounded memory and a clear error instead of a killed function."""
    monkeypatch.setattr(answer_module, "MAXIMUM_ROWS", 2)
    assert read([container()] * 2).row_count == 2
    with pytest.raises(OpenCostRefused, match="more than 2 containers"):
        read([container()] * 3)


def test_the_answer_says_its_window() -> None:
    """The window is the one asked for."""
    assert read([container()]).window == HOUR


def test_the_first_short_job_does_not_stretch_the_span() -> None:
    """A job seen once, for five minutes, is left out of the observed span unless nothing else ran."""
    job = container(properties={"pod": "job-1"}, **span(55, 60))
    assert read([container(**span(0, 50)), job]).observed == (seconds(0), seconds(50))
    assert read([job]).observed == (seconds(55), seconds(60))
