"""The use cases, put together over PostgreSQL."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from random import Random, SystemRandom

from tributary.adapters.classify.heuristic import HeuristicClassifier
from tributary.adapters.postgres.database import Connect, Database
from tributary.adapters.postgres.learning import PostgresLearnStore
from tributary.adapters.postgres.ledger import PostgresLedger
from tributary.adapters.postgres.recall import PostgresRecallStore
from tributary.adapters.postgres.registry import PostgresRegistry
from tributary.adapters.system import SystemClock, SystemIds
from tributary.domain.plan import Policy
from tributary.domain.scoring import Forgetting
from tributary.edge.guarded import GuardedClassifier, GuardedEmbedder
from tributary.ports import Classifier, Clock, Embedder, Ids
from tributary.usecases.agents import Agents
from tributary.usecases.curate import Curate
from tributary.usecases.garden import Garden
from tributary.usecases.learn.classify import Classify
from tributary.usecases.learn.commit import Commit
from tributary.usecases.learn.prepare import Prepare
from tributary.usecases.learn.run import Learn
from tributary.usecases.recall import Recall


@dataclass
class Wiring:
    """Builds each use case when it is first asked for, all over one connection."""

    connect: Connect
    make_embedder: Callable[[], Embedder]
    make_classifier: Callable[[], Classifier] = HeuristicClassifier
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=SystemIds)
    random: Random = field(default_factory=SystemRandom)
    policy: Policy = field(default_factory=Policy)
    forgetting: Forgetting = field(default_factory=Forgetting)

    @cached_property
    def database(self) -> Database:
        return Database(self.connect)

    @cached_property
    def embedder(self) -> Embedder:
        return GuardedEmbedder(self.make_embedder())

    @cached_property
    def store(self) -> PostgresLearnStore:
        return PostgresLearnStore(
            self.database, self.clock, self.ids, self.random, self.policy, self.forgetting
        )

    @cached_property
    def ledger(self) -> PostgresLedger:
        return PostgresLedger(self.database)

    @cached_property
    def registry(self) -> PostgresRegistry:
        return PostgresRegistry(self.database)

    @cached_property
    def agents(self) -> Agents:
        return Agents(self.registry)

    @cached_property
    def prepare(self) -> Prepare:
        return Prepare(self.store, self.embedder, self.clock, self.random, self.policy)

    @cached_property
    def classify(self) -> Classify:
        return Classify(GuardedClassifier(self.make_classifier()))

    @cached_property
    def commit(self) -> Commit:
        return Commit(self.store, self.policy, self.clock)

    @cached_property
    def learn(self) -> Learn:
        return Learn(self.prepare, self.classify, self.commit)

    @cached_property
    def recall(self) -> Recall:
        return Recall(PostgresRecallStore(self.database), self.embedder, self.ids)

    @cached_property
    def curate(self) -> Curate:
        return Curate(self.store, self.ledger, self.learn, self.ids)

    @cached_property
    def garden(self) -> Garden:
        return Garden(self.store, self.ledger, self.registry, self.learn, self.clock, self.ids)
