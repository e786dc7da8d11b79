"""What a user declares: directions of guards, knobs that depend on each other, names, splits, forms, pages."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.solution import Solution

REPOSITORY = Path(__file__).resolve().parents[2]
TOY = REPOSITORY / "tests" / "toy"


def solution(**changes):
    declared = yaml.safe_load((TOY / "solutions/toy/solution.yaml").read_text())
    return Solution.model_validate({**declared, **changes})


class TestGuards:
    """Finding 1: a guard's direction is known or asked for, never guessed."""

    @pytest.mark.parametrize("name", ["macro_f1", "accuracy", "recall@5", "auc"])
    def test_the_direction_of_a_well_known_metric_is_known(self, name):
        (guard,) = solution(metrics={"guards": [{"name": name, "within": 0.01}]}).metrics.guarded()
        assert guard.higher_is_better is True

    @pytest.mark.parametrize("name", ["latency_ms", "peak_memory_mb", "perplexity"])
    def test_what_counts_down_counts_down(self, name):
        (guard,) = solution(metrics={"guards": [name]}).metrics.guarded()
        assert guard.higher_is_better is False

    def test_a_declared_direction_counts(self):
        declared = {"name": "wobble", "within": 0.01, "higher_is_better": True}
        (guard,) = solution(metrics={"guards": [declared]}).metrics.guarded()
        assert guard.higher_is_better is True

    def test_check_asks_for_the_direction_of_an_unknown_metric(self, toy, on_toy):
        file = toy.ctx.settings.solutions / "toy" / "solution.yaml"
        file.write_text(file.read_text().replace("[latency_ms]", "[{name: wobble, within: 0.01}]"))
        ended = on_toy("check")
        assert re.search(r"solution\.yaml:\d+: metrics\.guards\S*: .*higher_is_better", ended.err), ended.err


class TestKnobs:
    def test_a_knob_may_belong_to_one_choice_of_another(self):
        knobs = {
            "model": {"type": "choice", "choices": ["forest", "svm"], "default": "svm"},
            "trees": {"type": "int", "range": [10, 500], "default": 100, "when": {"model": "forest"}},
        }
        assert set(solution(knobs=knobs, techniques={}).knobs) == {"model", "trees"}

    def test_a_knob_may_be_called_as_its_library_calls_it(self):
        knobs = {"C": {"type": "float", "range": [0.1, 10], "default": 1.0}}
        assert solution(knobs=knobs, techniques={}).defaults == {"C": 1.0}


def test_a_benchmark_needs_no_hidden_split():
    declared = yaml.safe_load((TOY / "benchmarks/toy/benchmark.yaml").read_text())
    del declared["splits"]["hidden"]
    assert Benchmark.model_validate(declared).splits.hidden is None


@pytest.mark.parametrize("title", ["Bring your own benchmark", "Add a project", "Boards without an API"])
def test_there_is_a_page(title):
    pages = [page.read_text().partition("\n")[0] for page in (REPOSITORY / "docs").rglob("*.md")]
    assert f"# {title}" in pages


def test_setup_says_what_to_do_next():
    recipes = subprocess.run(
        ["make", "--always-make", "--dry-run", "setup"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout
    assert re.search(r"^(echo|printf|\S*python\S* ).*make up", recipes, re.MULTILINE)


@pytest.mark.airflow
def test_the_sweep_form_does_not_require_a_folder():
    from tests.airflow_home import HOME

    assert HOME
    from auto_benchmark.flows.benchmark_sweep import FLOW
    from auto_benchmark.registry.schedule import ScheduleFile
    from auto_benchmark_airflow.dag_factories.compiler import compiled
    from auto_benchmark_airflow.dag_factories.projects import ScheduledProject

    schema = compiled(FLOW, ScheduledProject("default", ScheduleFile())).params.get_param("out").schema
    assert "null" in schema["type"], "Airflow's form requires each field whose type has no null"


class TestWhatCheckRefuses:
    @pytest.mark.parametrize(
        ("file", "old", "new", "said"),
        [
            ("solutions/toy/solution.yaml", "[latency_ms]", "[{name: accuracy, within: 0.1, higher_is_better: false}]",
             r"solution\.yaml:\d+: metrics\.guards\[0\]: higher_is_better is false here and true in benchmark\.yaml"),
            ("solutions/toy/solution.yaml", "default: 4}", "default: 4, when: {color: red}}",
             r"solution\.yaml:\d+: knobs\.offset\.when\.color: no knob is called 'color'"),
            ("solutions/toy/solution.yaml", "default: 4}", "default: 4, when: {colour: [red, blue]}}",
             r"solution\.yaml:\d+: knobs\.offset\.when\.colour: should be one of .*, is 'blue'"),
            ("solutions/toy/solution.yaml", "default: 4}", "default: 4, when: {offset: 4}}",
             r"solution\.yaml:\d+: knobs\.offset\.when: the knob depends on itself"),
            ("solutions/toy/solution.yaml", "  offset:", "  svm-C:",
             r"solution\.yaml:\d+: knobs\S*: .*letters, digits and _, a letter first"),
        ],
    )  # fmt: skip
    def test_what_cannot_work(self, toy, on_toy, file, old, new, said):
        place = toy.ctx.settings.solutions.parent / file
        assert old in place.read_text()
        place.write_text(place.read_text().replace(old, new))
        ended = on_toy("check")
        assert ended.code == 2
        assert re.search(said, ended.err), ended.err

    def test_the_benchmark_may_declare_a_direction(self, toy, on_toy):
        benchmark = toy.ctx.settings.benchmarks / "toy" / "benchmark.yaml"
        benchmark.write_text(benchmark.read_text() + "secondary: [{name: wobble, higher_is_better: true}]\n")
        file = toy.ctx.settings.solutions / "toy" / "solution.yaml"
        file.write_text(file.read_text().replace("[latency_ms]", "[wobble]"))
        assert "wobble" not in on_toy("check").err
        (guard,) = toy.again().bench.guards
        assert guard.higher_is_better is True
