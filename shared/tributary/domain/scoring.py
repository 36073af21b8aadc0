"""How well a lesson is remembered, and how rankings are fused."""

import math
from dataclasses import dataclass
from datetime import timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The gardener's rules. Strengths are in days."""

    initial_strength: float = 30.0
    growth: float = 1.5  # factor per reinforcement: somebody says that it helped
    recall_growth: float = 1.05  # factor per recall: it was only shown
    max_strength: float = 3_650.0
    floor: float = 0.05  # retire when retention falls below
    confidence_half_life: float = 365.0  # days without use


def retention(strength: float, unused_for: timedelta) -> float:
    """Ebbinghaus' forgetting curve, R = exp(-t/S), with t and S in days; 0 to 1.

    H. Ebbinghaus, "Über das Gedächtnis" (1885), in the exponential form of P. A. Wozniak.
    """
    return math.exp(-max(unused_for / DAY, 0.0) / strength)


def lifetime(strength: float, rules: Forgetting) -> timedelta:
    """How long a lesson of this strength may go unused before retention is at the floor."""
    return -math.log(rules.floor) * strength * DAY
