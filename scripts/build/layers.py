"""The two Lambda layers.

    runtime     python/: the dependencies of every function, and the tributary package
    embedding   python/: ONNX Runtime, tokenizers and NumPy; model/: the embedding model

On Lambda both are unpacked below /opt. For the local AWS they hold only what is ours: it runs
functions with the environment that it was started in, dependencies included, and would unpack
the whole layer once more for every worker. The model is then found by TRIBUTARY_MODEL_DIR.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.build import assets, tree, uv
from scripts.build.assets import Asset
from scripts.build.console import BuildError, step

# Never imported by an embedder: about 10 MB of tests and tools for making models.
DROPPED = (
    "numpy/**/tests",
    "numpy/f2py",
    "onnxruntime/quantization",
    "onnxruntime/tools",
    "onnxruntime/transformers",
)
NOT_ON_LAMBDA = ("cli",)


@dataclass(frozen=True, slots=True)
class Options:
    """What the layers are built for."""

    root: Path  # of the checkout
    target: str  # "lambda" or "host"
    model: Path  # the model directory
    arch: str = "x86_64"
    compiler: str | None = None  # a Python 3.13 that compiles the sources ahead of time

    @property
    def out(self) -> Path:
        return self.root / ".build" / self.target


def build(options: Options) -> tuple[Asset, ...]:
    """Both layers, in `.build/<target>/layers/`; the model must be there."""
    if not (options.model / "model.toml").is_file():
        raise BuildError(f"{options.model} holds no model; run `make model`")
    return (_runtime(options), _embedding(options))


def _runtime(options: Options) -> Asset:
    package = options.root / "shared" / "tributary"

    def make(layer: Path) -> None:
        _link_dependencies(options, "runtime", layer)
        tree.copy(package, layer / "python" / "tributary", NOT_ON_LAMBDA)
        _compile(options, layer / "python" / "tributary", "/opt/python/tributary")

    inputs = _inputs(options, "runtime") | {"package": assets.text_of(package)}
    return assets.build(options.out / "layers" / "runtime", inputs, make)


def _embedding(options: Options) -> Asset:
    def make(layer: Path) -> None:
        _link_dependencies(options, "embedding", layer)
        left_out = () if options.target == "lambda" else ("*.onnx", "tokenizer.json")
        tree.copy(options.model, layer / "model", left_out)

    card = assets.text_of(options.model / "model.toml")
    inputs = _inputs(options, "embedding") | {"model": card}
    return assets.build(options.out / "layers" / "embedding", inputs, make)


def _inputs(options: Options, name: str) -> dict[str, str]:
    requirements = options.root / "layers" / name / "requirements.txt"
    return {
        "build": assets.own_code(),
        "target": options.target,
        "arch": options.arch,
        "compiler": _version(options.compiler) if options.compiler else "",
        "requirements": assets.text_of(requirements),
    }


def _link_dependencies(options: Options, name: str, layer: Path) -> None:
    """Dependencies change seldom and our package often, so they are an asset of their own."""
    if options.target != "lambda":
        return
    requirements = options.root / "layers" / name / "requirements.txt"

    def make(python: Path) -> None:
        with step(f"fetching the dependencies of the {name} layer for {options.arch}"):
            uv.install(requirements.read_text(encoding="utf-8"), python, options.arch)
        tree.prune(python, (*tree.INSTALLER_NOTES, *DROPPED))
        _compile(options, python, "/opt/python")

    home = options.root / ".build" / "dependencies" / f"{name}-{options.arch}"
    tree.link(assets.build(home, _inputs(options, name), make).path, layer / "python")


def _compile(options: Options, sources: Path, seen_as: str) -> None:
    """Bytecode that is used without a look at the sources' times, which Lambda changes.

    Lambda cannot keep bytecode of what it finds in /opt, so each cold start would compile.
    """
    if options.target != "lambda" or options.compiler is None:
        return
    command = [options.compiler, "-I", "-m", "compileall", "-q", "-d", seen_as]
    command += ["--invalidation-mode", "unchecked-hash", "."]
    with step(f"compiling {seen_as}"):
        # Some files do not compile, because packages ship templates that are not Python.
        subprocess.run(command, cwd=sources, capture_output=True, check=False)


def _version(compiler: str) -> str:
    """The full version of a Python, which must be Lambda's."""
    ask = [compiler, "-I", "-c", "import sys; print(sys.version)"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"{compiler} does not run; --bytecode needs a Python 3.13") from error
    if not done.stdout.startswith(f"{uv.LAMBDA_PYTHON}."):
        raise BuildError(f"{compiler} is Python {done.stdout.split()[0]}; Lambda has 3.13")
    return done.stdout.strip()
