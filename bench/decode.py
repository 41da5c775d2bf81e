"""What it takes to read an hour of 50,000 containers: CPU against a bare `json.loads` of the same bytes, and peak memory.

Run as `python -m bench.decode [CONTAINERS]`. Each side is measured in a process of its own over the same scratch files.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from costintel.cost.window import Window
from costintel.opencost.answer import AnswerReader

_START = datetime(2026, 11, 28, 10, tzinfo=UTC)
_WINDOW = Window(_START, _START + timedelta(hours=1))
_NODES = 500
_ROOT = Path(__file__).resolve().parent.parent
_PIECE_BYTES = 64 * 1024
_ZEROS = (
    "gpuCount",
    "gpuHours",
    "gpuCost",
    "gpuCostAdjustment",
    "gpuCostIdle",
    "gpuEfficiency",
    "networkTransferBytes",
    "networkReceiveBytes",
    "networkCost",
    "networkCrossZoneCost",
    "networkCrossRegionCost",
    "networkInternetCost",
    "networkCostAdjustment",
    "loadBalancerCost",
    "loadBalancerCostAdjustment",
    "pvBytes",
    "pvByteHours",
    "pvCost",
    "pvCostAdjustment",
    "ramCostAdjustment",
    "ramCostIdle",
    "externalCost",
    "sharedCost",
    "cpuCostAdjustment",
)


def main() -> None:
    """Write the answer, measure both sides and print the comparison."""
    containers = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _write(folder, containers)
        size = (folder / "allocation.json").stat().st_size
        loads_seconds, loads_peak = _measured("loads", folder)
        read_seconds, read_peak = _measured("read", folder)
    print(f"{containers} containers, {size / 1e6:.0f} MB")
    print(f"json.loads of the bytes   {loads_seconds:6.2f} s CPU   {loads_peak:6.0f} MiB peak")
    print(f"decoded into rows         {read_seconds:6.2f} s CPU   {read_peak:6.0f} MiB peak")
    print(f"ratio {read_seconds / loads_seconds:.2f} (bar: 2)")


def _measured(side: str, folder: Path) -> tuple[float, float]:
    command = [sys.executable, "-c", f"from bench.decode import one_side; one_side({side!r}, {str(folder)!r})"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=_ROOT)  # noqa: S603 - our own interpreter and code
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def one_side(side: str, folder: str) -> None:
    """Read the files in `folder` one way and print CPU seconds and peak MiB of this process."""
    before = time.process_time()
    if side == "loads":
        json.loads((Path(folder) / "allocation.json").read_bytes())
    else:
        reader = AnswerReader(_WINDOW, cluster_id="made")
        reader.read_assets(_pieces(Path(folder) / "assets.json"))
        reader.read_allocations(_pieces(Path(folder) / "allocation.json"))
        reader.answer()
    print(time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as body:
        while piece := body.read(_PIECE_BYTES):
            yield piece


def _write(folder: Path, containers: int) -> None:
    with (folder / "allocation.json").open("w") as body:
        body.write('{"code":200,"data":[{')
        for index in range(containers):
            row = json.dumps(_row(index), separators=(",", ":"))
            body.write(f'{"," if index else ""}"row-{index}":{row}')
        body.write("}]}\n")
    assets = {f"node-{index}": _node(index) for index in range(_NODES)}
    (folder / "assets.json").write_text(json.dumps({"code": 200, "data": assets}))


def _span() -> dict[str, str]:
    return {"start": "2026-11-28T10:00:00Z", "end": "2026-11-28T11:00:00Z"}


def _node(index: int) -> dict[str, object]:
    return {
        "type": "Node",
        "properties": {"cluster": "made", "name": f"node-{index}", "providerID": f"i-{index}"},
        "window": _span(),
        **_span(),
        "cpuCoreHours": 4.0,
        "ramByteHours": 17179869184.0,
        "GPUHours": 0.0,
        "discount": 0.0,
        "cpuCost": 0.1264,
        "gpuCost": 0.0,
        "ramCost": 0.0672,
        "totalCost": 0.1936,
    }


def _properties(index: int, pod: str) -> dict[str, object]:
    labels = {f"app_kubernetes_io_label_{number}": f"value-{index % 97}-{number}" for number in range(12)}
    return {
        "cluster": "made",
        "node": f"node-{index % _NODES}",
        "container": "main" if index % 2 else "proxy",
        "controller": f"service-{index // 2}",
        "controllerKind": "deployment",
        "namespace": f"team-{index % 400}",
        "pod": pod,
        "services": [f"service-{index // 2}"],
        "providerID": f"i-{index % _NODES}",
        "labels": labels,
        "namespaceLabels": {"team": f"team-{index % 400}", "kubernetes_io_metadata_name": f"team-{index % 400}"},
    }


def _row(index: int) -> dict[str, object]:
    pod = f"service-{index // 2}-6d5c4b7f8d-{index // 2 % 46656:05d}"
    cores = 0.05 + index % 13 / 100
    return {
        "name": f"made/node-{index % _NODES}/team-{index % 400}/{pod}/main",
        "properties": _properties(index, pod),
        "window": _span(),
        **_span(),
        "minutes": 60,
        "cpuCores": cores,
        "cpuCoreRequestAverage": cores,
        "cpuCoreLimitAverage": 0,
        "cpuCoreUsageAverage": round(cores * 0.37, 5),
        "cpuCoreHours": cores,
        "cpuCost": round(cores * 0.0316, 5),
        "cpuCostIdle": 0,
        "cpuEfficiency": 0.37,
        **dict.fromkeys(_ZEROS, 0),
        "pvs": None,
        "ramBytes": 268435456,
        "ramByteRequestAverage": 268435456,
        "ramByteLimitAverage": 0,
        "ramByteUsageAverage": 182053241.63235,
        "ramByteHours": 268435456,
        "ramCost": 0.00105,
        "ramEfficiency": 0.6782,
        "totalCost": 0.00754,
        "totalEfficiency": 0.26493,
        "rawAllocationOnly": {"cpuCoreUsageMax": 0.143124633, "ramByteUsageMax": 366145962, "gpuUsageMax": None},
        "lbAllocations": None,
        "gpuAllocation": None,
    }


if __name__ == "__main__":
    main()
