import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from local.options import OptionsError, read_options


def test_the_defaults() -> None:
    """Without variables: the documented ports, no given services, the real clock, tokens of this run alone."""
    options = read_options({})
    other = read_options({})

    assert (options.port, options.gateway_port) == (8080, 8081)
    assert (options.opencost_base_url, options.database_url) == ("", "")
    assert options.clock_offset_seconds == 0
    assert len(options.tokens.proxy) >= 32
    assert len({options.tokens.proxy, options.tokens.webhook, options.tokens.metrics, other.tokens.proxy}) == 4


def test_now_moves_the_clock_and_lets_it_run() -> None:
    """NOW is a distance from the real clock, in any time zone."""
    options = read_options({"NOW": "2026-08-20T12:00:00+02:00"})

    wanted = datetime(2026, 8, 20, 10, 0, 0, tzinfo=UTC)
    assert wanted <= options.now() < wanted + timedelta(seconds=30)


def test_given_tokens_are_used_and_hashed() -> None:
    """The functions get SHA-256 in hex of the given token."""
    options = read_options({"PROXY_TOKEN": "proxy-secret"})

    assert options.tokens.proxy == "proxy-secret"
    assert options.tokens.hashes()["proxy"] == hashlib.sha256(b"proxy-secret").hexdigest()


def test_opencosts_settings_go_to_who_asks_opencost() -> None:
    """A function without OPENCOST_BASE_URL of its own never sees OpenCost's token."""
    options = read_options(
        {"OPENCOST_TOKEN": "secret", "OPENCOST_BASE_URL": "http://o", "CURRENCY": "EUR", "HOME": "/x"}
    )

    assert options.settings_for({"CURRENCY"}) == {"CURRENCY": "EUR"}
    assert options.settings_for({"OPENCOST_BASE_URL"}) == {
        "CURRENCY": "EUR",
        "OPENCOST_BASE_URL": "http://o",
        "OPENCOST_TOKEN": "secret",
    }


def test_kubernetes_settings_go_to_who_lists_the_cluster() -> None:
    """Who only asks OpenCost gets what its service proxy takes; paths are absolute, because functions run elsewhere."""
    options = read_options(
        {
            "OPENCOST_BASE_URL": "http://o",
            "KUBECONFIG": "a.yaml:/b.yaml",
            "KUBERNETES_TOKEN": "t",
            "PRUNE_REMOTE_COST": "true",
        }
    )

    listing = options.settings_for({"OPENCOST_BASE_URL", "PRUNE_REMOTE_COST"})
    asking = options.settings_for({"OPENCOST_BASE_URL"})

    assert (listing["KUBECONFIG"], listing["KUBERNETES_TOKEN"]) == (f"{Path.cwd()}/a.yaml:/b.yaml", "t")
    assert "KUBECONFIG" not in asking
    assert asking["KUBERNETES_TOKEN"] == "t"
    assert options.settings_for({"CURRENCY"}) == {"PRUNE_REMOTE_COST": "true"}


def test_a_kubeconfig_that_happens_to_be_there_is_not_the_demos() -> None:
    """Without a real OpenCost there is no real Kubernetes either."""
    options = read_options({"KUBECONFIG": "/home/me/.kube/config", "KUBERNETES_TOKEN": "t"})

    assert options.settings_for({"OPENCOST_BASE_URL", "PRUNE_REMOTE_COST"}) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("GATEWAY_PORT", "70000"),
        ("PORT", "-1"),
        ("NOW", "2026-08-20T12:00:00"),
        ("NOW", "yesterday"),
        ("PROXY_TOKEN", "$argocd.token"),
        ("WEBHOOK_TOKEN", "two words"),
        ("METRICS_TOKEN", "zwölf"),
    ],
)
def test_a_value_that_cannot_work_is_named(name: str, value: str) -> None:
    """The error begins with the variable's name."""
    with pytest.raises(OptionsError, match=f"^{name}: expected "):
        read_options({name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("MONTH_HOURS", "700"), ("CURRENCY", "eur"), ("OPENCOST_BASE_URL", "ftp://opencost.example")]
)
def test_a_setting_the_functions_would_refuse_is_named_before_the_start(name: str, value: str) -> None:
    """The stack does not start to fail with a function's error."""
    with pytest.raises(OptionsError, match=f"^{name}: expected"):
        read_options({name: value})
