"""What a deployment starts: migrate, and the master credential for it when it is needed."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from costintel.errors import ConfigurationError, CostIntelError
from migrate import bootstrap
from migrate import handler as migrate_handler
from tests.migrate.conftest import MASTER, NEWEST, PASSWORD

INVOCATIONS = "/2015-03-31/functions/the-migrate-function/invocations"
SECRET_ARN = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:rds!db-1"


class Aws(ThreadingHTTPServer):
    """Lambda, which runs the real migrate, and Secrets Manager, as far as bootstrap calls them."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.events: list[dict[str, Any]] = []
        self.secrets_read: list[str] = []
        self.broken = False


class _Request(BaseHTTPRequestHandler):
    server: Aws

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("X-Amz-Target") == "secretsmanager.GetSecretValue":
            self.server.secrets_read.append(body["SecretId"])
            self._answer({"SecretString": json.dumps({"username": MASTER, "password": PASSWORD})})
        elif self.path == INVOCATIONS:
            self.server.events.append(body)
            self._invoke(body)
        else:
            self._answer({}, status=404)

    def _invoke(self, event: dict[str, Any]) -> None:
        if self.server.broken:
            self._answer({"message": "broken"}, status=500)
            return
        try:
            self._answer(migrate_handler.handler(event, None))
        except CostIntelError as error:
            failure = {"errorType": type(error).__name__, "errorMessage": str(error)}
            self._answer(failure, headers={"X-Amz-Function-Error": "Unhandled"})

    def _answer(self, answer: dict[str, Any], *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test's output free of access lines."""


@pytest.fixture
def aws(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Aws]:
    """Serve Lambda and Secrets Manager on loopback; both functions' environment is set."""
    with Aws() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        own = {
            "MIGRATE_FUNCTION_NAME": "the-migrate-function",
            "MASTER_SECRET_ARN": SECRET_ARN,
            "AWS_ENDPOINT_URL_LAMBDA": url,
            "AWS_ENDPOINT_URL_SECRETS_MANAGER": url,
        }
        for name, value in {**settings, **own}.items():
            monkeypatch.setenv(name, value)
        yield server
        server.shutdown()
        thread.join()


def test_the_first_deployment_hands_over_the_master_once(aws: Aws) -> None:
    """Migrate is asked, wants the master, gets it, and brings the schema up."""
    assert bootstrap.handler({}, None) == {"schema": NEWEST}
    assert aws.events == [{}, {"master": {"username": MASTER, "password": PASSWORD}}]
    assert aws.secrets_read == [SECRET_ARN]


def test_later_deployments_do_not_touch_the_secret(aws: Aws) -> None:
    """The schema is there and the roles are as they should be, so nothing is read or handed over."""
    bootstrap.handler({}, None)
    aws.events.clear()
    aws.secrets_read.clear()

    assert bootstrap.handler({}, None) == {"schema": NEWEST}
    assert (aws.events, aws.secrets_read) == ([{}], [])


def test_the_credential_is_never_logged(aws: Aws, log_lines: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """Neither function writes the password anywhere, nor the user name."""
    bootstrap.handler({}, None)
    printed = "".join(capfd.readouterr())

    assert any("migrate needs the master credential" in line for line in log_lines)
    for text in (PASSWORD, json.dumps(PASSWORD), MASTER):
        assert text not in printed + "".join(log_lines)


def test_a_failure_of_migrate_fails_the_deployment(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error carries migrate's own type and text."""
    monkeypatch.setenv("DATABASE_CA_FILE", "/nowhere/ca.pem")

    with pytest.raises(bootstrap.MigrationFailed, match=r"^StorageUnavailable: .*ca\.pem"):
        bootstrap.handler({}, None)


def test_a_refused_invocation_is_not_repeated(aws: Aws) -> None:
    """A second migrate might run beside the first, so there is no silent retry."""
    aws.broken = True

    with pytest.raises(Exception, match=r"\(500\)|broken"):
        bootstrap.handler({}, None)
    assert aws.events == [{}]


@pytest.mark.parametrize("name", ["MIGRATE_FUNCTION_NAME", "MASTER_SECRET_ARN"])
def test_a_missing_setting_is_named(aws: Aws, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Before anything is handed over."""
    monkeypatch.delenv(name)

    with pytest.raises(ConfigurationError, match=f"^{name}: expected a value, found none$"):
        bootstrap.handler({}, None)
    assert name not in os.environ
