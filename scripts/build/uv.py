"""The one tool that fetches packages: uv."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.build.console import BuildError

LAMBDA_PYTHON = "3.13"
# Lambda's python3.13 runs on Amazon Linux 2023, whose glibc is 2.34.
PLATFORMS = {"x86_64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}


def run(arguments: Sequence[str], *, given: str | None = None, remedy: str) -> None:
    """Run uv with `given` on its standard input; its last words become the BuildError."""
    command = [_executable(), "--quiet", *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{_last_words(done.stderr)}; {remedy}")


def install(requirements: str, target: Path, arch: str | None = None) -> None:
    """Unpack the wheels of hash-pinned `requirements`, and nothing they ask for, in `target`.

    `arch` is that of the Lambda functions, None for a package that has no machine code.
    """
    command = ["pip", "install", "--target", str(target), "--python", sys.executable]
    if arch:
        command += ["--python-platform", PLATFORMS[arch], "--python-version", LAMBDA_PYTHON]
    command += ["--only-binary", ":all:", "--require-hashes", "--no-deps"]
    # A hard link would share its times and modes with uv's own cache.
    command += ["--link-mode", "copy", "--requirements", "-"]
    remedy = "check the network and uv's index settings, then run it again"
    run(command, given=requirements, remedy=remedy)


def _executable() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise BuildError("uv is missing; `pip install uv` puts it in this environment")
    return found


def _last_words(stderr: str) -> str:
    """uv's own message, without the colours and the empty lines."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return "uv: " + (" ".join(lines[-4:]) or "failed without a word")
