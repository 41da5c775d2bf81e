"""What an hour's answer is worth, and when a doubtful one is asked once more."""

from dataclasses import replace
from datetime import datetime, timedelta

from costintel.errors import OpenCostRefused
from costintel.opencost.answer import WindowAnswer
from tests.collection.conftest import OpenEngine
from tests.collection.engine import HOUR, NEWEST, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life, unmounted, with_row

TEN_MINUTES = timedelta(minutes=10)
LATER = NOW + TEN_MINUTES


def newest(count: int) -> list[datetime]:
    return [NEWEST - number * HOUR for number in range(count)]


class TestStates:
    """Decided from an hour and its neighbours, whatever order they come in."""

    def test_hours_with_rows_and_nodes_are_good(self, open_engine: OpenEngine) -> None:
        """The ordinary case."""
        engine = open_engine(FakeOpenCost())

        engine.ensure(*newest(3))

        assert set(engine.states().values()) == {"good"}

    def test_an_hour_without_running_rows_is_a_gap(self, open_engine: OpenEngine) -> None:
        """Only unmounted volumes: OpenCost did not see the cluster (T43)."""

        def only_volumes(answer: WindowAnswer) -> WindowAnswer:
            return with_row(answer, unmounted("attic", answer.window, 0.01)) if not answer.row_count else answer

        engine = open_engine(FakeOpenCost(blind={NEWEST}, changed=only_volumes))

        engine.ensure(*newest(2))

        assert engine.states() == {NEWEST - HOUR: "good", NEWEST: "gap"}

    def test_an_empty_hour_after_a_good_one_is_a_gap(self, open_engine: OpenEngine) -> None:
        """OpenCost answers `[{}]` during an outage; that is not a cluster without cost."""
        engine = open_engine(FakeOpenCost(blind={NEWEST}))

        engine.ensure(*newest(2))

        assert engine.states()[NEWEST] == "gap"

    def test_empty_hours_before_the_first_good_one(self, open_engine: OpenEngine) -> None:
        """Before OpenCost was installed there is nothing to be missed."""
        engine = open_engine(FakeOpenCost(observed_from=NEWEST))

        engine.ensure(*newest(3))

        assert engine.states() == {NEWEST - 2 * HOUR: "before_history", NEWEST - HOUR: "before_history", NEWEST: "good"}

    def test_before_history_becomes_a_gap_when_an_earlier_good_hour_turns_up(self, open_engine: OpenEngine) -> None:
        """A sync asks for an older hour, and it is good: then the empty one after it was an outage."""
        engine = open_engine(FakeOpenCost(blind={NEWEST - HOUR}))
        engine.ensure(*newest(2))
        assert engine.states()[NEWEST - HOUR] == "before_history"

        engine.ensure(NEWEST - 30 * HOUR)

        assert engine.states()[NEWEST - HOUR] == "gap"

    def test_rows_without_nodes_beside_a_priced_hour_are_unpriced(self, open_engine: OpenEngine) -> None:
        """Default prices (T42): the hour is stored first and judged when its neighbour arrives."""
        engine = open_engine(FakeOpenCost(unpriced={NEWEST}))
        engine.ensure(NEWEST)
        assert engine.states() == {NEWEST: "good"}

        engine.ensure(NEWEST - HOUR)

        assert engine.states() == {NEWEST - HOUR: "good", NEWEST: "unpriced"}

    def test_a_cluster_that_never_lists_nodes_is_good(self, open_engine: OpenEngine) -> None:
        """Without nodes anywhere (Fargate) there is nothing to compare with."""
        hours = newest(3)
        engine = open_engine(FakeOpenCost(unpriced=set(hours)))

        engine.ensure(*hours)

        assert set(engine.states().values()) == {"good"}

    def test_a_gap_stays_one_after_its_good_neighbours_were_removed(self, open_engine: OpenEngine) -> None:
        """What was an outage does not become the time before OpenCost because older hours are pruned."""
        engine = open_engine(FakeOpenCost(blind={NEWEST - HOUR}))
        engine.ensure(*newest(3))
        engine.database.execute("DELETE FROM collections WHERE window_start = %s", [NEWEST - 2 * HOUR])

        engine.ensure(NEWEST + HOUR, now=NOW + HOUR)

        assert engine.states()[NEWEST - HOUR] == "gap"


