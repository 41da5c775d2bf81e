"""Rows as OpenCost writes them: field order, five decimals, and the keys of each version.

The text is put together directly, not through objects: an hour of 50,000 containers is 80 MB of it.
"""

import json
import math
from collections.abc import Iterator, Mapping

from local.standin.model import rfc3339
from local.standin.row import Identity, LoadBalancerShare, Row, VolumeShare
from local.standin.sampling import Window
from local.standin.version import Version

_encode = json.JSONEncoder(separators=(",", ":")).encode


def number(value: float) -> str:
    """Write five decimals, half away from zero; whole values without a point."""
    if value == 0:
        return "0"
    steps = math.floor(abs(value) * 1e5 + 0.5)
    away = steps / 1e5
    text = str(steps // 100000) if away.is_integer() else repr(away)
    return text if value > 0 or text == "0" else f"-{text}"


def set_pieces(rows: Mapping[str, Row], window: Window, version: Version) -> Iterator[str]:
    """One set of `data`, rows by key, as pieces of JSON text: a large cluster's never exists at once."""
    frame = _encode({"start": rfc3339(window.start), "end": rfc3339(window.end)})
    separator = "{"
    for key, row in rows.items():
        yield f"{separator}{_encode(key)}:{_row(key, row, frame, version)}"
        separator = ","
    yield "}" if rows else "{}"


def _row(name: str, row: Row, window: str, version: Version) -> str:
    return (
        f'{{"name":{_encode(name)},"properties":{_properties(row.identity)},"window":{window},'
        f'"start":"{rfc3339(row.start)}","end":"{rfc3339(row.end)}","minutes":{number(row.minutes)},'
        f"{_cpu(row, version)},{_gpu(row, version)},{_network(row)},{_storage(row)},{_ram(row, version)},"
        f"{_totals(row)},{_details(row, version)}}}"
    )


def _properties(its: Identity) -> str:
    properties = {
        "cluster": its.cluster,
        "node": its.node,
        "container": its.container,
        "controller": its.controller,
        "controllerKind": its.controller_kind,
        "namespace": its.namespace,
        "pod": its.pod,
        "services": its.services,
        "providerID": its.provider_id,
        "labels": its.labels,
        "namespaceLabels": its.namespace_labels,
    }
    return _encode({key: value for key, value in properties.items() if value})


def efficiency(used: float, requested: float, cost: float) -> float:
    """Divide used by requested; without a request 1 if anything is used and paid for, else 0."""
    if requested > 0:
        return used / requested
    return 1.0 if used > 0 and cost > 0 else 0.0


def _per_hour(amount_hours: float, row: Row) -> str:
    return number(amount_hours * 60 / row.minutes) if amount_hours and row.minutes > 0 else "0"


def _cpu(row: Row, version: Version) -> str:
    limit = f'"cpuCoreLimitAverage":{number(row.cpu_limit_cores)},' if version.limit_averages else ""
    return (
        f'"cpuCores":{_per_hour(row.cpu_core_hours, row)},"cpuCoreRequestAverage":{number(row.cpu_request_cores)},'
        f'{limit}"cpuCoreUsageAverage":{number(row.cpu_usage_cores)},"cpuCoreHours":{number(row.cpu_core_hours)},'
        f'"cpuCost":{number(row.cpu_cost)},"cpuCostAdjustment":0,"cpuCostIdle":0,'
        f'"cpuEfficiency":{number(efficiency(row.cpu_usage_cores, row.cpu_request_cores, row.cpu_cost))}'
    )


def _gpu(row: Row, version: Version) -> str:
    averages = f'"gpuRequestAverage":{number(row.gpu_request)},"gpuUsageAverage":0,' if version.gpu_averages else ""
    return (
        f'"gpuCount":{_per_hour(row.gpu_hours, row)},{averages}"gpuHours":{number(row.gpu_hours)},'
        f'"gpuCost":{number(row.gpu_cost)},"gpuCostAdjustment":0,"gpuCostIdle":0,"gpuEfficiency":0'
    )


def _network(row: Row) -> str:
    cost = number(row.network_cost)
    return (
        f'"networkTransferBytes":{number(row.transmitted_bytes)},"networkReceiveBytes":{number(row.received_bytes)},'
        f'"networkCost":{cost},"networkCrossZoneCost":0,"networkCrossRegionCost":0,"networkInternetCost":{cost},'
        '"networkCostAdjustment":0'
    )


def _storage(row: Row) -> str:
    balancer = f'"loadBalancerCost":{number(row.load_balancer_cost)},"loadBalancerCostAdjustment":0'
    if not row.volumes:
        return f'{balancer},"pvBytes":0,"pvByteHours":0,"pvCost":0,"pvs":null,"pvCostAdjustment":0'
    shares = {name: _volume(row.volumes[name]) for name in sorted(row.volumes)}
    return (
        f'{balancer},"pvBytes":{_per_hour(row.volume_byte_hours, row)},"pvByteHours":{number(row.volume_byte_hours)},'
        f'"pvCost":{number(row.volume_cost)},"pvs":{_encode(shares)},"pvCostAdjustment":0'
    )


def _volume(share: VolumeShare) -> dict[str, float | str]:
    return {"byteHours": share.byte_hours, "cost": share.cost, "providerID": share.provider_id, "adjustment": 0}


def _ram(row: Row, version: Version) -> str:
    limit = f'"ramByteLimitAverage":{number(row.ram_limit_bytes)},' if version.limit_averages else ""
    return (
        f'"ramBytes":{_per_hour(row.ram_byte_hours, row)},"ramByteRequestAverage":{number(row.ram_request_bytes)},'
        f'{limit}"ramByteUsageAverage":{number(row.ram_usage_bytes)},"ramByteHours":{number(row.ram_byte_hours)},'
        f'"ramCost":{number(row.ram_cost)},"ramCostAdjustment":0,"ramCostIdle":0,'
        f'"ramEfficiency":{number(efficiency(row.ram_usage_bytes, row.ram_request_bytes, row.ram_cost))}'
    )


def _totals(row: Row) -> str:
    total = row.cpu_cost + row.ram_cost + row.gpu_cost + row.network_cost + row.load_balancer_cost + row.volume_cost
    return (
        f'"externalCost":0,"sharedCost":0,"totalCost":{number(total)},'
        f'"totalEfficiency":{number(_total_efficiency(row))}'
    )


def _total_efficiency(row: Row) -> float:
    cpu = efficiency(row.cpu_usage_cores, row.cpu_request_cores, row.cpu_cost)
    ram = efficiency(row.ram_usage_bytes, row.ram_request_bytes, row.ram_cost)
    cost = row.cpu_cost + row.ram_cost
    return (cpu * row.cpu_cost + ram * row.ram_cost) / cost if cost > 0 else 0.0


def _details(row: Row, version: Version) -> str:
    """Write what follows the totals: some of it is there for single containers or for summed sets only."""
    peaks = f"{_peaks(row, version)}," if row.has_peaks else ""
    proportional = '"proportionalAssetResourceCosts":{},' if row.spans_batches else ""
    shared = ',"sharedCostBreakdown":{}' if row.spans_batches else ""
    gpu = f',"gpuAllocation":{_gpu_allocation(row)}' if version.gpu_allocation else ""
    balancers = {name: _load_balancer(row.load_balancers[name]) for name in sorted(row.load_balancers)}
    return f'{peaks}{proportional}"lbAllocations":{_encode(balancers or None)}{shared}{gpu}'


def _peaks(row: Row, version: Version) -> str:
    gpu = ',"gpuUsageMax":null' if version.gpu_allocation else ""
    cores, ram_bytes = _encode(row.cpu_peak_cores), _encode(row.ram_peak_bytes)
    return f'"rawAllocationOnly":{{"cpuCoreUsageMax":{cores},"ramByteUsageMax":{ram_bytes}{gpu}}}'


def _load_balancer(share: LoadBalancerShare) -> dict[str, float | str | bool]:
    return {
        "service": share.service,
        "cost": share.cost,
        "private": False,
        "ip": share.ip,
        "hours": share.hours,
        "adjustment": 0,
    }


def _gpu_allocation(row: Row) -> str:
    if not row.gpu_request:
        return "null"
    return f'{{"isGPUShared":false,"gpuUsageAverage":null,"gpuRequestAverage":{number(row.gpu_request)}}}'
