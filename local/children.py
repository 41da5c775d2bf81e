"""The programs the local stack starts: each in its own process group, all of them ended with it."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_WATCHDOG = Path(__file__).with_name("watchdog.py")
GRACE_SECONDS = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The operating system user a program runs as; `None` anywhere one is asked for means our own."""

    user: int
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """One started program. `stop_signal` is what asks it to end; SIGKILL follows when it does not."""

    popen: subprocess.Popen[bytes]
    stop_signal: signal.Signals

    @property
    def pid(self) -> int:
        """Its process id, which is its process group's id too."""
        return self.popen.pid

    def send(self, signal_number: int) -> None:
        """Signal the program and everything it started; one that is gone already is not an error."""
        try:
            os.killpg(self.pid, signal_number)
        except (ProcessLookupError, PermissionError):
            return


class Children:
    """Starts programs and ends them: on `close`, or through the watchdog when we die before we could."""

    def __init__(self) -> None:
        """Start the watchdog."""
        self._lock = threading.Lock()
        self._alive: dict[int, Child] = {}
        self._watchdog = subprocess.Popen(
            [sys.executable, "-S", "-E", str(_WATCHDOG)], stdin=subprocess.PIPE, start_new_session=True
        )

    def start(
        self,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        folder: Path,
        log: Path,
        identity: Identity | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> Child:
        """Start a program in `folder` with exactly this environment; its output is appended to `log`."""
        with log.open("ab") as output:
            popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=environment,
                user=identity.user if identity else None,
                group=identity.group if identity else None,
                extra_groups=[] if identity else None,
                start_new_session=True,
            )
        child = Child(popen=popen, stop_signal=stop_signal)
        with self._lock:
            self._alive[child.pid] = child
            self._tell(f"pid {child.pid} {int(stop_signal)}")
        return child

    def stop(self, *children: Child, grace_seconds: float = GRACE_SECONDS) -> None:
        """Ask all of them to end, then kill what is left of their process groups after `grace_seconds`."""
        for child in children:
            child.send(child.stop_signal)
        for child in children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.popen.wait(grace_seconds)
            child.send(signal.SIGKILL)
            child.popen.wait()
            self._forget(child)

    def kill(self, child: Child) -> None:
        """End a program at once."""
        child.send(signal.SIGKILL)
        child.popen.wait()
        self._forget(child)

    def remove_at_the_end(self, folder: Path) -> None:
        """Have the watchdog remove this folder if we cannot."""
        with self._lock:
            self._tell(f"folder {folder}")

    def keep(self, folder: Path) -> None:
        """Take back `remove_at_the_end`: the folder is gone already, or stays."""
        with self._lock:
            self._tell(f"kept {folder}")

    def close(self) -> None:
        """End every child that is left, then the watchdog."""
        with self._lock:
            alive = list(self._alive.values())
        self.stop(*alive)
        if self._watchdog.stdin is not None:
            self._watchdog.stdin.close()
        self._watchdog.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _forget(self, child: Child) -> None:
        with self._lock:
            if self._alive.pop(child.pid, None) is not None:
                self._tell(f"gone {child.pid}")

    def _tell(self, line: str) -> None:
        if self._watchdog.stdin is not None and not self._watchdog.stdin.closed:
            self._watchdog.stdin.write(line.encode() + b"\n")
            self._watchdog.stdin.flush()
