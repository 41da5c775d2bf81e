"""The token that RDS accepts from an IAM role."""

from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from costintel.errors import ConfigurationError
from costintel.storage.iam import login_token

CREDENTIALS = {
    "AWS_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret/+=",
}
HOST = "costintel.abc.eu-central-1.rds.amazonaws.com"


def boto_token(credentials: dict[str, str]) -> str:
    client = boto3.client(
        "rds",
        region_name=credentials["AWS_REGION"],
        aws_access_key_id=credentials["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=credentials["AWS_SECRET_ACCESS_KEY"],
        aws_session_token=credentials.get("AWS_SESSION_TOKEN"),
    )
    return str(client.generate_db_auth_token(DBHostname=HOST, Port=5432, DBUsername="costintel_api"))


def signed_at(token: str) -> list[str]:
    return parse_qs(urlsplit(f"https://{token}").query)["X-Amz-Date"]


@pytest.mark.parametrize("session", [{}, {"AWS_SESSION_TOKEN": "temporary/+="}])
def test_it_is_the_token_that_boto3_makes(session: dict[str, str]) -> None:
    """Character by character, for a role's temporary credentials too, when both are signed in the same second."""
    credentials = CREDENTIALS | session
    for _ in range(10):
        ours, theirs = login_token(credentials, host=HOST, port="5432", user="costintel_api"), boto_token(credentials)
        if signed_at(ours) == signed_at(theirs):
            break

    assert ours == theirs


@pytest.mark.parametrize("missing", sorted(CREDENTIALS))
def test_a_missing_credential_is_named(missing: str) -> None:
    """The error names the variable and shows no value."""
    values = {name: value for name, value in CREDENTIALS.items() if name != missing}

    with pytest.raises(ConfigurationError, match=f"^{missing}: expected a value, found none$"):
        login_token(values, host=HOST, port="5432", user="costintel_api")
