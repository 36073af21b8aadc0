"""cdk-nag: which findings are accepted, each with its reason."""

from collections.abc import Mapping

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def accept(construct: IConstruct, reasons: Mapping[str, str]) -> None:
    """Accept findings on this construct and below it: finding id to reason."""
    for finding, reason in reasons.items():
        Validations.of(construct).acknowledge(Acknowledgment(id=finding, reason=reason))
