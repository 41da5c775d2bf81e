"""Argo CD's extension proxy on one machine: `/extensions/cost-intel/…` to the gateway, as argocd-server 3.5 does it.

Recorded behaviour, good and bad, is kept: the path is decoded and encoded again, every value of the caller's
`Argocd-Application-Name` is passed on though only the first is checked, identity headers that Argo CD has no value for
pass, and `Connection` can name headers to be dropped. What is missing is the login: everybody has a demo session here, no
cookie is needed, and every Application may be named.
"""

import contextlib
import gzip
import http.client
import posixpath
import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

from local.http_server import Headers, Request, Response

EXTENSION = "cost-intel"
_PREFIX = "/extensions/"
_USER = "admin"
_NAMESPACE = "argocd"
# Dropped on the way to the backend (Go's net/http/httputil.ReverseProxy), besides what `Connection` names.
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"})
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_FORMAT = 'invalid value for "Argocd-Application-Name" header: expected format: <namespace>:<app-name>'
_BACKEND_SECONDS = 180


class ExtensionProxy:
    """Forwards to one backend on loopback with the configured `Authorization`."""

    def __init__(self, *, backend_port: int, token: str) -> None:
        """Take the gateway's port and the proxy token."""
        self._port = backend_port
        self._token = token

    def respond(self, request: Request) -> Response:
        """Serve one request; a path that is no extension's is not found.

        Raises:
            ConnectionError: the caller's connection is to be cut without an answer.
        """
        path, mark, query = _local_part(request.target).partition("?")
        if (cleaned := _cleaned(path)) != path:
            return _redirect(request.method, f"{cleaned}{mark}{query}")
        if _BAD_ESCAPE.search(path):
            return _text(400, "400 Bad Request")
        decoded = unquote_to_bytes(path).decode("latin-1")
        if not decoded.startswith(_PREFIX):
            return _text(404, "404 page not found\n")
        extension, _, rest = decoded.removeprefix(_PREFIX).partition("/")
        if refusal := _refusal(request, extension):
            return refusal
        if request.method not in _METHODS:
            raise ConnectionResetError("argocd-server resets a connection with an unknown method")
        target = quote(f"/{rest}".encode("latin-1"), safe="$&+,/:;=@-_.~") + mark + query
        return self._forward(request, target)

    def _forward(self, request: Request, target: str) -> Response:
        backend = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_BACKEND_SECONDS)
        headers = self._headers(request)
        unpacks = "accept-encoding" not in {name.lower() for name, _ in headers} and request.method != "HEAD"
        if unpacks:
            headers.append(("Accept-Encoding", "gzip"))
        try:
            backend.putrequest(request.method, target, skip_accept_encoding=True)
            for name, value in headers:
                backend.putheader(name, value.encode("latin-1"))
            backend.endheaders(request.body or None)
            answer = backend.getresponse()
        except (OSError, http.client.HTTPException):
            backend.close()
            return Response(status=502)
        with contextlib.closing(backend):
            return _passed_on(answer, unpacks=unpacks)

    def _headers(self, request: Request) -> list[tuple[str, str]]:
        """Set Argo CD's headers, then drop what is hop-by-hop: in this order, as argocd-server up to 3.5 does."""
        own = {
            "Argocd-Namespace": _NAMESPACE,
            "Argocd-User-Id": _USER,
            "Argocd-Username": _USER,
            "Authorization": f"Bearer {self._token}",
        }
        dropped = {name.lower() for name in own} | {"cookie", "host", "content-length", "x-forwarded-for"}
        headers = [(_canonical(name), value) for name, value in request.headers if name.lower() not in dropped]
        headers += own.items()
        named = {name.strip().lower() for value in request.values("connection") for name in value.split(",")}
        kept = [(name, value) for name, value in headers if name.lower() not in _HOP_BY_HOP | named]
        if "trailers" in request.values("te"):
            kept.append(("Te", "trailers"))
        if request.body or request.values("content-length"):
            kept.append(("Content-Length", str(len(request.body))))
        forwarded = [] if "x-forwarded-for" in named else request.values("x-forwarded-for")
        return [*kept, ("X-Forwarded-For", ", ".join([*forwarded, request.peer]))]


def _refusal(request: Request, extension: str) -> Response | None:
    """Check what argocd-server checks before it forwards, in its order and words."""
    if not extension:
        return _text(400, "Invalid URL: extension name must be provided\n")
    if reason := _invalid_application(request) or _invalid_project(request):
        return _text(400, f"Invalid headers: {reason}\n")
    return None if extension == EXTENSION else _text(404, "Extension not found\n")


def _invalid_application(request: Request) -> str:
    """Say what is wrong with the first `Argocd-Application-Name`; the others are not looked at, there as here."""
    value = (request.values("argocd-application-name") or [""])[0]
    if not value:
        return 'header "Argocd-Application-Name" must be provided'
    namespace, _, name = value.partition(":")
    if value.count(":") != 1:
        return f"error getting app details: {_FORMAT}"
    if not _LABEL.fullmatch(namespace):
        return "invalid value for namespace"
    return "" if _is_subdomain(name) else "invalid value for application name"


def _invalid_project(request: Request) -> str:
    value = (request.values("argocd-project-name") or [""])[0]
    if not value:
        return 'header "Argocd-Project-Name" must be provided'
    return "" if _is_subdomain(value) else "invalid value for project name"


def _is_subdomain(name: str) -> bool:
    return len(name) <= 253 and _SUBDOMAIN.fullmatch(name) is not None


def _local_part(target: str) -> str:
    """Cut scheme and host off an absolute target."""
    if target.startswith("/"):
        return target
    parts = urlsplit(target)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _cleaned(path: str) -> str:
    """Clean a path as Go's ServeMux does: `//`, `.` and `..` resolved, a slash at its end kept."""
    if path == _PREFIX.rstrip("/"):
        return _PREFIX
    cleaned = posixpath.normpath(path).replace("//", "/")
    return cleaned + "/" if path.endswith("/") and not cleaned.endswith("/") else cleaned


def _passed_on(answer: http.client.HTTPResponse, *, unpacks: bool) -> Response:
    """Pass an answer on unchanged, but for hop-by-hop headers and a compression the caller did not ask for.

    Raises:
        ConnectionError: the backend's answer was cut.
    """
    try:
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionAbortedError("the backend's answer was cut") from error
    dropped = _HOP_BY_HOP | {"content-length"}
    if unpacks and answer.headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
        dropped |= {"content-encoding"}
    headers: Headers = tuple((name, value) for name, value in answer.getheaders() if name.lower() not in dropped)
    return Response(status=answer.status, headers=headers, body=body)


def _canonical(name: str) -> str:
    """Write a header's name as Go does: each part between dashes with one capital."""
    return "-".join(part.capitalize() for part in name.split("-")) if _TOKEN.fullmatch(name) else name


def _redirect(method: str, location: str) -> Response:
    headers: Headers = (("Location", location),)
    if method not in ("GET", "HEAD"):
        return Response(status=307, headers=headers)
    body = f'<a href="{quote(location, safe="/?&=%:")}">Temporary Redirect</a>.\n\n'.encode()
    return Response(status=307, headers=(("Content-Type", "text/html; charset=utf-8"), *headers), body=body)


def _text(status: int, text: str) -> Response:
    headers = (("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"))
    return Response(status=status, headers=headers, body=text.encode())
