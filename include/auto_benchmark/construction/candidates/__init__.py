"""Every bundled candidate, by panel: one line each."""

from __future__ import annotations

from collections.abc import Mapping

from auto_benchmark.construction.candidate import Candidate
from auto_benchmark.construction.candidates.bundled_solution import BUNDLED_SOLUTION
from auto_benchmark.construction.candidates.graded_skill import GRADED_SKILL
from auto_benchmark.construction.candidates.language_identification import LANGUAGE_IDENTIFICATION
from auto_benchmark.construction.candidates.learners import LEARNERS
from auto_benchmark.construction.candidates.memory_retrieval import MEMORY_RETRIEVAL
from auto_benchmark.construction.candidates.optical_recognition import OPTICAL_RECOGNITION
from auto_benchmark.construction.candidates.pitch_tracking import PITCH_TRACKING
from auto_benchmark.construction.candidates.planted import PLANTED
from auto_benchmark.construction.candidates.retrieval import READERS
from auto_benchmark.construction.candidates.rule_followers import RULE_FOLLOWERS

PANELS: Mapping[str, tuple[Candidate, ...]] = {
    "learners": LEARNERS,
    "readers": READERS,
    "bundled_solution": BUNDLED_SOLUTION,
    "language_identification": LANGUAGE_IDENTIFICATION,
    "optical_recognition": OPTICAL_RECOGNITION,
    "graded_skill": GRADED_SKILL,
    "memory_retrieval": MEMORY_RETRIEVAL,
    "pitch_tracking": PITCH_TRACKING,
    "planted": PLANTED,
    "rule_followers": RULE_FOLLOWERS,
}
"""Panel -> its candidates. A request names panels or candidates; planted ones take part only where they are named."""
