"""What the API is given: figures and readiness."""

import psycopg
import pytest

from costintel.config import Environment
from costintel.cost.application import AppRef
from costintel.errors import ConfigurationError, StorageError
from costintel.wiring import build_api
from tests.collection.engine import NOW
from tests.collection.fake_opencost import FakeOpenCost
from tests.measurement.conftest import OpenEngine
from tests.measurement.syncs import a_sync, send


def settings(url: str, **more: str) -> Environment:
    return Environment({"DATABASE_URL": url, **more})


def test_it_answers_from_the_tables(open_engine: OpenEngine, engine_url: str) -> None:
    """The API sees what `measure` stored, in its currency and on its basis."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync())
    engine.tick()

    services = build_api(settings(engine_url, CURRENCY="EUR", MONTH_HOURS="730"))
    answer = services.actual(AppRef("argocd", "shop-web"), NOW)
    services.database.close()

    assert answer is not None
    assert (answer["currency"], answer["current"]["basisHours"]) == ("EUR", 730)
    assert answer["current"]["monthly"]["total"] == 29.2  # 0.96 a day, 730 hours


def test_it_is_ready_with_its_schema(engine_url: str) -> None:
    """The database answers and has the newest migration."""
    services = build_api(settings(engine_url))

    assert services.ready()
    services.database.close()


def test_a_newer_schema_is_ready_too(engine_url: str) -> None:
    """A migration is backward compatible with the release before it."""
    with psycopg.connect(engine_url, autocommit=True) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (9999, 'later', '', now())")
        services = build_api(settings(engine_url))
        ready = services.ready()
        connection.execute("DELETE FROM schema_migrations WHERE version = 9999")
        services.database.close()

    assert ready


def test_an_older_schema_is_not_ready(engine_url: str) -> None:
    """`migrate` has not run yet."""
    with psycopg.connect(engine_url, autocommit=True) as connection:
        connection.execute("UPDATE schema_migrations SET version = -version")
        services = build_api(settings(engine_url))
        ready = services.ready()
        connection.execute("UPDATE schema_migrations SET version = -version")
        services.database.close()

    assert not ready


def test_without_a_schema_it_says_so(empty_database_url: str) -> None:
    """No table at all is a storage error, not an answer."""
    services = build_api(settings(empty_database_url))

    with pytest.raises(StorageError):
        services.ready()
    services.database.close()


def test_a_bad_setting_is_named() -> None:
    """Before anything is asked of it."""
    with pytest.raises(ConfigurationError, match="CURRENCY"):
        build_api(settings("postgresql://127.0.0.1:9/none", CURRENCY="euro"))
