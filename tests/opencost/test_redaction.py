"""What of OpenCost's error texts may stand in a log."""

import pytest

from costintel.opencost.redaction import one_line, refusal_line
from tests.opencost.recordings import SAMPLES


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("error-400-illegal-window.txt", ": Invalid 'window' parameter: illegal window: 86400s"),
        (
            "error-400-parc-without-idle.json",
            ": bad request - includeIdle must be set true if includeProportionalAssetResourceCosts is true",
        ),
        (
            "error-500-accumulate-empty-filter.json",
            ": error accumulating by all: error accumulating all:AllocationSetRange has empty AssetSet in accumulation",
        ),
        ("error-500-invalid-filter.json", ": invalid filter: parsing filter: 1 error occurred:"),
    ],
)
def test_harmless_texts_are_kept(file: str, line: str) -> None:
    """A text without addresses and queries says what was wrong, glued or not."""
    assert refusal_line((SAMPLES / "opencost" / file).read_bytes()) == line


@pytest.mark.parametrize("file", ["error-500-legacy-envelope.json", "error-500-prometheus-timeout.json"])
def test_a_prometheus_failure_keeps_neither_query_nor_address(file: str) -> None:
    """T26: the body holds PromQL and the internal URL; the line ends before them."""
    line = refusal_line((SAMPLES / "opencost" / file).read_bytes())
    assert line.startswith(": error computing allocations for [2")
    assert line.endswith("+0000): Error Collection:")


@pytest.mark.parametrize(
    "text",
    [
        "http://prometheus.example/api/v1/query",
        "sum(container_cpu_usage_seconds_total) by (pod)",
        'Get "http://10.0.0.3:9090": dial tcp',
        "dial tcp 10.0.0.3:9090",
        "container_memory_working_set_bytes",
        "<html><body>Bad Gateway</body></html>",
        "token=abc",
    ],
)
def test_texts_with_addresses_or_queries_are_dropped(text: str) -> None:
    """Dots, slashes, quotes, braces and underscores mark what must not be shown."""
    assert one_line(text) == ""
    assert one_line(f"Error getting assets: {text}") == ": Error getting assets"


def test_a_long_text_is_cut() -> None:
    """One short line: at most 160 characters."""
    assert len(one_line(": ".join(["word " * 20] * 20))) == 160


@pytest.mark.parametrize("message", [None, 7, "", "  ", {"a": 1}])
def test_no_text_is_no_line(message: object) -> None:
    """A message that is missing or no text adds nothing."""
    assert one_line(message) == ""


def test_bodies_of_other_shapes_add_nothing() -> None:
    """A list, binary rubbish or deep nesting does not break the error's own report."""
    assert [refusal_line(body) for body in (b"[1]", b"\xff\xfe{", b"[" * 100_000)] == ["", "", ""]
