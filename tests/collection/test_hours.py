"""Which hours are asked, and that each is asked once."""

from datetime import UTC, datetime, timedelta

import pytest

from costintel.collection.due import owed_hours
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused, OpenCostTimeout
from tests.collection.conftest import OpenEngine
from tests.collection.engine import HOUR, NEWEST, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life

MINUTE = timedelta(minutes=1)


class TestOwedHours:
    """The rule of what is asked without anyone having asked."""

    def test_first_start_asks_the_newest_24(self) -> None:
        """Without any known hour the newest 24 closed hours are owed, newest first."""
        assert owed_hours(None, NOW) == [NEWEST - HOUR * number for number in range(24)]

    def test_an_hour_is_owed_ten_minutes_after_its_end(self) -> None:
        """The hour from 11:00 is not owed at 12:09 and is at 12:10."""
        ten_past = datetime(2026, 11, 30, 12, 10, tzinfo=UTC)

        assert owed_hours(NEWEST - HOUR, ten_past - MINUTE) == []
        assert owed_hours(NEWEST - HOUR, ten_past) == [NEWEST]

    def test_every_hour_since_the_last_one(self) -> None:
        """Three hours after the last known one three are owed."""
        assert owed_hours(NEWEST - 3 * HOUR, NOW) == [NEWEST, NEWEST - HOUR, NEWEST - 2 * HOUR]

    def test_never_more_than_48(self) -> None:
        """After a week away only the newest 48 are owed."""
        owed = owed_hours(NEWEST - 168 * HOUR, NOW)

        assert owed == [NEWEST - HOUR * number for number in range(48)]


class TestAskingOnce:
    """One call per hour."""

    def test_hours_are_asked_newest_first_and_stored(self, open_engine: OpenEngine) -> None:
        """The first run asks 24 hours, newest first, each as one window of an hour."""
        opencost = FakeOpenCost()

        outcome = open_engine(opencost).ask_due()

        assert opencost.calls == [Window(NEWEST - n * HOUR, NEWEST - (n - 1) * HOUR) for n in range(24)]
        assert outcome.asked == tuple(NEWEST - n * HOUR for n in range(24))

    def test_a_stored_hour_is_not_asked_again(self, open_engine: OpenEngine) -> None:
        """Another environment that needs the same hours finds them stored."""
        first, second = FakeOpenCost(), FakeOpenCost()
        open_engine(first).ask_due()

        outcome = open_engine(second).ensure(NEWEST, NEWEST - HOUR)

        assert (second.calls, outcome.asked, outcome.left) == ([], (), ())

    def test_an_hour_that_is_not_over_is_not_asked(self, open_engine: OpenEngine) -> None:
        """The running hour, and one that ended nine minutes ago, wait."""
        opencost = FakeOpenCost()

        open_engine(opencost).ensure(NEWEST + HOUR, NEWEST, now=NEWEST + HOUR + 9 * MINUTE)

        assert opencost.calls == []

    def test_a_sync_may_ask_for_older_hours(self, open_engine: OpenEngine) -> None:
        """An hour older than anything owed is asked when somebody needs it."""
        opencost = FakeOpenCost()
        old = NEWEST - 100 * HOUR

        open_engine(opencost).ensure(old)

        assert opencost.hours == [old]

    def test_a_killed_first_start_is_taken_up_again(self, open_engine: OpenEngine) -> None:
        """Of the 24 owed hours those that a killed function did not reach are still owed, though newer ones are stored."""
        opencost = FakeOpenCost()

        def die_at_the_third(window: Window) -> None:
            if window.start == NEWEST - 2 * HOUR:
                raise KeyboardInterrupt

        opencost.before = die_at_the_third
        with pytest.raises(KeyboardInterrupt):
            open_engine(opencost).ask_due()
        resumed = FakeOpenCost()

        open_engine(resumed).ask_due(NOW + 3 * MINUTE)

        assert sorted(resumed.hours, reverse=True) == [NEWEST - n * HOUR for n in range(2, 24)]

    def test_no_call_without_time_for_its_timeout(self, open_engine: OpenEngine) -> None:
        """With less than the read timeout and ten seconds left nothing is asked, and everything stays owed."""
        opencost = FakeOpenCost()
        engine = open_engine(opencost, read_timeout_seconds=240)

        outcome = engine.ask_due(seconds=249)

        assert opencost.calls == []
        assert len(outcome.left) == 24

    def test_a_call_with_just_enough_time(self, open_engine: OpenEngine) -> None:
        """With a little more than that the calls are made."""
        opencost = FakeOpenCost()

        open_engine(opencost, read_timeout_seconds=240).ask_due(seconds=260)

        assert len(opencost.calls) == 24

    def test_nobody_waits_for_the_lease(self, open_engine: OpenEngine) -> None:
        """While somebody else talks to OpenCost the hours are left, without a call."""
        opencost = FakeOpenCost()
        engine = open_engine(opencost)
        assert engine.leases.acquire("local", "somebody", 60) is not None

        outcome = engine.ask_due()

        assert opencost.calls == []
        assert len(outcome.left) == 24

    def test_the_lease_is_given_back(self, open_engine: OpenEngine) -> None:
        """After a conversation the next one begins at once."""
        engine = open_engine(FakeOpenCost())
        engine.ask_due()

        assert engine.leases.acquire("local", "somebody", 60) is not None

    def test_a_lost_lease_stores_nothing_more(self, open_engine: OpenEngine) -> None:
        """Whose lease went to somebody else during a call does not store that call's answer."""
        opencost = FakeOpenCost()
        engine = open_engine(opencost)

        def lose(_: Window) -> None:
            engine.database.execute("UPDATE leases SET fence = fence + 1, holder = 'somebody'")

        opencost.before = lose

        outcome = engine.ensure(NEWEST)

        assert outcome.asked == ()
        assert engine.headers() == {}


