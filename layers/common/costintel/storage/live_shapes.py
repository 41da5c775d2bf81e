"""How each kind of live object becomes a row and is made of one again."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from costintel.cost.application import AppRef, Destination
from costintel.cost.live import (
    ContainerAmounts,
    HpaTarget,
    LiveApplication,
    LiveHpa,
    LiveNamespace,
    LiveSync,
    LiveVpa,
    VpaPolicy,
    VpaRecommendation,
    WorkloadRef,
)
from costintel.cost.ownership import Resource
from costintel.storage.live_lists import APPLICATIONS, HPAS, NAMESPACES, VPAS
from costintel.storage.live_table import Shape


def _application_row(one: LiveApplication) -> dict[str, Any]:
    resources = one.resources
    return {
        "namespace": one.application.namespace,
        "name": one.application.name,
        "project": one.project,
        "destination_server": one.destination.server,
        "destination_name": one.destination.name,
        "destination_namespace": one.destination.namespace,
        "created_at": one.created_at.isoformat(),
        "labels": _sorted(one.labels),
        "deleting": one.deleting,
        "resources": None if resources is None else [[r.group, r.kind, r.namespace, r.name] for r in resources],
        "last_sync": None if one.last_sync is None else _sync_values(one.last_sync),
        "history": [_sync_values(sync) for sync in one.history],
        "sync_status": one.sync_status,
        "health_status": one.health_status,
        "images": list(one.images),
        "application_set": one.application_set,
        "parent_namespace": None if one.parent is None else one.parent.namespace,
        "parent_name": None if one.parent is None else one.parent.name,
    }


def _application(row: dict[str, Any]) -> LiveApplication:
    resources, last_sync, parent = row["resources"], row["last_sync"], row["parent_namespace"]
    return LiveApplication(
        application=AppRef(row["namespace"], row["name"]),
        project=row["project"],
        destination=Destination(
            server=row["destination_server"], name=row["destination_name"], namespace=row["destination_namespace"]
        ),
        created_at=row["created_at"],
        labels=row["labels"],
        deleting=row["deleting"],
        resources=None if resources is None else tuple(Resource(*resource) for resource in resources),
        last_sync=None if last_sync is None else _sync(last_sync),
        history=tuple(_sync(values) for values in row["history"]),
        sync_status=row["sync_status"],
        health_status=row["health_status"],
        images=tuple(row["images"]),
        application_set=row["application_set"],
        parent=None if parent is None else AppRef(parent, row["parent_name"]),
    )


def _sync_values(sync: LiveSync) -> list[Any]:
    started_at = None if sync.started_at is None else sync.started_at.isoformat()
    return [sync.finished_at.isoformat(), started_at, sync.revision, list(sync.revisions), sync.initiated_by]


def _sync(values: Sequence[Any]) -> LiveSync:
    finished_at, started_at, revision, revisions, initiated_by = values
    return LiveSync(
        finished_at=datetime.fromisoformat(finished_at),
        started_at=None if started_at is None else datetime.fromisoformat(started_at),
        revision=revision,
        revisions=tuple(revisions),
        initiated_by=initiated_by,
    )


def _namespace_row(one: LiveNamespace) -> dict[str, Any]:
    return {"name": one.name, "created_at": one.created_at.isoformat(), "labels": _sorted(one.labels)}


def _namespace(row: dict[str, Any]) -> LiveNamespace:
    return LiveNamespace(**row)


def _vpa_row(one: LiveVpa) -> dict[str, Any]:
    return {
        **_autoscaler_row(one),
        "update_mode": one.update_mode,
        "policies": [_policy_values(policy) for policy in one.policies],
        "recommendations": [_recommendation_values(each) for each in one.recommendations],
        "conditions": list(one.conditions),
    }


def _vpa(row: dict[str, Any]) -> LiveVpa:
    return LiveVpa(
        namespace=row["namespace"],
        name=row["name"],
        created_at=row["created_at"],
        target=_target(row),
        update_mode=row["update_mode"],
        policies=tuple(_policy(values) for values in row["policies"]),
        recommendations=tuple(_recommendation(values) for values in row["recommendations"]),
        conditions=tuple(row["conditions"]),
    )


def _policy_values(policy: VpaPolicy) -> list[Any]:
    resources = None if policy.resources is None else list(policy.resources)
    bounds = _amount_values(policy.least, policy.most)
    return [policy.container, policy.is_off, resources, policy.controlled_values, *bounds]


def _policy(values: Sequence[Any]) -> VpaPolicy:
    container, is_off, resources, controlled_values, least, most = values
    return VpaPolicy(
        container=container,
        is_off=is_off,
        resources=None if resources is None else tuple(resources),
        controlled_values=controlled_values,
        least=_amounts(least),
        most=_amounts(most),
    )


def _recommendation_values(one: VpaRecommendation) -> list[Any]:
    return [one.container, *_amount_values(one.target, one.lower, one.upper, one.uncapped)]


def _recommendation(values: Sequence[Any]) -> VpaRecommendation:
    container, target, lower, upper, uncapped = values
    return VpaRecommendation(
        container=container,
        target=_amounts(target),
        lower=_amounts(lower),
        upper=_amounts(upper),
        uncapped=_amounts(uncapped),
    )


def _amount_values(*amounts: ContainerAmounts) -> Iterable[list[str | None]]:
    for one in amounts:
        yield [None if part is None else str(part) for part in (one.cpu_cores, one.ram_bytes)]


def _amounts(values: Sequence[str | None]) -> ContainerAmounts:
    cpu_cores, ram_bytes = (None if text is None else Decimal(text) for text in values)
    return ContainerAmounts(cpu_cores=cpu_cores, ram_bytes=ram_bytes)


def _hpa_row(one: LiveHpa) -> dict[str, Any]:
    return {
        **_autoscaler_row(one),
        "min_replicas": one.min_replicas,
        "max_replicas": one.max_replicas,
        "current_replicas": one.current_replicas,
        "targets": [[target.resource, target.container, target.percent] for target in one.targets],
    }


def _hpa(row: dict[str, Any]) -> LiveHpa:
    targets = (HpaTarget(resource=resource, container=name, percent=part) for resource, name, part in row["targets"])
    return LiveHpa(
        namespace=row["namespace"],
        name=row["name"],
        created_at=row["created_at"],
        target=_target(row),
        min_replicas=row["min_replicas"],
        max_replicas=row["max_replicas"],
        current_replicas=row["current_replicas"],
        targets=tuple(targets),
    )


def _autoscaler_row(one: LiveVpa | LiveHpa) -> dict[str, Any]:
    return {
        "namespace": one.namespace,
        "name": one.name,
        "created_at": one.created_at.isoformat(),
        "target_api_version": one.target.api_version,
        "target_kind": one.target.kind,
        "target_name": one.target.name,
    }


def _target(row: dict[str, Any]) -> WorkloadRef:
    return WorkloadRef(api_version=row["target_api_version"], kind=row["target_kind"], name=row["target_name"])


def _sorted(labels: Mapping[str, str]) -> dict[str, str]:
    # In one order, whatever the list's: equal labels are then equal text.
    return dict(sorted(labels.items()))


_NAMED = ("namespace", "name")
_TARGET = {"created_at": "timestamptz", **dict.fromkeys(("target_api_version", "target_kind", "target_name"), "text")}

APPLICATION = Shape(
    kind=APPLICATIONS,
    table="applications",
    key=_NAMED,
    values={
        **dict.fromkeys(("project", "destination_server", "destination_name", "destination_namespace"), "text"),
        "created_at": "timestamptz",
        "labels": "jsonb",
        "deleting": "boolean",
        **dict.fromkeys(("resources", "last_sync", "history"), "jsonb"),
        **dict.fromkeys(("sync_status", "health_status"), "text"),
        "images": "text[]",
        **dict.fromkeys(("application_set", "parent_namespace", "parent_name"), "text"),
    },
    row=_application_row,
    item=_application,
)
NAMESPACE = Shape(
    kind=NAMESPACES,
    table="namespaces",
    key=("name",),
    values={"created_at": "timestamptz", "labels": "jsonb"},
    row=_namespace_row,
    item=_namespace,
)
VPA = Shape(
    kind=VPAS,
    table="recommendations",
    key=_NAMED,
    values={
        **_TARGET,
        "update_mode": "text",
        **dict.fromkeys(("policies", "recommendations"), "jsonb"),
        "conditions": "text[]",
    },
    row=_vpa_row,
    item=_vpa,
)
HPA = Shape(
    kind=HPAS,
    table="autoscalers",
    key=_NAMED,
    values={
        **_TARGET,
        **dict.fromkeys(("min_replicas", "max_replicas", "current_replicas"), "bigint"),
        "targets": "jsonb",
    },
    row=_hpa_row,
    item=_hpa,
)
