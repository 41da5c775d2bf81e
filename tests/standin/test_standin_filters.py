"""The filter language as OpenCost reads it."""

import pytest

from local.standin.filter import ALLOCATION_FIELDS, ASSET_FIELDS, IllegalFilterError, parse_filter, row_reader
from local.standin.row import Identity, Row

WEB = Row(
    identity=Identity(
        cluster="small",
        namespace="shop",
        pod="web-1",
        container="web",
        controller="web",
        controller_kind="deployment",
        services=("web", "web-internal"),
        labels={"app_kubernetes_io_name": "web", "team": "storefront"},
    ),
    start=0,
    end=0,
)


def keeps(text: str) -> bool:
    return parse_filter(text, ALLOCATION_FIELDS)(row_reader(WEB))


@pytest.mark.parametrize(
    "text",
    [
        'namespace:"shop"',
        'namespace:"other","shop"',
        'namespace!:"other"',
        'pod<~:"web-"',
        'pod~>:"-1"',
        'pod~:"eb"',
        'pod!~:"db"',
        'label[app.kubernetes.io/name]:"web"',
        'label:"team"',
        'label[absent]:""',
        'label[absent]:"__unallocated__"',
        'services:"web-internal"',
        'namespace:"shop"+controllerKind:"deployment"',
        'namespace:"other"|controllerName:"web"',
        '(namespace:"other"|namespace:"shop")+container:"web"',
    ],
)
def test_matching_rows_are_kept(text: str) -> None:
    """Equality, lists, contains, prefix, suffix, labels, services and groups match."""
    assert keeps(text)


@pytest.mark.parametrize(
    "text",
    [
        'namespace:"Shop"',
        'controllerKind:"Deployment"',
        'namespace!:"other","shop"',
        'pod!<~:"web"',
        'namespace:"shop"+pod:"db-0"',
        'label[team]:"data"',
    ],
)
def test_other_rows_are_dropped(text: str) -> None:
    """Case matters, and a negated list drops each of its values."""
    assert not keeps(text)


@pytest.mark.parametrize(
    "text", ['account:"1"', 'namespaceLabel[team]:"storefront"', 'team:"storefront"', 'account!:"1"']
)
def test_fields_without_a_mapping_match_nothing(text: str) -> None:
    """Some fields parse and silently match no row."""
    assert not keeps(text)


def test_what_follows_an_unescaped_plus_is_ignored() -> None:
    """It arrives as a space, and the parser stops after the first comparison (trap T5)."""
    assert keeps('namespace:"shop" pod:"db-0"')


@pytest.mark.parametrize("text", ['controller:"web"', 'namespacex:"shop"', "nonsense"])
def test_unknown_fields_are_an_error(text: str) -> None:
    """`controller` is not a field either."""
    with pytest.raises(IllegalFilterError, match="expect filter field"):
        parse_filter(text, ALLOCATION_FIELDS)


def test_assets_have_their_own_fields() -> None:
    """`assetType` filters assets, not allocations."""
    parse_filter('assetType:"node"', ASSET_FIELDS)
    with pytest.raises(IllegalFilterError):
        parse_filter('assetType:"node"', ALLOCATION_FIELDS)
