"""What a sync changed, taken apart (design 5.5)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costintel.cost.change import ControllerUse, change, controller_uses
from costintel.cost.container import container_cost
from tests.cost.rows import row

WEB = ("shop", "deployment", "web")
MONTH = 720 / 24


def use(
    *, pods: float, cores: float, price: float, controller: tuple[str, str, str] = WEB, **flat: float
) -> ControllerUse:
    """Return a day of `pods` pods with `cores` each at `price` a core-hour."""
    core_hours = pods * 24 * cores
    return ControllerUse(
        controller=controller,
        pod_hours=pods * 24,
        allocated={"cpu": core_hours, "ram": 0.0, "gpu": 0.0},
        cost={"cpu": core_hours * price, "ram": 0.0, "gpu": 0.0},
        **flat,
    )


def test_replicas_size_and_price_by_hand() -> None:
    """Replicas 2 to 3, request 0.5 to 0.3 cores, price 0.04 to 0.044: +14.40, -17.28 and +2.592 a month, -0.288 together.

    Before: 2 x 0.5 x 0.04 x 720 = 28.80. Replicas: 1 x 0.5 x 0.04 x 720 = 14.40. Size: 3 x (-0.2) x 0.04 x 720 = -17.28. Price:
    3 x 0.3 x 0.004 x 720 = 2.592. After: 3 x 0.3 x 0.044 x 720 = 28.512.
    """
    result = change([use(pods=2, cores=0.5, price=0.04)], [use(pods=3, cores=0.3, price=0.044)], scales=(MONTH, MONTH))

    assert result.parts.replicas == pytest.approx(14.40)
    assert result.parts.size == pytest.approx(-17.28)
    assert result.parts.price == pytest.approx(2.592)
    assert result.parts.total == pytest.approx(28.512 - 28.80)


def test_controllers_that_come_and_go_count_whole() -> None:
    """A new controller is added with all its compute cost, a vanished one removed with all of it."""
    old = use(pods=1, cores=1.0, price=0.04, controller=("shop", "deployment", "old"))
    new = use(pods=1, cores=2.0, price=0.04, controller=("shop", "deployment", "new"))
    parts = change([old], [new], scales=(MONTH, MONTH)).parts

    assert parts.removed == pytest.approx(-28.80)
    assert parts.added == pytest.approx(57.60)
    assert (parts.replicas, parts.size, parts.price) == (0.0, 0.0, 0.0)


def test_storage_network_and_load_balancers_are_their_own_parts() -> None:
    """What is not compute is compared as it is."""
    before = use(pods=1, cores=1.0, price=0.04, storage=1.0, network=0.5)
    after = use(pods=1, cores=1.0, price=0.04, storage=3.0, load_balancer=0.6)
    parts = change([before], [after], scales=(MONTH, MONTH)).parts

    assert parts.storage == pytest.approx(60.0)
    assert parts.network == pytest.approx(-15.0)
    assert parts.load_balancer == pytest.approx(18.0)


def test_windows_of_different_measured_hours_compare_as_rates() -> None:
    """Twelve measured hours of an unchanged workload are no saving."""
    half = ControllerUse(
        controller=WEB,
        pod_hours=24,
        allocated={"cpu": 12.0, "ram": 0.0, "gpu": 0.0},
        cost={"cpu": 0.48, "ram": 0.0, "gpu": 0.0},
    )
    result = change([use(pods=2, cores=0.5, price=0.04)], [half], scales=(720 / 24, 720 / 12))

    assert result.parts.total == pytest.approx(0.0, abs=1e-9)
    assert result.parts.replicas == pytest.approx(0.0, abs=1e-9)


def test_a_controller_that_allocated_nothing_before_grew_in_size() -> None:
    """Without an allocation there is no price to compare: the difference is size."""
    parts = change(
        [use(pods=1, cores=0.0, price=0.0)], [use(pods=1, cores=1.0, price=0.04)], scales=(MONTH, MONTH)
    ).parts

    assert parts.size == pytest.approx(28.80)
    assert parts.price == 0.0


def test_pods_of_a_controller_are_counted_once_each() -> None:
    """Two containers of one pod are one pod-hour, two pods are two; a bare pod stands for itself."""
    rows = [
        row(pod="web-5c9d8f7b6d-aaaaa", container="web", cpu_core_hours=0.25, cpu_cost=0.01),
        row(pod="web-5c9d8f7b6d-aaaaa", container="proxy", cpu_core_hours=0.05, cpu_cost=0.002),
        row(pod="web-5c9d8f7b6d-bbbbb", container="web", cpu_core_hours=0.25, cpu_cost=0.01),
        row(pod="toolbox", container="shell", controller="", controller_kind=""),
    ]
    web, toolbox = controller_uses(map(container_cost, rows))

    assert (web.controller, web.pod_hours) == (WEB, 2.0)
    assert web.allocated["cpu"] == pytest.approx(0.55)
    assert toolbox.controller == ("shop", "pod", "toolbox")


_AMOUNT = st.one_of(st.just(0.0), st.floats(1e-6, 1e4))
_USES = st.lists(
    st.builds(
        ControllerUse,
        controller=st.sampled_from([("a", "deployment", name) for name in "pqrs"]),
        pod_hours=_AMOUNT,
        allocated=st.fixed_dictionaries(dict.fromkeys(("cpu", "ram", "gpu"), _AMOUNT)),
        cost=st.fixed_dictionaries(dict.fromkeys(("cpu", "ram", "gpu"), _AMOUNT)),
        storage=_AMOUNT,
        network=_AMOUNT,
        load_balancer=_AMOUNT,
    ),
    unique_by=lambda one: one.controller,
    max_size=4,
)


def monthly(uses: list[ControllerUse], scale: float) -> float:
    return scale * math.fsum(
        math.fsum(one.cost.values()) + one.storage + one.network + one.load_balancer for one in uses
    )


@given(before=_USES, after=_USES)
def test_the_parts_add_up_to_the_difference(before: list[ControllerUse], after: list[ControllerUse]) -> None:
    """Whatever the two windows hold, the causes add up to the difference of the monthly costs."""
    parts = change(before, after, scales=(30.0, 60.0)).parts

    assert parts.total == pytest.approx(monthly(after, 60.0) - monthly(before, 30.0), rel=1e-6, abs=1e-3)
