import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from local.invocation import EVENT_LIMIT_BYTES, Answer, EventTooLargeError, ThrottledError, UnansweredError
from local.runtime import LambdaFunction
from tests.fixtures.functions import HANDLERS, MakeFunction


def call(function: LambdaFunction, event: Any) -> Any:
    answer = function.invoke(json.dumps(event).encode())
    assert not answer.failed, answer.payload
    return json.loads(answer.payload)


def at_once(function: LambdaFunction, events: list[Any]) -> list[Answer | Exception]:
    """Invoke with all events at the same time; the answers stand in the same order."""
    answers: list[Any] = [None] * len(events)

    def invoke(number: int) -> None:
        try:
            answers[number] = function.invoke(json.dumps(events[number]).encode())
        except Exception as error:  # noqa: BLE001
            answers[number] = error

    threads = [threading.Thread(target=invoke, args=(number,)) for number in range(len(events))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_the_handler_gets_the_event(make_function: MakeFunction) -> None:
    """The event arrives as it was sent, with a request id in the context."""
    answer = call(make_function("sample.echo"), {"text": "größer", "number": 1.5})

    assert answer["event"] == {"text": "größer", "number": 1.5}
    assert len(answer["request"]) == 36


def test_an_idle_environment_is_used_again(make_function: MakeFunction) -> None:
    """Invocations one after another run in the same process."""
    function = make_function("sample.echo")

    assert call(function, 1)["pid"] == call(function, 2)["pid"]


def test_a_busy_function_gets_another_environment(make_function: MakeFunction) -> None:
    """Two invocations at once run in two processes."""
    answers = at_once(make_function("sample.sleep"), [{"seconds": 0.2}, {"seconds": 0.2}])

    assert len({json.loads(answer.payload)["pid"] for answer in answers if isinstance(answer, Answer)}) == 2


def test_reserved_concurrency_throttles(make_function: MakeFunction) -> None:
    """With one reserved environment, the second invocation at once is throttled, not queued."""
    function = make_function("sample.sleep", reserved_concurrency=1)

    answers = at_once(function, [{"seconds": 0.2}, {"seconds": 0.2}])

    assert sum(isinstance(answer, ThrottledError) for answer in answers) == 1


def test_the_environment_holds_lambda_settings_and_the_functions_own(make_function: MakeFunction) -> None:
    """A function sees Lambda's variables and its own, and nothing of this machine's AWS configuration."""
    answer = call(make_function("sample.settings", environment={"CLUSTER_NAME": "blue"}, timeout_seconds=7), {})
    environment = answer["environment"]

    assert environment["CLUSTER_NAME"] == "blue"
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "256"
    assert environment["AWS_CONFIG_FILE"] == os.devnull
    assert "HOME" not in environment
    assert not [name for name in environment if "ENDPOINT" in name or "ACCESS_KEY" in name]
    assert answer["arn"] == "arn:aws:lambda:us-east-1:123456789012:function:Sample"
    assert 0 < answer["remaining"] <= 7000


def test_only_lambdas_and_the_layers_packages_are_there(make_function: MakeFunction, tmp_path: Path) -> None:
    """boto3 is there as in Lambda, a layer's module too; what only our own environment has is not."""
    layer = tmp_path / "layer"
    (layer / "python").mkdir(parents=True)
    (layer / "python" / "from_the_layer.py").write_text("")

    answer = call(
        make_function("sample.modules", layers=(layer,)),
        {"names": ["boto3", "from_the_layer", "httpx", "pytest"]},
    )

    assert answer["found"] == {"boto3": True, "from_the_layer": True, "httpx": False, "pytest": False}
    assert answer["folder"] == str(HANDLERS)


def test_an_exception_is_an_answer_and_the_process_lives_on(make_function: MakeFunction) -> None:
    """An exception of the handler comes back in Lambda's form."""
    answer = make_function("sample.fail").invoke(b"{}")

    assert answer.failed
    assert {"errorType": "ValueError", "errorMessage": "no such luck"}.items() <= json.loads(answer.payload).items()


def test_a_timeout_kills_the_process_and_says_so(make_function: MakeFunction) -> None:
    """Over its time a function is killed, the caller told as Lambda does, and the next event gets a new process."""
    function = make_function("sample.sleep", timeout_seconds=1)
    first = call(function, {"seconds": 0})["pid"]

    answer = function.invoke(b'{"seconds": 60}')

    assert answer.failed
    document = json.loads(answer.payload)
    assert document["errorType"] == "Sandbox.Timedout"
    assert document["errorMessage"].endswith("Error: Task timed out after 1.00 seconds")
    assert call(function, {"seconds": 0})["pid"] != first


def test_a_process_that_leaves_is_an_exit_error(make_function: MakeFunction) -> None:
    """`os._exit` in a handler answers with the status, and the function works again."""
    function = make_function("sample.leave")

    answer = function.invoke(b'{"status": 3}')

    assert answer.failed
    assert json.loads(answer.payload) == {
        "errorType": "Runtime.ExitError",
        "errorMessage": "Runtime exited with error: exit status 3",
    }
    assert not function.invoke(b"{}").failed


def test_a_process_killed_at_work_is_an_exit_error(make_function: MakeFunction) -> None:
    """What a killed process ran is answered as a crash, and the function works again."""
    function = make_function("sample.sleep")
    call(function, {"seconds": 0})
    answers: list[Answer | Exception] = []
    caller = threading.Thread(target=lambda: answers.extend(at_once(function, [{"seconds": 60}])))
    caller.start()
    deadline = time.monotonic() + 5
    while not function.busy_count and time.monotonic() < deadline:
        time.sleep(0.01)

    function.kill_environments()
    caller.join()

    (answer,) = answers
    assert isinstance(answer, Answer)
    assert json.loads(answer.payload)["errorMessage"] == "Runtime exited with error: signal: 9"
    assert not function.invoke(b'{"seconds": 0}').failed


def test_an_idle_process_that_was_killed_is_replaced(make_function: MakeFunction) -> None:
    """A process killed from outside while idle costs no event."""
    function = make_function("sample.leave")
    os.kill(call(function, {})["pid"], 9)

    deadline = time.monotonic() + 5
    while function.environment_count and time.monotonic() < deadline:
        time.sleep(0.01)

    assert not function.invoke(b"{}").failed


def test_a_handler_that_cannot_be_imported_is_an_init_error(make_function: MakeFunction) -> None:
    """The error of the import is the answer, for every event."""
    function = make_function("broken.handler")

    answers = [json.loads(function.invoke(b"{}").payload) for _ in range(2)]

    assert [answer["errorType"] for answer in answers] == ["RuntimeError"] * 2
    assert answers[0]["errorMessage"] == "not importable"


def test_an_event_over_six_megabytes_is_refused(make_function: MakeFunction) -> None:
    """6,291,556 bytes are taken, one more is not."""
    function = make_function("sample.leave")
    empty = len(json.dumps({"text": ""}))

    assert not function.invoke(json.dumps({"text": "x" * (EVENT_LIMIT_BYTES - empty)}).encode()).failed
    with pytest.raises(EventTooLargeError):
        function.invoke(json.dumps({"text": "x" * (EVENT_LIMIT_BYTES - empty + 1)}).encode())


def test_an_answer_over_six_megabytes_is_an_error(make_function: MakeFunction) -> None:
    """An answer has the same limit, and the process is used again after one too large."""
    function = make_function("sample.large")

    answer = function.invoke(json.dumps({"bytes": EVENT_LIMIT_BYTES}).encode())

    assert answer.failed
    assert json.loads(answer.payload)["errorType"] == "Function.ResponseSizeTooLarge"
    assert not function.invoke(b'{"bytes": 10}').failed


def test_a_caller_may_stop_waiting(make_function: MakeFunction) -> None:
    """`wait_seconds` ends the waiting, not the function."""
    function = make_function("sample.sleep")
    call(function, {"seconds": 0})

    with pytest.raises(UnansweredError):
        function.invoke(b'{"seconds": 0.3}', wait_seconds=0.05)

    assert function.environment_count == 1


def test_stopping_leaves_no_process(make_function: MakeFunction) -> None:
    """`close` ends busy environments too."""
    function = make_function("sample.sleep")
    pid = call(function, {"seconds": 0})["pid"]
    threading.Thread(target=lambda: at_once(function, [{"seconds": 60}])).start()

    function.close()

    assert not Path(f"/proc/{pid}").exists()
