"""The Helm repository: an index and a chart that Helm takes, the same bytes everywhere."""

import base64
import gzip
import io
import re
import tarfile
from hashlib import sha256
from typing import Any

import pytest
import yaml

from api import chart
from tests.api.answering import GivenServices, api
from tests.argocd.events import Sent

INDEX = "/charts/index.yaml"
CHART = f"/charts/{chart.FILE}"
SEMANTIC_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
# What Helm 3's documentation of Chart.yaml knows and asks for.
REQUIRED = {"apiVersion", "name", "version"}
KNOWN = REQUIRED | {
    "kubeVersion", "description", "type", "keywords", "home", "sources", "dependencies", "maintainers", "icon", "appVersion",
    "deprecated", "annotations",
}  # fmt: skip
OF_AN_ENTRY = {"created", "digest", "urls"}


def fetched(path: str, *headers: tuple[str, str]) -> dict[str, Any]:
    """Return the answer to a stranger, which must be the same in both payload formats."""
    sent = Sent(path=path, headers=headers)
    answers = [api(GivenServices()).answer(event).answer for event in (sent.v2(), sent.v1())]
    assert answers[0] == answers[1]
    return answers[0]


def body(answer: dict[str, Any]) -> bytes:
    return base64.b64decode(answer["body"]) if answer["isBase64Encoded"] else answer["body"].encode()


def files() -> dict[str, str]:
    """Return the files of the fetched chart."""
    with tarfile.open(fileobj=io.BytesIO(body(fetched(CHART))), mode="r:gz") as tar:
        return {entry.name: read_entry(tar, entry) for entry in tar.getmembers()}


def read_entry(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> str:
    content = tar.extractfile(entry)
    assert content is not None
    return content.read().decode()


def check_metadata(metadata: dict[str, Any]) -> None:
    """Hold a chart's metadata to Helm's rules."""
    assert set(metadata) >= REQUIRED
    assert set(metadata) <= KNOWN
    assert metadata["apiVersion"] == "v2"
    assert metadata["type"] in {"application", "library"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", metadata["name"])
    assert SEMANTIC_VERSION.fullmatch(metadata["version"])
    assert all(isinstance(value, str) for value in metadata.values())


def test_the_chart_is_valid() -> None:
    """Everything lies in a folder named like the chart; its metadata keeps Helm's rules; values are a map."""
    found = files()
    metadata = yaml.safe_load(found[f"{chart.NAME}/Chart.yaml"])

    check_metadata(metadata)
    assert (metadata["name"], metadata["version"]) == (chart.NAME, chart.VERSION)
    assert {name.split("/", 1)[0] for name in found} == {chart.NAME}
    assert yaml.safe_load(found[f"{chart.NAME}/values.yaml"]) == {}


def test_the_chart_deploys_nothing() -> None:
    """Its one template is a comment, and it depends on nothing."""
    found = files()
    templates = {name: text for name, text in found.items() if "/templates/" in name}

    assert len(templates) == 1
    for text in templates.values():
        assert re.fullmatch(r"\{\{- /\*[^{}]*\*/ -\}\}\s*", text)
    assert not [name for name in found if "/charts/" in name or "/crds/" in name]


def test_the_index_is_valid_and_names_the_chart() -> None:
    """One chart in one version, with the metadata of its Chart.yaml, the digest of its bytes and a relative address."""
    index = yaml.safe_load(body(fetched(INDEX)))
    [entry] = index["entries"][chart.NAME]
    metadata = {name: value for name, value in entry.items() if name not in OF_AN_ENTRY}

    assert (index["apiVersion"], set(index)) == ("v1", {"apiVersion", "entries", "generated"})
    assert set(index["entries"]) == {chart.NAME}
    check_metadata(metadata)
    assert metadata == yaml.safe_load(files()[f"{chart.NAME}/Chart.yaml"])
    assert entry["digest"] == sha256(body(fetched(CHART))).hexdigest()
    assert entry["urls"] == [chart.FILE]
    assert f"{chart.NAME}-{chart.VERSION}.tgz" == chart.FILE


def test_the_bytes_are_these() -> None:
    """Helm and Argo CD keep a chart by its version: other bytes need another one, and a new digest here."""
    assert sha256(chart.archive()).hexdigest() == "8ab90ab939ab2b449213893fe451853230e3582b8917038e3b56eda796ac6b6e"
    assert chart.VERSION == "1.0.0"


def test_the_archive_holds_no_time_and_no_owner() -> None:
    """Nothing of the machine that made it."""
    with tarfile.open(fileobj=io.BytesIO(chart.archive()), mode="r:gz") as tar:
        for entry in tar.getmembers():
            assert (entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname) == (0, 0, 0, "", "")
    assert chart.archive()[4:8] == b"\0\0\0\0"
    assert len(gzip.decompress(chart.archive())) % 512 == 0


@pytest.mark.parametrize(("path", "media_type"), [(INDEX, "application/yaml"), (CHART, "application/gzip")])
def test_files_are_answered_to_anyone_and_may_be_kept(path: str, media_type: str) -> None:
    """Under /api as well; with a validator; never sniffed."""
    answer = fetched(path)
    under_api = fetched(f"/api{path}")

    assert answer == under_api
    assert (answer["statusCode"], answer["headers"]["Content-Type"]) == (200, media_type)
    assert answer["headers"]["X-Content-Type-Options"] == "nosniff"
    unchanged = fetched(path, ("If-None-Match", answer["headers"]["ETag"]))
    assert (unchanged["statusCode"], unchanged["body"]) == (304, "")


def test_the_chart_is_never_packed_again() -> None:
    """It is gzip already: as a file, not as a coding, whatever the caller accepts."""
    answer = fetched(CHART, ("Accept-Encoding", "gzip"))

    assert answer["isBase64Encoded"] is True
    assert "Content-Encoding" not in answer["headers"]
    assert body(answer) == chart.archive()


@pytest.mark.parametrize(
    "path", ["/charts", "/charts/", "/charts/other-1.0.0.tgz", "/charts/index.yml", "/charts/x/index.yaml"]
)
def test_there_is_nothing_else(path: str) -> None:
    """Another file is no route, which strangers are not told."""
    assert fetched(path)["statusCode"] == 401
