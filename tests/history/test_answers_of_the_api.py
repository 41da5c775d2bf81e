"""Days, trend and month as the API puts them together from its settings."""

from api.app import create_app
from costintel.argocd.tokens import TokenHashes
from costintel.config import Environment
from costintel.wiring import build_api
from tests.api.answering import AUTHORIZED, TOKEN, content
from tests.argocd.events import Sent, token_hash
from tests.collection.engine import NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.figures import keep, pods

HEADERS = (*AUTHORIZED, ("Argocd-Application-Name", "argocd:shop"))


def test_every_route_answers_from_the_tables(open_history: OpenHistory, history_url: str) -> None:
    """In the settings' currency and on their basis: 0.5 an hour is 365 in 730 hours; by half past twelve today cost 6."""
    history = open_history(FakeOpenCost(lives=[Life(hourly_cost=0.5)]), history_days=8)
    keep(history, NOW.replace(day=20), early=pods(1, cores=1, price=0.5))
    history.engine.tick(NOW)
    history.hour(NOW)
    services = build_api(Environment({"DATABASE_URL": history_url, "CURRENCY": "EUR", "MONTH_HOURS": "730"}))
    api = create_app(services, tokens=TokenHashes.parse(token_hash(TOKEN)), now=lambda: NOW)

    found = {}
    for route in ("daily", "trend", "month"):
        outcome = api.answer(Sent(path=f"/api/cost-analysis/shop/{route}", headers=HEADERS).v2())
        assert outcome.answer["statusCode"] == 200
        found[route] = content(outcome.answer)
    services.database.close()

    assert {document["currency"] for document in found.values()} == {"EUR"}
    assert [(day["state"], day["cost"]["total"]) for day in found["daily"]["days"][-2:]] == [
        ("complete", 12.0),
        ("provisional", 6.0),
    ]
    assert [point["noChange"] for point in found["trend"]["points"]] == ["not_settled"]
    assert found["month"]["weekRate"]["monthly"]["total"] == 365.0
    assert found["month"]["dayRate"]["monthly"]["total"] == 365.0
