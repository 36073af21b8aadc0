"""cdk-nag: clean, and it would say so if it were not."""

import pytest

from infra import database_stack, learn_workflow, memory_function, network_stack
from tests.infra.conftest import Synthesise, Synthesised

ACCEPTING = (database_stack, learn_workflow, memory_function, network_stack)


def test_every_finding_of_aws_solutions_is_mended_or_accepted_with_a_reason(
    aws: Synthesised,
) -> None:
    assert aws.report["pluginReports"] == []


def test_without_the_accepted_findings_the_synthesis_fails(
    synthesise: Synthesise, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ACCEPTING:
        monkeypatch.setattr(module, "accept", lambda construct, reasons: None)

    with pytest.raises(RuntimeError, match="AwsSolutions-VPC7"):
        synthesise("aws")
