"""Every way in which a trial can fail: how its end shows it, what follows, and what a person is told.

A class is declared here in full. What a runner sees itself, as a limit of time or size, it names by the class; all
others are found by :func:`shown_by`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, StrEnum


class Blame(Enum):
    """Whether a failure counts against the candidate."""

    CANDIDATE = "it has failed, whether or not another try ended"
    FORGIVEN_ONCE = "machines are taken away, too: one seed that ended at another try is forgiven"
    MACHINE = "no trial could be started: nothing is known of the candidate"


class FailureClass(StrEnum):
    """Why a trial failed. Of two that an end could show, the first one counts."""

    BAD_OUTPUT = "bad_output"
    NO_RESULT = "no_result"
    TIMEOUT = "timeout"
    ENVIRONMENT_ERROR = "environment_error"
    OOM_GPU = "oom_gpu"
    OOM_HOST = "oom_host"
    KILLED = "killed"
    CRASH = "crash"

    @property
    def advice(self) -> str:
        """What ``doctor`` says of it."""
        return _FACTS[self].advice

    @property
    def retries(self) -> int:
        """How often a trial that failed like this is tried again."""
        return _FACTS[self].retries

    @property
    def needs_less_memory(self) -> bool:
        """Whether the next try uses the knobs' ``memory_down`` values."""
        return _FACTS[self].needs_less_memory

    @property
    def blame(self) -> Blame:
        """Whether it counts against the candidate."""
        return _FACTS[self].blame


@dataclass(frozen=True, slots=True)
class _Facts:
    """A class.

    Attributes:
        advice: for whoever wrote the code that failed.
        retries: how often it is tried again.
        blame: whether it counts against the candidate.
        needs_less_memory: the next try uses the knobs' ``memory_down`` values.
        words: what the end of ``train.log`` says then.
        exit_codes: exit codes that mean it, negative or above 128 after a signal.
    """

    advice: str
    retries: int = 0
    blame: Blame = Blame.CANDIDATE
    needs_less_memory: bool = False
    words: re.Pattern[str] | None = None
    exit_codes: tuple[int, ...] = ()


_FACTS = {
    FailureClass.BAD_OUTPUT: _Facts("what it wrote to AB_OUTPUT_DIR breaks the trial contract"),
    FailureClass.NO_RESULT: _Facts("it exited with 0 but wrote no result to AB_OUTPUT_DIR"),
    FailureClass.TIMEOUT: _Facts("it did not end within resources.fast_budget_s; is `subset` honoured?"),
    FailureClass.ENVIRONMENT_ERROR: _Facts(
        "the command could not be started, or it exited with 78", blame=Blame.MACHINE, exit_codes=(78,)
    ),
    FailureClass.OOM_GPU: _Facts(
        "the GPU's memory was not enough; declare memory_down for the knob that needs it",
        retries=1,
        needs_less_memory=True,
        words=re.compile(r"CUDA out of memory|CUDNN_STATUS_ALLOC_FAILED|torch\.(cuda\.)?OutOfMemoryError|HIP out of"),
    ),
    FailureClass.OOM_HOST: _Facts(
        "it used more memory than resources.memory_mb allows",
        retries=1,
        needs_less_memory=True,
        words=re.compile(
            r"^(numpy\.[\w.]*)?MemoryError\b|Cannot allocate memory|DataLoader worker .* killed by signal: Killed",
            re.MULTILINE,
        ),
    ),
    FailureClass.KILLED: _Facts(
        "something killed it", retries=2, blame=Blame.FORGIVEN_ONCE, exit_codes=(-9, 137, -15, 143)
    ),
    FailureClass.CRASH: _Facts("the command ended with an error; the last lines of its output are below", retries=1),
}


def shown_by(exit_code: int, log_tail: str) -> FailureClass:
    """The class that a process which did not exit with 0 shows; a crash where it shows none in particular.

    Args:
        exit_code: of the process.
        log_tail: last kilobytes of ``train.log``.
    """
    for failure in FailureClass:
        facts = _FACTS[failure]
        if exit_code in facts.exit_codes or (facts.words is not None and facts.words.search(log_tail)):
            return failure
    return FailureClass.CRASH


def blamed(blame: Blame) -> frozenset[str]:
    """Values of the classes with this blame, as rows hold them."""
    return frozenset(failure.value for failure in FailureClass if failure.blame is blame)
