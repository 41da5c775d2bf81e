"""Run exporter's handler as Lambda does, without Lambda: an event per line of standard input, its answer per line marked `=>`.

A line marked `modules` lists what was imported before the first event.
"""

import json
import sys
import time

IMPORTED_BEFORE = set(sys.modules)


class Context:
    """An invocation that began when it was made and is cut off after 300 seconds."""

    def __init__(self) -> None:
        self._end = time.monotonic() + 300

    def get_remaining_time_in_millis(self) -> int:
        return int((self._end - time.monotonic()) * 1000)


def main() -> None:
    from exporter.handler import handler  # noqa: PLC0415  what it imports is what is looked at

    print("modules", json.dumps(sorted(set(sys.modules) - IMPORTED_BEFORE)), flush=True)
    for line in sys.stdin:
        try:
            answer = json.dumps(handler(json.loads(line), Context()))
        except Exception as error:  # noqa: BLE001  Lambda catches everything too
            answer = f"raised {type(error).__name__}: {error}"
        print(f"=> {answer}", flush=True)


if __name__ == "__main__":
    main()
