"""The conversation with the API server: one GET at a time, with explicit limits, and which failure is which error."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from costintel.cluster.failures import Expired, KubernetesError, PageTooLarge, Unauthorized
from costintel.cluster.kinds import Kind

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 20.0
PAGE_BYTES: Final = 8 * 1024**2
"""Decoded, a page takes several times its bytes; an object has at most 1.5 MiB, because etcd takes no more."""
_PIECE_BYTES: Final = 64 * 1024


class Connection:
    """Asks one API server; `connect` makes its client, anew after `renew` when a token was not accepted.

    It is meant for one run: in a function that sleeps between two of them, connections die without anybody noticing.
    """

    def __init__(
        self, connect: Callable[[], "ApiClient"], *, renew: Callable[[], None], page_bytes: int = PAGE_BYTES
    ) -> None:
        self._connect = connect
        self._renew = renew
        self._page_bytes = page_bytes
        self._client: Any = None

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def get(self, kind: Kind, *, query: Mapping[str, str], deadline: float) -> bytes:
        """Return the body of a list of `kind`, complete before `deadline` on the clock that only runs forward.

        A token that is not accepted is renewed once. Raises KubernetesError, as Expired for a snapshot that is gone and as
        PageTooLarge for more than the limit.
        """
        try:
            return self._get(kind, query, deadline)
        except Unauthorized:
            self.close()
            self._renew()
            return self._get(kind, query, deadline)

    def _get(self, kind: Kind, query: Mapping[str, str], deadline: float) -> bytes:
        with self._answer(kind, query, deadline) as answer:
            if answer.status != 200:
                raise _refusal(answer.status, kind)
            announced = answer.headers.get("Content-Length", "")
            if announced.isdigit() and int(announced) > self._page_bytes:
                raise PageTooLarge
            return self._body(answer, kind, deadline)

    def _body(self, answer: Any, kind: Kind, deadline: float) -> bytes:  # noqa: ANN401 - urllib3's response
        body = bytearray()
        for piece in answer.stream(_PIECE_BYTES):
            body += piece
            if len(body) > self._page_bytes:
                raise PageTooLarge
            _seconds_left(kind, deadline)
        return bytes(body)

    @contextmanager
    def _answer(self, kind: Kind, query: Mapping[str, str], deadline: float) -> Iterator[Any]:
        """Give the answer once its head is there; leaving closes it, whatever of it was read."""
        import urllib3.exceptions as http  # noqa: PLC0415
        from kubernetes.client.exceptions import ApiException  # noqa: PLC0415

        limits = (CONNECT_SECONDS, min(READ_SECONDS, _seconds_left(kind, deadline)))
        answer = None
        try:
            answer = self._asked(kind, query, limits)
            yield answer
        except http.NewConnectionError as error:
            raise KubernetesError(f"{kind.resource}: no connection to the API server") from error
        except http.ConnectTimeoutError as error:
            raise KubernetesError(f"{kind.resource}: no connection to the API server within {limits[0]:g} s") from error
        except http.ReadTimeoutError as error:
            raise KubernetesError(f"{kind.resource}: the API server was silent for {limits[1]:.0f} s") from error
        except (http.SSLError, ApiException) as error:
            # The client turns a failed TLS handshake into an exception of its own, without a status.
            raise KubernetesError(f"{kind.resource}: the API server's certificate is not trusted by the CA") from error
        except (http.HTTPError, OSError) as error:
            raise KubernetesError(f"{kind.resource}: the API server's answer broke off") from error
        finally:
            if answer is not None:
                answer.close()

    def _asked(self, kind: Kind, query: Mapping[str, str], limits: tuple[float, float]) -> Any:  # noqa: ANN401 - urllib3's response
        """Send the request through the client's own plumbing; its typed methods would build a model of every object."""
        if self._client is None:
            self._client = self._connect()
        method, url, headers, _, _ = self._client.param_serialize(
            "GET",
            kind.path,
            query_params=list(query.items()),
            header_params={"Accept": kind.accept},
            auth_settings=["BearerToken"],
        )
        return self._client.call_api(method, url, headers, _request_timeout=limits).response


def _seconds_left(kind: Kind, deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise KubernetesError(f"{kind.resource}: the list was not complete in time")
    return left


def _refusal(status: int, kind: Kind) -> KubernetesError:
    """Return the error for a status, without a word of the answer's: it names users, and hosts behind the API server."""
    reasons = {
        403: f"reading them is forbidden (403); the role needs the rule {kind.rule}",
        404: f"the API server has no {kind.group or 'core'}/{kind.version} {kind.resource} (404)",
        410: "the list expired while it was read (410)",
        401: "the API server did not accept the token (401); is there an access entry for its role?",
        429: "the API server is too busy (429)",
    }
    moved = f"redirected with {status}; is the endpoint the API server's own address?"
    other = moved if 300 <= status < 400 else f"the API server answered {status}"
    error = {401: Unauthorized, 410: Expired}.get(status, KubernetesError)
    return error(f"{kind.resource}: {reasons.get(status, other)}")
