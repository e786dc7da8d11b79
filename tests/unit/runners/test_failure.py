"""Out of memory has several faces, and a score of 0 is none of them."""

import pytest

from auto_benchmark.contract.failure import Blame, blamed
from auto_benchmark.contract.failure import FailureClass as F
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners.exit_code import classify, last_words, log_tail, verdict


@pytest.mark.parametrize(
    ("code", "log", "oom_killed", "expected"),
    [
        (137, "", True, F.OOM_HOST),
        (137, "", False, F.KILLED),
        (0, "", True, F.OOM_HOST),
        (1, "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", False, F.OOM_GPU),
        (1, "RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.", False, F.OOM_HOST),
        (1, "numpy._core._exceptions._ArrayMemoryError\nMemoryError: Unable to allocate", False, F.OOM_HOST),
        (-15, "", False, F.KILLED),
        (143, "", False, F.KILLED),
        (139, "", False, F.CRASH),
        (78, "CUDA out of memory", False, F.ENVIRONMENT_ERROR),
        (3, "ValueError", False, F.CRASH),
        (0, "CUDA out of memory, recovered with a smaller batch", False, None),
    ],
)
def test_exit_codes_and_last_words_become_classes(code, log, oom_killed, expected):
    assert classify(code, log, oom_killed=oom_killed) is expected


def test_a_verdict_tells_the_last_line_that_says_something(tmp_path):
    (tmp_path / "train.log").write_text('epoch 1\nValueError: knob\nAB_PROGRESS {"step": 1}\n\n')
    result = verdict(1, tmp_path, 2.0, None)
    assert (result.state, result.failure, result.message) == (TrialState.FAILED, F.CRASH, "exit 1: ValueError: knob")
    assert last_words("") == "no output"


def test_a_log_is_never_followed_to_elsewhere(tmp_path):
    (tmp_path / "secret").write_text("s3cret")
    (tmp_path / "train.log").symlink_to(tmp_path / "secret")
    assert log_tail(tmp_path / "train.log") == "" and log_tail(tmp_path / "absent") == ""


def test_every_class_is_declared_in_full():
    """A class without its facts in ``contract/failure.py`` fails here, with a KeyError that names it."""
    assert all(failure.advice and failure.retries >= 0 for failure in F)
    assert {blame: blamed(blame) for blame in (Blame.MACHINE, Blame.FORGIVEN_ONCE)} == {
        Blame.MACHINE: {"environment_error"}, Blame.FORGIVEN_ONCE: {"killed"},
    }  # fmt: skip
    assert {failure for failure in F if failure.needs_less_memory} == {F.OOM_GPU, F.OOM_HOST}
    assert {failure.value: failure.retries for failure in F if failure.retries} == {
        "killed": 2, "crash": 1, "oom_host": 1, "oom_gpu": 1,
    }  # fmt: skip
