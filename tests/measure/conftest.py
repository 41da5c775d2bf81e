"""The handler of `measure` in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.collection.recorded_server import LAST_HOUR, RecordedServer

ROOT = Path(__file__).parents[2]
TICK = {"source": "costintel.schedule", "job": "tick"}
NOW = LAST_HOUR.replace(hour=8, minute=20)
"""Twenty minutes after the last recorded hour."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a handler's process answered and printed."""

    answers: list[Any]
    output: str
    modules: list[str]

    @property
    def logs(self) -> list[dict[str, Any]]:
        """The structured lines: log records and metrics."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


RunHandler = Callable[..., Ran]


@pytest.fixture
def recorded() -> Iterator[RecordedServer]:
    with RecordedServer() as server:
        yield server


@pytest.fixture
def run_handler(database_url: str) -> RunHandler:
    """Give what runs the handler on events, in a fresh process with the settings of the local stack."""

    def run(*events: Mapping[str, Any], opencost: str, **settings: str) -> Ran:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(ROOT / "functions"), str(ROOT / "layers/common"), str(ROOT)]),
            "DATABASE_URL": database_url,
            "OPENCOST_BASE_URL": opencost,
            "CLOCK_OFFSET_SECONDS": str(_offset_seconds()),
            "POWERTOOLS_SERVICE_NAME": "measure",
            **settings,
        }
        done = subprocess.run(
            [sys.executable, "-m", "tests.measure.handler_program"],
            input="".join(json.dumps(event) + "\n" for event in events),
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return _ran(done.stdout)

    return run


def batch(bodies: Mapping[str, str]) -> dict[str, Any]:
    """Make the event of an SQS batch from message ids and bodies."""
    records = [
        {"messageId": message, "body": body, "eventSource": "aws:sqs", "attributes": {"ApproximateReceiveCount": "1"}}
        for message, body in bodies.items()
    ]
    return {"Records": records}


def _offset_seconds() -> float:
    return (NOW - datetime.now(UTC)).total_seconds()


def _ran(output: str) -> Ran:
    lines = output.splitlines()
    answers = [line[3:] for line in lines if line.startswith("=> ")]
    modules = next(json.loads(line[8:]) for line in lines if line.startswith("modules "))
    return Ran(
        answers=[answer if answer.startswith("raised") else json.loads(answer) for answer in answers],
        output=output,
        modules=modules,
    )
