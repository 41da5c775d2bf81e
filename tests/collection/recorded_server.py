"""The recorded answers of a running OpenCost, served again on loopback by their windows."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs, urlsplit

RECORDED = Path(__file__).parents[1] / "samples" / "opencost-recorded"
FIRST_HOUR = datetime(2026, 11, 28, tzinfo=UTC)
LAST_HOUR = datetime(2026, 11, 30, 7, tzinfo=UTC)
_EMPTY = {"/allocation": {"code": 200, "data": [{}]}, "/assets": {"code": 200, "data": {}}}


class RecordedServer:
    """Serves `folder`; a window without a recording is answered as OpenCost answers what it knows nothing of.

    `calls` counts the windows asked of `/allocation`. `barrier`, when set, is called with a window before it is answered.
    """

    def __init__(self, version: str = "1.120.2") -> None:
        self.folder = RECORDED / version
        self.calls: Counter[datetime] = Counter()
        self.barrier: Callable[[datetime], None] | None = None
        handler = type("Handler", (_Handler,), {"recorded": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def body(self, path: str, query: str) -> bytes | None:
        if path in {"/clusterInfo", "/installInfo", "/pricingSourceStatus", "/pricingSourceCounts"}:
            return (self.folder / f"{path[1:]}.json").read_bytes()
        if path not in _EMPTY:
            return None
        start = datetime.fromisoformat(parse_qs(query)["window"][0].split(",")[0])
        if path == "/allocation":
            self.calls[start] += 1
            if self.barrier is not None:
                self.barrier(start)
        file = self.folder / f"hour-{start:%Y-%m-%dT%HZ}.{path[1:]}.json"
        return file.read_bytes() if file.exists() else json.dumps(_EMPTY[path]).encode()


class _Handler(BaseHTTPRequestHandler):
    recorded: RecordedServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        body = self.recorded.body(parts.path, parts.query)
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""
