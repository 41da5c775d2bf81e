"""Load balancers in allocation rows: one resolution too much, spread over the pods their Services select (trap T31)."""

from collections.abc import Iterable

from local.standin.model import LoadBalancer, Source
from local.standin.row import LoadBalancerShare, Row
from local.standin.sampling import RESOLUTION_SECONDS
from local.standin.view import View
from local.standin.volume import UnattachedRows


def add_load_balancers(view: View, rows: Iterable[Row], unattached: UnattachedRows) -> None:
    """Give every load balancer's cost to the rows of its Service, by their hours."""
    served = [row for row in rows if row.identity.services and row.minutes > 0]
    for balancer in view.index.model.load_balancers:
        span = view.span(view.series(balancer.start_seconds, balancer.end_seconds, Source.OPENCOST))
        if span is None:
            continue
        cost = balancer.hourly_price * (span[1] - span[0] + RESOLUTION_SECONDS) / 3600
        _spread(balancer, cost, [row for row in served if _serves(row, balancer)], unattached)


def _serves(row: Row, balancer: LoadBalancer) -> bool:
    return row.identity.namespace == balancer.namespace and balancer.service in row.identity.services


def _spread(balancer: LoadBalancer, cost: float, rows: list[Row], unattached: UnattachedRows) -> None:
    minutes = sum(row.minutes for row in rows)
    if not rows:
        _leave_without_pods(unattached.of_cluster(), balancer, cost)
        return
    name = f"{balancer.namespace}/{balancer.service}"
    for row in rows:
        share = LoadBalancerShare(
            service=name, cost=cost * row.minutes / minutes, ip=balancer.ip, hours=row.minutes / 60
        )
        row.add_load_balancer(f"{row.identity.cluster}/{name}", share)


def _leave_without_pods(row: Row, balancer: LoadBalancer, cost: float) -> None:
    """Without a pod it lands on `__unmounted__`, its Service named and its cost counted twice (measured, trap T43)."""
    row.unattached_load_balancer_cost += 2 * cost
    row.identity.services = (*row.identity.services, balancer.service, balancer.service)
