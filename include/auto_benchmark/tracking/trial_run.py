"""One trial as the tracker gets it: plain JSON, complete once it has ended, so that it can be sent late.

Numbers are finite: what is not was left out before, since JSON and the tracker's stores cannot hold it.
"""

from __future__ import annotations

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.registry.solution import Params


class Point(Strict):
    """Metrics at one step of training."""

    step: int
    metrics: dict[str, float]


class TrialRun(Strict):
    """A child run.

    Attributes:
        name: the trial's own; the run is found by it, so telling it twice makes one run.
        experiment: what the trial belongs to; names the parent run.
        state: ``done`` or ``failed``; ``running`` while only its curve is sent.
        attempt: which claim of the trial this is; what an earlier one left open is not this one's.
        process: which process of this claim; a claim tries a trial again as its failure class allows.
        task: which Airflow task ran it: dag_id, run_id, task_id, map_index, try_number, as far as they are known.
        started_ms: and ``finished_ms``: milliseconds since 1970.
        folder: absolute path of the trial's files; some may be gone when it is sent.
    """

    project: str
    name: str
    experiment: str
    state: str
    attempt: int = 1
    process: int = 1
    task: dict[str, str] = {}
    failure: str | None = None
    message: str = ""
    params: Params
    seed: int
    stage: str
    purpose: str
    config_hash: str
    metrics: dict[str, float] = {}
    curve: list[Point] = []
    fingerprint: dict[str, str] = {}
    cost: float = 0.0
    started_ms: int = Field(ge=0)
    finished_ms: int = Field(default=0, ge=0)
    folder: str

    @property
    def attempt_tag(self) -> str:
        """Names the attempt among those at its trial: ``2``, or ``2.3`` for the third process of the second claim."""
        return str(self.attempt) if self.process == 1 else f"{self.attempt}.{self.process}"


class Champion(Strict):
    """The configuration in production, for the model registry.

    Attributes:
        origin: tells installations apart that count their productions from 1 and share one tracker.
    """

    project: str
    origin: str = ""
    solution: str
    config_hash: str
    production_id: int
    hypothesis_id: str | None = None
    reason: str = ""
