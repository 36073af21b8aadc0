"""Synthesis and deployment of the local stage with the CDK command line."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.local.aws import credentials
from scripts.local.processes import LOOPBACK, LocalStackError
from scripts.local.state import ACCOUNT, REGION, ROOT

_ASSETS = ROOT / ".build" / "host"
_COMMAND = ROOT / "node_modules" / ".bin" / "cdk"
# Everything that the templates follow from.
_SOURCES = ("app.py", "cdk.json", "infra", "statemachines", "shared/tributary/edge/routes.py")


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the deployed stack tells."""

    api_id: str
    migrate_function: str
    state_machine_arn: str


@dataclass(frozen=True, slots=True)
class Deployment:
    """The local stage as it is now, by way of this folder."""

    folder: Path
    overrides: str  # of the context, JSON
    fingerprint: str  # another one means that other templates or assets would be deployed

    def synthesise(self) -> None:
        """Make the templates, unless those of this fingerprint are there."""
        mark = self.folder / "fingerprint"
        if mark.is_file() and mark.read_text() == self.fingerprint:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        context = ("-c", "stage=local", "-c", f"overrides={self.overrides}")
        _cdk(("synth", "--quiet", "--output", str(self.folder), *context), {})
        mark.write_text(self.fingerprint)

    def bootstrap(self, endpoint_url: str) -> None:
        """Make what the CDK needs in an account: a bucket and its roles."""
        account = f"aws://{ACCOUNT}/{REGION}"
        # Away from cdk.json, whose app it would synthesise first.
        away = self.folder.parent
        _cdk(("bootstrap", account), credentials(endpoint_url), away)

    def deploy(self, endpoint_url: str) -> Outputs:
        """Deploy the synthesised templates."""
        outputs = self.folder / "outputs.json"
        options = ("--all", "--require-approval", "never", "--outputs-file", str(outputs))
        _cdk(("deploy", "--app", str(self.folder), *options), credentials(endpoint_url))
        return _outputs(outputs)


def plan(folder: Path, postgres_port: int) -> Deployment:
    """What is to be deployed, with PostgreSQL on that port."""
    overrides = json.dumps(
        {
            "database_host": LOOPBACK,
            "database_port": postgres_port,
            "model_dir": str(ROOT / ".build" / "model"),
        }
    )
    return Deployment(folder, overrides, _fingerprint(overrides))


def _fingerprint(overrides: str) -> str:
    total = hashlib.sha256(overrides.encode())
    for stamp in _stamps():
        total.update(stamp.read_bytes())
    for source in _SOURCES:
        for file in _files(ROOT / source):
            total.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return total.hexdigest()


def _cdk(arguments: Sequence[str], environment: Mapping[str, str], folder: Path = ROOT) -> None:
    done = subprocess.run(
        [str(_COMMAND), *arguments],
        cwd=folder,
        env=os.environ | {"CDK_DISABLE_CLI_TELEMETRY": "true", "CI": "true", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        told = f"{done.stdout}\n{done.stderr}".strip()
        raise LocalStackError(f"`cdk {arguments[0]}` failed:\n{told[-3000:]}")


def require_tools() -> None:
    """Raises LocalStackError with the remedy when something was not installed or built."""
    if shutil.which("node") is None:
        raise LocalStackError("Node.js is missing: install version 20 or newer")
    if not _COMMAND.exists():
        raise LocalStackError("the CDK command line is missing: npm ci")


def _stamps() -> list[Path]:
    """One small file beside every built asset; it holds the digest of its content."""
    return sorted(_ASSETS.glob("*/.*.stamp.json"))


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix in {".py", ".json"})


def _outputs(file: Path) -> Outputs:
    (told,) = json.loads(file.read_text(encoding="utf-8")).values()
    return Outputs(told["ApiId"], told["MigrateFunction"], told["StateMachineArn"])
