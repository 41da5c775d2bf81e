"""What syncs changed: points, baselines, parts."""

from datetime import UTC, datetime, timedelta
from math import fsum
from typing import Any

import pytest

from api.history_documents import TrendAnswer
from costintel.cost.application import AppRef
from tests.collection.fake_opencost import FakeOpenCost
from tests.history.conftest import OpenHistory
from tests.history.figures import answers, keep, pods
from tests.history.history_engine import HistoryEngine

SHOP = AppRef("argocd", "shop")
FIRST = datetime(2026, 11, 20, 12, 20, tzinfo=UTC)
NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
BEFORE = pods(2, cores=0.5, price=0.04)
AFTER = pods(3, cores=0.3, price=0.044)


@pytest.fixture
def history(open_history: OpenHistory) -> HistoryEngine:
    return open_history(FakeOpenCost())


def trend_of(history: HistoryEngine, *, offset: int = 0, limit: int = 100) -> dict[str, Any]:
    found = answers(history).trend(SHOP, offset=offset, limit=limit, now=NOW)
    assert found is not None
    TrendAnswer.model_validate(found)
    return found


def points(history: HistoryEngine) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = trend_of(history)["points"]
    return found


def test_the_worked_example_from_stored_records(history: HistoryEngine) -> None:
    """Replicas 2 to 3, request 0.5 to 0.3, price +10 %: +14.40 - 17.28 + 2.592 = -0.288 a month, 28.80 to 28.512."""
    keep(history, FIRST, early=BEFORE, settled=AFTER)

    (point,) = points(history)

    assert (point["early"]["monthly"]["total"], point["settled"]["monthly"]["total"]) == (28.8, 28.512)
    change = point["change"]
    assert (change["against"], change["total"]) == ("early", -0.288)
    assert change["before"] == {"start": "2026-11-19T12:00:00Z", "end": "2026-11-20T12:00:00Z"}
    assert change["after"] == {"start": "2026-11-20T13:00:00Z", "end": "2026-11-21T13:00:00Z"}
    assert {name: part for name, part in change["parts"].items() if part} == {
        "replicas": 14.4,
        "size": -17.28,
        "price": 2.592,
    }
    assert [(one["namespace"], one["kind"], one["name"], one["total"]) for one in change["controllers"]] == [
        ("shop", "deployment", "web", -0.288)
    ]


def test_added_and_removed_controllers_and_flat_costs(history: HistoryEngine) -> None:
    """One core at 0.04 goes (-28.80), two come (+57.60), and a volume of 1 a day costs 2 (+30): the dearest first."""
    before = [*pods(1, cores=1, price=0.04, controller="old"), *pods(1, cores=1, price=0.01, storage_cost=1.0)]
    after = [*pods(1, cores=2, price=0.04, controller="new"), *pods(1, cores=1, price=0.01, storage_cost=2.0)]
    keep(history, FIRST, early=before, settled=after)

    change = points(history)[0]["change"]

    assert {name: part for name, part in change["parts"].items() if part} == {
        "added": 57.6,
        "removed": -28.8,
        "storage": 30.0,
    }
    assert [(one["name"], one["total"]) for one in change["controllers"]] == [
        ("new", 57.6),
        ("web", 30.0),
        ("old", -28.8),
    ]


def test_parts_add_up_to_the_last_digit(history: HistoryEngine) -> None:
    """Thirds of a price, stored with six decimals, times 30: the parts are the total, and that the difference of the months."""
    keep(history, FIRST, early=pods(7, cores=1 / 3, price=1 / 7), settled=pods(11, cores=1 / 9, price=1 / 3))

    (point,) = points(history)

    total = point["change"]["total"]
    months = point["settled"]["monthly"]["total"] - point["early"]["monthly"]["total"]
    assert round(total * 1e6) == round(months * 1e6)
    assert round(fsum(point["change"]["parts"].values()) * 1e6) == round(total * 1e6)


def test_a_sync_that_is_not_settled_has_no_change_yet(history: HistoryEngine) -> None:
    """Null, with the time it settles: 24 hours from 13:00, and ten minutes for the samples."""
    keep(history, FIRST, early=BEFORE)

    (point,) = points(history)

    assert (point["change"], point["noChange"], point["settled"]) == (None, "not_settled", None)
    assert (point["settlesAt"], point["isSettled"]) == ("2026-11-21T13:10:00Z", False)


def test_without_a_full_early_figure_the_last_settled_one_stands_in(history: HistoryEngine) -> None:
    """Twenty hours are not full: the point before is the baseline, 28.512 to 28.80."""
    keep(history, FIRST, early=BEFORE, settled=AFTER)
    keep(history, FIRST + 3 * DAY, early=pods(9, cores=1, price=1), early_hours=20, settled=BEFORE)

    change = points(history)[1]["change"]

    assert (change["against"], change["total"]) == ("settled", 0.288)
    assert change["before"]["start"] == "2026-11-20T13:00:00Z"


def test_another_sync_in_the_early_window_spoils_it(history: HistoryEngine) -> None:
    """Twenty-four hours and a quarter apart are two points, and the first falls into the window before the second."""
    keep(history, FIRST, early=BEFORE, settled=AFTER)
    keep(history, FIRST + 24 * HOUR + timedelta(minutes=15), early=pods(9, cores=1, price=1), settled=BEFORE)

    assert [point["change"]["against"] for point in points(history)] == ["early", "settled"]


