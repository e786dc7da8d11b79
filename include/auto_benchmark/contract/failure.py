"""Every way in which a trial can fail, and whether it is tried again."""

from __future__ import annotations

from enum import StrEnum


class FailureClass(StrEnum):
    """Why a trial failed; decides whether it is tried again."""

    CRASH = "crash"
    OOM_HOST = "oom_host"
    OOM_GPU = "oom_gpu"
    TIMEOUT = "timeout"
    KILLED = "killed"
    BAD_OUTPUT = "bad_output"
    NO_RESULT = "no_result"
    ENVIRONMENT_ERROR = "environment_error"

    @property
    def retries(self) -> int:
        """How often a trial that failed like this is tried again."""
        return {"killed": 2, "crash": 1, "oom_host": 1, "oom_gpu": 1}.get(self.value, 0)

    @property
    def needs_less_memory(self) -> bool:
        """Whether the next try uses the knobs' ``memory_down`` values."""
        return self in {FailureClass.OOM_HOST, FailureClass.OOM_GPU}
