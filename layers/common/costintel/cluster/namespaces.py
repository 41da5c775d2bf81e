"""A namespace as the API server has it; its metadata is enough."""

from costintel.cluster.fields import created_at, name_of, text_map
from costintel.cost.live import LiveNamespace


def read_namespace(item: object) -> LiveNamespace:
    """Return a namespace. Raises InvalidInput for one without a name or a creation time."""
    _, name = name_of(item)
    return LiveNamespace(name=name, created_at=created_at(item), labels=text_map(item, "metadata", "labels"))
