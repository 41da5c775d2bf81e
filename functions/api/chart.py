"""The empty Helm chart of the access Application, and the repository it is fetched from.

The bytes are the same on every machine: the archive holds no times, owners or modes of files, and its gzip stream is written here,
uncompressed, because what a compressor makes depends on its version.
"""

import io
import struct
import zlib
from functools import cache
from hashlib import sha256

NAME = "cost-intel-access"
VERSION = "1.0.0"
"""Changes with the chart's bytes, never without them: Helm and Argo CD keep what they fetched by name and version."""
FILE = f"{NAME}-{VERSION}.tgz"

_DESCRIPTION = "Deploys nothing. Who may read its Application in Argo CD may see the costs of the whole cluster."
_METADATA = f"""\
apiVersion: v2
name: {NAME}
version: {VERSION}
description: {_DESCRIPTION}
type: application
"""
_TEMPLATE = "{{- /* Nothing: a chart without templates is not valid everywhere. */ -}}\n"
_FILES = {"Chart.yaml": _METADATA, "values.yaml": "{}\n", "templates/nothing.yaml": _TEMPLATE}
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""Deflate, no flags, no time, no extra flags, unknown system (RFC 1952 2.3)."""


@cache
def archive() -> bytes:
    """Return the chart as Helm fetches it."""
    import tarfile  # noqa: PLC0415  only this route needs it, and it loads every compressor there is

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in _FILES.items():
            entry = tarfile.TarInfo(f"{NAME}/{name}")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return _stored(packed.getvalue())


@cache
def index() -> str:
    """Return the repository's index; the archive's address is relative to it."""
    return f"""\
apiVersion: v1
entries:
  {NAME}:
  - apiVersion: v2
    name: {NAME}
    version: {VERSION}
    description: {_DESCRIPTION}
    type: application
    created: "2026-01-01T00:00:00Z"
    digest: {sha256(archive()).hexdigest()}
    urls:
    - {FILE}
generated: "2026-01-01T00:00:00Z"
"""


def _stored(content: bytes) -> bytes:
    """Return a gzip stream of one stored block (RFC 1951 3.2.4), which holds up to 65,535 bytes."""
    block = struct.pack("<BHH", 1, len(content), len(content) ^ 0xFFFF)
    return b"".join((_GZIP_HEADER, block, content, struct.pack("<II", zlib.crc32(content), len(content))))
