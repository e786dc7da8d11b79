"""The spec of a sweep: faults have a line, plain spellings are understood."""

import pytest

from auto_benchmark.documents import parse_yaml, validate
from auto_benchmark.errors import ConfigError
from auto_benchmark.grid.outcome import FailedAttempt, RunOutcome, duration, progress_line
from auto_benchmark.grid.plan import plan
from auto_benchmark.grid.spec import SweepSpec

GOOD = """\
name: a sweep
solution: mine
datasets: [{name: toy, version: 1}]
metrics: {primary: accuracy, secondary: [latency_ms]}
configurations:
  - {name: baseline, params: {k: 1}}
  - {name: "top k = 5", params: {k: 5}}
seeds: [3, 1]
"""


def spec(text=GOOD):
    return validate(SweepSpec, parse_yaml(text, "s.yaml"))


def test_defaults_are_those_of_the_mission():
    good = spec()
    assert (good.max_reruns, good.aggregation, good.baseline_name) == (2, "macro", "baseline")
    assert (good.datasets[0].version, good.datasets[0].split, good.datasets[0].stage) == ("1", "gate", "full")
    assert good.metrics.higher_is_better


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("seeds: [3, 1]", "seeds: [3, 3]", "s.yaml:8: seeds[1]: 3 stands here twice"),
        ("seeds: [3, 1]", "seeds: []", "s.yaml:8: seeds: "),
        ("seeds: [3, 1]", "seeds: [-1]", "s.yaml:8: seeds[0]: "),
        ("seeds: [3, 1]", "seeds: [1]\nbaseline: none", "s.yaml:9: baseline: no configuration is called 'none'"),
        ("seeds: [3, 1]", "seeds: [1]\nmax_rerun: 1", "did you mean 'max_reruns'?"),
        ("version: 1}", "version: 1, split: hidden}", "s.yaml:3: datasets[0].split: "),
        ("secondary: [latency_ms]", "secondary: [accuracy]", "s.yaml:4: metrics.secondary[0]: 'accuracy' stands"),
        ('name: "top k = 5"', "name: baseline", "s.yaml:7: configurations[1]: 'baseline' stands here twice"),
        ("name: a sweep\n", "", "name: is required"),
    ],
)
def test_a_fault_is_told_with_its_line(old, new, fault):
    assert old in GOOD
    with pytest.raises(ConfigError) as error:
        spec(GOOD.replace(old, new))
    assert fault in str(error.value)


@pytest.mark.parametrize(
    "text", ["1.5", "{hours: 1.5}", "{wall_clock_hours: 1.5}", "{minutes: 90}", "{seconds: 5400}"]
)
def test_a_budget_may_be_plain_hours(text):
    assert spec(GOOD + f"budget: {text}\n").budget.hours == 1.5


def test_runs_go_seed_by_seed_under_safe_unique_names():
    runs = plan(spec())
    assert [(r.configuration.name, r.seed) for r in runs] == [
        ("baseline", 3), ("top k = 5", 3), ("baseline", 1), ("top k = 5", 1),
    ]  # fmt: skip
    assert [r.id for r in runs] == ["baseline-seed3", "top_k_=_5-seed3", "baseline-seed1", "top_k_=_5-seed1"]
    alike = spec(GOOD.replace("top k = 5", "../x").replace("{name: baseline,", '{name: "//x",').replace("/", "?"))
    ids = [r.id for r in plan(alike)]
    assert len(set(ids)) == 4
    assert not any("/" in i or i.startswith(".") for i in ids)


def test_several_tasks_are_part_of_a_run(frozen):
    two = spec(
        GOOD.replace("[{name: toy, version: 1}]", "[{name: toy, version: 1}, {name: toy, version: 1, split: search}]")
    )
    run = plan(two)[1]
    assert (run.id, run.dataset.stage) == ("baseline-toy-search-seed3", "fast")
    done = RunOutcome(run, frozen, 1.0, metrics={"accuracy": 0.847})
    line = progress_line(done, primary="accuracy", done=3, total=12, left_s=40, several=True)
    assert line == "[3/12] baseline seed=3 task=toy/search — primary_metric=0.847, about 40 s left"


def test_progress_of_failed_and_recovered_runs(frozen):
    run, crash = plan(spec())[0], FailedAttempt("crash", "exit 1: no", 1.0, "")
    failed = RunOutcome(run, frozen, 3.0, failed_attempts=(crash,) * 3)
    say = {"primary": "accuracy", "done": 4, "total": 4, "left_s": 0.0, "several": False}
    assert progress_line(failed, **say) == "[4/4] baseline seed=3 — failed after 3 attempts: crash: exit 1: no"
    recovered = RunOutcome(run, frozen, 2.0, failed_attempts=(crash,), metrics={"accuracy": 0.5})
    assert progress_line(recovered, **say) == "[4/4] baseline seed=3 — primary_metric=0.5 (attempt 2)"
    assert [duration(s) for s in (40, 720, 12_600)] == ["40 s", "12 min", "3.5 h"]
