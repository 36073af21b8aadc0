"""Directory trees that come out byte for byte the same wherever they are built."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Zip files know neither time zones nor years before 1980.
BUILT_AT = 946_684_800  # 2000-01-01T00:00:00Z

CACHES = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")
# What an installer notes about itself, and scripts that name the builder's own Python.
INSTALLER_NOTES = (
    "bin",
    ".lock",
    "*.dist-info/RECORD",
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "*.dist-info/direct_url.json",
    "*.dist-info/uv_*.json",
)


@dataclass(frozen=True, slots=True)
class Measure:
    """How much a tree holds."""

    files: int
    bytes: int


def files_of(root: Path) -> Iterator[Path]:
    """Every file below `root`, in an order that does not depend on the file system."""
    found = [path for path in root.rglob("*") if path.is_file()]
    return iter(sorted(found, key=lambda path: path.relative_to(root).as_posix()))


def copy(source: Path, target: Path, without: Iterable[str] = ()) -> None:
    """Copy a tree, without caches, bytecode and the given names."""
    ignored = shutil.ignore_patterns(*CACHES, "*.pyc", *without)
    shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)


def link(source: Path, target: Path) -> None:
    """The same files under a second path, without taking space; neither may be edited."""
    shutil.copytree(source, target, copy_function=os.link, dirs_exist_ok=True)


def prune(root: Path, patterns: Iterable[str]) -> None:
    """Delete what matches; a pattern that matches nothing is fine."""
    for pattern in patterns:
        for path in list(root.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def settle(root: Path) -> None:
    """Give everything fixed times and modes, so that archives of equal trees are equal."""
    for path in sorted(root.rglob("*"), reverse=True):
        runs = path.is_dir() or path.stat().st_mode & 0o100
        path.chmod(0o755 if runs else 0o644)
        os.utime(path, (BUILT_AT, BUILT_AT))
    os.utime(root, (BUILT_AT, BUILT_AT))


def digest(root: Path) -> str:
    """SHA-256 of all paths, modes and contents below `root`."""
    total = hashlib.sha256()
    for path in files_of(root):
        with path.open("rb") as content:
            inner = hashlib.file_digest(content, "sha256").hexdigest()
        mode = path.stat().st_mode & 0o777
        total.update(f"{path.relative_to(root).as_posix()}\0{mode:o}\0{inner}\n".encode())
    return total.hexdigest()


def measure(root: Path) -> Measure:
    """Files and bytes below `root`."""
    sizes = [path.stat().st_size for path in root.rglob("*") if path.is_file()]
    return Measure(len(sizes), sum(sizes))
