"""docs/metrics.md names exactly the metrics that the functions write."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAME = re.compile(r'"((?:[A-Z][a-z]+){2,})"')


def written() -> set[str]:
    """Names given to a metric: two or more capitalised words in quotes, in the functions."""
    found: set[str] = set()
    for path in (ROOT / "functions").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "etric" in text:
            found |= set(_NAME.findall(text))
    return found


def test_the_page_and_the_code_name_the_same_metrics() -> None:
    """Every metric is documented, and every documented metric exists."""
    page = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `([A-Za-z]+)` \|", page, re.MULTILINE))

    assert documented == written() - {"CostIntel", "ConfigurationError"}
