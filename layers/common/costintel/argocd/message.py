"""A sync on its way through the queue, and as it lies in PostgreSQL until it is measured."""

import base64
import binascii
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.cost.sync import Sync
from costintel.errors import InvalidInput

VERSION = 1
LIMIT_BYTES = 240 * 1024
"""Below the 256 KiB that every SQS queue takes, with room for what the service adds."""
_UNPACKED_LIMIT = 16 * 1024 * 1024


def sync_message(sync: Sync) -> str:
    """Return the queue message that carries `sync`: ASCII, at most LIMIT_BYTES.

    Plain JSON if that fits, else packed; then without the images, which are only shown, or without the resources, which the live
    list supplies (`resources_omitted`), or without both.
    """
    return next(message for message in _candidates(sync) if len(message) <= LIMIT_BYTES)


def parse_message(body: str) -> Sync:
    """Read a queue message. Raises InvalidInput for anything that `sync_message` did not write."""
    try:
        document = json.loads(body)
        if document["v"] != VERSION:
            raise InvalidInput("message", f"version {VERSION}")
        return sync_from_dict(_unpacked(document["gzip"]) if "gzip" in document else document["sync"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InvalidInput("message", "a sync as the webhook sends it") from None


def sync_to_dict(sync: Sync) -> dict[str, Any]:
    """Return `sync` as a JSON object; times are RFC 3339 in UTC."""
    return {
        "id": sync.id,
        "application": [sync.application.namespace, sync.application.name],
        "project": sync.project,
        "destination": [sync.destination.server, sync.destination.name, sync.destination.namespace],
        "resources": None if sync.resources is None else [_entry(resource) for resource in sync.resources],
        "resources_omitted": sync.resources_omitted,
        "finished_at": _time(sync.finished_at),
        "finished_at_known": sync.finished_at_known,
        "started_at": _time(sync.started_at),
        "created_at": _time(sync.created_at),
        "revision": sync.revision,
        "revisions": list(sync.revisions),
        "sync_status": sync.sync_status,
        "health_status": sync.health_status,
        "initiated_by": sync.initiated_by,
        "images": list(sync.images),
        "received_at": _time(sync.received_at),
    }


def sync_from_dict(document: Mapping[str, Any]) -> Sync:
    """Return the sync that `sync_to_dict` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    server, name, namespace = document["destination"]
    resources = document["resources"]
    return Sync(
        id=document["id"],
        application=AppRef(*document["application"]),
        project=document["project"],
        destination=Destination(server=server, name=name, namespace=namespace),
        resources=None if resources is None else tuple(Resource(*entry) for entry in resources),
        resources_omitted=document["resources_omitted"],
        finished_at=_moment(document["finished_at"]),
        finished_at_known=document["finished_at_known"],
        started_at=_moment_or_none(document["started_at"]),
        created_at=_moment_or_none(document["created_at"]),
        revision=document["revision"],
        revisions=tuple(document["revisions"]),
        sync_status=document["sync_status"],
        health_status=document["health_status"],
        initiated_by=document["initiated_by"],
        images=tuple(document["images"]),
        received_at=_moment(document["received_at"]),
    )


def _candidates(sync: Sync) -> Iterator[str]:
    whole = sync_to_dict(sync)
    yield _written({"v": VERSION, "sync": whole})
    yield _written({"v": VERSION, "gzip": _packed(whole)})
    for shorter in (replace(sync, images=()), _without_resources(sync), _without_resources(replace(sync, images=()))):
        yield _written({"v": VERSION, "gzip": _packed(sync_to_dict(shorter))})


def _without_resources(sync: Sync) -> Sync:
    return replace(sync, resources=None, resources_omitted=True)


def _written(document: Mapping[str, Any]) -> str:
    # Escaped to ASCII: SQS refuses a few characters that JSON allows, and a character is then a byte.
    return json.dumps(document, separators=(",", ":"))


def _packed(document: Mapping[str, Any]) -> str:
    return base64.b64encode(gzip.compress(_written(document).encode(), mtime=0)).decode()


def _unpacked(packed: str) -> dict[str, Any]:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(base64.b64decode(packed, validate=True))) as stream:
            content = stream.read(_UNPACKED_LIMIT + 1)
    except (binascii.Error, OSError, EOFError, zlib.error):
        raise InvalidInput("message", "a whole gzip stream in base64") from None
    if len(content) > _UNPACKED_LIMIT:
        raise InvalidInput("message", f"at most {_UNPACKED_LIMIT} bytes unpacked")
    document: dict[str, Any] = json.loads(content)
    return document


def _entry(resource: Resource) -> list[str]:
    return [resource.group, resource.kind, resource.namespace, resource.name]


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text}: expected a time with a zone")
    return moment


def _moment_or_none(text: str | None) -> datetime | None:
    return None if text is None else _moment(text)
