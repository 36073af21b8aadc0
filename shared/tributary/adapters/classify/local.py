"""The classifier that runs anywhere, without a network: for now the same rules as `heuristic`."""

from tributary.adapters.classify.heuristic import HeuristicClassifier, classify

__all__ = ["HeuristicClassifier", "classify"]
