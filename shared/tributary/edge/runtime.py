"""What a function keeps between its calls: one of each per execution environment.

Each function imports only what it uses: a cold start pays for every import.
"""

import os
from functools import cache
from typing import TYPE_CHECKING

from tributary.edge import snapshot
from tributary.edge.settings import Settings

if TYPE_CHECKING:
    from tributary.adapters.postgres.migrate import Migrated as Migrated
    from tributary.edge.executions import Executions
    from tributary.edge.wiring import Wiring
    from tributary.ports import Ids
    from tributary.usecases.learn.classify import Classify


@cache
def settings() -> Settings:
    """This function's settings."""
    return Settings.load()


@cache
def wiring() -> "Wiring":
    """This function's use cases; the connection and the model open when they are first used."""
    from tributary.adapters.embedding.onnx import OnnxEmbedder
    from tributary.edge.login import database
    from tributary.edge.wiring import Wiring

    return Wiring(database(settings()), make_embedder=OnnxEmbedder.load)


@cache
def ids() -> "Ids":
    """Where new ids come from."""
    from tributary.adapters.system import SystemIds

    return SystemIds()


@cache
def classify() -> "Classify":
    """The step that needs no database."""
    from tributary.adapters.classify.heuristic import HeuristicClassifier
    from tributary.usecases.learn.classify import Classify

    return Classify(HeuristicClassifier())


@cache
def workflow() -> "Executions":
    """The learn workflow."""
    from tributary.edge.executions import connect

    return connect(settings().state_machine_arn)


def migrated() -> "Migrated":
    """Bring the schema up to date, as the user of this function's settings."""
    from tributary.adapters.postgres.migrate import migrate
    from tributary.edge.login import database

    return migrate(database(settings()))


snapshot.register(wiring, os.environ.get("POWERTOOLS_SERVICE_NAME", ""))
