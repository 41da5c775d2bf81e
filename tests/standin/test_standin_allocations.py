"""What `/allocation` says of clusters small enough to work out by hand."""

import json
from dataclasses import replace

import pytest

from local.standin import (
    BYTES_PER_GIB,
    LoadBalancer,
    Outage,
    Owner,
    PriceStep,
    Service,
    Source,
    SteadyUsage,
    Traffic,
    Volume,
    Workload,
)
from tests.standin.small_cluster import (
    DAY,
    HOUR,
    LONG_AGO,
    ask,
    at,
    cluster,
    container,
    deployed,
    node,
    pod,
    rows,
    sets,
)


def volume(name: str, *, namespace: str = "", claim: str = "", gib: float = 100) -> Volume:
    return Volume(
        name=name,
        namespace=namespace,
        claim=claim,
        capacity_bytes=gib * BYTES_PER_GIB,
        gib_hourly_price=0.0001,
        provider_id=f"vol-{name}",
        start_seconds=LONG_AGO,
    )


def test_a_container_costs_the_greater_of_request_and_use() -> None:
    """One core requested and half of it used costs 0.04; 0.2 requested and 0.5 used costs 0.02; 2 GiB cost 0.01."""
    model = cluster(pod("web-1"), pod("web-2", containers=(container(cores=0.2, used=0.5),)))
    answered = rows(model, window=HOUR)

    first, second = answered["small/node-a/shop/web-1/main"], answered["small/node-a/shop/web-2/main"]
    assert (first["cpuCost"], first["ramCost"], first["totalCost"]) == (0.04, 0.01, 0.05)
    assert (second["cpuCoreHours"], second["cpuCost"], second["cpuEfficiency"]) == (0.5, 0.02, 2.5)


def test_cpu_usage_is_averaged_over_the_window_not_the_life() -> None:
    """Half an hour at 0.5 cores reads 0.25 in the hour, while requests are averages of the life (trap T41)."""
    model = cluster(pod("web-1", start_seconds=at("10:30:00")))
    row = rows(model, window=HOUR)["small/node-a/shop/web-1/main"]

    assert (row["minutes"], row["cpuCoreRequestAverage"], row["cpuCoreHours"]) == (30, 1, 0.5)
    assert row["cpuCoreUsageAverage"] == pytest.approx(0.25, rel=0.01)


def test_merging_takes_the_hull_and_weights_averages() -> None:
    """A pod of 15 minutes and one of 30 that ends the hour: hull 60, request (15 + 30) / 60, cost the sum."""
    model = cluster(
        pod("one", start_seconds=LONG_AGO, end_seconds=at("10:15:00")), pod("two", start_seconds=at("10:30:00"))
    )
    row = rows(model, window=HOUR, aggregate="namespace")["shop"]

    assert (row["minutes"], row["cpuCoreRequestAverage"], row["cpuCoreHours"]) == (60, 0.75, 0.75)
    assert row["cpuCost"] == 0.03


def test_pods_of_one_name_are_one_row() -> None:
    """A restarted StatefulSet pod spans its gap (trap T18)."""
    model = cluster(pod("db-0", end_seconds=at("10:12:00")), pod("db-0", start_seconds=at("10:40:00")))

    assert rows(model, window=HOUR)["small/node-a/shop/db-0/main"]["minutes"] == 60


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        (deployed("api-6b7c8d9f5b", "Rollout"), ("rollout", "api-6b7c8d9f5b")),
        (Owner(kind="ReplicaSet", name="alone-5c9d"), ("replicaset", "alone-5c9d")),
        (Owner(kind="Job", name="nightly-29930520"), ("job", "nightly")),
        (Owner(kind="Job", name="seed"), ("job", "seed")),
        (Owner(kind="DaemonSet", name="agent"), ("daemonset", "agent")),
        (Owner(kind="Node", name="node-a"), (None, None)),
        (None, (None, None)),
    ],
)
def test_owners_become_controllers(owner: Owner | None, expected: tuple[str | None, str | None]) -> None:
    """A Rollout goes by its ReplicaSet, a CronJob's Job loses its digits, static and bare pods have none."""
    properties = rows(cluster(pod("one", owner=owner)), window=HOUR)["small/node-a/shop/one/main"]["properties"]

    assert (properties.get("controllerKind"), properties.get("controller")) == expected


