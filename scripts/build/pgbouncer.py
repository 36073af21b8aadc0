"""PgBouncer for the tests, out of Debian's packages: unpacked, not installed, and without root."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.build import assets
from scripts.build.assets import Asset
from scripts.build.console import BuildError, step

INSTALL = "install PgBouncer by your system's means (Debian: apt install pgbouncer; macOS: brew"
INSTALL += " install pgbouncer), so that `pgbouncer` is on the PATH"


def build(root: Path) -> Asset | None:
    """`.build/pgbouncer` with the program and `lib/`; None when one is on the PATH already."""
    if shutil.which("pgbouncer"):
        return None
    inputs = {"code": assets.text_of(Path(__file__)), "system": _system()}
    return assets.build(root / ".build" / "pgbouncer", inputs, _make)


def program(root: Path) -> tuple[Path, dict[str, str]] | None:
    """The program and the environment that it runs in; None when there is none."""
    installed = shutil.which("pgbouncer")
    if installed:
        return Path(installed), dict(os.environ)
    folder = root / ".build" / "pgbouncer"
    built = folder / "pgbouncer"
    if not built.is_file():
        return None
    return built, os.environ | {"LD_LIBRARY_PATH": str(folder / "lib")}


def _make(target: Path) -> None:
    missing = [tool for tool in ("apt-get", "apt-cache", "dpkg") if shutil.which(tool) is None]
    if missing:
        raise BuildError(f"{missing[0]} is missing, so this is no Debian; {INSTALL}")
    with TemporaryDirectory() as scratch, step("fetching PgBouncer"):
        apt = _Apt(Path(scratch))
        unpacked = apt.unpacked("pgbouncer")
        shutil.copy(unpacked / "usr" / "sbin" / "pgbouncer", target / "pgbouncer")
        (target / "lib").mkdir()
        for package in apt.libraries("pgbouncer"):
            for library in apt.unpacked(package).rglob("lib*.so*"):
                shutil.copy(library, target / "lib" / library.name)
    _try(target)


def _try(target: Path) -> None:
    """Raises BuildError when the program lacks something."""
    environment = os.environ | {"LD_LIBRARY_PATH": str(target / "lib")}
    command = [str(target / "pgbouncer"), "--version"]
    tried = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if tried.returncode:
        raise BuildError(f"Debian's PgBouncer does not run: {tried.stderr.strip()}; {INSTALL}")


class _Apt:
    """Downloads packages into a scratch folder; with package lists of its own when need be."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._options: list[str] = []

    def unpacked(self, package: str) -> Path:
        """The contents of a package."""
        folder = self._scratch / package
        folder.mkdir()
        try:
            _run([*self._get("download"), package], folder)
        except BuildError:
            self._update()
            _run([*self._get("download"), package], folder)
        (archive,) = folder.glob("*.deb")
        _run(["dpkg", "-x", str(archive), str(folder)], folder)
        return folder

    def libraries(self, package: str) -> list[str]:
        """The libraries that a package needs and this system does not have."""
        said = _run(["apt-cache", *self._options, "depends", "--important", package], self._scratch)
        names = [line.split(":")[1].strip() for line in said.splitlines() if "Depends:" in line]
        return [one for one in names if one.startswith("lib") and not _is_installed(one)]

    def _get(self, command: str) -> list[str]:
        # Downloads as this user: apt's own could not write into the scratch folder.
        return ["apt-get", *self._options, "-o", "APT::Sandbox::User=", "-q", command]

    def _update(self) -> None:
        """Fetch the lists of packages: images often come without, and old ones name old files."""
        if self._options:
            raise BuildError(f"apt has no package pgbouncer; {INSTALL}")
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (self._scratch / folder).mkdir(parents=True)
        self._options = [
            "-o", f"Dir::State::lists={self._scratch / 'state' / 'lists'}",
            "-o", f"Dir::Cache={self._scratch / 'cache'}",
        ]  # fmt: skip
        _run(self._get("update"), self._scratch)


def _is_installed(package: str) -> bool:
    command = ["dpkg-query", "--show", "--showformat", "${db:Status-Status}", package]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    return asked.stdout == "installed"


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        raise BuildError(f"{command[0]}: {' '.join(words) or done.stderr.strip()}; {INSTALL}")
    return done.stdout


def _system() -> str:
    """What the packages depend on beside their names."""
    try:
        return Path("/etc/os-release").read_text(encoding="utf-8") + os.uname().machine
    except OSError:
        return os.uname().machine
