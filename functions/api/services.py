"""What the routes need from the rest of the service."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from costintel.argocd.gate import Gate
from costintel.cost.application import AppRef
from costintel.cost.day_range import DayRange
from costintel.measurement.selection import Selection


class ApiServices(Protocol):
    """Reads what is stored; everything may raise StorageUnavailable."""

    def actual(self, application: AppRef, now: datetime) -> Mapping[str, Any] | None:
        """Return what the application costs (see documents.ActualAnswer) as JSON to be served, None if nothing is known of it."""
        ...

    def daily(self, application: AppRef, days: DayRange, now: datetime) -> Mapping[str, Any] | None:
        """Return what the application cost day by day (see history_documents.DailyAnswer), None if nothing is known of it here."""
        ...

    def trend(self, application: AppRef, *, offset: int, limit: int, now: datetime) -> Mapping[str, Any] | None:
        """Return what the application's syncs changed (see history_documents.TrendAnswer), None if nothing is known of it here."""
        ...

    def month(self, application: AppRef, now: datetime) -> Mapping[str, Any] | None:
        """Return the application's calendar month (see history_documents.MonthAnswer), None if nothing is known of it here."""
        ...

    def elsewhere_since(self, application: AppRef) -> datetime | None:
        """Return when the live list showed that the application deploys to another cluster, None if it did not."""
        ...

    def gate(self) -> Gate:
        """Return the application whose readers may see the whole cluster, or why there is none."""
        ...

    def config(self) -> Mapping[str, Any]:
        """Return what the browser needs to know (see documents.ConfigAnswer) as JSON to be served."""
        ...

    def applications(self, selection: Selection, now: datetime) -> Mapping[str, Any]:
        """Return the selected applications with their costs (see documents.ApplicationsAnswer) as JSON to be served."""
        ...

    def ready(self) -> bool:
        """Whether the database answers and has the schema this release needs."""
        ...
