"""What an operator applies to Argo CD fits what the service expects."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from costintel.argocd.resources import PODLESS_KINDS
from tests.argocd.bodies import SHOP_WEB

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy/argocd"
EXCERPTS = [DEPLOY / name for name in ("notifications.yaml", "proxy-extension.yaml", "rbac.yaml")]
"""Parts of ConfigMaps and Secrets that are there already; the other files are whole objects."""
SAMPLE = ROOT / "tests/samples/argocd/notifications-cm.yaml"


def manifests(path: Path) -> dict[str, dict[str, str]]:
    """Return what each ConfigMap and Secret of a file holds, by its name."""
    documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    assert all(document["metadata"]["namespace"] == "argocd" for document in documents)
    return {one["metadata"]["name"]: one.get("data") or one["stringData"] for one in documents}


NOTIFICATIONS = manifests(DEPLOY / "notifications.yaml")
CONFIG = NOTIFICATIONS["argocd-notifications-cm"]
PROXY = manifests(DEPLOY / "proxy-extension.yaml")
EXTENSION = yaml.safe_load(PROXY["argocd-cm"]["extension.config.cost-intel"])
TEMPLATE: dict[str, Any] = yaml.safe_load(CONFIG["template.cost-intel-sync"])["webhook"]["cost-intel"]
SERVICE: dict[str, Any] = yaml.safe_load(CONFIG["service.webhook.cost-intel"])


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.name)
def test_every_value_is_what_argo_cd_can_read(path: Path) -> None:
    """Each file is YAML, its values are texts, and what looks like YAML inside them is YAML too."""
    for values in manifests(path).values():
        for key, value in values.items():
            assert isinstance(value, str), key
            if key.startswith(("service.", "trigger.", "template.", "extension.", "subscriptions")):
                assert yaml.safe_load(value), key


def test_the_template_is_the_one_that_was_tried() -> None:
    """Template and trigger are those of the sample, which was rendered and evaluated with Argo CD's own libraries."""
    sample = manifests(SAMPLE)["argocd-notifications-cm"]
    for key in ("template.cost-intel-sync", "trigger.on-cost-sync", "service.webhook.cost-intel", "subscriptions"):
        assert CONFIG[key] == sample[key], key


def test_the_template_sends_the_fields_the_webhook_reads() -> None:
    """Its fields are those of the documented payload, the creation time among them."""
    body = TEMPLATE["body"].split("{{- dict", 1)[1]
    fields = re.findall(r'^\s*"(\w+)" ', body, re.MULTILINE)

    assert sorted(fields) == sorted(SHOP_WEB)
    assert "createdAt" in fields


def test_the_template_leaves_out_the_kinds_that_the_webhook_drops() -> None:
    """The list of kinds that never own pods is the same on both sides."""
    listed = re.search(r"\$skip := list (.*?) -}}", TEMPLATE["body"])

    assert listed is not None
    assert sorted(re.findall(r'"(\w+)"', listed.group(1))) == sorted(PODLESS_KINDS)


def test_the_template_picks_what_ownership_needs() -> None:
    """Of each resource group, kind, namespace and name are sent."""
    picked = re.search(r"pick \. ([^)]*)\)", TEMPLATE["body"])

    assert picked is not None
    assert {'"group"', '"kind"', '"namespace"', '"name"'} <= set(picked.group(1).split())


def test_service_template_and_subscription_use_one_name() -> None:
    """With another name Argo CD sends a GET with the message."""
    subscriptions = yaml.safe_load(CONFIG["subscriptions"])
    conditions = yaml.safe_load(CONFIG["trigger.on-cost-sync"])

    assert subscriptions == [{"recipients": ["cost-intel"], "triggers": ["on-cost-sync"]}]
    assert {tuple(condition["send"]) for condition in conditions} == {("cost-intel-sync",)}
    assert (TEMPLATE["method"], TEMPLATE["path"]) == ("POST", "/api/cost-analysis/on-sync")


def test_each_sync_is_announced_three_times() -> None:
    """At once, after two and after ten minutes, each once per finished sync, never for dry runs, never for old syncs."""
    conditions = yaml.safe_load(CONFIG["trigger.on-cost-sync"])
    later = [re.findall(r">= (\d+)", condition["when"]) for condition in conditions]

    assert later == [[], ["2"], ["10"]]
    for condition in conditions:
        assert condition["oncePer"] == "app.status.operationState.finishedAt"
        assert "phase in ['Succeeded']" in condition["when"]
        assert "dryRun != true" in condition["when"]
        assert ".Minutes() < 30" in condition["when"]


def test_the_notification_secret_is_found() -> None:
    """The header's reference has a key in the Secret, of the allowed characters, without a newline at the end."""
    authorization = next(one["value"] for one in SERVICE["headers"] if one["name"] == "Authorization")
    key = re.fullmatch(r"Bearer \$([A-Za-z0-9_-]+)", authorization)

    assert key is not None
    value = NOTIFICATIONS["argocd-notifications-secret"][key.group(1)]
    assert value == value.strip()
    assert "EXAMPLE" in value


def test_the_proxy_secret_is_found_and_is_another_one() -> None:
    """The header's value is the whole reference, the Secret holds scheme and token, and the tokens differ."""
    [service] = EXTENSION["services"]
    authorization = next(one["value"] for one in service["headers"] if one["name"] == "Authorization")

    assert authorization.startswith("$")
    assert PROXY["argocd-secret"][authorization[1:]].startswith("Bearer ")
    assert PROXY["argocd-secret"].keys().isdisjoint(NOTIFICATIONS["argocd-notifications-secret"])


def test_the_proxy_never_replaces_the_header_that_decides() -> None:
    """Configured headers override the caller's: the application's name must not be one; the groups are blanked."""
    [service] = EXTENSION["services"]
    names = {one["name"].lower(): one["value"] for one in service["headers"]}

    assert set(names) == {"authorization", "argocd-user-groups"}
    assert names["argocd-user-groups"] == "-"


def test_urls_have_no_path() -> None:
    """Argo CD's proxy drops a path, and the template brings its own."""
    [service] = EXTENSION["services"]
    for url in (service["url"], SERVICE["url"]):
        parts = urlsplit(url)
        assert (parts.scheme, parts.path) == ("https", "")


def test_the_extension_is_switched_on_and_may_be_used() -> None:
    """The flag is set, and a policy line grants the extension by its name."""
    policy = manifests(DEPLOY / "rbac.yaml")["argocd-rbac-cm"]["policy.csv"]

    assert PROXY["argocd-cmd-params-cm"]["server.enable.proxy.extension"] == "true"
    assert "p, role:readonly, extensions, invoke, cost-intel, allow" in policy.splitlines()


def test_the_readme_names_every_file() -> None:
    """Nothing to apply is left unexplained, and its links lead somewhere."""
    readme = (DEPLOY / "README.md").read_text(encoding="utf-8")

    assert set(re.findall(r"`([\w-]+\.yaml)`", readme)) == {path.name for path in DEPLOY.glob("*.yaml")}
    for target in re.findall(r"\]\(([^)#]+)", readme):
        assert (DEPLOY / target).exists(), target
