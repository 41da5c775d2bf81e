"""Who may do what: authentication by bearer token, RBAC by resource, and the literal names of the service proxy."""

from collections.abc import Callable
from dataclasses import dataclass, field

from local.standin_kubernetes.answer import Answer, status_answer
from local.standin_kubernetes.resource import RESOURCES, ObjectPath, ProxyPath

_USER = "cost-intel"


def anyone(_: str) -> bool:
    """Accept every token."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What the one user of the stand-in may do.

    `accepts` judges bearer tokens. `readable`: resources it may get and list. `installed`: resources that exist at all.
    `proxied`: `resourceNames` of the rule for `services/proxy`, compared literally with the URL's segment.
    """

    accepts: Callable[[str], bool] = anyone
    readable: frozenset[str] = field(default=frozenset(RESOURCES))
    installed: frozenset[str] = field(default=frozenset(RESOURCES))
    proxied: frozenset[str] = frozenset({"http:opencost:9003"})

    def denies(self, authorization: str | None) -> Answer | None:
        """Refuse a request without a token that is accepted."""
        scheme, _, token = (authorization or "").partition(" ")
        if scheme == "Bearer" and self.accepts(token):
            return None
        return status_answer(401, "Unauthorized")

    def forbids(self, path: ObjectPath) -> Answer | None:
        """Refuse reading a resource that no rule names."""
        resource = path.resource
        if resource.plural in self.readable:
            return None
        scope = f'in the namespace "{path.namespace}"' if path.namespace else "at the cluster scope"
        return status_answer(
            403,
            f'{resource.full_name} is forbidden: User "{_USER}" cannot {path.verb} resource "{resource.plural}" '
            f'in API group "{resource.group}" {scope}',
        )

    def forbids_proxy(self, path: ProxyPath) -> Answer | None:
        """Refuse a service that no rule names in just these letters."""
        if path.segment in self.proxied:
            return None
        return status_answer(
            403,
            f'services "{path.segment}" is forbidden: User "{_USER}" cannot get resource "services/proxy" '
            f'in API group "" in the namespace "{path.namespace}"',
        )
