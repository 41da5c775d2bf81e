"""Quantities as Kubernetes writes them."""

from decimal import Decimal

import pytest

from costintel.cluster.quantity import quantity


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("163378051", "163378051"),
        ("23m", "0.023"),
        ("262144k", "262144000"),
        ("1.50Gi", "1610612736"),
        ("1e9", "1000000000"),
        ("2E9", "2000000000"),
        ("1E", "1000000000000000000"),
        ("1717986918400m", "1717986918.4"),
        ("0.25", "0.25"),
        (".5", "0.5"),
        ("5.", "5"),
        ("+1", "1"),
        ("100n", "0.0000001"),
        ("250u", "0.00025"),
        ("1e-3", "0.001"),
        ("4Ei", "4611686018427387904"),
        ("0", "0"),
        ("-0", "0"),
    ],
)
def test_quantities_are_exact(text: str, amount: str) -> None:
    """Every suffix and exponent means what Kubernetes says."""
    assert quantity(text) == Decimal(amount)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "NaN",
        "Infinity",
        "-inf",
        "1_000",
        "٣",
        "1K",
        "1e",
        "1 ",
        " 1",
        "1Kib",
        "1mm",
        "-1",
        "-1m",
        "Gi",
        ".",
        "8Ei",
        True,
        1,
        None,
    ],
)
def test_what_is_no_quantity_is_unknown(value: object) -> None:
    """Other scripts, not-a-numbers, blanks, the capital K, negatives and what Kubernetes cannot hold are no amounts."""
    assert quantity(value) is None
