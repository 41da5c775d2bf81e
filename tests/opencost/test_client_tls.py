"""OpenCost behind TLS."""

from pathlib import Path

import pytest

from costintel.errors import OpenCostRefused
from tests.opencost.certificates import write_certificate
from tests.opencost.conftest import MakeClient
from tests.opencost.scripted_server import ScriptedServer, reply_json


def test_the_configured_ca_is_trusted(tmp_path: Path, make_client: MakeClient) -> None:
    """With the CA file the server's certificate is verified and accepted."""
    ca_file, tls = write_certificate(tmp_path)
    with ScriptedServer(tls=tls) as server:
        server.on("/clusterInfo", reply_json({"code": 200, "data": {"id": "made"}}))
        assert make_client(server.url, ca_file=str(ca_file)).cluster_id() == "made"


def test_an_unknown_ca_is_not(tmp_path: Path, make_client: MakeClient) -> None:
    """Without it nothing is sent: no request, no token."""
    _, tls = write_certificate(tmp_path)
    with ScriptedServer(tls=tls) as server:
        with pytest.raises(OpenCostRefused, match="no connection"):
            make_client(server.url, token="s3cret").cluster_id()
        assert server.requests == []