def test_selectors_find_deployments_and_stateful_sets() -> None:
    """OpenCost matches labels, not owners; a StatefulSet overrides a Deployment."""
    labels = {"app.kubernetes.io/name": "web"}
    deployment = Workload(kind="Deployment", namespace="shop", name="web", selector=labels)
    stateful = Workload(kind="StatefulSet", namespace="shop", name="web-state", selector=labels)
    one = pod("web-1", labels=labels, owner=deployed("web-5c9d"))

    single = rows(cluster(one, workloads=(deployment,)), window=HOUR)["small/node-a/shop/web-1/main"]["properties"]
    both = rows(cluster(one, workloads=(deployment, stateful)), window=HOUR)["small/node-a/shop/web-1/main"][
        "properties"
    ]

    assert (single["controllerKind"], single["controller"]) == ("deployment", "web")
    assert (both["controllerKind"], both["controller"]) == ("statefulset", "web-state")
    assert single["labels"]["app_kubernetes_io_name"] == "web"


def test_an_unmounted_claim_stretches_its_namespace() -> None:
    """A namespace of 20 minutes with a claimed volume nobody mounts shows 60 (trap T11)."""
    model = cluster(
        pod("web-1", start_seconds=at("10:40:00")), volumes=(volume("pv-1", namespace="shop", claim="old"),)
    )
    answered = rows(model, window=HOUR)

    assert answered["small//shop/shop-unmounted-pvcs/__unmounted__"]["pvCost"] == 0.01
    assert rows(model, window=HOUR, aggregate="namespace")["shop"]["minutes"] == 60


def test_a_mounted_volume_is_shared_by_its_pods() -> None:
    """Two pods mount 100 GiB at 0.0001 for the whole hour: 0.005 each, split over their containers."""
    both = (container("a"), container("b"))
    model = cluster(
        pod("one", claims=("shared",)),
        pod("two", claims=("shared",), containers=both),
        volumes=(volume("pv-1", namespace="shop", claim="shared"),),
    )
    costs = {key.split("/", 3)[3]: row["pvCost"] for key, row in rows(model, window=HOUR).items()}

    assert costs == {"one/main": 0.005, "two/a": 0.0025, "two/b": 0.0025}


def test_the_time_nobody_mounts_a_volume_is_left_to_its_namespace() -> None:
    """A pod that mounts it for 30 of 60 minutes pays half."""
    model = cluster(
        pod("one", claims=("mine",), start_seconds=at("10:30:00")),
        volumes=(volume("pv-1", namespace="shop", claim="mine"),),
    )
    answered = rows(model, window=HOUR)

    assert answered["small/node-a/shop/one/main"]["pvCost"] == 0.005
    assert answered["small//shop/shop-unmounted-pvcs/__unmounted__"]["pvCost"] == 0.005


def test_a_load_balancer_costs_a_resolution_too_much_and_is_spread_by_hours() -> None:
    """65 minutes at 0.024 an hour, 0.026, over pods of 60 and 30 minutes: 0.01733 and 0.00867 (trap T31)."""
    labels = {"app": "web"}
    model = cluster(
        pod("one", labels=labels),
        pod("two", labels=labels, start_seconds=at("10:30:00")),
        services=(Service(namespace="shop", name="web", selector=labels),),
        load_balancers=(
            LoadBalancer(namespace="shop", service="web", ip="203.0.113.1", hourly_price=0.024, start_seconds=LONG_AGO),
        ),
    )
    answered = rows(model, window=HOUR)

    assert answered["small/node-a/shop/one/main"]["loadBalancerCost"] == 0.01733
    assert answered["small/node-a/shop/two/main"]["loadBalancerCost"] == 0.00867


