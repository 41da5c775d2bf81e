"""The bearer token of the API server: on EKS a signed URL made here without any call, elsewhere a fixed text.

EKS's format is aws-iam-authenticator's: `k8s-aws-v1.` and the URL of an STS call, base64url without padding. The URL is
signed in its query, with the header `x-k8s-aws-id` (the cluster's name) among what is signed. The API server asks STS with it.
"""

import base64
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Protocol

from costintel.errors import ConfigurationError

_PREFIX: Final = "k8s-aws-v1."
_URL_SECONDS: Final = 60
"""What the URL says. EKS takes the token for 15 minutes after its date, whatever stands here."""
REFRESH_SECONDS: Final = 14 * 60
_CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


class TokenSource(Protocol):
    """Gives the token for a request."""

    def token(self) -> str:
        """Return a token that is good now."""
        ...

    def renew(self) -> None:
        """Hear that the token was not accepted."""
        ...


class FixedToken:
    """A token that never changes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def token(self) -> str:
        """Return it."""
        return self._text

    def renew(self) -> None:
        """Do nothing: there is no other."""


class EksToken:
    """Makes tokens for the cluster `cluster_name`, and keeps one so long that the API server's own cache can know it.

    `values` is the environment with the function's credentials, read anew for every token. A token is used for 14 minutes at
    most and never beyond the credentials it was signed with: not when they were replaced, nor after
    `AWS_CREDENTIAL_EXPIRATION` where that is told. Signing needs the real time, whatever the service's clock says.
    """

    def __init__(
        self, cluster_name: str, *, region: str, values: Mapping[str, str], clock: Callable[[], float] = time.time
    ) -> None:
        self._cluster_name = cluster_name
        self._region = region
        self._values = values
        self._clock = clock
        self._token = ""
        self._signed_with: tuple[str, ...] = ()
        self._good_until = 0.0

    def token(self) -> str:
        """Return a token. Raises ConfigurationError when the credentials are missing."""
        credentials = tuple(self._values.get(name) or "" for name in _CREDENTIALS)
        now = self._clock()
        if not self._token or credentials != self._signed_with or now >= self._good_until:
            self._token = self._signed(*credentials)
            self._signed_with = credentials
            self._good_until = min(now + REFRESH_SECONDS, self._credentials_end())
        return self._token

    def renew(self) -> None:
        """Make a new one next time."""
        self._token = ""

    def _signed(self, access_key: str, secret_key: str, session_token: str) -> str:
        # Imported here: whoever reads an APPLICATIONS_FILE or a kubeconfig signs nothing.
        from botocore.auth import SigV4QueryAuth  # noqa: PLC0415
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415
        from botocore.credentials import Credentials  # noqa: PLC0415

        for name, value in zip(_CREDENTIALS[:2], (access_key, secret_key), strict=True):
            if not value:
                raise ConfigurationError(f"{name}: expected a value, found none")
        request = AWSRequest(
            method="GET",
            url=f"https://{_sts_host(self._region)}/",
            params={"Action": "GetCallerIdentity", "Version": "2011-06-15"},
            headers={"x-k8s-aws-id": self._cluster_name},
        )
        credentials = Credentials(access_key, secret_key, session_token or None)
        SigV4QueryAuth(credentials, "sts", self._region, expires=_URL_SECONDS).add_auth(request)
        return _PREFIX + base64.urlsafe_b64encode(str(request.url).encode()).decode().rstrip("=")

    def _credentials_end(self) -> float:
        try:
            return datetime.fromisoformat(self._values.get("AWS_CREDENTIAL_EXPIRATION") or "").timestamp()
        except ValueError:
            return float("inf")


def _sts_host(region: str) -> str:
    """Return the regional host of STS; the API server refuses any other."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"sts.{region}.{suffix}"
