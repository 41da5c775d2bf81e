"""Handlers that do what the tests of the local runtime need."""

import base64
import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def echo(event: Any, context: Any) -> Any:
    return {"event": event, "pid": os.getpid(), "request": context.aws_request_id}


def settings(event: Any, context: Any) -> Any:
    remaining = context.get_remaining_time_in_millis()
    return {"environment": dict(os.environ), "remaining": remaining, "arn": context.invoked_function_arn}


def modules(event: Any, context: Any) -> Any:
    found = {}
    for name in event["names"]:
        try:
            __import__(name)
        except ImportError:
            found[name] = False
        else:
            found[name] = True
    return {"found": found, "folder": str(Path.cwd()), "path": sys.path}


def sleep(event: Any, context: Any) -> Any:
    time.sleep(event["seconds"])
    return {"pid": os.getpid()}


def fail(event: Any, context: Any) -> Any:
    raise ValueError("no such luck")


def leave(event: Any, context: Any) -> Any:
    if event.get("status") is not None:
        os._exit(event["status"])
    return {"pid": os.getpid()}


def large(event: Any, context: Any) -> Any:
    return "x" * event["bytes"]


def web(event: Any, context: Any) -> Any:
    """Answer an HTTP event with itself, or with what its body asks for."""
    body = event.get("body")
    if body and not event["isBase64Encoded"] and body.startswith('{"answer"'):
        return json.loads(body)["answer"]
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(event)}


def binary(event: Any, context: Any) -> Any:
    return {"statusCode": 200, "isBase64Encoded": True, "body": base64.b64encode(b"\x00\xff").decode()}


def batch(event: Any, context: Any) -> Any:
    """Fail the messages whose body says so; write down every message that came."""
    lines = [json.dumps({"body": record["body"], "attributes": record["attributes"]}) for record in event["Records"]]
    with Path(os.environ["SEEN"]).open("a", encoding="utf-8") as seen:
        seen.write("\n".join(lines) + "\n")
    failed = [record["messageId"] for record in event["Records"] if record["body"].startswith("fail")]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}
