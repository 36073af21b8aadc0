"""The two layers: dependencies for all, ONNX Runtime and the model for those that embed."""

from pathlib import Path

from aws_cdk import RemovalPolicy
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.config import Config, InvalidConfigError
from infra.functions import FunctionSpec

RUNTIME = lambda_.Runtime.PYTHON_3_13
_MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}  # in the names of compiled modules


class Layers(Construct):
    """`runtime` and `embedding`, as `python -m scripts.build` left them."""

    def __init__(self, scope: Construct, config: Config) -> None:
        super().__init__(scope, "Layers")
        self.runtime = self._layer(config, "runtime", "Tributary and its dependencies")
        self.embedding = self._layer(config, "embedding", "ONNX Runtime, tokenizers and the model")

    def of(self, spec: FunctionSpec) -> list[lambda_.ILayerVersion]:
        """The layers one function needs."""
        return [self.runtime, self.embedding] if spec.embeds else [self.runtime]

    def _layer(self, config: Config, name: str, description: str) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            name.capitalize(),
            layer_version_name=f"{config.prefix}-{name}",
            code=lambda_.Code.from_asset(_checked(config, name)),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[architecture(config)],
            description=description,
            removal_policy=RemovalPolicy.DESTROY,
        )


def _checked(config: Config, name: str) -> str:
    """The built layer; InvalidConfigError when its libraries are of another architecture."""
    folder = config.asset("layers", name)
    machine = _MACHINES[config.architecture]
    for library in Path(folder).rglob("*-linux-gnu.so"):
        if machine not in library.name:
            raise InvalidConfigError(
                "architecture",
                f"is {config.architecture}, but the {name} layer was built for another one;"
                f" run `python -m scripts.build layers --arch {config.architecture}`",
            )
    return folder


def architecture(config: Config) -> lambda_.Architecture:
    """The config value as CDK's."""
    if config.architecture == "arm64":
        return lambda_.Architecture.ARM_64
    return lambda_.Architecture.X86_64
