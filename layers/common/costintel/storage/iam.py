"""The password that RDS accepts from an IAM role: a signed URL, made here without a call to AWS."""

from collections.abc import Mapping

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from costintel.errors import ConfigurationError

_VALID_SECONDS = 900


def login_token(values: Mapping[str, str], *, host: str, port: str, user: str) -> str:
    """Return a token to log in as `user`, with the function's own credentials from the environment `values`.

    The same token as boto3's `generate_db_auth_token`, without the 100 ms of importing boto3. Raises ConfigurationError when
    AWS_REGION or the credentials are missing.
    """
    credentials = Credentials(
        _required(values, "AWS_ACCESS_KEY_ID"),
        _required(values, "AWS_SECRET_ACCESS_KEY"),
        values.get("AWS_SESSION_TOKEN") or None,
    )
    request = AWSRequest(method="GET", url=f"https://{host}:{port}/", params={"Action": "connect", "DBUser": user})
    SigV4QueryAuth(credentials, "rds-db", _required(values, "AWS_REGION"), expires=_VALID_SECONDS).add_auth(request)
    return str(request.url).removeprefix("https://")


def _required(values: Mapping[str, str], name: str) -> str:
    value = values.get(name)
    if not value:
        raise ConfigurationError(f"{name}: expected a value, found none")
    return value
