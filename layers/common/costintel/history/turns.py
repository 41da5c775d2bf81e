"""One run at a time: two that fold the same days would only do the same work twice."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from costintel.collection.deadline import Deadline
from costintel.errors import StorageError
from costintel.storage.leases import Lease, Leases

_SPARE_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Turns:
    """A lease of its own beside the cluster's, which is about talking to OpenCost; a name of a cluster holds no slash."""

    cluster: str
    leases: Leases

    @contextmanager
    def taken(self, deadline: Deadline) -> Iterator[bool]:
        """Say for the block whether it is our turn. It lasts until the deadline, so that a killed run holds up none after that."""
        seconds = max(0.0, deadline.remaining()) + _SPARE_SECONDS
        lease = self.leases.acquire(f"{self.cluster}/history", uuid.uuid4().hex, seconds)
        try:
            yield lease is not None
        finally:
            if lease is not None:
                self._release(lease)

    def _release(self, lease: Lease) -> None:
        try:
            self.leases.release(lease)
        except StorageError:
            return  # it expires by itself
