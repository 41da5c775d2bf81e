"""Applications from a file: what `kubectl get applications -A -o json` prints."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from costintel.cluster.applications import read_application
from costintel.cost.live import ListOutcome, LiveApplication
from costintel.errors import InvalidInput


def read_application_file(path: Path, *, clock: Callable[[], datetime]) -> ListOutcome[LiveApplication]:
    """Return the Applications of a JSON List; complete unless the file cannot be read to its end.

    The error names the entry and the field that are wrong, and what was expected there.
    """
    listed_at = clock()
    try:
        entries = _entries(path)
        return ListOutcome(items=tuple(_read(entries)), complete=True, listed_at=listed_at)
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
    except (ValueError, RecursionError):
        reason = "expected JSON"
    except InvalidInput as error:
        reason = str(error)
    return ListOutcome(items=(), complete=False, listed_at=listed_at, error=f"APPLICATIONS_FILE: {reason}")


def _entries(path: Path) -> list[Any]:
    document = json.loads(path.read_bytes())
    items = document.get("items") if isinstance(document, dict) else None
    if not isinstance(items, list):
        raise InvalidInput("items", "a list of Applications, as in a JSON List")
    return items


def _read(entries: list[Any]) -> list[LiveApplication]:
    found: list[LiveApplication] = []
    for number, entry in enumerate(entries):
        try:
            found.append(read_application(entry))
        except InvalidInput as error:
            raise InvalidInput(f"items[{number}].{error.field}", error.expected) from error
    return found
