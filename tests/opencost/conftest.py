"""A scripted OpenCost on loopback and a client of it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from costintel.opencost.client import OpenCostClient
from tests.opencost.scripted_server import ScriptedServer

MakeClient = Callable[..., OpenCostClient]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def make_client(server: ScriptedServer) -> Iterator[MakeClient]:
    """Return a maker of clients; the base URL is the server's unless given, and `path` is added to it."""
    with ExitStack() as made:

        def make(
            base_url: str = "", *, path: str = "", token: str = "", ca_file: str = "", read_timeout_seconds: float = 20
        ) -> OpenCostClient:
            client = OpenCostClient(
                (base_url or server.url) + path,
                token=token,
                ca_file=ca_file,
                read_timeout_seconds=read_timeout_seconds,
            )
            made.callback(client.close)
            return client

        yield make
