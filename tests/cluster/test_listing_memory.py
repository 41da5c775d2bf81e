"""The size of a list that fits a small function."""

from bench.listing import measure_listing


def test_five_thousand_applications_fit_256_mebibytes() -> None:
    """5,000 Applications of 25 KB, 125 MB together, are listed whole by a process that never holds more than 256 MiB."""
    effort = measure_listing(5000, 25_000)

    assert effort.items == 5000
    assert effort.peak_mib < 256
