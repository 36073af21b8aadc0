"""The whole service, deployed to the local AWS once for all these tests, in a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import httpx
import pytest

from tributary.adapters.embedding.onnx import OnnxEmbedder
from tributary.adapters.postgres.database import connector
from tributary.edge.wiring import Wiring

ROOT = Path(__file__).parents[2]
_numbers = count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs all of these: there is one deployment."""
    for item in items:
        if "e2e" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group("deployment"))


@dataclass(frozen=True)
class Deployment:
    """A running local stack."""

    home: Path
    api_url: str
    dsn: str
    endpoint_url: str

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"TRIBUTARY_HOME": str(self.home)}

    def local(self, *command: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "scripts.local", *command],
            cwd=ROOT, env=self.environment, check=True,
        )  # fmt: skip


@pytest.fixture(scope="session")
def deployment() -> Iterator[Deployment]:
    # Not pytest's folder: every run closes that to other users, and so to a PostgreSQL that a
    # run as root has started as one.
    home = Path(mkdtemp(prefix="tributary-e2e-"))
    made = Deployment(home, "", "", "")
    try:
        made.local("up")
        said = json.loads((home / "stack.json").read_text())
        yield Deployment(home, said["api_url"], said["dsn"], said["endpoint_url"])
    finally:
        made.local("down")
        rmtree(home)


@dataclass(frozen=True)
class Tribe:
    """A fresh tribe, and clients by role."""

    deployment: Deployment
    name: str
    curator_key: str
    opened: ExitStack

    @cached_property
    def curator(self) -> httpx.Client:
        return self.client(self.curator_key)

    def client(self, key: str) -> httpx.Client:
        return self.opened.enter_context(
            httpx.Client(
                base_url=self.deployment.api_url,
                headers={"authorization": f"Bearer {key}"} if key else {},
                timeout=60,
            )
        )

    def key(self, name: str, role: str = "writer") -> str:
        answer = self.curator.post("/v1/agents", json={"name": name, "role": role})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["key"])

    def agent(self, name: str, role: str = "writer") -> httpx.Client:
        return self.client(self.key(name, role))


@pytest.fixture
def found(deployment: Deployment) -> Iterator[object]:
    """A factory of tribes."""
    wiring = Wiring(connector(conninfo=deployment.dsn), make_embedder=OnnxEmbedder.load)

    with ExitStack() as opened:
        opened.callback(wiring.database.close)

        def make(name: str | None = None) -> Tribe:
            tribe = name or f"e2e-{next(_numbers)}"
            return Tribe(deployment, tribe, wiring.agents.found(tribe, "curator").key, opened)

        yield make


@pytest.fixture
def tribe(found: object) -> Tribe:
    return found()  # type: ignore[operator,no-any-return]


def until(ask: Callable[[], httpx.Response], status: int) -> httpx.Response:
    """The first answer with that status, of at most 100."""
    for _ in range(100):
        answer = ask()
        if answer.status_code == status:
            return answer
    raise AssertionError(f"still {answer.status_code}: {answer.text}")
