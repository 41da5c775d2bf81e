"""The Python interpreter whose bytecode a build needs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from infra.settings import Target

LAMBDA_PYTHON = (3, 13)
LAMBDA_PLATFORM = "aarch64-manylinux_2_28"


class InterpreterMissingError(RuntimeError):
    """No interpreter of the version that Lambda runs was found; the text says how to name one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interpreter:
    """A Python interpreter: how to start it, what it runs as, and the tag of the bytecode it writes."""

    command: str
    environment: Mapping[str, str]
    bytecode_tag: str

    def start_environment(self) -> dict[str, str]:
        """Return the environment to start it with: no variable of the caller's Python, and a fixed order of sets."""
        own = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        return {**own, **self.environment, "PYTHONHASHSEED": "0"}


def interpreter_for(target: Target) -> Interpreter:
    """Return the interpreter that compiles for `target`: the running one, or Python 3.13 for Lambda.

    Raises `InterpreterMissingError` when there is no Python 3.13.
    """
    if target == "host":
        return Interpreter(command=sys.executable, environment={}, bytecode_tag=_tag(sys.executable, {}) or "")
    for command, environment in _candidates():
        tag = _tag(command, environment)
        if tag and tag.startswith("cpython-313 "):
            return Interpreter(command=command, environment=environment, bytecode_tag=tag)
    raise InterpreterMissingError(
        "the layer for Lambda needs a Python 3.13 interpreter to compile its bytecode and none was found:"
        " install python3.13, or name one in LAMBDA_PYTHON (a build for this machine needs none: --target host)"
    )


def _candidates() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield commands that may be Python 3.13, each with the environment it needs."""
    named = os.environ.get("LAMBDA_PYTHON")
    if named:
        yield named, {}
        return
    if sys.version_info[:2] == LAMBDA_PYTHON:
        yield sys.executable, {}
    found = shutil.which("python3.13")
    if found:
        yield found, {}
        # pyenv's python3.13 is a script that refuses until a version is chosen.
        yield found, {"PYENV_VERSION": "3.13"}
        yield found, {"PYENV_VERSION": "3.13.0"}


def _tag(command: str, environment: Mapping[str, str]) -> str | None:
    """Return the bytecode tag and magic number that the command reports, or None when it does not start."""
    question = "import sys, importlib.util as u; print(sys.implementation.cache_tag, u.MAGIC_NUMBER.hex())"
    try:
        answer = subprocess.run(  # noqa: S603 - the command is the operator's own interpreter
            [command, "-I", "-c", question],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()
