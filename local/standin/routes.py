"""Which path answers what."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from local.standin.fault import Fault
from local.standin.index import ModelIndex
from local.standin.model import Node, Outage, Source, epoch_seconds
from local.standin.query import Query, Questions
from local.standin.response import TEXT, Response, raw_json, success
from local.standin.sampling import RESOLUTION_SECONDS, Window
from local.standin.version import Version
from local.standin.view import View

_NOT_FOUND = Response(404, TEXT, (b"404 page not found\n",))
_KUBERNETES_VERSION = "1.35"


class Routes:
    """OpenCost's routes over one model."""

    def __init__(self, index: ModelIndex, version: Version) -> None:
        self._index = index
        self._version = version
        self._by_path: dict[str, Callable[[], Response]] = {
            "/healthz": lambda: Response(200, None),
            "/clusterInfo": lambda: success(self._about_cluster(), version),
            "/clusterInfoMap": lambda: success(self._clusters(), version),
            "/pricingSourceStatus": lambda: success(self._pricing_source_status(), version),
            "/managementPlatform": lambda: success("", version),
        }

    def answer(self, path: str, query: Query, *, now: datetime, faults: tuple[Fault, ...] = ()) -> Response:
        """Answer a GET at that moment, seen through the faults that blind OpenCost.

        Raises:
            EndlessStepError: OpenCost would never answer.
        """
        questions = Questions(version=self._version, now=now, view_of=self._viewer(now, faults))
        if path in {"/allocation", "/allocation/compute"}:
            return questions.allocation(query)
        if path == "/assets":
            return questions.assets(query)
        if path == "/installInfo":
            return raw_json(self._about_install(now))
        if path == "/pricingSourceCounts":
            return success(self._pricing_source_counts(now), self._version)
        return self._by_path.get(path, lambda: _NOT_FOUND)()

    def _viewer(self, now: datetime, faults: tuple[Fault, ...]) -> Callable[[Window], View]:
        model = self._index.model
        kept_from = [int(now.timestamp()) - fault.retention_hours * 3600 for fault in faults if fault.retention_hours]

        def view_of(window: Window) -> View:
            return View(
                index=self._index,
                window=window,
                version=self._version,
                now=now.timestamp(),
                outages=(*model.outages, *_blindness(faults, window)),
                seen_from_seconds=max((model.observed_from_seconds, *kept_from)),
            )

        return view_of

    def _about_cluster(self) -> dict[str, str]:
        """Every value is text; which keys there are depends on provider and version."""
        model = self._index.model
        facts = {
            "account": "",
            "clusterProfile": "development",
            "errorReporting": "false",
            "id": model.cluster_id,
            "logCollection": "false",
            "productAnalytics": "false",
            "provider": model.provider,
            "region": model.region,
            "valuesReporting": "false",
            "version": _KUBERNETES_VERSION,
        }
        if self._version.envelope_status:
            facts["thanosEnabled"] = "false"
        if model.provisioner:
            facts |= {"name": model.cluster_id, "provisioner": model.provisioner}
        return {key: facts[key] for key in sorted(facts)}

    def _clusters(self) -> dict[str, dict[str, str]]:
        model = self._index.model
        facts = {
            "id": model.cluster_id,
            "name": model.cluster_id,
            "profile": "development",
            "provider": model.provider,
            "account": "",
            "project": "",
            "region": model.region,
            "provisioner": model.provisioner,
        }
        if not self._version.envelope_status:
            facts["version"] = _KUBERNETES_VERSION
        return {model.cluster_id: facts}

    def _pricing_source_status(self) -> dict[str, dict[str, object]]:
        """AWS names its sources; custom pricing has none, which does not mean it is broken."""
        if self._index.model.provider != "AWS":
            return {}
        sources = {
            "Savings Plan, Reserved Instance, and Out-Of-Cluster": (True, ""),
            "Spot Data Feed": (False, "Spot instances not set up"),
        }
        return {
            name: {"name": name, "enabled": works, "available": works, "error": error}
            for name, (works, error) in sources.items()
        }

    def _nodes_now(self, now: datetime) -> list[Node]:
        moment = epoch_seconds(now)
        nodes = self._index.model.nodes
        return [n for n in nodes if n.start_seconds <= moment and (n.end_seconds is None or n.end_seconds > moment)]

    def _about_install(self, now: datetime) -> dict[str, Any]:
        moment = epoch_seconds(now)
        pods = [pod for pod in self._index.model.pods if pod.start_seconds <= moment]
        running = sum(pod.end_seconds is None or pod.end_seconds > moment for pod in pods)
        return {
            "containers": None if self._version.envelope_status else [],
            "clusterInfo": {"nodeCount": str(len(self._nodes_now(now))), "podCount": str(running)},
            "version": self._version.reported,
        }

    def _pricing_source_counts(self, now: datetime) -> dict[str, Any]:
        nodes = self._nodes_now(now)
        if self._index.model.provider == "custom":
            return {"TotalNodes": len(nodes), "PricingType": {"": len(nodes)}}
        spot = sum(node.spot for node in nodes)
        counts = {"api": len(nodes) - spot, "spot": spot}
        return {"TotalNodes": len(nodes), "PricingType": {kind: count for kind, count in counts.items() if count}}


def _blindness(faults: tuple[Fault, ...], window: Window) -> list[Outage]:
    """Faults as outages: of their own stretch, else of the whole asked window and what it looks back on."""
    return [
        Outage(
            lost=Source(fault.lost),
            start_seconds=window.start - 2 * RESOLUTION_SECONDS if fault.lost_from is None else fault.lost_from,
            end_seconds=window.end + RESOLUTION_SECONDS if fault.lost_to is None else fault.lost_to,
        )
        for fault in faults
        if fault.lost
    ]
