"""Usage and idle of the recorded hours against what truly happened in them."""

from datetime import datetime
from math import fsum

import pytest

from costintel.cost.container import container_cost
from tests.opencost.entries import rows_of
from tests.opencost.recordings import (
    FIRST_HOUR,
    UNTOUCHED_HOURS,
    day_answer,
    hour,
    hour_answer,
    hour_rows,
    name_of,
    recorded_json,
)

_NEW = "1.120.2"


@pytest.mark.parametrize("start", UNTOUCHED_HOURS, ids=name_of)
def test_used_cpu_is_the_truth(start: datetime) -> None:
    """T41: usage average x window hours, summed, is within 1 % of what the cluster used."""
    truth = recorded_json("truth.json")[name_of(start)]
    used = fsum(row.cpu_core_hours_used or 0 for row in rows_of(hour_answer(_NEW, start)))
    assert used == pytest.approx(fsum(one["cpu_core_hours_used"] for one in truth.values()), rel=0.01)


@pytest.mark.parametrize("start", ["2026-11-30T05Z", "2026-11-30T07Z"])
def test_ten_missing_minutes_of_cadvisor_cannot_be_told(start: str) -> None:
    """T45: usage reads 16 to 18 % low although every row of more than ten minutes has some: a known weakness."""
    rows = rows_of(hour_answer(_NEW, hour(start)))
    truth = fsum(one["cpu_core_hours_used"] for one in recorded_json("truth.json")[start].values())
    assert 0.155 <= 1 - fsum(row.cpu_core_hours_used or 0 for row in rows) / truth <= 0.18
    assert all(row.cpu_core_hours_used is not None for row in rows if row.minutes > 10)


def test_the_silent_hour_has_no_usage_and_right_costs() -> None:
    """I12, T44: usage unknown on every row that ran, idle "at least", costs as in the hour after."""
    rows = [row for row in rows_of(hour_answer(_NEW, hour("2026-11-30T06Z"))) if row.running]
    assert {(row.cpu_core_hours_used, row.ram_byte_hours_used) for row in rows} == {(None, None)}
    folded = [container_cost(row) for row in rows if row.cpu_core_hours_requested]
    assert not any(one.idle_complete or one.idle_cpu_cost or one.idle_ram_cost for one in folded)
    after = hour_rows(_NEW, hour("2026-11-30T07Z"))
    node_daemon = next(row for row in rows if row.namespace == "kube-system")
    assert node_daemon.cpu_cost == pytest.approx(after[node_daemon.key].cpu_cost, rel=0.01)


def test_a_job_that_was_busy_is_not_idle() -> None:
    """I8: 10 minutes at a request of 1 and a usage average of 0.1715 an hour: used more than 0.16667, idle 0."""
    rows = rows_of(hour_answer(_NEW, hour("2026-11-29T02Z")))
    row = next(one for one in rows if one.controller == "nightly")
    assert row.cpu_cost == pytest.approx(0.00527, abs=5e-6)
    assert row.cpu_core_hours_used == pytest.approx(0.1715)
    assert row.cpu_core_hours_requested == pytest.approx(1 / 6)
    assert container_cost(row).idle_cpu_cost == 0


def test_a_pod_that_ran_twenty_minutes_is_half_idle() -> None:
    """I9: used 0.03877 of 0.08333 core-hours: idle share 0.5348 of 0.00263 is 0.00141."""
    row = hour_rows(_NEW, hour("2026-11-28T10Z"))["shop", "web-5c9d8f7b6d-aaaaa", "web"]
    folded = container_cost(row)
    assert (row.cpu_core_hours_used, row.cpu_core_hours_requested) == pytest.approx((0.03877, 0.25 / 3))
    assert folded.idle_cpu_cost / folded.cpu_cost == pytest.approx(0.5348, abs=1e-4)
    assert folded.idle_cpu_cost == pytest.approx(0.00141, abs=5e-6)


@pytest.mark.parametrize(("controller", "efficiency"), [("desk", 0.22938), ("nightly", 1.0296)])
def test_efficiency_is_of_the_hours_it_ran(controller: str, efficiency: float) -> None:
    """I10, I11: OpenCost says 0.11469 for twelve hours of a day and 0.00715 for a busy nightly job."""
    rows = rows_of(day_answer(_NEW, FIRST_HOUR))
    folded = container_cost(next(row for row in rows if row.controller == controller))
    found = folded.cpu_core_hours_used / folded.cpu_core_hours_requested
    assert found == pytest.approx(efficiency, abs=1e-3)
