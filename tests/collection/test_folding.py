"""Stored hours, folded over a window."""

from datetime import timedelta

import pytest

from costintel.collection.folding import Folding
from costintel.cost.window import Window
from costintel.opencost.answer import WindowAnswer
from tests.collection.conftest import OpenEngine
from tests.collection.engine import CLUSTER, HOUR, NEWEST, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life, unmounted, with_row

MINUTE = timedelta(minutes=1)
END = NEWEST + HOUR


def folding(engine: Engine) -> Folding:
    return Folding(cluster=CLUSTER, collections=engine.collections)


def last(hours: int) -> Window:
    return Window.of_hours(END, hours)


class TestFold:
    """Hours add up."""

    def test_24_hours_of_a_container_are_its_day(self, open_engine: OpenEngine) -> None:
        """0.04 an hour are 0.96, one core requested is 24 core-hours, a quarter of it used is 6; idle is the rest's cost."""
        engine = open_engine(FakeOpenCost(lives=[Life(hourly_cost=0.04)]))
        engine.ask_due()

        ((namespace, (container,)),) = folding(engine).namespaces(last(24), None)

        assert namespace == "shop"
        assert container.cpu_cost == pytest.approx(0.96, abs=1e-12)
        assert container.running_hours == 24
        assert container.cpu_core_hours_requested == 24
        assert container.cpu_core_hours_used == 6
        assert container.idle_cpu_cost == pytest.approx(0.72, abs=1e-12)

    def test_only_the_namespaces_asked_for(self, open_engine: OpenEngine) -> None:
        """The others are not read."""
        lives = [Life(namespace=name) for name in ("attic", "batch", "shop")]
        engine = open_engine(FakeOpenCost(lives=lives))
        engine.ensure(NEWEST)

        names = [name for name, _ in folding(engine).namespaces(last(24), ["attic", "shop", "nowhere"])]

        assert names == ["attic", "shop"]

    def test_bad_hours_do_not_count(self, open_engine: OpenEngine) -> None:
        """Of three hours the unpriced one's rows, which are there at default prices, are left out."""
        engine = open_engine(FakeOpenCost(unpriced={NEWEST - HOUR}))
        engine.ensure(NEWEST, NEWEST - HOUR, NEWEST - 2 * HOUR)

        ((_, (container,)),) = folding(engine).namespaces(last(3), None)

        assert container.cpu_cost == pytest.approx(0.08, abs=1e-12)
        assert folding(engine).observed(last(3)) == (
            Window(NEWEST - 2 * HOUR, NEWEST - HOUR),
            Window(NEWEST, NEWEST + HOUR),
        )

    def test_a_namespace_with_bad_hours_only_is_absent(self, open_engine: OpenEngine) -> None:
        """A container that ran only while prices were unknown cost an unknown amount, not zero."""
        brief = Life(namespace="brief", start=NEWEST, end=END)
        engine = open_engine(FakeOpenCost(lives=[Life(), brief], unpriced={NEWEST}))
        engine.ensure(NEWEST, NEWEST - HOUR)

        names = [name for name, _ in folding(engine).namespaces(last(2), None)]

        assert names == ["shop"]

    def test_an_hour_observed_in_part(self, open_engine: OpenEngine) -> None:
        """OpenCost saw the first hour from 20 past on: 40 minutes of it were observed."""
        engine = open_engine(FakeOpenCost(observed_from=NEWEST + 20 * MINUTE))
        engine.ensure(NEWEST)

        assert folding(engine).observed(last(1)) == (Window(NEWEST + 20 * MINUTE, END),)

    def test_unmounted_volumes_keep_their_cost(self, open_engine: OpenEngine) -> None:
        """They are folded like containers, and run for no hours."""

        def add(answer: WindowAnswer) -> WindowAnswer:
            return with_row(answer, unmounted("attic", answer.window, 0.01))

        engine = open_engine(FakeOpenCost(changed=add))
        engine.ensure(NEWEST, NEWEST - HOUR)

        ((_, (volumes,)),) = folding(engine).namespaces(last(2), ["attic"])

        assert volumes.storage_cost == pytest.approx(0.02, abs=1e-12)
        assert not volumes.running

    def test_a_large_namespace_is_folded_in_steps(
        self, open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However few rows fit into memory at once, the sums are the same."""
        monkeypatch.setattr("costintel.collection.folding._MOST_ROWS", 3)
        lives = [Life(pod=f"web-5c9d8f7b6d-aaaa{n}", hourly_cost=0.01 * (n + 1)) for n in range(4)]
        engine = open_engine(FakeOpenCost(lives=lives))
        engine.ensure(*(NEWEST - n * HOUR for n in range(5)))

        ((_, containers),) = folding(engine).namespaces(last(5), None)

        assert [round(one.cpu_cost, 9) for one in containers] == [0.05, 0.1, 0.15, 0.2]


class TestLateStarts:
    """T14: the backend loses the first five minutes of every window."""

    def test_what_ran_before_is_extended(self, open_engine: OpenEngine) -> None:
        """The hour before tells that the container ran on: 55 minutes at 0.04 an hour become 60."""
        engine = open_engine(FakeOpenCost(late=True))
        engine.ensure(NEWEST, NEWEST - HOUR)

        ((_, (container,)),) = folding(engine).namespaces(last(1), None)

        assert container.cpu_cost == pytest.approx(0.04, abs=1e-12)
        assert container.running_hours == 1
        assert folding(engine).observed(last(1)) == (last(1),)

    def test_what_began_five_minutes_in_is_not(self, open_engine: OpenEngine) -> None:
        """A container born at 11:05 was not there at 11:00, whatever its neighbour did."""
        young = Life(pod="web-5c9d8f7b6d-bbbbb", start=NEWEST + 5 * MINUTE)
        engine = open_engine(FakeOpenCost(lives=[Life(), young], late=True))
        engine.ensure(NEWEST, NEWEST - HOUR)

        ((_, (_, born)),) = folding(engine).namespaces(last(1), None)

        assert born.running_hours == pytest.approx(55 / 60)
        assert born.cpu_cost == pytest.approx(0.04 * 55 / 60)

    def test_without_the_hour_before_the_lost_minutes_count_for_nobody(self, open_engine: OpenEngine) -> None:
        """Nothing says what ran at 11:00, so cost and measured hours both leave those five minutes out."""
        engine = open_engine(FakeOpenCost(late=True))
        engine.ensure(NEWEST)

        ((_, (container,)),) = folding(engine).namespaces(last(1), None)

        assert container.cpu_cost == pytest.approx(0.04 * 55 / 60)
        assert folding(engine).observed(last(1)) == (Window(NEWEST + 5 * MINUTE, END),)

    def test_the_hour_before_may_be_outside_the_window(self, open_engine: OpenEngine) -> None:
        """Its rows are read for what they tell, and not counted."""
        engine = open_engine(FakeOpenCost(late=True))
        engine.ensure(NEWEST, NEWEST - HOUR, NEWEST - 2 * HOUR)

        ((_, (container,)),) = folding(engine).namespaces(last(2), None)

        assert container.cpu_cost == pytest.approx(0.08, abs=1e-12)


class TestLive:
    """The newest 24 hours, folded once after they changed."""

    def test_it_is_the_fold_of_the_newest_24_hours(self, open_engine: OpenEngine) -> None:
        """Header and containers are those of the hours, ending with the newest stored one."""
        engine = open_engine(FakeOpenCost())
        engine.ask_due()

        assert engine.measuring.live.refresh(now=NOW)
        live = engine.collections.live(CLUSTER)
        (container,) = engine.collections.live_namespaces(CLUSTER, ["shop"])

        assert live is not None
        assert (live.window, len(live.observed), live.folded_at) == (last(24), 24, NOW)
        assert container.cpu_cost == pytest.approx(0.96, abs=1e-12)

    def test_it_is_made_once(self, open_engine: OpenEngine) -> None:
        """Nothing new, nothing folded."""
        engine = open_engine(FakeOpenCost())
        engine.ensure(NEWEST)

        assert engine.measuring.live.refresh(now=NOW)
        assert not engine.measuring.live.refresh(now=NOW + MINUTE)

    def test_nothing_stored_nothing_folded(self, open_engine: OpenEngine) -> None:
        """Before the first hour there is no fold."""
        assert not open_engine(FakeOpenCost()).measuring.live.refresh(now=NOW)

    def test_an_hour_asked_again_is_folded_again(self, open_engine: OpenEngine) -> None:
        """The second answer of a suspect hour changes the fold, though window and spans are the same."""
        opencost = FakeOpenCost()
        engine = open_engine(opencost)
        engine.ensure(NEWEST)
        engine.measuring.live.refresh(now=NOW)
        opencost.lives = [Life(hourly_cost=0.05)]
        engine.collections.set_states(CLUSTER, {NEWEST: (engine.headers()[NEWEST].state, True)})
        engine.hours.due(now=NOW)
        later = NOW + 10 * MINUTE
        engine.ensure(NEWEST, now=later)

        assert engine.measuring.live.refresh(now=later)
        (container,) = engine.collections.live_namespaces(CLUSTER, ["shop"])
        assert container.cpu_cost == pytest.approx(0.05)

    def test_an_hour_judged_differently_is_folded_again(self, open_engine: OpenEngine) -> None:
        """An hour that turns out to be unpriced leaves the fold, without having been asked again."""
        engine = open_engine(FakeOpenCost(unpriced={NEWEST}))
        engine.ensure(NEWEST)
        engine.measuring.live.refresh(now=NOW)

        engine.ensure(NEWEST - HOUR, now=NOW)

        assert engine.measuring.live.refresh(now=NOW)
        (container,) = engine.collections.live_namespaces(CLUSTER, ["shop"])
        assert container.cpu_cost == pytest.approx(0.04)
        assert container.end == int(NEWEST.timestamp())

    def test_it_moves_on_with_the_newest_stored_hour(self, open_engine: OpenEngine) -> None:
        """A bad newest hour still moves the window: the 24 clock hours end with it, whatever its state."""
        engine = open_engine(FakeOpenCost(blind={NEWEST + HOUR}))
        engine.ask_due()
        engine.measuring.live.refresh(now=NOW)
        engine.ask_due(NOW + HOUR)

        engine.measuring.live.refresh(now=NOW + HOUR)

        live = engine.collections.live(CLUSTER)
        assert live is not None
        assert live.window == Window.of_hours(NEWEST + 2 * HOUR, 24)
        assert len(live.observed) == 23

    def test_it_covers_its_own_window_only(self, open_engine: OpenEngine) -> None:
        """Whoever wants exactly its 24 hours may take it, for others the hours are read."""
        engine = open_engine(FakeOpenCost())
        engine.ask_due()
        engine.measuring.live.refresh(now=NOW)

        assert engine.measuring.live.covering(last(24)) is not None
        assert engine.measuring.live.covering(Window.of_hours(NEWEST, 24)) is None

    def test_an_outdated_fold_covers_nothing(self, open_engine: OpenEngine) -> None:
        """A function killed between storing an hour anew and folding leaves a fold that nobody takes for the hours."""
        engine = open_engine(FakeOpenCost())
        engine.ensure(NEWEST)
        engine.measuring.live.refresh(now=NOW)
        engine.database.execute("UPDATE collections SET asked_at = %s WHERE kind = 'hour'", [NOW + MINUTE])

        assert engine.measuring.live.covering(last(24)) is None
