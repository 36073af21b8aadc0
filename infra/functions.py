"""Every Lambda function: what it may reach, and how large it is. No CDK here."""

from dataclasses import dataclass
from typing import Literal

Login = Literal["app", "admin"]


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """One folder under functions/."""

    name: str
    login: Login | None  # as whom it logs in to the database; None: outside the VPC
    timeout_seconds: int
    embeds: bool = False  # needs ONNX Runtime and the model
    classifies: bool = False
    # Waited for by a caller, and slow to start: worth a picture to start from (SnapStart).
    snapped: bool = False
    memory_mib: int = 256
    # Errors in five minutes that are worth waking somebody for. The states of the workflow
    # raise on purpose when learners contend, and the state machine retries: many are normal.
    alarm_at_errors: int = 1


# 1,769 MiB is one full vCPU (AWS Lambda, "Configure function memory"); embedding at 1,024 MiB
# has 0.58 of one.
_EMBEDDING_MIB = 1024
_CONTENTION = 100

FUNCTIONS = (
    # API Gateway gives up on an HTTP integration after 30 s.
    FunctionSpec("recall", "app", 10, embeds=True, snapped=True, memory_mib=_EMBEDDING_MIB),
    FunctionSpec("learn", None, 29),
    FunctionSpec("curate", "app", 15, embeds=True, memory_mib=_EMBEDDING_MIB),
    FunctionSpec(
        "prepare",
        "app",
        10,
        embeds=True,
        snapped=True,
        memory_mib=_EMBEDDING_MIB,
        alarm_at_errors=_CONTENTION,
    ),
    FunctionSpec("classify", None, 10, classifies=True, alarm_at_errors=_CONTENTION),
    FunctionSpec("commit", "app", 8, alarm_at_errors=_CONTENTION),
    FunctionSpec("authorizer", "app", 10),
    FunctionSpec("gardener", "app", 300, embeds=True, classifies=True, memory_mib=_EMBEDDING_MIB),
    FunctionSpec("migrate", "admin", 300),
)