class TestConfirmation:
    """A bad or suspect hour is stored at once and asked once more, ten minutes later."""

    def test_a_gap_is_asked_again_ten_minutes_later(self, open_engine: OpenEngine) -> None:
        """Not at nine minutes, once at ten, and never after that."""
        opencost = FakeOpenCost(blind={NEWEST})
        engine = open_engine(opencost)
        engine.ensure(*newest(2))
        opencost.calls.clear()

        engine.ask_due(LATER - timedelta(seconds=1))
        assert NEWEST not in opencost.hours
        engine.ask_due(LATER)
        assert opencost.hours.count(NEWEST) == 1
        engine.ask_due(LATER + HOUR / 2)

        assert opencost.hours.count(NEWEST) == 1
        assert engine.headers()[NEWEST].asked_count == 2

    def test_the_second_answer_takes_the_first_ones_place(self, open_engine: OpenEngine) -> None:
        """An hour that was empty because samples were late becomes good."""
        opencost = FakeOpenCost(blind={NEWEST})
        engine = open_engine(opencost)
        engine.ensure(*newest(2))
        opencost.blind = set()

        engine.ensure(NEWEST, now=LATER)

        assert engine.states()[NEWEST] == "good"
        assert engine.owed() == {}

    def test_an_hour_with_fewer_than_half_the_containers_is_suspect(self, open_engine: OpenEngine) -> None:
        """Three containers after seven: it counts, and is asked again."""
        lives = [Life(pod=f"web-5c9d8f7b6d-aaaa{n}") for n in range(7)]
        short = [replace(life, end=NEWEST) for life in lives[3:]]
        opencost = FakeOpenCost(lives=[*lives[:3], *short])
        engine = open_engine(opencost)

        engine.ensure(*newest(2))

        header = engine.headers()[NEWEST]
        assert (header.state.value, header.suspect) == ("good", True)
        assert engine.owed()[NEWEST].not_before == LATER

    def test_suspicion_ends_without_a_call_when_a_neighbour_explains_it(self, open_engine: OpenEngine) -> None:
        """Asked newest first, an hour looks halved beside an older one until the hour between them arrives."""
        lives = [Life(), *(Life(pod=f"web-5c9d8f7b6d-aaaa{n}", end=NEWEST - HOUR) for n in range(4))]
        lives += [Life(pod="web-5c9d8f7b6d-bbbbb", end=NEWEST)]
        opencost = FakeOpenCost(lives=lives)
        engine = open_engine(opencost)
        engine.ensure(NEWEST)
        engine.ensure(NEWEST - 2 * HOUR)
        assert engine.headers()[NEWEST].suspect

        engine.ensure(NEWEST - HOUR)
        engine.ask_due(LATER)

        assert not engine.headers()[NEWEST].suspect
        assert opencost.hours.count(NEWEST) == 1

    def test_a_second_answer_that_sees_less_is_refused(self, open_engine: OpenEngine) -> None:
        """A suspect hour with rows is not replaced by an empty one: OpenCost has gone blind since."""
        lives = [Life(), *(Life(pod=f"web-5c9d8f7b6d-aaaa{n}", end=NEWEST) for n in range(4))]
        opencost = FakeOpenCost(lives=lives)
        engine = open_engine(opencost)
        engine.ensure(*newest(2))
        opencost.blind = {NEWEST}

        outcome = engine.ensure(NEWEST, now=LATER)

        assert outcome.failed == (NEWEST,)
        assert engine.states()[NEWEST] == "good"
        assert engine.headers()[NEWEST].running_rows == 1

    def test_a_confirmation_that_fails_is_tried_again(self, open_engine: OpenEngine) -> None:
        """The hour keeps its first answer, and the second asking its retries."""
        opencost = FakeOpenCost(blind={NEWEST})
        engine = open_engine(opencost)
        engine.ensure(*newest(2))
        opencost.failing, opencost.blind = OpenCostRefused("HTTP 500"), set()
        engine.ensure(NEWEST, now=LATER)
        assert engine.states()[NEWEST] == "gap"
        opencost.failing = None

        engine.ensure(NEWEST, now=LATER + timedelta(minutes=1))

        assert engine.states()[NEWEST] == "good"

    def test_a_confirmation_survives_a_function_killed_before_it_was_noted(self, open_engine: OpenEngine) -> None:
        """Whether an hour is to be asked again follows from what is stored, not from a note that may be missing."""
        engine = open_engine(FakeOpenCost(blind={NEWEST}))
        engine.ensure(*newest(2))
        engine.database.execute("DELETE FROM work")

        assert NEWEST in engine.hours.due(now=LATER)