class TestFailures:
    """OpenCost fails; nothing is stored, nothing forgotten."""

    def test_a_refusal_stores_nothing_and_is_tried_again(self, open_engine: OpenEngine) -> None:
        """The hour is asked again a minute later, then two, then four minutes after that."""
        opencost = FakeOpenCost(failing=OpenCostRefused("HTTP 500"))
        engine = open_engine(opencost)
        waits = []
        now = NOW

        for _ in range(7):
            engine.ensure(NEWEST, now=now)
            due = engine.owed()[NEWEST].not_before
            waits.append((due - now) / MINUTE)
            now = due

        assert waits == [1, 2, 4, 8, 16, 30, 30]
        assert engine.headers() == {}
        assert len(opencost.calls) == 7

    def test_a_failed_hour_is_not_asked_before_its_time(self, open_engine: OpenEngine) -> None:
        """Whoever else needs the hour does not ask either."""
        opencost = FakeOpenCost(failing=OpenCostRefused("HTTP 500"))
        engine = open_engine(opencost)
        engine.ensure(NEWEST)

        engine.ensure(NEWEST, now=NOW + 59 * timedelta(seconds=1))

        assert len(opencost.calls) == 1

    def test_the_reason_is_kept_for_the_operator(self, open_engine: OpenEngine) -> None:
        """The row of `work` says why and how often."""
        engine = open_engine(FakeOpenCost(failing=OpenCostRefused("/allocation: answered with HTTP 500")))
        engine.ensure(NEWEST)

        item = engine.owed()[NEWEST]

        assert (item.attempts, item.last_error) == (1, "/allocation: answered with HTTP 500")

    def test_two_refusals_in_a_row_end_the_conversation(self, open_engine: OpenEngine) -> None:
        """OpenCost is ill, not the hour: the other 22 hours are not tried in this run."""
        opencost = FakeOpenCost(failing=OpenCostRefused("HTTP 500"))

        outcome = open_engine(opencost).ask_due()

        assert len(opencost.calls) == 2
        assert (len(outcome.failed), len(outcome.left)) == (2, 22)

    def test_one_bad_hour_does_not_hold_up_the_others(self, open_engine: OpenEngine) -> None:
        """An hour that OpenCost never answers leaves the 23 others to be stored."""
        opencost = FakeOpenCost(failing_at={NEWEST - 5 * HOUR: OpenCostRefused("HTTP 500")})
        engine = open_engine(opencost)

        engine.ask_due()

        assert set(engine.headers()) == {NEWEST - n * HOUR for n in range(24) if n != 5}

    def test_recovery_wakes_everything_that_failed(self, open_engine: OpenEngine) -> None:
        """Once an hour is answered, those that failed before are asked in the same run, before their time."""
        opencost = FakeOpenCost(failing=OpenCostRefused("HTTP 500"))
        engine = open_engine(opencost)
        engine.ensure(NEWEST, NEWEST - HOUR)
        engine.ensure(NEWEST, NEWEST - HOUR, now=NOW + MINUTE)
        opencost.failing = None

        engine.ensure(NEWEST - 2 * HOUR, now=NOW + MINUTE)

        assert set(engine.headers()) == {NEWEST, NEWEST - HOUR, NEWEST - 2 * HOUR}
        assert engine.owed() == {}

    def test_48_hours_of_failing_make_an_hour_missing(self, open_engine: OpenEngine) -> None:
        """Then the hour is stored as missing, which ends the waiting for it, and is never asked again."""
        opencost = FakeOpenCost(failing=OpenCostRefused("HTTP 500"))
        engine = open_engine(opencost)
        engine.ensure(NEWEST)
        engine.ensure(NEWEST, now=NOW + 47 * HOUR)
        assert engine.states() == {}

        engine.ensure(NEWEST, now=NOW + 48 * HOUR)

        assert engine.states() == {NEWEST: "missing"}
        calls = len(opencost.calls)
        engine.ensure(NEWEST, now=NOW + 49 * HOUR)
        assert len(opencost.calls) == calls


