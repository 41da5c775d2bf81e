"""The sample events of API Gateway, one of them legitimate."""

import json
from pathlib import Path
from typing import Any

import pytest

from api.app import create_app
from costintel.argocd.tokens import TokenHashes
from costintel.cost.application import AppRef
from tests.api.answering import NOW, SERVED, GivenServices
from tests.argocd.events import token_hash

SAMPLES = Path(__file__).parents[1] / "samples/apigateway"
TOKEN = "EXAMPLE-ONLY-not-a-real-token"


def answered(event: dict[str, Any], services: GivenServices) -> tuple[int, str]:
    answering = create_app(services, tokens=TokenHashes.parse(token_hash(TOKEN)), now=lambda: NOW)
    outcome = answering.answer(event)
    return outcome.answer["statusCode"], outcome.code


def sample(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return document


def test_a_proxied_request_is_served() -> None:
    """What the extension asks through Argo CD is answered."""
    services = GivenServices(SERVED)

    assert answered(sample("v2-proxied-request"), services) == (200, "")
    assert services.asked == [AppRef("argocd", "shop-web")]


@pytest.mark.parametrize("name", ["v2-duplicate-app-header-ATTACK", "v1-duplicate-app-header-ATTACK"])
def test_a_smuggled_second_application_is_denied(name: str) -> None:
    """The application that only the second line names is not shown, in either payload format."""
    services = GivenServices(SERVED)

    assert answered(sample(name), services) == (400, "application_repeated")
    assert services.asked == []


def test_the_attacks_fail_for_the_first_application_too() -> None:
    """A request with two lines is refused whichever of them the path names."""
    for name, path in (("v2-duplicate-app-header-ATTACK", "rawPath"), ("v1-duplicate-app-header-ATTACK", "path")):
        event = {**sample(name), path: "/api/cost-analysis/shop-web/actual"}

        assert answered(event, GivenServices(SERVED)) == (400, "application_repeated")
