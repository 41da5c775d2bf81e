from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from costintel.argocd.destination import DestinationRules
from costintel.cluster.cluster import Cluster, open_cluster
from costintel.cluster.settings import ClusterSettings
from local.standin_kubernetes import Access, StandInKubernetes, Store

TOKEN = "token-of-the-tests"
NOW = datetime(2026, 11, 30, 10, 5, tzinfo=UTC)
StartStandIn = Callable[..., StandInKubernetes]
OpenCluster = Callable[..., Cluster]


@pytest.fixture
def start_stand_in() -> Iterator[StartStandIn]:
    """Start API servers that take the tests' token; all of them end with the test."""
    started: list[StandInKubernetes] = []

    def start(store: Store | None = None, **settings: Any) -> StandInKubernetes:
        settings.setdefault("access", Access(accepts=TOKEN.__eq__))
        started.append(StandInKubernetes(store or Store(), **settings).start())
        return started[-1]

    yield start
    for stand_in in started:
        stand_in.stop()


@pytest.fixture
def stand_in(start_stand_in: StartStandIn) -> StandInKubernetes:
    return start_stand_in()


@pytest.fixture
def open_standin_cluster() -> Iterator[OpenCluster]:
    """Open clusters at a stand-in; all of them are closed with the test."""
    opened: list[Cluster] = []

    def open_at(stand_in: StandInKubernetes, **settings: str) -> Cluster:
        wanted = ClusterSettings(**{"endpoint": stand_in.endpoint, "token": TOKEN, **settings})
        cluster = open_cluster(wanted, rules=DestinationRules(), clock=lambda: NOW)
        assert cluster is not None
        opened.append(cluster)
        return cluster

    yield open_at
    for cluster in opened:
        cluster.close()
