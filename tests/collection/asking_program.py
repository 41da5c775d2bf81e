"""A program that asks for the hours that are due, as one of many environments: DATABASE_URL, OpenCost's URL, the time."""

import sys
from datetime import datetime

from costintel.opencost.client import OpenCostClient
from tests.collection.engine import engine

if __name__ == "__main__":
    database_url, opencost_url, now = sys.argv[1:]
    client = OpenCostClient(opencost_url, read_timeout_seconds=30)
    with engine(database_url, client, read_timeout_seconds=30) as asking:
        outcome = asking.ask_due(datetime.fromisoformat(now))
    client.close()
    print(len(outcome.asked), len(outcome.left))
