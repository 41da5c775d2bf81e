"""VerticalPodAutoscalers of the sample, and HorizontalPodAutoscalers."""

import json
from decimal import Decimal
from typing import Any

import pytest

from costintel.cluster.autoscalers import read_hpa, read_vpa
from costintel.cost.live import ContainerAmounts, HpaTarget, LiveVpa, WorkloadRef
from tests.cluster.objects import CREATED, SAMPLES

VPAS: dict[str, LiveVpa] = {
    item["metadata"]["name"]: read_vpa(item)
    for item in json.loads((SAMPLES / "kubernetes/vpa-list.json").read_bytes())["items"]
}


def hpa(*metrics: dict[str, Any], **spec: Any) -> dict[str, Any]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return {
        "metadata": {"name": "web", "namespace": "shop", "creationTimestamp": CREATED},
        "spec": {"scaleTargetRef": target, "metrics": list(metrics), **spec},
    }


def resource_metric(name: str, **target: Any) -> dict[str, Any]:
    return {"type": "Resource", "resource": {"name": name, "target": target}}


def test_all_of_the_sample_can_be_read() -> None:
    """Seventeen objects, whatever is missing in them."""
    assert len(VPAS) == 17


def test_a_recommendation_in_exact_units() -> None:
    """Cores and bytes, for each container."""
    web = VPAS["shop-web"]

    assert web.target == WorkloadRef(api_version="apps/v1", kind="Deployment", name="shop-web")
    assert [one.container for one in web.recommendations] == ["envoy", "web"]
    assert web.recommendations[0].target == ContainerAmounts(cpu_cores=Decimal("0.023"), ram_bytes=Decimal(131072000))
    assert web.recommendations[0].uncapped == ContainerAmounts(cpu_cores=Decimal("0.023"), ram_bytes=Decimal(97517568))
    assert web.recommendations[1].lower == ContainerAmounts(cpu_cores=Decimal("0.025"), ram_bytes=Decimal(247917233))
    assert web.recommendations[1].upper == ContainerAmounts(cpu_cores=Decimal("0.137"), ram_bytes=Decimal(561393834))


@pytest.mark.parametrize(
    ("name", "cpu_cores", "ram_bytes"),
    [
        ("web", "1", "1610612736"),
        ("milli-bytes", "0.011", "1717986918.4"),
        ("memory-only", None, "262144000"),
        ("pg", "1.643", "3564583938"),
    ],
)
def test_awkward_targets(name: str, cpu_cores: str | None, ram_bytes: str) -> None:
    """Decimals, milli-bytes, and one that recommends memory alone: its CPU is not known, not zero."""
    target = VPAS[name].recommendations[0].target

    assert target.cpu_cores == (None if cpu_cores is None else Decimal(cpu_cores))
    assert target.ram_bytes == Decimal(ram_bytes)


@pytest.mark.parametrize(
    ("name", "mode", "is_managed"),
    [
        ("shop-web", "Off", False),
        ("mode-missing", "", True),
        ("mode-auto", "Auto", True),
        ("mode-initial", "Initial", True),
        ("mode-recreate", "Recreate", True),
        ("mode-inplaceorrecreate", "InPlaceOrRecreate", True),
        ("mode-inplace-new", "InPlace", True),
    ],
)
def test_every_mode_but_off_manages(name: str, mode: str, is_managed: bool) -> None:
    """A missing mode means Recreate, and so may one we do not know."""
    assert (VPAS[name].update_mode, VPAS[name].is_managed) == (mode, is_managed)


@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        ("shop-worker-unsettled", ("LowConfidence", "RecommendationProvided")),
        ("no-pods", ("NoPodsMatched",)),
        ("unsupported-target", ("ConfigUnsupported",)),
        ("no-status-yet", ()),
        ("goldilocks-shop-web-admin", ()),
    ],
)
def test_conditions_that_hold(name: str, conditions: tuple[str, ...]) -> None:
    """Those with the status True."""
    assert VPAS[name].conditions == conditions


@pytest.mark.parametrize("name", ["no-status-yet", "no-pods", "unsupported-target", "goldilocks-shop-web-admin"])
def test_no_recommendation(name: str) -> None:
    """Without a status, without one in it, and an empty one."""
    assert VPAS[name].recommendations == ()


def test_a_target_without_api_version() -> None:
    """It may be missing."""
    assert VPAS["unsupported-target"].target == WorkloadRef(
        api_version="", kind="Deployment", name="apiversion-omitted"
    )


def test_policies() -> None:
    """Bounds of one container, another rule for the rest, and one that controls memory alone."""
    bounded, rest = VPAS["pg"].policies
    (memory,) = VPAS["memory-only"].policies

    assert (bounded.container, bounded.is_off, bounded.resources) == ("postgresql", False, None)
    assert bounded.controlled_values == "RequestsOnly"
    assert bounded.least == ContainerAmounts(cpu_cores=Decimal("0.25"), ram_bytes=Decimal(1024**3))
    assert bounded.most == ContainerAmounts(cpu_cores=Decimal(2), ram_bytes=Decimal(8 * 1024**3))
    assert (rest.container, rest.is_off) == ("*", True)
    assert (memory.container, memory.resources) == ("pgpool", ("memory",))


def test_an_hpa_on_cpu_and_memory() -> None:
    """A share of the request is a target that a smaller request would move; replicas are told."""
    metrics = (
        resource_metric("cpu", type="Utilization", averageUtilization=70),
        resource_metric("memory", type="AverageValue", averageValue="500Mi"),
        {"type": "External", "external": {"metric": {"name": "queue"}}},
    )
    live = read_hpa({**hpa(*metrics, minReplicas=2, maxReplicas=8), "status": {"currentReplicas": 3}})

    assert live.targets == (
        HpaTarget(resource="cpu", container="", percent=70),
        HpaTarget(resource="memory", container="", percent=None),
    )
    assert (live.min_replicas, live.max_replicas, live.current_replicas) == (2, 8, 3)
    assert live.target == WorkloadRef(api_version="apps/v1", kind="Deployment", name="web")


def test_an_hpa_on_one_container() -> None:
    """It names the container."""
    metric = {
        "type": "ContainerResource",
        "containerResource": {"name": "cpu", "container": "web", "target": {"averageUtilization": 60}},
    }

    assert read_hpa(hpa(metric)).targets == (HpaTarget(resource="cpu", container="web", percent=60),)


def test_an_hpa_without_a_status() -> None:
    """Replicas are not known, not zero."""
    live = read_hpa(hpa())

    assert (live.min_replicas, live.max_replicas, live.current_replicas, live.targets) == (None, None, None, ())
