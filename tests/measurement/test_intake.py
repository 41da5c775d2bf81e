"""Messages become rows of `work`."""

from datetime import UTC, datetime
from typing import Any

import pytest

from costintel.argocd.message import sync_message
from costintel.errors import InvalidInput, StorageUnavailable
from costintel.measurement.intake import receive
from costintel.storage.work import Work
from tests.collection.engine import NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost
from tests.measurement.conftest import OpenEngine
from tests.measurement.syncs import a_sync, send


@pytest.fixture
def engine(open_engine: OpenEngine) -> Engine:
    return open_engine(FakeOpenCost())


def test_a_batch_is_remembered(engine: Engine) -> None:
    """Ten messages, ten rows, due at once."""
    received = send(engine, *(a_sync(f"app-{n}") for n in range(10)))

    assert len(received.new) == 10
    assert received.failed == {}
    assert {item.not_before for item in engine.waiting()} == {NOW}


@pytest.mark.parametrize("body", ["", "{", "[]", '{"v": 9}', "null", '{"v": 1, "sync": {}}', "\u0000"])
def test_a_malformed_message_fails_alone(engine: Engine, body: str) -> None:
    """It must reach the dead-letter queue; its neighbours are remembered."""
    bodies = {"good": sync_message(a_sync()), "bad": body}

    received = engine.measuring.receive(bodies, now=NOW)

    assert (len(received.new), list(received.failed)) == (1, ["bad"])


def test_a_sync_that_postgresql_refuses_fails_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row that cannot be kept does not take the other messages of its batch with it."""
    bodies = {name: sync_message(a_sync(name)) for name in ("a", "b", "c")}
    insert = Work.insert_syncs

    def refuse(self: Work, cluster: str, payloads: Any, now: datetime) -> set[str]:
        if any(payload["sync"]["application"][1] == "b" for payload in payloads.values()):
            raise InvalidInput("sync", "text without NUL")
        return insert(self, cluster, payloads, now)

    monkeypatch.setattr(Work, "insert_syncs", refuse)

    received = engine.measuring.receive(bodies, now=NOW)

    assert (len(received.new), list(received.failed)) == (2, ["b"])


def test_nothing_is_acknowledged_without_postgresql() -> None:
    """Every message that could be read has failed, and comes again."""

    class Away(Work):
        def insert_syncs(self, cluster: str, payloads: Any, now: datetime) -> set[str]:
            raise StorageUnavailable("PostgreSQL: connection refused")

    bodies = {name: sync_message(a_sync(name)) for name in ("a", "b")}

    received = receive(bodies, cluster="local", work=Away.__new__(Away), now=datetime.now(UTC))

    assert (received.new, set(received.failed)) == (frozenset(), {"a", "b"})


def test_an_empty_batch_is_nothing(engine: Engine) -> None:
    """No statement, no failure."""
    received = engine.measuring.receive({}, now=NOW)

    assert (received.new, received.failed) == (frozenset(), {})