def test_internet_traffic_is_charged_and_split_over_containers() -> None:
    """1 GiB an hour at 0.09 over two containers: 0.045 each, and half of the bytes."""
    traffic = Traffic(transmitted_bytes=BYTES_PER_GIB, internet_bytes=BYTES_PER_GIB)
    model = cluster(
        pod("one", containers=(container("a"), container("b")), traffic=traffic), internet_egress_gib_price=0.09
    )
    row = rows(model, window=HOUR)["small/node-a/shop/one/a"]

    assert (row["networkCost"], row["networkTransferBytes"]) == (0.045, BYTES_PER_GIB / 2)


def test_discounts_and_price_steps_reach_the_rows() -> None:
    """A quarter off CPU and memory; a price that doubles at half past costs 31 of 61 samples more."""
    cheap = cluster(pod("one"), nodes=(node(discount=0.25),))
    dearer = cluster(pod("one"), nodes=(node(price_steps=(PriceStep(start_seconds=at("10:30:00"), factor=2.0),)),))

    assert rows(cheap, window=HOUR)["small/node-a/shop/one/main"]["cpuCost"] == 0.03
    assert rows(dearer, window=HOUR)["small/node-a/shop/one/main"]["cpuCost"] == round(0.04 * (1 + 31 / 61), 5)


def test_gpus_cost_by_request() -> None:
    """One GPU at 0.5 for an hour."""
    trainer = replace(container(), gpus=1)
    model = cluster(pod("one", containers=(trainer,)), nodes=(node(gpus=1, gpu_hourly_price=0.5),))
    row = rows(model, window=HOUR)["small/node-a/shop/one/main"]

    assert (row["gpuCount"], row["gpuHours"], row["gpuCost"]) == (1, 1, 0.5)


def test_idle_is_what_the_nodes_cost_beyond_the_rows() -> None:
    """Four cores cost 0.16 and one of them is used; 16 GiB cost 0.08 and two are used."""
    idle = rows(cluster(pod("one")), window=HOUR, aggregate="namespace", includeIdle="true")["__idle__"]

    assert (idle["cpuCost"], idle["ramCost"], idle["totalCost"]) == (0.12, 0.07, 0.19)


def test_aggregates_name_their_keys() -> None:
    """Controllers carry their kind, labels their value, what is missing is unallocated, and typos are dropped."""
    labels = {"app": "web"}
    web = Workload(kind="Deployment", namespace="shop", name="web", selector=labels)
    model = cluster(pod("web-1", labels=labels), pod("bare", namespace="lab"), workloads=(web,))

    assert list(rows(model, window=HOUR, aggregate="controller")) == ["__unallocated__", "deployment:web"]
    assert list(rows(model, window=HOUR, aggregate="deployment")) == ["__unallocated__", "web"]
    assert list(rows(model, window=HOUR, aggregate="label:app")) == ["__unallocated__", "web"]
    assert list(rows(model, window=HOUR, aggregate="Namespace, pod")) == ["lab/bare", "shop/web-1"]
    assert list(rows(model, window=HOUR, aggregate="namespaze")) == [""]


def test_steps_are_sets_from_the_windows_start() -> None:
    """Three hours by `step=2h` are two sets, the second of which reaches past the window's end."""
    answered = sets(cluster(pod("one")), window="2026-03-10T07:00:00Z,2026-03-10T10:00:00Z", step="2h", aggregate="all")

    assert [one[""]["window"]["start"] for one in answered] == ["2026-03-10T07:00:00Z", "2026-03-10T09:00:00Z"]
    assert answered[1][""]["window"]["end"] == "2026-03-10T11:00:00Z"


def test_accumulated_sets_add_up() -> None:
    """Four hours by `step=1h`, accumulated: one set of four core-hours."""
    query = {"window": "2026-03-10T07:00:00Z,2026-03-10T11:00:00Z", "step": "1h", "aggregate": "namespace"}
    (whole,) = sets(cluster(pod("one")), **query, accumulate="true")

    assert (whole["shop"]["cpuCoreHours"], whole["shop"]["minutes"]) == (4, 240)
    assert whole["shop"]["proportionalAssetResourceCosts"] == {}


