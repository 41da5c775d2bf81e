"""The two layers every function gets."""

from aws_cdk import AssetHashType, RemovalPolicy
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.bundling import Asset, Bundle

RUNTIME = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE = lambda_.Architecture.ARM_64


class Layers(Construct):
    """Third-party packages, which change with the pinned requirements, and our own package, which changes often."""

    def __init__(self, scope: Construct, construct_id: str, *, bundle: Bundle) -> None:
        super().__init__(scope, construct_id)
        self.all = [
            self._layer("ThirdParty", bundle.third_party, "Third-party packages of cost-intel"),
            self._layer("OwnCode", bundle.own_code, "The costintel package and the certificates it trusts"),
        ]

    def _layer(self, name: str, asset: Asset, description: str) -> lambda_.LayerVersion:
        """Return a layer version; older versions stay for a rollback."""
        return lambda_.LayerVersion(
            self,
            name,
            code=asset_code(asset),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[ARCHITECTURE],
            description=description,
            removal_policy=RemovalPolicy.RETAIN,
        )


def asset_code(asset: Asset) -> lambda_.Code:
    """Return the built folder as code, identified by what it was built from."""
    return lambda_.Code.from_asset(
        str(asset.folder), asset_hash=asset.fingerprint, asset_hash_type=AssetHashType.CUSTOM
    )
