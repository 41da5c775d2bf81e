"""A mapping of the template, read property by property; what nobody read is an error."""

from collections.abc import Mapping
from typing import Any

from local.intrinsics import Json, Resolver, TemplateError


class Section:
    """One mapping, resolved as it is read. `where` names it in errors."""

    def __init__(self, where: str, content: Mapping[str, Any], resolver: Resolver) -> None:
        self._where = where
        self._content = content
        self._resolver = resolver
        self._read: set[str] = set()

    def get(self, name: str, default: Json = None) -> Json:
        """Read an optional value."""
        self._read.add(name)
        try:
            return self._resolver.resolve(self._content.get(name, default))
        except TemplateError as error:
            raise TemplateError(f"{self._where}, {name}: {error}") from error

    def require(self, name: str) -> Json:
        """Read a value that must be there."""
        if name not in self._content:
            raise TemplateError(f"{self._where}: {name} is missing")
        return self.get(name)

    def demand(self, name: str, *allowed: Json) -> None:
        """Read a value of which only these are interpreted."""
        value = self.get(name)
        if value not in allowed:
            raise TemplateError(f"{self._where}: {name} = {value!r} is not interpreted, only {allowed}")

    def section(self, name: str) -> "Section":
        """Open a mapping within; an empty one if it is not there."""
        self._read.add(name)
        return Section(f"{self._where}, {name}", self._content.get(name) or {}, self._resolver)

    def close(self, ignored: Mapping[str, str] | None = None) -> None:
        """Refuse what was neither read nor is ignored for a reason."""
        unknown = sorted(set(self._content) - self._read - set(ignored or {}))
        if unknown:
            raise TemplateError(f"{self._where}: the property {unknown[0]} is not interpreted")

    def __contains__(self, name: str) -> bool:
        return name in self._content