class TestTimeouts:
    """OpenCost goes on computing after a timeout: it is left alone, then asked for less."""

    def test_the_lease_stays_closed_as_long_as_the_call_ran(self, open_engine: OpenEngine) -> None:
        """Right after a timeout nobody may begin a conversation; the closed time is that of the call."""
        engine = open_engine(FakeOpenCost(failing=OpenCostTimeout("no answer")))
        engine.database.execute("SELECT 1")

        engine.ensure(NEWEST)

        closed = engine.database.execute(
            "SELECT FROM leases WHERE holder = '' AND expires_at > now() - interval '1 second'"
        )
        assert closed == 1

    def test_the_next_attempt_asks_for_half(self, open_engine: OpenEngine) -> None:
        """60, then 30, then 15 minutes, and not less."""
        opencost = FakeOpenCost(failing=OpenCostTimeout("no answer"))
        engine = open_engine(opencost)
        now = NOW

        for _ in range(5):
            engine.ensure(NEWEST, now=now)
            now += HOUR

        assert [window.hours * 60 for window in opencost.calls] == [60, 30, 15, 15, 15]

    def test_a_timeout_ends_the_conversation(self, open_engine: OpenEngine) -> None:
        """No other hour is asked while OpenCost still computes."""
        opencost = FakeOpenCost(failing=OpenCostTimeout("no answer"))

        outcome = open_engine(opencost).ask_due()

        assert len(opencost.calls) == 1
        assert len(outcome.left) == 23

    def test_slices_add_up_to_the_hour(self, open_engine: OpenEngine) -> None:
        """Two half hours of a container that costs 0.04 an hour are an hour that cost 0.04."""
        opencost = FakeOpenCost(failing=OpenCostTimeout("no answer"), lives=[Life(hourly_cost=0.04)])
        engine = open_engine(opencost)
        engine.ensure(NEWEST)
        opencost.failing = None

        engine.ensure(NEWEST, now=NOW + HOUR)

        half = NEWEST + HOUR / 2
        assert opencost.calls[1:] == [Window(NEWEST, half), Window(half, NEWEST + HOUR)]
        (_, _, rows), *others = engine.collections.namespace_rows("local", Window(NEWEST, NEWEST + HOUR), None)
        assert others == []
        assert [(row.minutes, round(row.cpu_cost, 9)) for row in rows] == [(60.0, 0.04)]
        assert engine.states() == {NEWEST: "good"}

    def test_slices_already_answered_are_kept(self, open_engine: OpenEngine) -> None:
        """When the second half fails, the first is not asked again, not even by another environment."""
        second_half = NEWEST + HOUR / 2
        opencost = FakeOpenCost(failing=OpenCostTimeout("no answer"))
        engine = open_engine(opencost)
        engine.ensure(NEWEST)
        opencost.failing, opencost.failing_at = None, {second_half: OpenCostRefused("HTTP 500")}
        engine.ensure(NEWEST, now=NOW + HOUR)
        other = FakeOpenCost()

        open_engine(other).ensure(NEWEST, now=NOW + 2 * HOUR)

        assert other.hours == [second_half]
        assert engine.headers()[NEWEST].running_rows == 1
        assert engine.work.all("local", "slice") == []

    def test_quarters_after_half_an_hour_failed(self, open_engine: OpenEngine) -> None:
        """What the kept half leaves open is asked in quarters."""
        second_half = NEWEST + HOUR / 2
        opencost = FakeOpenCost(failing=OpenCostTimeout("no answer"))
        engine = open_engine(opencost)
        engine.ensure(NEWEST)
        opencost.failing, opencost.failing_at = None, {second_half: OpenCostTimeout("no answer")}
        engine.ensure(NEWEST, now=NOW + HOUR)
        opencost.failing_at = {}
        opencost.calls.clear()

        engine.ensure(NEWEST, now=NOW + 2 * HOUR)

        quarter = HOUR / 4
        assert opencost.calls == [
            Window(second_half, second_half + quarter),
            Window(second_half + quarter, NEWEST + HOUR),
        ]

    def test_a_function_killed_twice_in_a_call_asks_for_less(self, open_engine: OpenEngine) -> None:
        """Who dies in the answer of an hour twice (too big, say) gets half of it the third time, after a growing wait."""
        opencost = FakeOpenCost()

        def die(_: Window) -> None:
            raise KeyboardInterrupt

        opencost.before = die
        for number in range(3):
            with pytest.raises(KeyboardInterrupt):
                open_engine(opencost).ensure(NEWEST, now=NOW + number * HOUR)

        assert [window.hours for window in opencost.calls] == [1.0, 1.0, 0.5]
