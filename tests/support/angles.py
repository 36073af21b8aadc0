"""An embedder that is told how near texts are to each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, radians, sin

from tests.support.fakes import DIMENSIONS
from tributary.ports import Embedding


@dataclass(frozen=True)
class AngleEmbedder:
    """Texts lie on a circle, at these degrees; what is not named lies at a right angle to all."""

    degrees: Mapping[str, float]
    model: str = "angles"

    def embed(self, text: str) -> Embedding:
        vector = [0.0] * DIMENSIONS
        if text in self.degrees:
            angle = radians(self.degrees[text])
            vector[:2] = [cos(angle), sin(angle)]
        else:
            vector[2] = 1.0
        return Embedding(vector, self.model, truncated=False)
