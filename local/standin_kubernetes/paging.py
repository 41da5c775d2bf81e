"""Lists as an API server answers them: `limit`, `continue`, and the metadata of a page."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from local.standin_kubernetes.answer import Answer, status_answer
from local.standin_kubernetes.resource import ObjectPath, Resource
from local.standin_kubernetes.store import Entries, SnapshotGoneError, Store, after

_GONE = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)
_METADATA_LIST = "as=PartialObjectMetadataList"
_UNSUPPORTED = ("labelSelector", "fieldSelector", "watch")


def page(store: Store, path: ObjectPath, query: Mapping[str, str], *, accept: str) -> Answer:
    """Answer a list, or the page of it that `query` asks for."""
    if asked := next((name for name in _UNSUPPORTED if name in query), None):
        return status_answer(400, f"{asked} is not supported by this stand-in")
    limit = query.get("limit") or "0"
    if not limit.isdigit():
        return status_answer(400, f'strconv.ParseInt: parsing "{limit}": invalid syntax')
    # A list at resourceVersion 0 comes from the API server's cache, which knows no limit.
    count = 0 if query.get("resourceVersion") == "0" else int(limit)
    token = query.get("continue", "")
    try:
        entries, revision = _started(store, path, token) if token else store.now(path.resource.plural)
    except ValueError:
        return status_answer(400, "continue key is not valid")
    except SnapshotGoneError:
        return _gone(token)
    return _answer(store, path, _Page(entries, revision, count), is_metadata=_METADATA_LIST in accept)


class _Page:
    """What is left of a list, the revision it shows, and how much of it is asked for (0 = all)."""

    def __init__(self, left: Entries, revision: int, count: int) -> None:
        self.left = left
        self.revision = revision
        self.count = count


def _answer(store: Store, path: ObjectPath, asked: _Page, *, is_metadata: bool) -> Answer:
    wanted = [one for one in asked.left if path.namespace in {"", one.namespace}]
    shown = wanted[: asked.count] if asked.count else wanted
    metadata: dict[str, Any] = {"resourceVersion": str(asked.revision)}
    if len(shown) < len(wanted):
        store.keep(path.resource.plural, asked.revision, _all_entries(store, path, asked))
        metadata["continue"] = _token(asked.revision, (shown[-1].namespace, shown[-1].name))
        metadata["remainingItemCount"] = len(wanted) - len(shown)
    bodies = [_metadata_only(one.body) for one in shown] if is_metadata else [one.body for one in shown]
    return Answer(status=200, body=_written(path.resource, bodies, metadata, is_metadata=is_metadata))


def _all_entries(store: Store, path: ObjectPath, asked: _Page) -> Entries:
    """Give the whole list a page is part of: what follows a continuation is kept already."""
    entries, revision = store.now(path.resource.plural)
    return entries if revision == asked.revision else asked.left


def _started(store: Store, path: ObjectPath, token: str) -> tuple[Entries, int]:
    """Give what is left after a continue token. Raises ValueError for no token of ours, SnapshotGoneError for an old one."""
    revision, key = _read(token)
    if revision < 0:
        entries, revision = store.now(path.resource.plural)
        return after(entries, key), revision
    return after(store.at(path.resource.plural, revision), key), revision


def _gone(token: str) -> Answer:
    """Answer 410 with a token that goes on at the same place, but in the present."""
    _, key = _read(token)
    return status_answer(410, _GONE, metadata={"continue": _token(-1, key)})


def _token(revision: int, key: tuple[str, str]) -> str:
    """Write a token in the API server's own form; revision -1 means the present."""
    document = {"v": "meta.k8s.io/v1", "rv": revision, "start": "/".join(key) + "\0"}
    return base64.urlsafe_b64encode(json.dumps(document, separators=(",", ":")).encode()).decode().rstrip("=")


def _read(token: str) -> tuple[int, tuple[str, str]]:
    try:
        document = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        namespace, _, name = document["start"].rstrip("\0").rpartition("/")
        return int(document["rv"]), (namespace, name)
    except (binascii.Error, KeyError, TypeError, AttributeError) as error:
        raise ValueError("continue") from error


def _metadata_only(body: bytes) -> bytes:
    item = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": json.loads(body)["metadata"]}
    return json.dumps(item, separators=(",", ":")).encode()


def _written(resource: Resource, bodies: list[bytes], metadata: dict[str, Any], *, is_metadata: bool) -> bytes:
    """Write a list: a CRD's with sorted keys, a built-in one's with its kind first."""
    kind = json.dumps("PartialObjectMetadataList" if is_metadata else f"{resource.kind}List").encode()
    version = json.dumps("meta.k8s.io/v1" if is_metadata else resource.api_version).encode()
    about = json.dumps(dict(sorted(metadata.items())), separators=(",", ":")).encode()
    items = b",".join(bodies)
    if resource.is_custom and not is_metadata:
        return b'{"apiVersion":%b,"items":[%b],"kind":%b,"metadata":%b}\n' % (version, items, kind, about)
    return b'{"kind":%b,"apiVersion":%b,"metadata":%b,"items":[%b]}\n' % (kind, version, about, items)
