"""Refusals: RFC 9457 problem documents, each with a code that does not change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from costintel.argocd.answer import Answer, json_answer


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A kind of refusal: its stable code and its HTTP status."""

    code: str
    status: HTTPStatus


TOKEN_MISSING = ProblemType("token_missing", HTTPStatus.UNAUTHORIZED)
TOKEN_REFUSED = ProblemType("token_refused", HTTPStatus.UNAUTHORIZED)
TOKEN_UNRESOLVED = ProblemType("token_unresolved", HTTPStatus.UNAUTHORIZED)
APPLICATION_MISSING = ProblemType("application_missing", HTTPStatus.UNAUTHORIZED)
APPLICATION_REPEATED = ProblemType("application_repeated", HTTPStatus.BAD_REQUEST)
APPLICATION_MALFORMED = ProblemType("application_malformed", HTTPStatus.BAD_REQUEST)
APPLICATION_MISMATCH = ProblemType("application_mismatch", HTTPStatus.FORBIDDEN)
NOT_GATE = ProblemType("not_gate", HTTPStatus.FORBIDDEN)
GATE_OFF = ProblemType("gate_off", HTTPStatus.FORBIDDEN)
PATH_MALFORMED = ProblemType("path_malformed", HTTPStatus.BAD_REQUEST)
ROUTE_UNKNOWN = ProblemType("route_unknown", HTTPStatus.NOT_FOUND)
NOT_MEASURED = ProblemType("not_measured", HTTPStatus.NOT_FOUND)
OTHER_CLUSTER = ProblemType("other_cluster", HTTPStatus.NOT_FOUND)
METHOD_NOT_ALLOWED = ProblemType("method_not_allowed", HTTPStatus.METHOD_NOT_ALLOWED)
PARAMETER_MALFORMED = ProblemType("parameter_malformed", HTTPStatus.UNPROCESSABLE_ENTITY)
BODY_MALFORMED = ProblemType("body_malformed", HTTPStatus.BAD_REQUEST)
FIELD_MALFORMED = ProblemType("field_malformed", HTTPStatus.BAD_REQUEST)
BODY_TOO_LARGE = ProblemType("body_too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
INTERNAL_ERROR = ProblemType("internal_error", HTTPStatus.INTERNAL_SERVER_ERROR)
QUEUE_UNAVAILABLE = ProblemType("queue_unavailable", HTTPStatus.SERVICE_UNAVAILABLE)
STORAGE_UNAVAILABLE = ProblemType("storage_unavailable", HTTPStatus.SERVICE_UNAVAILABLE)
NOT_READY = ProblemType("not_ready", HTTPStatus.SERVICE_UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal: what was wrong, for a person; `members` are further members of the document."""

    type: ProblemType
    detail: str
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the problem document. Its type is the default, about:blank, so the title is the status's own phrase."""
        status = self.type.status
        return {
            "title": status.phrase,
            "status": status.value,
            "code": self.type.code,
            "detail": self.detail,
            **self.members,
        }

    def answer(self) -> Answer:
        """Return the HTTP answer that carries it."""
        headers = {"Content-Type": "application/problem+json", "Cache-Control": "no-store", **self.headers}
        if self.type.status is HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return json_answer(self.type.status, self.document(), headers=headers)
