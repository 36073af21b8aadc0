"""The use cases, put together over PostgreSQL.

Only what is asked for is imported: a cold start pays for every import.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from tributary.adapters.system import SystemClock, SystemIds
from tributary.domain.plan import Policy
from tributary.domain.scoring import Forgetting
from tributary.ports import Classifier, Clock, Embedder, Ids

if TYPE_CHECKING:
    from tributary.adapters.postgres.database import Connect, Database
    from tributary.adapters.postgres.learning import PostgresLearnStore
    from tributary.adapters.postgres.ledger import PostgresLedger
    from tributary.adapters.postgres.registry import PostgresRegistry
    from tributary.usecases.agents import Agents
    from tributary.usecases.curate import Curate
    from tributary.usecases.garden import Garden
    from tributary.usecases.learn.classify import Classify
    from tributary.usecases.learn.commit import Commit
    from tributary.usecases.learn.prepare import Prepare
    from tributary.usecases.learn.run import Learn
    from tributary.usecases.recall import Recall
    from tributary.usecases.scratch import Scratch


def heuristic() -> Classifier:
    """The built-in classifier."""
    from tributary.adapters.classify.heuristic import HeuristicClassifier

    return HeuristicClassifier()


@dataclass
class Wiring:
    """Builds each use case when it is first asked for, all over one connection."""

    connect: "Connect"
    make_embedder: Callable[[], Embedder]
    make_classifier: Callable[[], Classifier] = heuristic
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=SystemIds)
    random: Random = field(default_factory=SystemRandom)
    policy: Policy = field(default_factory=Policy)
    forgetting: Forgetting = field(default_factory=Forgetting)

    @cached_property
    def database(self) -> "Database":
        from tributary.adapters.postgres.database import Database

        return Database(self.connect)

    @cached_property
    def embedder(self) -> Embedder:
        from tributary.edge.guarded import GuardedEmbedder

        return GuardedEmbedder(self.make_embedder())

    @cached_property
    def store(self) -> "PostgresLearnStore":
        from tributary.adapters.postgres.learning import PostgresLearnStore

        return PostgresLearnStore(
            self.database, self.clock, self.ids, self.random, self.policy, self.forgetting
        )

    @cached_property
    def ledger(self) -> "PostgresLedger":
        from tributary.adapters.postgres.ledger import PostgresLedger

        return PostgresLedger(self.database)

    @cached_property
    def registry(self) -> "PostgresRegistry":
        from tributary.adapters.postgres.registry import PostgresRegistry

        return PostgresRegistry(self.database)

    @cached_property
    def agents(self) -> "Agents":
        from tributary.usecases.agents import Agents

        return Agents(self.registry)

    @cached_property
    def scratch(self) -> "Scratch":
        from tributary.adapters.postgres.scratch import PostgresScratchStore
        from tributary.usecases.scratch import Scratch

        return Scratch(PostgresScratchStore(self.database))

    @cached_property
    def prepare(self) -> "Prepare":
        from tributary.usecases.learn.prepare import Prepare

        return Prepare(self.store, self.embedder, self.clock, self.random, self.policy)

    @cached_property
    def classify(self) -> "Classify":
        from tributary.edge.guarded import GuardedClassifier
        from tributary.usecases.learn.classify import Classify

        return Classify(GuardedClassifier(self.make_classifier()))

    @cached_property
    def commit(self) -> "Commit":
        from tributary.usecases.learn.commit import Commit

        return Commit(self.store, self.policy, self.clock)

    @cached_property
    def learn(self) -> "Learn":
        from tributary.usecases.learn.run import Learn

        return Learn(self.prepare, self.classify, self.commit)

    @cached_property
    def recall(self) -> "Recall":
        from tributary.adapters.postgres.recall import PostgresRecallStore
        from tributary.usecases.recall import Recall

        return Recall(PostgresRecallStore(self.database), self.embedder, self.ids)

    @cached_property
    def curate(self) -> "Curate":
        from tributary.usecases.curate import Curate

        return Curate(self.store, self.ledger, self.learn, self.ids)

    @cached_property
    def garden(self) -> "Garden":
        from tributary.usecases.garden import Garden

        return Garden(self.store, self.ledger, self.registry, self.learn, self.clock, self.ids)
