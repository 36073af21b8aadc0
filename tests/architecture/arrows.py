"""Reads the imports of the project's modules, and says which arrows point outwards."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("shared/tributary", "functions", "infra", "scripts")

DOMAIN, PORTS, USECASES = "tributary.domain", "tributary.ports", "tributary.usecases"
ADAPTERS, EDGE, MEMORY = "tributary.adapters", "tributary.edge", "tributary.memory"
DOCTOR = "tributary.doctor"
INNER = {DOMAIN, PORTS, USECASES}

# From a layer to what it may import of the project, besides itself. The longest name that fits
# a module is its layer.
ALLOWED: dict[str, set[str]] = {
    DOMAIN: set(),
    PORTS: {DOMAIN},
    USECASES: {DOMAIN, PORTS},
    ADAPTERS: {DOMAIN, PORTS},
    EDGE: INNER | {ADAPTERS, "tributary.edge.routes"},
    "tributary.edge.routes": {DOMAIN},
    MEMORY: INNER | {ADAPTERS, EDGE},
    DOCTOR: INNER | {ADAPTERS, EDGE, MEMORY},
    "tributary.cli": INNER | {ADAPTERS, EDGE, MEMORY, DOCTOR, "tributary"},
    "tributary": {MEMORY, PORTS},
    "functions": INNER | {EDGE},
    "infra": {DOMAIN, "tributary.edge.routes"},
    "scripts": INNER | {ADAPTERS, EDGE, MEMORY, DOCTOR, "tributary", "infra"},
    "app": {"infra"},
}
OUTSIDE = {"tests"}  # nothing imports these

# Layers that import nothing but the standard library and the project.
PLAIN = {DOMAIN, PORTS, USECASES, "tributary.edge.routes"}
# What the domain must not even touch in the standard library: I/O, clocks and chance.
IMPURE = {
    "asyncio", "concurrent", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "secrets", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time",
    "urllib.request",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module."""

    module: str
    line: int


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the project that is not a test, by its dotted name."""
    yield "app", ROOT / "app.py"
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "__pycache__" not in path.parts:
                yield dotted(path), path


def dotted(path: Path) -> str:
    """The name under which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "shared" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def outward(name: str, path: Path, source: str) -> list[str]:
    """A message for every import of the module that its layer does not allow."""
    layer = _layer(name)
    return [
        f"{path.relative_to(ROOT)}:{found.line}: {layer} -> {found.module}"
        for found in _imports(name, path, source)
        if not _allowed(layer, found.module)
    ]


def _allowed(layer: str, module: str) -> bool:
    top = module.split(".")[0]
    if top in OUTSIDE:
        return False
    if top in {"tributary", "functions", "infra", "scripts", "app"}:
        target = _layer(module)
        return target == layer or target in ALLOWED[layer] or _within(target, ALLOWED[layer])
    if layer == DOMAIN and {top, module} & IMPURE:
        return False
    return layer not in PLAIN or top in sys.stdlib_module_names


def _within(target: str, allowed: set[str]) -> bool:
    """A layer inside an allowed one, such as tributary.edge.routes; `tributary` is only itself."""
    return any(target.startswith(f"{one}.") for one in allowed if one != "tributary")


def _layer(module: str) -> str:
    fitting = [one for one in ALLOWED if module == one or module.startswith(f"{one}.")]
    assert fitting, f"{module} belongs to no layer: add it to ALLOWED"
    return max(fitting, key=len)


def _imports(name: str, path: Path, source: str) -> Iterator[Import]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                yield Import(_module(base, alias.name), node.lineno)


def _module(base: str, name: str) -> str:
    """`from base import name` imports base.name when that is a module, else base."""
    for root in (ROOT / "shared", ROOT):
        place = root.joinpath(*base.split("."), name)
        if place.with_suffix(".py").is_file() or (place / "__init__.py").is_file():
            return f"{base}.{name}"
    return base
