"""Findings of cdk-nag that we accept, each with its reason."""

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def acknowledge(construct: IConstruct, finding: str, reason: str) -> None:
    """Accept the finding `AwsSolutions-FINDING` of the construct and of what it contains."""
    Validations.of(construct).acknowledge(Acknowledgment(id=f"AwsSolutions-{finding}", reason=reason))
