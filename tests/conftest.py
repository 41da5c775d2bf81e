"""Fixtures that every test may ask for, one file per subject under tests/fixtures."""

pytest_plugins = ["tests.fixtures.functions", "tests.fixtures.postgres"]
