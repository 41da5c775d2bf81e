"""An OpenCost of a made cluster: so many Applications for so many days, whose costs can be worked out by hand.

An Application has two Deployments; their pods change from day to day, each with two containers, all of them from midnight to
midnight. Requests are multiples of a twentieth of a core and an eighth of a GiB, at prices that keep every hour's cost within
OpenCost's five decimals. Memory usage and network cost are as uneven as in life, so that what is stored takes as much room.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from urllib.parse import parse_qs, urlsplit

CORE_HOUR = 0.04
GIB_HOUR = 0.004
_GIB = 2**30
_DAY = timedelta(days=1)
_NODES = 40
Place = tuple[int, int, int, int]
"""An Application's number, and its Deployment's, pod's and container's in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCluster:
    """The cluster; `last` is its newest whole day, and it goes on until the next day's end."""

    applications: int
    namespaces: int
    days: int
    last: date

    @property
    def begin(self) -> datetime:
        """When it began."""
        return _midnight(self.last) - (self.days - 1) * _DAY

    @property
    def second_sync(self) -> datetime:
        """When each Application began to list its second Deployment."""
        return self.begin + self.days // 2 * _DAY + timedelta(hours=10)

    @property
    def containers(self) -> int:
        """How many run on the last day."""
        return sum(2 * self.pods(number, part, self.last) for number in range(self.applications) for part in (0, 1))

    def all_days(self) -> Iterator[date]:
        """Yield its whole days, oldest first."""
        return (self.begin.date() + number * _DAY for number in range(self.days))

    def name(self, number: int) -> str:
        """Return an Application's name."""
        return f"app-{number:05}"

    def namespace(self, number: int) -> str:
        """Return where it deploys."""
        return f"team-{number % self.namespaces:04}"

    def workload(self, number: int, part: int) -> str:
        """Return the name of one of its two Deployments."""
        return f"app-{number:05}-{'web' if part == 0 else 'worker'}"

    def pods(self, number: int, part: int, day: date) -> int:
        """Return how many pods a Deployment has on a day."""
        return 1 + (number + part + day.toordinal()) % 2

    def size(self, number: int, container: int) -> tuple[float, float]:
        """Return a container's request in cores and GiB."""
        return (1 + (number + container) % 8) / 20, (1 + (3 * number + container) % 16) / 8

    def used(self, container: "Place", start: datetime) -> float:
        """Return which part of its request a container used in the window that began at `start`, five decimals."""
        return round(Random(f"{container}{start}").random(), 5)  # noqa: S311  nothing secret

    def expected(self, number: int, day: date) -> tuple[float, float]:
        """Return what an Application cost on a day, and what of it was idle CPU, worked out one container after the other."""
        cost = idle = 0.0
        for part in (0, 1) if _midnight(day) + _DAY > self.second_sync else (0,):
            for index in range(self.pods(number, part, day)):
                for container in (0, 1):
                    cores, gibibytes = self.size(number, container)
                    used = self.used((number, part, index, container), _midnight(day))
                    cost += 24 * (cores * CORE_HOUR + gibibytes * GIB_HOUR)
                    idle += 24 * CORE_HOUR * (cores - round(cores * used, 5))
        return cost, idle

    def described(self) -> str:
        """Return it as text, for another process."""
        return json.dumps({**asdict(self), "last": self.last.isoformat()})


def serve_described(text: str) -> None:
    """Serve the cluster that `text` describes; print the URL first."""
    fields = json.loads(text)
    serve(MadeCluster(**{**fields, "last": date.fromisoformat(fields["last"])}))


def serve(made: MadeCluster) -> None:
    """Serve a cluster on loopback until the process ends; print the URL first."""
    handler = type("Handler", (_Handler,), {"made": made})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    made: MadeCluster
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer one of the three routes that matter."""
        parts = urlsplit(self.path)
        body = json.dumps(self._answer(parts.path, parts.query), separators=(",", ":")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, path: str, query: str) -> object:
        if path not in {"/allocation", "/assets"}:
            return {"version": "1.120.2"}
        start, end = (datetime.fromisoformat(text) for text in parse_qs(query)["window"][0].split(","))
        is_there = self.made.begin <= start < _midnight(self.made.last) + 2 * _DAY
        if path == "/assets":
            return {"code": 200, "data": dict(_nodes(start, end)) if is_there else {}}
        return {"code": 200, "data": [dict(_rows(self.made, start, end)) if is_there else {}]}


def _rows(made: MadeCluster, start: datetime, end: datetime) -> Iterator[tuple[str, dict[str, object]]]:
    for number in range(made.applications):
        for part in (0, 1):
            for index in range(made.pods(number, part, start.date())):
                for container in (0, 1):
                    row = _row(made, (number, part, index, container), start, end)
                    yield str(row["name"]), row


def _row(made: MadeCluster, place: Place, start: datetime, end: datetime) -> dict[str, object]:
    number, part, index, container = place
    workload = made.workload(number, part)
    pod = f"{workload}-{number * 7919 % 10**9:09x}-{(number * 31 + index) % 16**5:05x}"
    name, node = ("main", "proxy")[container], f"node-{(number + index) % _NODES}"
    (cores, gibibytes), used = made.size(number, container), made.used(place, start)
    hours = (end - start) / timedelta(hours=1)
    span = {"start": _text(start), "end": _text(end)}
    return {
        "name": f"made/{node}/{made.namespace(number)}/{pod}/{name}",
        "properties": {
            "cluster": "made",
            "node": node,
            "container": name,
            "controller": workload,
            "controllerKind": "deployment",
            "namespace": made.namespace(number),
            "pod": pod,
            "providerID": node,
            "labels": {"app_kubernetes_io_name": workload, "app_kubernetes_io_instance": made.name(number)},
        },
        "window": span,
        **span,
        "minutes": hours * 60,
        "cpuCoreRequestAverage": cores,
        "cpuCoreUsageAverage": round(cores * used, 5),
        "cpuCoreHours": round(cores * hours, 5),
        "cpuCost": round(cores * hours * CORE_HOUR, 5),
        "ramByteRequestAverage": int(gibibytes * _GIB),
        "ramByteUsageAverage": round(gibibytes * _GIB * used, 5),
        "ramByteHours": gibibytes * _GIB * hours,
        "ramCost": round(gibibytes * hours * GIB_HOUR, 5),
        "gpuHours": 0,
        "gpuCost": 0,
        "pvCost": 0,
        "networkCost": round(used / 100 * hours, 5),
        "loadBalancerCost": 0,
        "pvs": None,
        "lbAllocations": None,
    }


def _nodes(start: datetime, end: datetime) -> Iterator[tuple[str, dict[str, object]]]:
    hours = (end - start) / timedelta(hours=1)
    span = {"start": _text(start), "end": _text(end)}
    for number in range(_NODES):
        yield (
            f"node-{number}",
            {
                "type": "Node",
                "properties": {"cluster": "made", "name": f"node-{number}", "providerID": f"node-{number}"},
                "window": span,
                **span,
                "minutes": hours * 60,
                "cpuCoreHours": 64 * hours,
                "ramByteHours": 256 * _GIB * hours,
                "GPUHours": 0,
                "discount": 0,
                "cpuCost": 64 * hours * CORE_HOUR,
                "ramCost": 256 * hours * GIB_HOUR,
                "gpuCost": 0,
                "totalCost": hours * (64 * CORE_HOUR + 256 * GIB_HOUR),
            },
        )


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
