"""Where scorers that were written for an earlier version import ``Scores`` from; new ones use ``contract.scoring``."""

from auto_benchmark.contract.scoring import Scorer, Scores

__all__ = ["Scorer", "Scores"]
