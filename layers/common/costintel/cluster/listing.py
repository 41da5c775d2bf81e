"""Whole lists, page by page: `limit` and `continue` of the Kubernetes API, whose pages all show the moment of the first."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from time import monotonic
from typing import Any, Final, TypeGuard, TypeVar

from costintel.cluster.connection import Connection
from costintel.cluster.failures import Expired, KubernetesError, PageTooLarge
from costintel.cluster.fields import member
from costintel.cluster.kinds import Kind
from costintel.cost.live import ListOutcome
from costintel.errors import InvalidInput

PAGE_OBJECTS: Final = 100
LIST_SECONDS: Final = 90.0
_STARTS: Final = 3
"""How often a list is begun when the snapshot it is read from expires; that takes minutes, so a second time is odd already."""

Item = TypeVar("Item")


class Lister:
    """Lists kinds of objects over one connection, within `seconds` each."""

    def __init__(self, connection: Connection, *, clock: Callable[[], datetime], seconds: float = LIST_SECONDS) -> None:
        self._connection = connection
        self._clock = clock
        self._seconds = seconds

    def outcome(self, kind: Kind, read: Callable[[object], Item]) -> ListOutcome[Item]:
        """Return all objects of `kind`, each turned into what `read` makes of it before the next page is fetched.

        Whatever goes wrong, be it that `read` raises InvalidInput, ends in an outcome that is not complete; only
        ConfigurationError passes through.
        """
        pages = _Pages(self._connection, kind, deadline=monotonic() + self._seconds)
        for _ in range(_STARTS):
            listed_at = self._clock()
            try:
                items = tuple(read(entry) for entry in pages.objects())
                return ListOutcome(items=items, complete=True, listed_at=listed_at)
            except Expired as error:
                outcome = _failed(str(error), listed_at)
            except KubernetesError as error:
                return _failed(str(error), listed_at)
            except InvalidInput as error:
                return _failed(f"{kind.resource}: an object's {error}", listed_at)
        return outcome


def _failed(error: str, listed_at: datetime) -> ListOutcome[Any]:
    return ListOutcome(items=(), complete=False, listed_at=listed_at, error=error)


class _Pages:
    """The pages of one kind. The number of objects asked for shrinks where they are large, and stays so."""

    def __init__(self, connection: Connection, kind: Kind, *, deadline: float) -> None:
        self._connection = connection
        self._kind = kind
        self._deadline = deadline
        self._limit = PAGE_OBJECTS

    def objects(self) -> Iterator[object]:
        """Give object after object, from the first page on; none is held any longer. Raises KubernetesError."""
        token: str | None = ""
        while token is not None:
            page = self._page(token)
            entries = page["items"] or []
            token = page["metadata"].get("continue") or None
            del page
            entries.reverse()
            while entries:
                yield entries.pop()

    def _page(self, token: str) -> dict[str, Any]:
        while True:
            query = {"limit": str(self._limit), **({"continue": token} if token else {})}
            try:
                return self._decoded(self._connection.get(self._kind, query=query, deadline=self._deadline))
            except PageTooLarge as error:
                if self._limit == 1:
                    raise KubernetesError(f"{self._kind.resource}: one object is larger than a page may be") from error
                self._limit = max(1, self._limit // 4)

    def _decoded(self, body: bytes) -> dict[str, Any]:
        try:
            page = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise KubernetesError(f"{self._kind.resource}: the API server's answer is not JSON") from error
        if not _is_page(page):
            raise KubernetesError(f"{self._kind.resource}: the API server's answer is not a list")
        return page


def _is_page(answer: object) -> TypeGuard[dict[str, Any]]:
    """Whether an answer is a page of a list, which says so in its kind; what holds nothing may have null for items."""
    if not isinstance(answer, dict) or "items" not in answer or not str(answer.get("kind")).endswith("List"):
        return False
    token = member(answer, "metadata", "continue")
    return (
        isinstance(answer["items"], list | None)
        and isinstance(answer.get("metadata"), dict)
        and isinstance(token, str | None)
    )
