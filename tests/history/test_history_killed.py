"""The hourly run killed at any step: what it was to arrive at is arrived at all the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_end_is_that_of_an_undisturbed_run(database_url: str) -> None:
    """Killed at 20 steps spread over the whole run, then run again: the same days, series and progress, and no work left."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/common"), str(ROOT / "functions")])

    done = subprocess.run(
        [sys.executable, "-m", "tests.history.killing_program", database_url, "20"],
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
    assert (told["killed"], told["work"], told["calls"]) == (20, [], 4)
    assert told["rows"] == 8
    assert told["steps"] >= 40