def test_a_window_over_a_day_is_summed_from_batches() -> None:
    """Two days of one core: 48 core-hours, still one container with its peaks."""
    (row,) = rows(cluster(pod("one")), window="2026-03-08T00:00:00Z,2026-03-10T00:00:00Z").values()

    assert (row["cpuCoreHours"], row["minutes"]) == (48, 2880)
    assert row["rawAllocationOnly"]["cpuCoreUsageMax"] == 0.5


def test_a_filter_with_steps_leaves_empty_sets_out() -> None:
    """A pod of the second hour only: one set for two steps (trap T6)."""
    model = cluster(pod("old"), pod("new", namespace="lab", start_seconds=at("10:02:00")))
    answered = sets(model, window="2026-03-10T09:00:00Z,2026-03-10T11:00:00Z", step="1h", filter='namespace:"lab"')

    assert [list(one) for one in answered] == [["small/node-a/lab/new/main"]]


def test_the_old_version_ignores_filters_and_bad_steps() -> None:
    """1.113 answers the whole cluster as one set (trap T4)."""
    model = cluster(pod("one"), pod("two", namespace="lab"))

    assert len(rows(model, version="1.113", window=HOUR, filter='namespace:"lab"', step="1y")) == 2


def test_what_runs_ends_at_now_in_the_new_version_only() -> None:
    """At 12:00:30 a pod of 11:58 ends at 12:00:30 in 1.120.2, and beyond it, at 12:02:30, in 1.113."""
    window = "2026-03-10T11:00:00Z,2026-03-10T13:00:00Z"
    key = "small/node-a/shop/one/main"

    young = cluster(pod("one", start_seconds=at("11:58:00")))

    assert rows(young, window=window)[key]["end"] == "2026-03-10T12:00:30Z"
    assert rows(young, window=window, version="1.113")[key]["end"] == "2026-03-10T12:02:30Z"


def test_no_samples_reach_beyond_now() -> None:
    """A window in the future is empty, whatever the model knows of it."""
    assert sets(cluster(pod("one")), window="2026-03-11T10:00:00Z,2026-03-11T11:00:00Z") == [{}]


def test_nothing_is_known_from_before_the_install() -> None:
    """A window before the first sample is empty."""
    assert sets(cluster(pod("one")), window="2026-02-10T10:00:00Z,2026-02-10T11:00:00Z") == [{}]


def test_an_outage_within_an_hour_cuts_its_rows() -> None:
    """Prometheus was down from 10:20 on: 20 minutes, 19.5 of 60 of the usage."""
    lost = Outage(lost=Source.EVERYTHING, start_seconds=at("10:20:00"), end_seconds=at("11:30:00"))
    row = rows(cluster(pod("one"), outages=(lost,)), window=HOUR)["small/node-a/shop/one/main"]

    assert (row["minutes"], row["cpuCoreUsageAverage"]) == (20, 0.1625)


def test_usage_may_exceed_requests_without_any() -> None:
    """Without a request efficiency is 1, and what is used is paid."""
    free = replace(container(cores=0, gib=0), usage=SteadyUsage(0.1, BYTES_PER_GIB))
    row = rows(cluster(pod("one", containers=(free,))), window=HOUR)["small/node-a/shop/one/main"]

    assert (row["cpuEfficiency"], row["cpuCost"], row["ramCost"]) == (1, 0.004, 0.005)


def test_a_day_costs_twenty_four_hours() -> None:
    """The day's cost is 1.20 for 0.05 an hour."""
    assert rows(cluster(pod("one")), window=DAY, aggregate="all")[""]["totalCost"] == 1.2


def test_compute_is_the_same_route() -> None:
    """`/allocation/compute` answers like `/allocation`."""
    model = cluster(pod("one"))

    assert ask(model, "/allocation/compute", {"window": HOUR}).body == ask(model, "/allocation", {"window": HOUR}).body


def test_keys_and_numbers_are_written_as_go_writes_them() -> None:
    """Whole numbers have no point, rows are sorted, and the set is one compact line."""
    body = ask(cluster(pod("two"), pod("one")), "/allocation", {"window": HOUR}).body.decode()

    assert '"minutes":60,' in body
    assert list(json.loads(body)["data"][0]) == ["small/node-a/shop/one/main", "small/node-a/shop/two/main"]
    assert body.count("\n") == 1
