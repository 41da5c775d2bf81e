"""The one conversation with OpenCost at a time: a lease, renewed while it lasts."""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from costintel.collection.deadline import Deadline
from costintel.cost.window import Window
from costintel.errors import OpenCostError, OpenCostTimeout, StorageError
from costintel.opencost.answer import WindowAnswer
from costintel.opencost.client import OpenCostClient
from costintel.storage.leases import Lease, Leases

_SPARE_SECONDS = 10.0
"""What storing an answer and giving the lease back may take after a call that ran into its timeout."""


class OutOfTime(Exception):
    """The invocation ends too soon for another call."""


@dataclass(kw_only=True)
class Conversation:
    """What the holder of the lease may do: ask. `lease` goes with every write, so that a holder cut off cannot write."""

    lease: Lease
    deadline: Deadline
    read_timeout_seconds: float
    client: OpenCostClient
    cluster_ids: "ClusterIds"
    closed_for_seconds: float = 0.0
    _version: str | None = field(default=None, init=False)

    def answer(self, window: Window) -> WindowAnswer:
        """Ask OpenCost for `window`. Raises OutOfTime, OpenCostTimeout or OpenCostRefused.

        After a timeout OpenCost goes on computing; the lease then stays closed as long again as the call ran.
        """
        if not self.has_time:
            raise OutOfTime
        began = time.monotonic()
        try:
            return self.client.answer(window, cluster_id=self.cluster_ids.find(self.client))
        except OpenCostTimeout:
            self.closed_for_seconds = time.monotonic() - began
            raise

    @property
    def has_time(self) -> bool:
        """Whether a call that runs into its timeout still ends before the invocation does."""
        return self.deadline.allows(self.read_timeout_seconds + _SPARE_SECONDS)

    def version(self) -> str:
        """Return OpenCost's version, asked once per conversation; empty when it does not say."""
        if self._version is None:
            self._version = self._asked_version() if self.has_time else ""
        return self._version

    def _asked_version(self) -> str:
        try:
            return self.client.status().version or ""
        except OpenCostError:
            return ""


@dataclass(kw_only=True)
class ClusterIds:
    """OpenCost's id of the cluster: the configured one, else the one /clusterInfo tells, asked once."""

    configured: str
    _asked: str | None = field(default=None, init=False)

    def find(self, client: OpenCostClient) -> str:
        """Return the id. Raises OpenCostError."""
        if self.configured:
            return self.configured
        if self._asked is None:
            self._asked = client.cluster_id()
        return self._asked


@dataclass(frozen=True, kw_only=True)
class Conversations:
    """Opens the conversation when nobody holds it. `renewals` has a connection of its own: the other one may be busy."""

    cluster: str
    client: OpenCostClient
    cluster_ids: ClusterIds
    leases: Leases
    renewals: Leases
    lease_seconds: float
    read_timeout_seconds: float

    @contextmanager
    def opened(self, deadline: Deadline) -> Iterator[Conversation | None]:
        """Give the conversation for the block, or None at once when somebody else has it or it is closed."""
        lease = self.leases.acquire(self.cluster, uuid.uuid4().hex, self.lease_seconds)
        if lease is None:
            yield None
            return
        conversation = Conversation(
            lease=lease,
            deadline=deadline,
            read_timeout_seconds=self.read_timeout_seconds,
            client=self.client,
            cluster_ids=self.cluster_ids,
        )
        try:
            with _renewed(self.renewals, lease, self.lease_seconds):
                yield conversation
        finally:
            self._release(conversation)

    def _release(self, conversation: Conversation) -> None:
        try:
            self.leases.release(conversation.lease, conversation.closed_for_seconds)
        except StorageError:
            return  # it expires by itself


@contextmanager
def _renewed(leases: Leases, lease: Lease, ttl_seconds: float) -> Iterator[None]:
    """Renew the lease three times as often as needed while the block runs, in a thread: a call can take minutes."""
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(ttl_seconds / 3):
            try:
                if not leases.renew(lease, ttl_seconds):
                    return  # lost: storage refuses our writes from now on
            except StorageError:
                continue

    thread = threading.Thread(target=renew, name="lease-renewal", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
