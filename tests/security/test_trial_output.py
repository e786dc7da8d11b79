"""Whatever a trial leaves behind has a failure class: no worker falls over or hangs, and other trials go on."""

from __future__ import annotations

import ctypes
import os

import pytest

pytestmark = pytest.mark.timeout(60)


def failure_of(read) -> str:
    """The failure class of what is read. AssertionError where it is taken as it is, or where its reader falls over."""
    from auto_benchmark.artifacts.trial_output import OutputError

    try:
        taken = read()
    except OutputError as error:
        return str(error.failure)
    except Exception as error:
        raise AssertionError(f"the reader falls over: {type(error).__name__}") from error
    raise AssertionError(f"this was taken: {str(taken)[:80]}")


@pytest.mark.parametrize(
    "written",
    [
        '{"metrics": {"latency_ms": 1' + "0" * 400 + "}}",
        '{"metrics": {"latency_ms": 1.7e308}}',
        '{"metrics": {"\\ud800": 1.0}}',
        '{"metrics": {"a\\u0000b": 1.0}}',
        '{"metrics": {"' + "x" * 100_000 + '": 1.0}}',
        '{"metrics": {"latency_ms": 0.0}}',
        '{"metrics": {"memory_mb": -1.0}}',
    ],
    ids=[
        "401 digits", "the largest number", "a surrogate in a name", "a NUL in a name", "a name without end",
        "a time of zero", "a size below zero",
    ],
)  # fmt: skip
def test_such_metrics_are_bad_output(tmp_path, written):
    from auto_benchmark.artifacts.trial_output import read_metrics

    (tmp_path / "metrics.json").write_text(written)
    assert failure_of(lambda: read_metrics(tmp_path)) == "bad_output"


def test_an_answer_is_bounded_whatever_its_type(tmp_path):
    """Each empty list takes 60 bytes of the worker's memory, which no limit of the trial covers."""
    from auto_benchmark.artifacts.trial_output import read_predictions

    (tmp_path / "predictions.jsonl").write_text('{"id": "a", "answer": [' + "[]," * 50_000 + "[]]}\n")
    assert failure_of(lambda: read_predictions(tmp_path, {"a"})) == "bad_output"


@pytest.mark.parametrize(
    "code",
    [
        """(out / "metrics.json").write_text('{"metrics": {"latency_ms": 1' + "0" * 400 + '}}')""",
        "os.chdir(out)\nfor _ in range(1500):\n    os.mkdir('d'); os.chdir('d')\n",
    ],
    ids=["401 digits", "folders below folders"],
)
def test_a_trial_that_leaves_such_output_has_failed(hostile, code):
    ended = hostile.run(code)
    assert (ended.state, ended.failure, ended.code) == ("failed", "bad_output", 1), ended.err[-400:]


def test_a_pipe_in_place_of_the_log_does_not_hang_the_worker(hostile):
    ended = hostile.run("(out / 'train.log').unlink(); os.mkfifo(out / 'train.log')")
    assert ended.state in {"done", "failed"}, ended.err[-400:]


OVER_FILES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


def as_an_ordinary_user() -> None:
    """Root without its power over files: permissions hold for it as for anybody else."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in OVER_FILES if os.geteuid() == 0 else ():
        if libc.prctl(24, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "a capability cannot be dropped")


def test_a_folder_that_nobody_may_enter_fails_its_own_trial_alone(hostile):
    closed = "shut = out / 'shut'; shut.joinpath('inner').mkdir(parents=True); shut.chmod(0); sys.exit(3)"
    ended = hostile.run(closed, before_start=as_an_ordinary_user)
    assert (ended.state, ended.failure) == ("failed", "crash"), ended.err[-400:]
    again = hostile.run("", before_start=as_an_ordinary_user)
    assert again.state == "done", again.err[-400:]


SEED_FOLDER = """
own = out / "seed-1"
own.mkdir()
for name in ("predictions.jsonl", "metrics.json"):
    (out / name).rename(own / name)
"""


def test_a_process_of_several_seeds_leaves_a_folder_for_each(hostile):
    assert hostile.run(SEED_FOLDER, seeds_per_process=2).state == "done"


def test_a_file_of_one_seed_named_like_a_folder_of_the_process_harms_nobody(hostile):
    ended = hostile.run(f"{SEED_FOLDER}\n(own / 'seed-2').touch()\n(out / 'seed-2').mkdir()", seeds_per_process=2)
    assert ended.state in {"done", "failed"}, ended.err[-400:]


HOSTILE_SEED = """
if config["seed"] == 1:
    (out / "metrics.json").write_text({!r})
"""


@pytest.mark.parametrize(
    "written",
    ['{"metrics": {"latency_ms": 1.0, "a\\u0000b": 1.0}}', '{"metrics": {"latency_ms": 1' + "0" * 400 + "}}"],
    ids=["a NUL in a name", "401 digits"],
)
def test_one_hostile_trial_fails_and_the_others_go_on(toy, written):
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.contract.trial import Stage
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.experiments.trials.planned import run_trials
    from auto_benchmark.project.reconcile import reconcile

    code = toy.ctx.settings.solutions / "toy" / "train.py"
    code.write_text(code.read_text() + HOSTILE_SEED.format(written))
    ctx = toy.again()
    reconcile(ctx)
    plans = [
        TrialPlan("toy", ctx.bench.solution.solution.defaults, ctx.bench.ref, Stage.FAST, seed, "search")
        for seed in (1, 2)
    ]
    with ctx.sessions.begin() as session:
        ids = [trial.id for trial in trials.plan(session=session, project=ctx.project, plans=plans)]
    try:
        bad, good = run_trials(ctx, ids)
    except Exception as error:
        raise AssertionError(f"the sweep ended with {type(error).__name__}") from error
    assert (str(bad.state), bad.failure_class, str(good.state)) == ("failed", "bad_output", "done")


def test_a_trial_that_makes_empty_files_without_end_is_stopped(hostile):
    """They take no space and no memory of its own, but places in the file system and each look at them time."""
    ended = hostile.run(
        "n = 0\nwhile True:\n    os.close(os.open(out / str(n), os.O_CREAT | os.O_WRONLY))\n    n += 1"
    )
    assert (ended.state, ended.failure) == ("failed", "bad_output"), ended.err
    assert "30000 files" in ended.told["message"]
