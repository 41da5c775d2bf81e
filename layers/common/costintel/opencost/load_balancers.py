"""Load balancers: rows, and in some versions assets, carry one step of OpenCost's grid more than they ran (T31)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from math import fsum
from typing import Final

from costintel.cost.allocation import Allocation, LoadBalancerShare
from costintel.cost.asset import Asset, AssetType
from costintel.cost.repair import extension

_AGREEMENT: Final = 0.01
"""How far rows may lie from one of the two known relations to their asset and still be taken for it."""


class Relation(Enum):
    """How the rows of a service's load balancer stand to its asset."""

    ASSET_RIGHT = "rows cost (minutes + 5) / minutes of the asset"
    BOTH_EXCESSIVE = "rows cost as much as the asset"


def costs_by_service(rows: Iterable[Allocation]) -> dict[str, float]:
    """Return what the rows carry of each load balancer, by `namespace/service`; nothing of 0."""
    costs: dict[str, list[float]] = {}
    for row in rows:
        for service, cost in row.load_balancers:
            costs.setdefault(service, []).append(cost)
    sums = {service: fsum(parts) for service, parts in costs.items()}
    return {service: cost for service, cost in sums.items() if cost > 0}


def relations(assets: Sequence[Asset], costs: Mapping[str, float]) -> dict[str, Relation]:
    """Return the relation of each service whose rows and assets stand in a known one; what differs otherwise is left alone."""
    known: dict[str, Relation] = {}
    for service, cost in costs.items():
        group = _of(assets, service)
        same = fsum(asset.total_cost for asset in group)
        longer = fsum(asset.total_cost * _excess(asset) for asset in group)
        nearer = longer if abs(cost - longer) < abs(cost - same) else same
        if abs(cost - nearer) <= _AGREEMENT * nearer:
            known[service] = Relation.ASSET_RIGHT if nearer == longer else Relation.BOTH_EXCESSIVE
    return known


def without_excess(assets: Sequence[Asset], known: Mapping[str, Relation]) -> list[Asset]:
    """Return the assets with the load balancers that carry the excess times minutes / (minutes + 5)."""
    return [
        replace(asset, total_cost=asset.total_cost / _excess(asset))
        if asset.type is AssetType.LOAD_BALANCER and known.get(asset.name) is Relation.BOTH_EXCESSIVE
        else asset
        for asset in assets
    ]


def row_factors(
    corrected: Sequence[Asset], costs: Mapping[str, float], *, known: Mapping[str, Relation]
) -> dict[str, float]:
    """Return by what the shares of each service are multiplied so that they add up to its corrected asset."""
    return {service: fsum(asset.total_cost for asset in _of(corrected, service)) / costs[service] for service in known}


def scaled(row: Allocation, factors: Mapping[str, float]) -> Allocation:
    """Return `row` with each share multiplied by its service's factor, and its cost changed by the difference."""
    shares = tuple(LoadBalancerShare(service, cost * factors.get(service, 1.0)) for service, cost in row.load_balancers)
    change = fsum(share.cost for share in shares) - fsum(share.cost for share in row.load_balancers)
    return row._replace(load_balancers=shares, load_balancer_cost=row.load_balancer_cost + change)


def _of(assets: Sequence[Asset], service: str) -> list[Asset]:
    return [asset for asset in assets if asset.type is AssetType.LOAD_BALANCER and asset.name == service]


def _excess(asset: Asset) -> float:
    return extension(asset.minutes * 60)
