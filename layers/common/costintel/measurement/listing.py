"""What the API tells of all Applications."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from costintel.measurement.catalogue_document import catalogue_document
from costintel.measurement.catalogue_reading import CatalogueReader
from costintel.measurement.selection import Selection

STALE_AFTER = timedelta(hours=3)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Answers `/applications` from the tables alone."""

    currency: str
    reader: CatalogueReader

    def applications(self, selection: Selection, now: datetime) -> dict[str, Any]:
        """Return the selected Applications with their current cost as JSON. Raises StorageError."""
        catalogue = self.reader.read(now)
        header = catalogue.header
        return {
            "currency": self.currency,
            "stale": header is None or now - header.window.end > STALE_AFTER,
            **catalogue_document(catalogue, selection),
        }
