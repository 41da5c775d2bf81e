"""Ends the local stack's children when the stack itself is killed without a chance to do so.

Runs alone, as a script and with the standard library only. Its standard input is a pipe whose other end only the stack
holds: lines add and remove what is to be ended, and the end of the file means that the stack is gone.

Lines: `pid NUMBER SIGNAL`, `gone NUMBER`, `folder PATH`, `kept PATH`.
"""

import os
import shutil
import signal
import sys
import time

_GRACE_SECONDS = 2.0


def _send(pid: int, signal_number: int) -> bool:
    """Signal a child and what it started; whether anything was there to receive it."""
    try:
        os.killpg(pid, signal_number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _end(children: dict[int, int]) -> None:
    alive = [pid for pid, stop_signal in children.items() if _send(pid, stop_signal)]
    deadline = time.monotonic() + _GRACE_SECONDS
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = [pid for pid in alive if _send(pid, 0)]
    for pid in alive:
        _send(pid, signal.SIGKILL)


def main() -> None:
    """Read lines until the stack is gone, then end every child that is left and remove the folders."""
    children: dict[int, int] = {}
    folders: set[str] = set()
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "pid":
            number, _, stop_signal = rest.partition(" ")
            children[int(number)] = int(stop_signal)
        elif word == "gone":
            children.pop(int(rest), None)
        elif word == "folder":
            folders.add(rest)
        elif word == "kept":
            folders.discard(rest)
    _end(children)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
