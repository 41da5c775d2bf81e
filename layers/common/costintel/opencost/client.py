"""The client of one OpenCost (1.108 to 1.121) or Kubecost."""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from costintel.cost.window import Window
from costintel.errors import OpenCostError, OpenCostRefused
from costintel.opencost.answer import AnswerReader, WindowAnswer
from costintel.opencost.moment import in_query
from costintel.opencost.redaction import one_line
from costintel.opencost.status import OpenCostStatus, PricingSource
from costintel.opencost.transport import Deadline, Transport

ALLOCATION_LIMIT_BYTES: Final = 768 * 1024**2
ASSETS_LIMIT_BYTES: Final = 128 * 1024**2
ROUTE_LIMIT_BYTES: Final = 4 * 1024**2
ROUTE_SECONDS: Final = 20.0
"""Longest wait for the small routes, which OpenCost answers from memory; `status` asks three of them within it."""


class OpenCostClient:
    """Asks OpenCost one thing at a time.

    `base_url` may have a path, such as the UI's or Kubecost's `/model`. `transport` leads there another way than straight to it,
    such as the service proxy. Raises ConfigurationError when the URL is none or the CA file cannot be read.
    """

    def __init__(
        self,
        base_url: str,
        *,
        token: str = "",
        ca_file: str = "",
        read_timeout_seconds: float = 240,
        transport: Transport | None = None,
    ) -> None:
        self._transport = transport or Transport(base_url, token=token, ca_file=ca_file)
        self._read_timeout_seconds = read_timeout_seconds
        # Only Kubecost needs the longer route (T40), where OpenCost's short one reads precomputed days; OpenCost has both.
        self._allocation = "/allocation/compute" if self._transport.path.endswith("/model") else "/allocation"

    def close(self) -> None:
        """Close the client's connections."""
        self._transport.close()

    def answer(self, window: Window, *, cluster_id: str) -> WindowAnswer:
        """Ask for the assets and the containers of `window`, one call each, and return them corrected.

        The read timeout holds for both calls together. OpenCost computes over the whole cluster whatever is asked, so nothing
        is filtered or aggregated there. Raises OpenCostTimeout or OpenCostRefused.
        """
        deadline = Deadline(self._read_timeout_seconds)
        query = "window=" + quote(f"{in_query(window.start)},{in_query(window.end)}")
        reader = AnswerReader(window, cluster_id=cluster_id)
        with self._transport.get(
            "/assets", query=query, deadline=deadline, limit_bytes=ASSETS_LIMIT_BYTES
        ) as assets_body:
            reader.read_assets(assets_body)
        with self._transport.get(
            self._allocation, query=query, deadline=deadline, limit_bytes=ALLOCATION_LIMIT_BYTES
        ) as body:
            reader.read_allocations(body)
        return reader.answer()

    def cluster_id(self) -> str:
        """Return the id OpenCost gives the cluster; empty for one that was given none. Raises OpenCostTimeout, OpenCostRefused."""
        found = self._enveloped("/clusterInfo", self._soon()).get("id")
        if not isinstance(found, str):
            raise OpenCostRefused("/clusterInfo: the answer holds no cluster id")
        return found

    def status(self) -> OpenCostStatus:
        """Return version and pricing sources as far as OpenCost tells them; raises nothing for what it does not."""
        deadline = self._soon()
        return OpenCostStatus(
            version=self._version(deadline),
            pricing_sources=self._sources(deadline),
            pricing_counts=self._counts(deadline),
        )

    def _soon(self) -> Deadline:
        return Deadline(min(ROUTE_SECONDS, self._read_timeout_seconds))

    def _version(self, deadline: Deadline) -> str | None:
        try:
            version = self._body("/installInfo", deadline).get("version")
        except OpenCostError:
            return None
        return version if isinstance(version, str) and version else None

    def _sources(self, deadline: Deadline) -> Mapping[str, PricingSource] | None:
        try:
            sources = self._enveloped("/pricingSourceStatus", deadline)
        except OpenCostError:
            return None
        return {
            name: PricingSource(enabled=source.get("enabled") is True, available=source.get("available") is True)
            for name, source in sources.items()
            if isinstance(source, dict)
        }

    def _counts(self, deadline: Deadline) -> Mapping[str, int] | None:
        try:
            counts = self._enveloped("/pricingSourceCounts", deadline).get("PricingType")
        except OpenCostError:
            return None
        if not isinstance(counts, dict):
            return None
        return {kind: count for kind, count in counts.items() if isinstance(count, int)}

    def _enveloped(self, route: str, deadline: Deadline) -> dict[str, Any]:
        """Return a route's `data`. Up to 1.114 these routes answer HTTP 200 with another `code` when they fail."""
        body = self._body(route, deadline)
        if body.get("code") != 200:
            raise OpenCostRefused(
                f"{route}: answered with code {str(body.get('code'))[:8]}{one_line(body.get('message'))}"
            )
        found = body.get("data")
        if not isinstance(found, dict):
            raise OpenCostRefused(f"{route}: the answer's data is not what was asked for")
        return found

    def _body(self, route: str, deadline: Deadline) -> dict[str, Any]:
        with self._transport.get(route, deadline=deadline, limit_bytes=ROUTE_LIMIT_BYTES) as pieces:
            text = b"".join(pieces)
        try:
            body = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise OpenCostRefused(f"{route}: the answer is not JSON") from error
        if not isinstance(body, dict):
            raise OpenCostRefused(f"{route}: the answer is not what OpenCost sends")
        return body