def test_nothing_before_it_is_no_baseline(history: HistoryEngine) -> None:
    """A young Application's first sync."""
    keep(history, FIRST, early=BEFORE, early_hours=6, settled=AFTER)

    (point,) = points(history)

    assert (point["change"], point["noChange"]) == (None, "no_baseline")


def test_a_settled_sync_of_which_nothing_was_measured(history: HistoryEngine) -> None:
    """The 24 hours after it were a gap: settled, and null."""
    history.record("shop", finished_at=FIRST)

    (point,) = points(history)

    assert (point["isSettled"], point["settled"], point["noChange"]) == (True, None, "not_measured")


def test_scopes_are_never_compared(history: HistoryEngine) -> None:
    """Early in namespace scope, settled in application scope; then the other way round between two points."""
    keep(history, FIRST, early=BEFORE, early_scope="namespace", settled=AFTER)
    keep(history, FIRST + 3 * DAY, settled=BEFORE, scope="namespace")

    found = points(history)

    assert [(point["noChange"], point["change"]) for point in found] == [("scope_changed", None)] * 2
    assert [(point["scope"], point["scopeChanged"]) for point in found] == [("application", False), ("namespace", True)]


def test_an_install_is_a_point_and_no_baseline(history: HistoryEngine) -> None:
    """It stands before every sync, without a time, and the first sync has nothing to be compared with."""
    keep(history, FIRST, early=BEFORE, settled=BEFORE, measured_on="install", id="0" * 32)
    keep(history, FIRST - DAY, early=BEFORE, early_hours=6, settled=AFTER)

    install, sync = points(history)

    assert (install["measuredOn"], install["noChange"], install["settlesAt"]) == ("install", "install", None)
    assert install["syncs"][0]["finishedAt"] is None
    assert (sync["measuredOn"], sync["noChange"]) == ("sync", "no_baseline")


def test_a_chain_is_one_point(history: HistoryEngine) -> None:
    """Three syncs within a day: from before the first to after the last; what lies between is not looked at."""
    odd = pods(9, cores=1, price=1)
    keep(history, FIRST, early=BEFORE, settled=odd, revision="a")
    keep(history, FIRST + 5 * HOUR, early=odd, settled=odd, revision="b")
    last = keep(history, FIRST + 20 * HOUR, early=odd, settled=AFTER, revision="c")

    (point,) = points(history)

    assert (point["id"], point["syncCount"]) == (last, 3)
    assert [sync["revision"] for sync in point["syncs"]] == ["a", "b", "c"]
    assert (point["change"]["against"], point["change"]["total"]) == ("early", -0.288)
    assert point["settlesAt"] == "2026-11-22T09:10:00Z"


def test_a_chain_is_closed_after_two_days(history: HistoryEngine) -> None:
    """A sync every twelve hours: the fifth begins the second chain, compared with the settled figure of the first."""
    for number in range(6):
        keep(history, FIRST + number * 12 * HOUR, early=BEFORE, settled=BEFORE if number < 5 else AFTER)

    first, second = points(history)

    assert (first["syncCount"], second["syncCount"]) == (4, 2)
    assert (second["change"]["against"], second["change"]["total"]) == ("settled", -0.288)


def test_of_more_than_five_hundred_pods_only_the_total_is_told(history: HistoryEngine) -> None:
    """The figure lists the dearest 500: 501 cores at 0.04 become 502, +28.80, by which cause nobody knows."""
    keep(history, FIRST, early=pods(501, cores=1, price=0.04), settled=pods(502, cores=1, price=0.04))

    change = points(history)[0]["change"]

    assert (change["total"], change["parts"], change["controllers"]) == (28.8, None, [])


def test_in_namespace_scope_only_the_total_is_told(history: HistoryEngine) -> None:
    """The pods may be somebody else's."""
    keep(history, FIRST, early=BEFORE, settled=AFTER, scope="namespace")

    change = points(history)[0]["change"]

    assert (change["total"], change["parts"], change["controllers"]) == (-0.288, None, [])


def test_pages_go_back_from_the_newest(history: HistoryEngine) -> None:
    """Five points, two at a time: each page oldest first, and the baseline of a page's first point lies on the next page."""
    ids = [keep(history, FIRST - number * 3 * DAY, settled=BEFORE) for number in range(5)]

    pages = [trend_of(history, offset=offset, limit=2) for offset in (0, 2, 4)]

    assert [[point["id"] for point in page["points"]] for page in pages] == [ids[1::-1], ids[3:1:-1], ids[4:]]
    assert [(page["count"], page["nextOffset"]) for page in pages] == [(5, 2), (5, 4), (5, None)]
    assert pages[0]["points"][0]["change"]["total"] == 0.0
    assert trend_of(history, offset=9)["points"] == []


def test_an_application_without_a_record_has_no_trend(history: HistoryEngine) -> None:
    """Nor has one with the same name in another namespace."""
    keep(history, FIRST, settled=AFTER)

    assert answers(history).trend(AppRef("team-a", "shop"), offset=0, limit=9, now=NOW) is None
