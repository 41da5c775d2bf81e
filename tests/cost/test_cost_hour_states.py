"""Which hours are figures (design: states of an hour; traps T42, T43, T25)."""

from costintel.cost.allocation import UNMOUNTED
from costintel.cost.hour import HourFacts, HourState, decide_states, observed_span
from costintel.cost.window import Window
from tests.cost.rows import HOUR, row, seconds


def hour(number: int, *, running: int = 20, nodes: int = 2, rows: int | None = None) -> HourFacts:
    return HourFacts(start=number * 3600, running_rows=running, rows=running if rows is None else rows, nodes=nodes)


def states(*hours: HourFacts, good_before: bool = False) -> list[HourState | None]:
    return [one.state for one in decide_states(hours, good_before=good_before)]


def test_running_rows_and_nodes_are_a_good_hour() -> None:
    """An hour with containers on nodes is a figure."""
    assert states(hour(0)) == [HourState.GOOD]


def test_an_empty_hour_after_a_good_one_is_a_gap() -> None:
    """Nothing seen after something was seen is unknown, not zero."""
    assert states(hour(0), hour(1, running=0)) == [HourState.GOOD, HourState.GAP]


def test_an_empty_hour_before_anything_good_is_before_history() -> None:
    """Nothing seen before the first good hour is before the installation; once an earlier good hour is known it is a gap."""
    assert states(hour(0, running=0), hour(1)) == [HourState.BEFORE_HISTORY, HourState.GOOD]
    assert states(hour(0, running=0), hour(1), good_before=True) == [HourState.GAP, HourState.GOOD]


def test_only_unmounted_volumes_are_a_gap() -> None:
    """T43: without kube-state-metrics only volumes are listed; that is no view of the cluster."""
    assert states(hour(0, running=0, rows=1)) == [HourState.GAP]


def test_rows_without_nodes_beside_an_hour_with_nodes_are_unpriced() -> None:
    """T42: default prices show as missing Node assets where a neighbour has some, before or after."""
    assert states(hour(0), hour(1, nodes=0)) == [HourState.GOOD, HourState.UNPRICED]
    assert states(hour(0, nodes=0), hour(1)) == [HourState.UNPRICED, HourState.GOOD]


def test_two_unpriced_hours_in_a_row_are_both_unpriced() -> None:
    """The nearest good hour decides, not the unpriced neighbour."""
    assert states(hour(0), hour(1, nodes=0), hour(2, nodes=0)) == [
        HourState.GOOD,
        HourState.UNPRICED,
        HourState.UNPRICED,
    ]


def test_a_cluster_that_never_has_nodes_is_good() -> None:
    """A cluster of Fargate pods has no Node assets and still costs what it costs."""
    assert states(hour(0, nodes=0), hour(1, nodes=0)) == [HourState.GOOD, HourState.GOOD]


def test_half_the_containers_gone_is_suspect() -> None:
    """An hour with fewer than half the containers of the good hour before is good, and worth asking again."""
    decided = decide_states([hour(0, running=20), hour(1, running=9), hour(2, running=10)], good_before=False)

    assert [one.suspect for one in decided] == [False, True, False]


def test_an_hour_never_answered_stays_missing() -> None:
    """What failed for 48 hours is missing and does not become a gap."""
    missing = HourFacts(start=3600, running_rows=0, rows=0, nodes=0, state=HourState.MISSING)

    assert states(hour(0), missing, hour(2)) == [HourState.GOOD, HourState.MISSING, HourState.GOOD]


def test_short_jobs_do_not_stretch_the_observed_span() -> None:
    """A job seen once at the end of a cut hour does not make the hour look whole."""
    window = Window(HOUR, HOUR.replace(hour=11))
    long = row(minutes=20)
    job = row(pod="poll-29931045-zz9yx", start=HOUR.replace(minute=50), minutes=5)

    assert observed_span([long, job], window) == (seconds(HOUR), seconds(HOUR) + 1200)
    assert observed_span([job], window) == (job.start, job.end)


def test_volumes_observe_nothing() -> None:
    """Unmounted volumes span the window whatever was seen."""
    window = Window(HOUR, HOUR.replace(hour=11))

    assert observed_span([row(container=UNMOUNTED)], window) is None
