"""The catalogue's figures, its sums, and that nothing is lost or counted twice."""

import random
from datetime import timedelta
from math import fsum

import pytest

from costintel.cost.amounts import Amounts
from costintel.cost.application import AppRef, Destination
from costintel.cost.container import ContainerCost
from costintel.cost.figure import FigureTerms, figure
from costintel.cost.ownership import Ownership, Resource
from costintel.cost.projection import Confidence
from costintel.cost.window import HOUR
from costintel.measurement.apportioning import UNITS
from costintel.measurement.catalogue import Ages, make_catalogue
from costintel.measurement.entries import Entry
from costintel.measurement.subject import Subject, SubjectState
from tests.catalogue.landscape import (
    DAY,
    LONG_AGO,
    NO_AGES,
    NOON,
    catalogue,
    container,
    deployment,
    header,
    subject,
    volume,
)


def only(entries: list[Entry]) -> Entry:
    [entry] = entries
    return entry


def test_a_days_cost_is_a_months_thirtieth() -> None:
    """$5 in 24 measured hours are $150 in 720."""
    made = catalogue([container("shop", "web", 5.0)], [subject("a", "shop", deployment("web"))])
    found = only(list(made.entries)).figure(header(), 720)

    assert found is not None
    assert found.measured_hours == 24
    assert found.cost.total == 5.0
    assert found.monthly is not None
    assert found.monthly.total == 150.0
    assert (found.confidence, found.scope, found.source) == (Confidence.FULL, "application", "live")
    assert (found.window, found.basis_hours) == (DAY, 720)


def test_a_young_application_is_projected_from_its_own_hours() -> None:
    """$1 in the 6 hours since it was made are $120 a month, and only partly to be trusted."""
    start = NOON - 6 * HOUR
    rows = [container("shop", "web", 1.0, start=int(start.timestamp()), running_hours=6.0)]
    found = only(list(catalogue(rows, [subject("a", "shop", deployment("web"), created_at=start)]).entries))
    shown = found.figure(header(), 720)

    assert found.age.hours == 6
    assert shown is not None
    assert shown.monthly is not None
    assert shown.monthly.total == 120.0
    assert shown.confidence is Confidence.PARTIAL


def test_under_an_hour_there_is_no_month() -> None:
    """Half an hour: the cost is told, the projection is not, and the sums say that something is left out."""
    start = NOON - timedelta(minutes=30)
    rows = [container("shop", "web", 0.02, start=int(start.timestamp()), running_hours=0.5)]
    made = catalogue(rows, [subject("a", "shop", deployment("web"), created_at=start)])
    entry = only(list(made.entries))
    shown = entry.figure(header(), 720)

    assert shown is not None
    assert (shown.monthly, shown.confidence) == (None, Confidence.TOO_LITTLE)
    assert entry.counted.monthly is None
    assert made.owned_sum.cost[0] == 20_000
    assert (made.owned_sum.monthly, made.owned_sum.monthly_complete) == ((0,) * 6, False)


def test_hours_that_were_not_observed_do_not_count() -> None:
    """Two hours of the day are missing: 22 measured hours."""
    made = catalogue([container("shop", "web")], [subject("a", "shop", deployment("web"))], of=header(hours=22))

    assert only(list(made.entries)).age.hours == 22


def test_an_application_that_costs_nothing_is_known_to_cost_nothing() -> None:
    """It was there all day and nothing of it ran: a figure of zero, not the lack of one."""
    shown = only(list(catalogue([], [subject("a", "shop", deployment("web"))]).entries)).figure(header(), 720)

    assert shown is not None
    assert (shown.cost.total, shown.measured_hours) == (0.0, 24.0)
    assert shown.idle.complete is True


def test_of_unknown_age_the_first_container_counts_and_is_only_a_guess() -> None:
    """Nobody says when the Application was made: at most partial, from the first container on."""
    start = NOON - 6 * HOUR
    rows = [container("shop", "web", start=int(start.timestamp()))]
    unknown = subject("a", "shop", deployment("web"), created_at=None, last_sync=None)
    entry = only(list(catalogue(rows, [unknown]).entries))

    assert (entry.age.hours, entry.age.is_known) == (6.0, False)
    assert only(list(catalogue([], [unknown]).entries)).figure(header(), 720) is None


