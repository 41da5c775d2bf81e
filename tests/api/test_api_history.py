"""The routes about one application over time."""

from datetime import date

import pytest

from costintel.cost.day_range import DayRange
from costintel.errors import StorageUnavailable
from tests.api.answering import CHECKOUT, CHECKOUT_HEADERS, NOW, SERVED, GivenServices, asked, content, outcomes
from tests.argocd.events import Sent

ROUTES = ("daily", "trend", "month")


def about(route: str, query: str = "") -> Sent:
    return Sent(path=f"/api/cost-analysis/checkout/{route}", query=query, headers=CHECKOUT_HEADERS)


@pytest.mark.parametrize("route", ROUTES)
def test_the_document_comes_as_it_is(route: str) -> None:
    """Of the application that the header names."""
    services = GivenServices(SERVED)
    for outcome in outcomes(about(route), services):
        assert outcome.answer["statusCode"] == 200
        assert content(outcome.answer) == SERVED
    assert services.asked == [CHECKOUT, CHECKOUT]


def test_thirty_days_ending_today_unless_told_otherwise() -> None:
    """Both ends included, in UTC."""
    services = GivenServices(SERVED)
    asked(about("daily"), services)
    asked(about("daily", "from=2026-10-01&to=2026-10-02"), services)

    assert services.ranges[0] == DayRange(first=date(2026, 11, 1), last=date(2026, 11, 30))
    assert services.ranges[-1] == DayRange(first=date(2026, 10, 1), last=date(2026, 10, 2))


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("from=2026-11-30&to=2026-11-29", ["from"]),
        ("from=2025-01-01", ["from"]),
        ("from=", ["from"]),
        ("from=yesterday", ["from"]),
        ("to=2026-11-31", ["to"]),
    ],
)
def test_a_range_that_is_none_is_refused(query: str, fields: list[str]) -> None:
    """422 with the parameter's name; nothing is looked up."""
    services = GivenServices(SERVED)
    for outcome in outcomes(about("daily", query), services):
        assert (outcome.answer["statusCode"], outcome.code) == (422, "parameter_malformed")
        assert content(outcome.answer)["fields"] == fields
    assert services.asked == []


def test_a_page_of_the_trend() -> None:
    """The newest hundred points unless told otherwise."""
    services = GivenServices(SERVED)
    asked(about("trend"), services)
    asked(about("trend", "offset=100&limit=20"), services)

    assert (services.pages[0], services.pages[-1]) == ((0, 100), (100, 20))


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "offset=-1", "limit=NaN", "offset="])
def test_a_page_that_is_none_is_refused(query: str) -> None:
    """422 as for every parameter."""
    assert asked(about("trend", query)) == (422, "parameter_malformed")


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_is_known_of_it(route: str) -> None:
    """404 says whether it is elsewhere or only new."""
    services = GivenServices()
    assert asked(about(route), services) == (404, "not_measured")
    services.elsewhere = NOW
    assert asked(about(route), services) == (404, "other_cluster")


@pytest.mark.parametrize("route", ROUTES)
def test_the_database_is_away(route: str) -> None:
    """503, to be tried again."""
    services = GivenServices(failure=StorageUnavailable("away"))
    assert asked(about(route), services) == (503, "storage_unavailable")
