"""Requests about the stand-in itself: what was asked of it, how it shall fail, what lives in it."""

import json
from urllib.parse import unquote

from local.standin_kubernetes.answer import Answer, json_answer
from local.standin_kubernetes.calls import Calls
from local.standin_kubernetes.fault import Faults, IllegalFaultError, parse_fault
from local.standin_kubernetes.resource import RESOURCES
from local.standin_kubernetes.store import Store, stored


class Control:
    """Answers `/_calls`, `/_faults` and `/_objects`."""

    def __init__(self, store: Store, calls: Calls, faults: Faults) -> None:
        self._store = store
        self._calls = calls
        self._faults = faults

    def answer(self, method: str, path: str, body: bytes) -> Answer:
        """Answer one request; 400 names what is wrong in its body."""
        _, what, *parts = [unquote(part) for part in path.split("/")]
        try:
            if what == "_objects":
                return self._objects(method, parts, body)
            if what == "_faults" and not parts:
                return self._set_faults(method, body)
        except (ValueError, IllegalFaultError, KeyError, TypeError) as error:
            return json_answer(400, {"message": str(error)})
        if (method, what) == ("DELETE", "_calls"):
            self._calls.clear()
        elif (method, what) != ("GET", "_calls"):
            return json_answer(404, {"message": f"no such route: {method} {path}"})
        return json_answer(200, self._calls.summary())

    def _set_faults(self, method: str, body: bytes) -> Answer:
        if method == "DELETE":
            self._faults.clear()
        elif method == "POST":
            asked = json.loads(body or b"null")
            for fault in [parse_fault(one) for one in (asked if isinstance(asked, list) else [asked])]:
                self._faults.add(fault)
        return json_answer(200, {"faults": [fault.told() for fault in self._faults.every()]})

    def _objects(self, method: str, parts: list[str], body: bytes) -> Answer:
        resource = parts[0] if parts else ""
        if resource not in RESOURCES:
            raise ValueError(f"resource: expected one of {', '.join(sorted(RESOURCES))}, got {resource!r}")
        if method == "PUT" and len(parts) == 1:
            asked = json.loads(body)
            items = asked if isinstance(asked, list) else [asked]
            self._store.put_bodies(resource, [stored(item) for item in items])
            return json_answer(200, {"put": len(items)})
        if method == "DELETE" and len(parts) == 3:
            found = self._store.delete(resource, parts[1], parts[2])
            return json_answer(200 if found else 404, {"deleted": int(found)})
        raise ValueError("expected PUT /_objects/RESOURCE or DELETE /_objects/RESOURCE/NAMESPACE/NAME")
