"""Functions with the wiring of the real ones and nothing in them."""

import json
import os
import time
from pathlib import Path
from typing import Any

import boto3


def webhook(event: Any, context: Any) -> Any:
    boto3.client("sqs").send_message(QueueUrl=os.environ["QUEUE_URL"], MessageBody=event["body"])
    return {"statusCode": 202, "body": "{}"}


def measure(event: Any, context: Any) -> Any:
    line = json.dumps({"event": event, "environment": dict(os.environ), "pid": os.getpid()})
    with Path(os.environ["SEEN"]).open("a", encoding="utf-8") as seen:
        seen.write(line + "\n")
    if "hang" in json.dumps(event):
        time.sleep(600)
    return {"batchItemFailures": []}


def api(event: Any, context: Any) -> Any:
    body = json.dumps({"environment": dict(os.environ), "headers": event["headers"], "path": event["rawPath"]})
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": body}
