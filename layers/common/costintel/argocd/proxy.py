"""Which Application a request through Argo CD's extension proxy speaks for."""

from collections.abc import Sequence

from costintel.argocd.problem import APPLICATION_MALFORMED, APPLICATION_MISSING, APPLICATION_REPEATED, Problem
from costintel.argocd.request import Request
from costintel.cost.application import AppRef

APPLICATION_HEADER = "argocd-application-name"


def application_of(request: Request) -> AppRef | Problem:
    """Return the Application named by `Argocd-Application-Name`, or why there is none.

    argocd-server authorizes the first line of that name and forwards all of them, so anything but exactly one is refused, an
    empty or identical second one too. With payload format 2.0 a second line shows as a comma. No other header decides anything:
    argocd-server passes on the caller's own user, group, project and cluster headers whenever it has none to put there.
    """
    values = request.header(APPLICATION_HEADER)
    if not any(values):
        return Problem(APPLICATION_MISSING, "The request has no Argocd-Application-Name header")
    return _single(values)


def _single(values: Sequence[str]) -> AppRef | Problem:
    if len(values) > 1 or "," in values[0]:
        return Problem(APPLICATION_REPEATED, "Argocd-Application-Name: expected exactly one")
    reference = AppRef.parse(values[0])
    return reference or Problem(APPLICATION_MALFORMED, "Argocd-Application-Name: expected namespace:name")
