"""The hashes of the tokens that callers present."""

from aws_cdk import CfnParameter, Stack
from constructs import Construct

from infra.settings import Settings


class TokenHashes(Construct):
    """SHA-256 hashes in SSM parameters that CloudFormation reads at each deployment; the tokens themselves are nowhere.

    The operator writes the parameters before the first deployment. A hash of a random token tells nothing, so a plain
    parameter will do; CloudFormation could not hand a SecureString to a function anyway.
    """

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        super().__init__(scope, construct_id)
        self.webhook = self._hashes("webhook", settings)
        self.proxy = self._hashes("proxy", settings)
        self.metrics = self._hashes("metrics", settings)

    def _hashes(self, caller: str, settings: Settings) -> str:
        """Return the value of the caller's parameter, as the template refers to it."""
        parameter = CfnParameter(
            Stack.of(self),
            f"{caller.capitalize()}TokenHashes",
            type="AWS::SSM::Parameter::Value<String>",
            default=token_parameter(settings.cluster_name, caller),
            description=f"SSM parameter with the SHA-256 hashes of the {caller} token, current and previous",
        )
        value: str = parameter.value_as_string
        return value


def token_parameter(cluster_name: str, caller: str) -> str:
    """Return the name of the SSM parameter with the hashes of `caller`'s tokens."""
    return f"/cost-intel/{cluster_name}/{caller}-token-hashes"