def test_what_ran_existed() -> None:
    """A container that is older than its Application says how long something of it has run."""
    made = catalogue([container("shop", "web")], [subject("a", "shop", deployment("web"), created_at=NOON - HOUR)])

    assert only(list(made.entries)).age.hours == 24


def test_a_young_application_of_an_old_namespace_has_its_whole_day() -> None:
    """It is about the namespace, which was there, or cost something, before the window."""
    young = subject("a", "shop", resources=None, created_at=NOON - HOUR)
    for ages in (
        Ages(created_at={}, cost_before=frozenset({"shop"})),
        Ages(created_at={"shop": LONG_AGO}, cost_before=frozenset()),
    ):
        assert only(list(catalogue([], [young], ages=ages).entries)).age.hours == 24
    assert only(list(catalogue([], [young]).entries)).age.hours == 1


def test_another_clusters_application_has_no_figure() -> None:
    """Nothing of it is measured here, which is not the same as zero."""
    remote = subject("a", "shop", deployment("web"), is_here=False, state=SubjectState.OTHER_CLUSTER)
    made = catalogue([container("shop", "web", 2.0)], [remote])

    assert only(list(made.entries)).figure(header(), 720) is None
    assert made.unowned_sum.cost[0] == 2_000_000


def test_before_the_first_fold_there_are_applications_without_figures() -> None:
    """The list is there before the first hour is stored."""
    made = make_catalogue(None, [], [subject("a")], ages=NO_AGES, basis_hours=720)
    entry = only(list(made.entries))

    assert (entry.age.hours, made.header, made.total.cost) == (0.0, None, (0,) * 6)
    assert entry.figure(header(), 720) is None


def test_what_nobody_owns_stands_by_namespace() -> None:
    """Workloads that no Application lists, unmounted volumes, and volumes of no namespace at all."""
    rows = [
        container("shop", "web", 1.0),
        container("shop", "stray", 2.0),
        volume("shop", 0.5),
        container("kube-system", "dns", 4.0),
        volume("__unmounted__", 0.25),
    ]
    made = catalogue(rows, [subject("a", "shop", deployment("web"))])

    costs = {entry.namespace: sum(entry.counted.cost) / UNITS for entry in made.unowned}
    assert costs == {"__unmounted__": 0.25, "kube-system": 4.0, "shop": 2.5}
    assert sum(made.unowned_sum.cost) / UNITS == 6.75
    assert sum(made.total.cost) / UNITS == 7.75


def test_a_namespaces_age_is_its_own() -> None:
    """A namespace of six hours is projected from six; of one that nobody knows the containers tell."""
    start = int((NOON - 6 * HOUR).timestamp())
    rows = [
        container("young", "web", 1.0, start=start),
        container("unknown", "web", 1.0, start=start),
        volume("old", 1.0),
    ]
    ages = Ages(created_at={"young": NOON - 6 * HOUR, "old": LONG_AGO}, cost_before=frozenset())
    found = {entry.namespace: entry for entry in catalogue(rows, [], ages=ages).unowned}

    assert [found[name].age.hours for name in ("young", "unknown", "old")] == [6.0, 6.0, 24.0]
    assert [found[name].age.is_known for name in ("young", "unknown", "old")] == [True, False, True]
    assert found["young"].counted.monthly == (120_000_000, 0, 0, 0, 0, 0)


def test_two_whole_namespaces_count_once() -> None:
    """Both show the namespace's $3; the cluster's sum has them once."""
    rows = [container("shop", "web", 1.0), container("shop", "db", 2.0)]
    made = catalogue(
        rows, [subject("a", "shop", resources=None), subject("b", "shop", resources=None, created_at=NOON - 30 * HOUR)]
    )

    assert [entry.cost for entry in made.entries] == [3.0, 3.0]
    assert [sum(entry.counted.cost) for entry in made.entries] == [3_000_000, 0]
    assert sum(made.owned_sum.cost) == sum(made.total.cost) == 3_000_000


