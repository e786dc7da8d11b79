"""Attacks on one installation: hostile trials, and the toy project of the loop's tests.

Each test states what is right. One that the code fails is marked as a strict expected failure, with the fault as its
reason: whoever mends the fault removes the mark.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.loop.conftest import command, toy
from tests.security.hostile_trial import HostileTrials

__all__ = ["command", "toy"]


@contextlib.contextmanager
def hostile_trials(folder: Path) -> Iterator[HostileTrials]:
    """Hostile trials of which nothing is left in the end."""
    trials = HostileTrials(Path(tempfile.mkdtemp(dir=folder)))
    trials.root.chmod(0o755)
    try:
        yield trials
    finally:
        trials.end()


@pytest.fixture
def hostile(open_directory: Path) -> Iterator[HostileTrials]:
    """Runs hostile trials; nothing of them outlives the test."""
    with hostile_trials(open_directory) as trials:
        yield trials
