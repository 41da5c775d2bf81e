"""Rows of containers: what OpenCost says of every pod that left a trace in the window."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from local.standin.index import Controller, KnownPod
from local.standin.model import BYTES_PER_GIB, Container, Source
from local.standin.price import NodePrice, node_price
from local.standin.row import Identity, Row
from local.standin.sampling import SAMPLE_SECONDS, Growth, Spell, Stretch, growth, running_spells, sampled_part
from local.standin.usage import SECONDS_PER_HOUR, mean, peak, total
from local.standin.view import View


def container_rows(view: View) -> Iterator[Row]:
    """All rows of containers in the window, ghosts (trap T46) among them."""
    prices = {name: node_price(node, view) for name, node in view.index.nodes.items()}
    for same_name in view.index.pods:
        living = [known for known in same_name if view.touches(known.pod.start_seconds, known.pod.end_seconds)]
        if living:
            yield from _rows_of(living, view, prices)


def _rows_of(living: Sequence[KnownPod], view: View, prices: dict[str, NodePrice]) -> Iterator[Row]:
    """Rows of pods of one name: OpenCost knows them apart only by it (trap T18), so they are one life."""
    exists = _series(living, view, Source.KUBE_STATE_METRICS)
    span = view.span(_running(living, view, exists))
    if span is None:
        return
    known = living[-1]
    seen = _parts(exists, view)
    if not seen:
        yield from (_ghost(container, known, view, span) for container in known.pod.containers)
        return
    life = _Life(
        known=known,
        view=view,
        span=span,
        price=prices.get(known.pod.node) or node_price(None, view),
        cadvisor=exists if view.is_whole else _series(living, view, Source.CADVISOR),
        opencost=exists if view.is_whole else _series(living, view, Source.OPENCOST),
    )
    life.used = seen if view.is_whole else _parts(life.cadvisor, view)
    life.allocated = seen if view.is_whole else _parts(life.opencost, view)
    yield from life.rows()


def _series(living: Iterable[KnownPod], view: View, source: Source) -> list[Spell]:
    return [s for known in living for s in view.series(known.pod.start_seconds, known.pod.end_seconds, source)]


def _running(living: Sequence[KnownPod], view: View, exists: list[Spell]) -> list[Spell]:
    crash_loop = living[-1].pod.crash_loop
    return running_spells(exists, crash_loop, view.window) if crash_loop else exists


def _parts(series: Iterable[Spell], view: View) -> list[Stretch]:
    return [part for spell in series if (part := sampled_part(spell, view.window))]


def _ghost(container: Container, known: KnownPod, view: View, span: tuple[float, float]) -> Row:
    identity = Identity(
        cluster=view.index.model.cluster_id,
        namespace=known.pod.namespace,
        pod=known.pod.name,
        container=container.name,
    )
    identity.namespace_labels = view.index.namespace_labels.get(known.pod.namespace, {})
    identity.labels = identity.namespace_labels
    return Row(identity=identity, start=span[0], end=span[1], has_peaks=True)


@dataclass(slots=True, kw_only=True)
class _Life:
    """One pod in the window: its span, its price, the samples each source left of it, and those in the window."""

    known: KnownPod
    view: View
    span: tuple[float, float]
    price: NodePrice
    cadvisor: list[Spell]
    opencost: list[Spell]
    used: list[Stretch] = field(default_factory=list)
    allocated: list[Stretch] = field(default_factory=list)

    def rows(self) -> Iterator[Row]:
        """One row per container."""
        identity = self._identity()
        usage = growth(self.cadvisor, self.view.window, SAMPLE_SECONDS)
        traffic = self._traffic()
        for container in self.known.pod.containers:
            row = Row(identity=identity(container.name), start=self.span[0], end=self.span[1], is_running=True)
            row.transmitted_bytes, row.received_bytes, row.network_cost = traffic
            self._request(row, container)
            self._use(row, container, usage)
            self._allocate(row, container)
            yield row

    def _identity(self) -> Callable[[str], Identity]:
        index, pod, version = self.view.index, self.known.pod, self.view.version
        kind, name = self._controller()
        node_labels = index.node_labels.get(pod.node, {})
        if version.node_labels is not None:
            node_labels = {key: value for key, value in node_labels.items() if key in version.node_labels}
        namespace_labels = index.namespace_labels.get(pod.namespace, {})
        merged = {**node_labels, **namespace_labels, **self.known.labels}
        labels = {key: merged[key] for key in sorted(merged)}
        node = index.nodes.get(pod.node)

        def identity(container: str) -> Identity:
            return Identity(
                cluster=index.model.cluster_id,
                node=pod.node,
                namespace=pod.namespace,
                pod=pod.name,
                container=container,
                controller_kind=kind,
                controller=name,
                provider_id=node.provider_id if node and self.price.is_known else "",
                services=self.known.services if self.allocated else (),
                labels=labels,
                namespace_labels=namespace_labels,
            )

        return identity

    def _controller(self) -> Controller:
        if self.known.owned_by != ("", "") or not self.allocated:
            return self.known.owned_by
        return self.known.selected_by

    def _request(self, row: Row, container: Container) -> None:
        row.cpu_request_cores = container.cpu_request_cores
        row.cpu_limit_cores = container.cpu_limit_cores
        row.ram_request_bytes = container.ram_request_bytes
        row.ram_limit_bytes = container.ram_limit_bytes
        row.gpu_request = container.gpus
        row.gpu_hours = container.gpus * row.minutes / 60
        row.gpu_cost = row.gpu_hours * self.price.gpu

    def _use(self, row: Row, container: Container, counted: Growth) -> None:
        """CPU over the whole window (trap T41), memory over its samples."""
        usage = container.usage
        core_seconds = counted.factor * sum(total(usage.cpu_cores, *stretch) for stretch in counted.stretches)
        row.cpu_usage_cores = core_seconds / (self.view.window.end - self.view.window.start)
        if self.used:
            row.has_peaks = True
            row.ram_usage_bytes = mean(usage.ram_bytes, self.used)
            row.cpu_peak_cores = max(peak(usage.cpu_cores, *part) for part in self.used)
            row.ram_peak_bytes = max(peak(usage.ram_bytes, *part) for part in self.used)

    def _allocate(self, row: Row, container: Container) -> None:
        """Take the greater of request and use at every moment; the request alone when OpenCost's metric is lost."""
        cores, ram_bytes = container.cpu_request_cores, container.ram_request_bytes
        if self.allocated:
            cores = mean(container.usage.cpu_cores, self.allocated, at_least=cores)
            ram_bytes = mean(container.usage.ram_bytes, self.allocated, at_least=ram_bytes)
        hours, share_paid = row.minutes / 60, 1 - self.price.discount
        row.cpu_core_hours = cores * hours
        row.cpu_cost = row.cpu_core_hours * self.price.cpu_core * share_paid
        row.ram_byte_hours = ram_bytes * hours
        row.ram_cost = row.ram_byte_hours / BYTES_PER_GIB * self.price.ram_gib * share_paid

    def _traffic(self) -> tuple[float, float, float]:
        """Bytes sent, bytes received and their cost: the pod's, split evenly over its containers.

        The price of what goes to the internet, and how much that is, are OpenCost's own metrics.
        """
        traffic, step = self.known.pod.traffic, self.view.version.counter_step_seconds
        share = 1 / len(self.known.pod.containers) / SECONDS_PER_HOUR
        hours = growth(self.cadvisor, self.view.window, step).seconds * share
        cost = 0.0
        if traffic.internet_bytes:
            charged_hours = growth(self.opencost, self.view.window, step).seconds * share
            price = self.view.index.model.internet_egress_gib_price
            cost = traffic.internet_bytes * charged_hours / BYTES_PER_GIB * price
        return (traffic.transmitted_bytes * hours, traffic.received_bytes * hours, cost)
