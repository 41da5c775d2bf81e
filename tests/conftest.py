"""Fixtures that every test may ask for, one file per subject under tests/fixtures."""

from hypothesis import settings

pytest_plugins = ["tests.fixtures.functions", "tests.fixtures.postgres"]

# No test fails for being slow: how fast a machine is says nothing about the code.
settings.register_profile("suite", deadline=None, max_examples=50)
settings.load_profile("suite")
