"""A small file system that can be filled to the last byte."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@dataclass(frozen=True)
class Disk:
    """Where it is mounted."""

    path: Path

    def fill(self) -> int:
        """Leave no room; answers how many bytes there were."""
        written = 0
        with (self.path / "ballast").open("wb", buffering=0) as ballast:
            for size in (1 << 20, 4096):
                try:
                    while True:
                        written += ballast.write(bytes(size))
                except OSError as error:
                    if error.errno != ENOSPC:
                        raise
        return written

    def free(self) -> None:
        (self.path / "ballast").unlink(missing_ok=True)

    @property
    def is_full(self) -> bool:
        return os.statvfs(self.path).f_bavail == 0


@contextmanager
def small_disk(megabytes: int) -> Iterator[Disk]:
    """A tmpfs of that size. Skips the test, and says why, where none can be mounted."""
    with TemporaryDirectory(prefix="tributary-disk-") as folder:
        Path(folder).chmod(0o755)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", folder],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if mounted.returncode:
            pytest.skip(
                "NOT TESTED: a full disk needs a tmpfs, and to mount one this must run as root"
                f" ({mounted.stderr.strip()})"
            )
        try:
            yield Disk(Path(folder))
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
