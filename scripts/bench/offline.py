"""No telemetry and no network: set before any of the peers is imported."""

import os
from pathlib import Path

OPT_OUTS = {
    "ANONYMIZED_TELEMETRY": "False",  # Chroma
    "MEM0_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
}


def opt_out(folder: Path) -> None:
    """mem0 writes a configuration beside its data: into `folder`, not into the user's home."""
    os.environ.update(OPT_OUTS, MEM0_DIR=str(folder / "mem0"))
