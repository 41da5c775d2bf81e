"""EKS's token: checked as STS checks it, by computing the signature anew, and its life."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from costintel.cluster.bearer import EksToken, FixedToken
from costintel.errors import ConfigurationError

REGION = "eu-west-1"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "ASIAEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_SESSION_TOKEN": "IQoJb3JpZ2luX2VjE//example+token==",
}


class Clock:
    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def url_of(token: str) -> str:
    assert token.startswith("k8s-aws-v1.")
    text = token.removeprefix("k8s-aws-v1.")
    assert "=" not in text
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()


def made(values: dict[str, str], clock: Clock | None = None, region: str = REGION) -> EksToken:
    return EksToken("prod-1", region=region, values=values, clock=clock or Clock())


def signature(url: str, *, cluster_name: str) -> str:
    """Compute the query's signature after AWS's Signature Version 4, from the URL and the header alone."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    signed = sorted((name, value) for name, value in query.items() if name != "X-Amz-Signature")
    canonical = "\n".join(
        (
            "GET",
            "/",
            "&".join(f"{quote(name, safe='')}={quote(value, safe='-_.~')}" for name, value in signed),
            f"host:{parts.hostname}\nx-k8s-aws-id:{cluster_name}\n",
            "host;x-k8s-aws-id",
            hashlib.sha256(b"").hexdigest(),
        )
    )
    date = query["X-Amz-Date"]
    scope = query["X-Amz-Credential"].partition("/")[2]
    to_sign = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{SECRET}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, to_sign.encode(), "sha256").hexdigest()


def test_the_token_is_a_signed_sts_url() -> None:
    """The URL asks the regional STS who is calling, signs the host and the cluster's name, and holds nothing else."""
    url = url_of(made(CREDENTIALS).token())
    query = dict(parse_qsl(urlsplit(url).query))

    assert url.startswith("https://sts.eu-west-1.amazonaws.com/?")
    assert set(query) == {
        "Action",
        "Version",
        "X-Amz-Algorithm",
        "X-Amz-Credential",
        "X-Amz-Date",
        "X-Amz-Expires",
        "X-Amz-Security-Token",
        "X-Amz-Signature",
        "X-Amz-SignedHeaders",
    }
    assert (query["Action"], query["Version"], query["X-Amz-Expires"]) == ("GetCallerIdentity", "2011-06-15", "60")
    assert query["X-Amz-SignedHeaders"] == "host;x-k8s-aws-id"
    assert query["X-Amz-Credential"].startswith("ASIAEXAMPLE/")
    assert query["X-Amz-Credential"].endswith("/eu-west-1/sts/aws4_request")
    assert query["X-Amz-Security-Token"] == CREDENTIALS["AWS_SESSION_TOKEN"]
    signed_at = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - signed_at) < timedelta(minutes=5)


def test_the_signature_holds_for_our_cluster_only() -> None:
    """Computed anew it is the same with the cluster's name in the header, and another with another name."""
    url = url_of(made(CREDENTIALS).token())
    sent = dict(parse_qsl(urlsplit(url).query))["X-Amz-Signature"]

    assert sent == signature(url, cluster_name="prod-1")
    assert sent != signature(url, cluster_name="prod-2")


def test_credentials_without_a_session_sign_too() -> None:
    """A user's own key has no session token, and the URL then has none."""
    url = url_of(made({**CREDENTIALS, "AWS_SESSION_TOKEN": ""}).token())

    assert "X-Amz-Security-Token" not in url
    assert dict(parse_qsl(urlsplit(url).query))["X-Amz-Signature"] == signature(url, cluster_name="prod-1")


def test_a_lambda_roles_token_stays_below_the_servers_limit() -> None:
    """With a session token of 1,368 characters, such as roles get, the token is below 4 KB."""
    session = base64.b64encode(bytes(range(256)) * 4 + b"\0" * 2).decode()
    assert len(session) == 1368

    assert len(made({**CREDENTIALS, "AWS_SESSION_TOKEN": session}).token()) < 4096


def test_china_has_its_own_sts() -> None:
    """Regions of China have another domain."""
    token = made(CREDENTIALS, region="cn-north-1").token()

    assert url_of(token).startswith("https://sts.cn-north-1.amazonaws.com.cn/?")


def test_a_token_is_kept_for_fourteen_minutes_at_most() -> None:
    """EKS takes it for fifteen; a second before the fourteenth minute it is the same, at the fourteenth a new one is signed."""
    clock = Clock()
    values = dict(CREDENTIALS)
    source = made(values, clock)
    first = source.token()
    clock.now += 14 * 60 - 1
    assert source.token() is first
    clock.now += 1

    assert source.token() is not first


def test_a_token_ends_with_its_credentials() -> None:
    """Credentials that end in five minutes sign a token for five minutes."""
    clock = Clock()
    end = datetime.fromtimestamp(clock.now + 300, UTC).isoformat()
    source = made({**CREDENTIALS, "AWS_CREDENTIAL_EXPIRATION": end}, clock)
    first = source.token()
    clock.now += 299
    assert source.token() is first
    clock.now += 1

    assert source.token() is not first


def test_new_credentials_sign_a_new_token() -> None:
    """Whoever replaces the credentials ends the token they signed."""
    values = dict(CREDENTIALS)
    source = made(values)
    source.token()
    values["AWS_ACCESS_KEY_ID"] = "ASIAOTHER"

    assert "ASIAOTHER" in url_of(source.token())


def test_a_refused_token_is_made_anew() -> None:
    """After `renew` the next one is signed again."""
    source = made(CREDENTIALS)
    first = source.token()
    source.renew()

    assert source.token() is not first


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_missing_credentials_are_named(name: str) -> None:
    """The error names the variable, not a value."""
    with pytest.raises(ConfigurationError, match=f"^{name}: expected a value, found none$"):
        made({**CREDENTIALS, name: ""}).token()


def test_a_fixed_token_stays() -> None:
    """It is what it is, also after `renew`."""
    source = FixedToken("abc")
    source.renew()

    assert source.token() == "abc"
