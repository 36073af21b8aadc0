"""Starting and stopping the local AWS."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import httpx

from scripts.local.processes import LOOPBACK, LocalStackError, alive, free_port, stop
from scripts.local.state import ACCOUNT, REGION, ROOT

_START_SECONDS = 60.0
# A proxy is of no use on the way to this very machine.
_NO_PROXY = dict.fromkeys(("NO_PROXY", "no_proxy"), f"{LOOPBACK},localhost")
# The servers outlive this process; a Popen that is collected while its child runs complains.
_children: list[subprocess.Popen[bytes]] = []
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LocalAws:
    """A running server."""

    pid: int
    port: int

    @property
    def endpoint_url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def stop(self) -> None:
        stop(self.pid)

    def api_url(self, api_id: str) -> str:
        """The base URL of an HTTP API: the path form, because it needs no name resolution."""
        return f"{self.endpoint_url}/_aws/execute-api/{api_id}"


def start(
    folder: Path, wished_port: int | None = None, environment: Mapping[str, str] = _NOTHING
) -> LocalAws:
    """Start a server that keeps its scratch files in the folder and its state nowhere.

    `environment` are further settings of ministack.
    Raises LocalStackError with the end of its log when it does not answer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port(wished_port)
    log = folder / "aws.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.local.aws_server"],
            cwd=ROOT,
            env=os.environ | _environment(folder, port) | dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _children.append(process)
    server = LocalAws(process.pid, port)
    _await(server, log)
    return server


def running(pid: int | None, port: int | None) -> LocalAws | None:
    """The server with that pid and port, when it still runs and answers."""
    if pid is None or port is None or not alive(pid):
        return None
    server = LocalAws(pid, port)
    return server if _answers(server) else None


def credentials(endpoint_url: str) -> dict[str, str]:
    """The environment variables with which SDKs and the CDK talk to the local AWS."""
    return {
        "AWS_ENDPOINT_URL": endpoint_url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        **_NO_PROXY,
    }


def _environment(folder: Path, port: int) -> dict[str, str]:
    scratch = folder / "tmp"
    scratch.mkdir(exist_ok=True)
    return {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": LOOPBACK,
        "MINISTACK_HOST": "localhost",
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "MINISTACK_REGION": REGION,
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
        "STATE_DIR": str(folder / "state"),
        "S3_DATA_DIR": str(folder / "s3"),
        "TMPDIR": str(scratch),
        "LOG_LEVEL": "INFO",
        "IOT_MTLS_ENABLED": "0",  # it would listen on a port of its own
        "SFTP_ENABLED": "0",
        "LAMBDA_ACCOUNT_CONCURRENCY": "0",  # callers wait in aws_server instead
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_ENDPOINT_URL": f"http://{LOOPBACK}:{port}",
        **_NO_PROXY,
    }


def _await(server: LocalAws, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _answers(server):
        if not alive(server.pid) or time.monotonic() > deadline:
            words = log.read_text(errors="replace").strip().splitlines() or ["its log is empty"]
            stop(server.pid)
            raise LocalStackError(f"the local AWS does not start: {words[-1]} (see {log})")
        time.sleep(0.1)


def _answers(server: LocalAws) -> bool:
    try:
        answer = httpx.get(f"{server.endpoint_url}/_ministack/health", timeout=5, trust_env=False)
    except httpx.HTTPError:
        return False
    return answer.is_success