class TestNothingGoodAtAll:
    """OpenCost has not seen the cluster yet, or its eyes are shut."""

    def test_only_the_newest_hour_is_asked_again(self, open_engine: OpenEngine) -> None:
        """24 empty hours are probed through one of them."""
        opencost = FakeOpenCost(observed_from=NOW + 24 * HOUR)
        engine = open_engine(opencost)
        engine.ask_due()
        opencost.calls.clear()

        engine.ask_due(LATER)

        assert opencost.hours == [NEWEST]

    def test_the_probe_is_repeated_at_growing_distances(self, open_engine: OpenEngine) -> None:
        """Ten minutes after the answer, then twenty."""
        engine = open_engine(FakeOpenCost(observed_from=NOW + 24 * HOUR))
        engine.ensure(NEWEST)
        engine.ensure(NEWEST, now=LATER)

        assert engine.owed()[NEWEST].not_before == LATER + 2 * TEN_MINUTES

    def test_when_it_sees_again_every_empty_hour_is_asked_once_more(self, open_engine: OpenEngine) -> None:
        """The probe finds the cluster, and the hours that were answered blindly are asked in the same run."""
        opencost = FakeOpenCost(observed_from=NOW + 24 * HOUR)
        engine = open_engine(opencost)
        engine.ask_due()
        opencost.observed_from = NEWEST - 30 * HOUR
        opencost.calls.clear()

        engine.ask_due(LATER)

        assert opencost.hours == newest(24)
        assert set(engine.states().values()) == {"good"}

    def test_hours_before_history_are_confirmed_once(self, open_engine: OpenEngine) -> None:
        """On a cluster five hours old the 19 empty hours are asked once more, and then never again."""
        opencost = FakeOpenCost(observed_from=NEWEST - 4 * HOUR)
        engine = open_engine(opencost)
        engine.ask_due()
        opencost.calls.clear()

        engine.ask_due(LATER)
        assert sorted(opencost.hours) == [NEWEST - n * HOUR for n in range(23, 4, -1)]
        engine.ask_due(LATER + TEN_MINUTES)

        assert len(opencost.calls) == 19
        assert engine.owed() == {}


class TestForeignClusters:
    """Answers about other clusters only."""

    def test_a_wrong_cluster_id_is_told(self, open_engine: OpenEngine) -> None:
        """Containers came, but none of this cluster: the outcome says so."""

        def foreign(answer: WindowAnswer) -> WindowAnswer:
            return replace(answer, rows_by_namespace={}, row_count=0, running_rows=0, node_count=0, foreign_rows=7)

        engine = open_engine(FakeOpenCost(changed=foreign))

        assert engine.ensure(NEWEST).foreign

    def test_an_empty_cluster_is_not_foreign(self, open_engine: OpenEngine) -> None:
        """No containers of anybody."""
        engine = open_engine(FakeOpenCost(blind={NEWEST}))

        assert not engine.ensure(NEWEST).foreign


def test_hours_are_kept_50_hours_after_they_were_asked(open_engine: OpenEngine) -> None:
    """Not by their age, and longer while somebody needs them."""
    engine = open_engine(FakeOpenCost())
    engine.ensure(NEWEST, NEWEST - HOUR)

    engine.hours.prune(now=NOW + 50 * HOUR, needed_from=None)
    assert len(engine.headers()) == 2
    after = NOW + 50 * HOUR + timedelta(seconds=1)
    engine.hours.prune(now=after, needed_from=NEWEST)
    assert list(engine.headers()) == [NEWEST]
    engine.hours.prune(now=after, needed_from=None)

    assert engine.headers() == {}
