"""The lease on the conversation with OpenCost: one holder per cluster, by the database's clock."""

from dataclasses import dataclass

from psycopg.rows import scalar_row

from costintel.errors import StorageError
from costintel.storage.connection import Database


class LeaseLost(StorageError):
    """The lease is no longer ours; what was to be written under it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A lease as it was acquired. `fence` grows with every holder, so that a late one is recognised."""

    cluster: str
    holder: str
    fence: int


class Leases:
    """The table `leases`: the only one that uses the database's clock, because its users' clocks may differ."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def acquire(self, cluster: str, holder: str, ttl_seconds: float) -> Lease | None:
        """Take the cluster's lease for `ttl_seconds`; None when somebody has it, whoever that is, or it is closed."""
        fence = self._database.fetch_one(
            scalar_row,
            """
            INSERT INTO leases (cluster, holder, fence, expires_at)
            VALUES (%s, %s, 1, now() + make_interval(secs => %s))
            ON CONFLICT (cluster) DO UPDATE
                SET holder = EXCLUDED.holder, fence = leases.fence + 1, expires_at = EXCLUDED.expires_at
                WHERE leases.expires_at <= now()
            RETURNING fence
            """,
            [cluster, holder, ttl_seconds],
        )
        return None if fence is None else Lease(cluster=cluster, holder=holder, fence=fence)

    def renew(self, lease: Lease, ttl_seconds: float) -> bool:
        """Make the lease last `ttl_seconds` from now; False when somebody else has had it since, or it was released."""
        return (
            self._database.execute(
                """
            UPDATE leases SET expires_at = now() + make_interval(secs => %s)
            WHERE cluster = %s AND holder = %s AND fence = %s
            """,
                [ttl_seconds, lease.cluster, lease.holder, lease.fence],
            )
            == 1
        )

    def release(self, lease: Lease, closed_for_seconds: float = 0) -> None:
        """Give the lease back if it is still ours; nobody gets it before `closed_for_seconds` have passed."""
        self._database.execute(
            """
            UPDATE leases SET holder = '', expires_at = now() + make_interval(secs => %s)
            WHERE cluster = %s AND holder = %s AND fence = %s
            """,
            [closed_for_seconds, lease.cluster, lease.holder, lease.fence],
        )


def require_lease(database: Database, lease: Lease) -> None:
    """Raise LeaseLost unless `lease` is ours; inside a transaction nobody else gets it before the transaction's end."""
    held = database.fetch_one(
        scalar_row,
        "SELECT true FROM leases WHERE cluster = %s AND holder = %s AND fence = %s FOR SHARE",
        [lease.cluster, lease.holder, lease.fence],
    )
    if not held:
        raise LeaseLost(f"the lease of cluster {lease.cluster} was lost by {lease.holder} (fence {lease.fence})")
