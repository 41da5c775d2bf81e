"""Which listed resources could own pods."""

from typing import Any

import pytest

from costintel.argocd.resources import PODLESS_KINDS, is_namespace, read_resources
from costintel.cost.ownership import Resource
from costintel.errors import InvalidInput

WEB = {"group": "apps", "kind": "Deployment", "namespace": "shop", "name": "web"}
WEB_RESOURCE = Resource("apps", "Deployment", "shop", "web")


@pytest.mark.parametrize("value", [None, "", "<no value>"])
def test_a_list_that_is_not_there_is_not_known(value: object) -> None:
    """Without a list nothing is known of the resources."""
    assert read_resources(value) is None


def test_an_empty_list_is_known_to_be_empty() -> None:
    """An application may own nothing."""
    assert read_resources([]) == ()


@pytest.mark.parametrize("value", ["Deployment/web", {"kind": "Deployment"}, 5, True, False])
def test_what_is_no_list_is_refused(value: object) -> None:
    """Another shape is a mistake of the template that its author should hear of."""
    with pytest.raises(InvalidInput, match="resources: expected a list"):
        read_resources(value)


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "Deployment/web",
        5,
        [],
        {},
        {"kind": "Deployment"},
        {"name": "web"},
        {**WEB, "name": ""},
        {**WEB, "name": "<no value>"},
        {**WEB, "name": 5},
        {**WEB, "name": "a/b"},
        {**WEB, "name": "a b"},
        {**WEB, "name": "a\x00b"},
        {**WEB, "name": "a\ud800b"},
        {**WEB, "name": "x" * 254},
        {**WEB, "kind": "Deploy ment"},
        {**WEB, "kind": ["Deployment"]},
        {**WEB, "namespace": "Shop"},
        {**WEB, "namespace": "x" * 64},
        {**WEB, "namespace": {"name": "shop"}},
        {**WEB, "group": "apps/v1"},
    ],
)
def test_an_odd_entry_costs_only_itself(odd: Any) -> None:
    """Other entries of the list are kept."""
    assert read_resources([odd, WEB]) == (WEB_RESOURCE,)


def test_a_list_of_odd_entries_only_is_not_known() -> None:
    """What cannot be read at all must not turn into an application that owns nothing and costs nothing."""
    assert read_resources(["Deployment/web", {"name": "web"}]) is None


@pytest.mark.parametrize("missing", [{}, {"group": None}, {"group": ""}, {"group": "<no value>"}])
def test_the_core_group_may_be_left_out(missing: dict[str, Any]) -> None:
    """Core objects carry no group."""
    assert read_resources([{"kind": "Pod", "namespace": "shop", "name": "web", **missing}]) == (
        Resource("", "Pod", "shop", "web"),
    )


def test_cluster_scoped_objects_have_no_namespace() -> None:
    """An empty namespace is kept: the destination's stands in."""
    assert read_resources([{**WEB, "namespace": "<no value>"}]) == (Resource("apps", "Deployment", "", "web"),)


def test_hooks_and_resources_to_be_pruned_count() -> None:
    """They cost money while they exist."""
    entries = [{**WEB, "hook": True}, {**WEB, "name": "old", "requiresPruning": True, "health": {"status": "Healthy"}}]

    assert read_resources(entries) == (WEB_RESOURCE, Resource("apps", "Deployment", "shop", "old"))


@pytest.mark.parametrize(
    ("kind", "group"), [(kind, group) for kind, groups in PODLESS_KINDS.items() for group in sorted(groups)]
)
def test_kinds_without_pods_are_left_out(kind: str, group: str) -> None:
    """What can never own pods is dropped, and is not odd."""
    assert read_resources([{"group": group, "kind": kind, "namespace": "shop", "name": "system:kps:View"}]) == ()


@pytest.mark.parametrize(
    ("group", "kind"),
    [
        ("apps", "ReplicaSet"),
        ("batch", "Job"),
        ("argoproj.io", "Rollout"),
        ("monitoring.coreos.com", "Prometheus"),
        ("serving.knative.dev", "Service"),
        ("example.com", "Role"),
        ("", "ReplicationController"),
    ],
)
def test_everything_else_is_kept(group: str, kind: str) -> None:
    """Controllers, operators' objects, and other groups' kinds of a common name may own pods."""
    assert read_resources([{"group": group, "kind": kind, "namespace": "shop", "name": "UPPER_case.name"}]) == (
        Resource(group, kind, "shop", "UPPER_case.name"),
    )


@pytest.mark.parametrize("text", ["", "shop-1", "0", "a" * 63])
def test_dns_labels_are_namespaces(text: str) -> None:
    """A namespace is a DNS label, or not given."""
    assert is_namespace(text)


@pytest.mark.parametrize("text", ["a" * 64, "a.b", "-a", "a-", "A", "a\n", "a b", "é"])
def test_nothing_else_is_a_namespace(text: str) -> None:
    """Dots, capitals, blanks and dashes at an end are not allowed."""
    assert not is_namespace(text)
