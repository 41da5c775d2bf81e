"""`costintel`: what an operator does by hand. `python -m cli` is the same.

The settings are those of the functions, from the environment: DATABASE_URL or DATABASE_*, CLUSTER_NAME, CLUSTER_ALIASES,
CLUSTER_ACCESS_APP, DAILY_HISTORY_DAYS.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

from cli.refold import add_refold
from costintel.config import Environment
from costintel.errors import CostIntelError


def main(arguments: Sequence[str] | None = None, *, variables: Mapping[str, str] | None = None) -> int:
    """Do what the arguments say; return the exit status: 0, 1 when it failed, 2 for arguments that cannot be read."""
    parser = argparse.ArgumentParser(prog="costintel", description="What an operator does by hand.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_refold(commands)
    asked = parser.parse_args(arguments)
    try:
        status: int = asked.run(asked, Environment(os.environ if variables is None else variables))
    except CostIntelError as error:
        print(f"costintel: {error}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
