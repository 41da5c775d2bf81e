"""What a node's resources cost in a window, as OpenCost's own metrics tell it."""

from dataclasses import dataclass

from local.standin.model import Node, PriceStep, Source
from local.standin.sampling import SAMPLE_SECONDS, Spell, is_sampled, sampled_part
from local.standin.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePrice:
    """Hourly prices before the discount; `is_known` is False for OpenCost's defaults."""

    cpu_core: float
    ram_gib: float
    gpu: float
    discount: float = 0.0
    is_known: bool = True


# Measured on the recorded servers with OpenCost's metrics lost (trap T42).
DEFAULT_PRICE = NodePrice(cpu_core=0.02181, ram_gib=0.0029225, gpu=0.95, is_known=False)


def node_price(node: Node | None, view: View) -> NodePrice:
    """Give the mean price over the samples in the window, or the default if there are none."""
    if node is None:
        return DEFAULT_PRICE
    series = view.series(node.start_seconds, node.end_seconds, Source.OPENCOST)
    if not is_sampled(series, view.window):
        return DEFAULT_PRICE
    factor = _mean_factor(node.price_steps, series, view) if node.price_steps else 1.0
    return NodePrice(
        cpu_core=node.cpu_core_hourly_price * factor,
        ram_gib=node.ram_gib_hourly_price * factor,
        gpu=node.gpu_hourly_price,
        discount=node.discount,
    )


def _mean_factor(steps: tuple[PriceStep, ...], series: list[Spell], view: View) -> float:
    parts = [part for spell in series if (part := sampled_part(spell, view.window))]
    moments = [moment for first, last in parts for moment in range(first, last + 1, SAMPLE_SECONDS)]
    return sum(_factor_at(steps, moment) for moment in moments) / len(moments)


def _factor_at(steps: tuple[PriceStep, ...], moment: int) -> float:
    factor = 1.0
    for step in steps:
        if step.start_seconds <= moment:
            factor = step.factor
    return factor