def test_label_keys_are_those_of_any_application() -> None:
    """Sorted, each once."""
    made = catalogue([], [subject("a", labels={"team": "x", "tier": "1"}), subject("b", labels={"team": "y"})])

    assert list(made.label_keys) == ["team", "tier"]


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_lost_or_counted_twice(seed: int) -> None:
    """In a random cluster counted amounts and what nobody owns are the fold's total, resource by resource, to the last digit."""
    rows, subjects = random_cluster(seed)
    made = catalogue(rows, subjects)

    expected = Amounts.sum(row.amounts for row in rows).parts()
    assert made.total.cost == tuple(round(part * UNITS) for part in expected)
    for column in range(6):
        parts = [entry.counted.cost[column] for entry in made.entries] + [
            one.counted.cost[column] for one in made.unowned
        ]
        assert sum(parts) == made.total.cost[column]
    assert abs(sum(made.total.idle) / UNITS - fsum(row.idle_cpu_cost + row.idle_ram_cost for row in rows)) <= 1e-6
    counted = [entry.counted for entry in made.entries] + [entry.counted for entry in made.unowned]
    monthly = [one.monthly for one in counted if one.monthly is not None]
    assert tuple(map(sum, zip(*monthly, strict=True))) == made.total.monthly


@pytest.mark.parametrize("seed", range(8))
def test_every_figure_is_the_one_made_container_by_container(seed: int) -> None:
    """What the ownership rules and the one figure function say of each Application alone."""
    rows, subjects = random_cluster(seed)
    for entry in catalogue(rows, subjects).entries:
        terms = FigureTerms(window=DAY, basis_hours=720, scope=entry.subject.scope, source="live")
        own = [row for row in rows if owns(entry.subject, subjects, row)]
        expected = figure(own, header().observed, known_since=entry.subject.created_at, terms=terms)
        found = entry.figure(header(), 720)

        assert expected is not None
        assert found is not None
        assert found.cost.parts() == pytest.approx(expected.cost.parts(), rel=1e-12)
        assert found.idle.total == pytest.approx(expected.idle.total, rel=1e-12)
        assert found.idle.complete is expected.idle.complete
        assert found.efficiency.cpu == (expected.efficiency.cpu and pytest.approx(expected.efficiency.cpu, rel=1e-12))
        assert (found.measured_hours, found.confidence) == (expected.measured_hours, expected.confidence)
        assert entry.pods == sum(any(one.running for one in pod.containers) for pod in expected.pods)


def owns(one: Subject, subjects: list[Subject], row: ContainerCost) -> bool:
    """Decide by the rules as they are written down: what an older Application lists is foreign."""
    older = [other for other in subjects if other.seniority < one.seniority]
    foreign = frozenset(claim for other in older for claim in other.claims())
    resources = None if one.resources is None else tuple(Resource(*entry) for entry in one.resources)
    ownership = Ownership(destination_namespace=one.destination.namespace, resources=resources, foreign=foreign)
    return (row.running or one.resources is None) and ownership.owns(row)


def random_cluster(seed: int) -> tuple[list[ContainerCost], list[Subject]]:
    """Make a cluster of 5 namespaces in which Applications overlap in every way."""
    numbers = random.Random(seed)
    rows = []
    for number in range(120):
        namespace, name = f"ns-{number % 5}", f"w-{number // 10}"
        rows.append(
            container(
                namespace,
                name if numbers.random() < 0.8 else "",
                numbers.random(),
                pod=f"{name}-7d9f8c6b5d-{number:05d}".replace("0", "b").replace("1", "c").replace("3", "d"),
                container=f"c{number}",
                controller_kind=numbers.choice(["deployment", "statefulset"]),
                ram_cost=numbers.random() / 3,
                storage_cost=numbers.random() / 7,
                idle_complete=numbers.random() < 0.9,
            )
        )
    rows += [volume(f"ns-{number}", numbers.random()) for number in range(5)]
    subjects = []
    for number in range(40):
        listed = [("apps", "Deployment", "", f"w-{numbers.randrange(14)}") for _ in range(numbers.randrange(4))]
        subjects.append(
            subject(
                f"app-{number}",
                resources=None if numbers.random() < 0.2 else listed,
                application=AppRef("argocd", f"app-{number:02d}"),
                destination=Destination(server="https://kubernetes.default.svc", namespace=f"ns-{number % 5}"),
                created_at=LONG_AGO + timedelta(days=numbers.randrange(20)),
            )
        )
    return rows, subjects
