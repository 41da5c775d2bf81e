"""A function killed at any step: what it was to arrive at is arrived at all the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("scenario", ["early", "settled"])
def test_the_end_is_that_of_an_undisturbed_run(database_url: str, scenario: str) -> None:
    """Killed before each write and each question, then run again: the same hours, fold, record and work remain."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/common"), str(ROOT / "functions")])

    done = subprocess.run(
        [sys.executable, "-m", "tests.measure.killing_program", database_url, scenario],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["different"] == []
    assert told["records"] == 1
    assert told["steps"] >= 15
