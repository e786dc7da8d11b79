"""``doctor`` says what is wrong with each broken solution, and nothing about a sound one."""

import pytest
from tests.toy_project import ToyFiles

from auto_benchmark.experiments.trials.doctor import examine
from auto_benchmark.project.bench import make_bench
from auto_benchmark.project.configuration import load_solution

BROKEN = [
    ("crash", "train.py", "config = json", "config = jason", "crash: the command ended with an error"),
    ("no output", "train.py", '"predictions.jsonl"', '"answers.jsonl"', "no_result"),
    ("forged ids", "train.py", '{"id": item["id"]', '{"id": "x" + item["id"]', "no item of the split is called"),
    ("not finite", "train.py", '"latency_ms": 1.0 + rng.random() / 100', '"latency_ms": float("nan")', "bad_output"),
    ("guard missing", "train.py", '"latency_ms"', '"speed"', "metrics.json has no 'latency_ms'"),
    (
        "unseeded",
        "train.py",
        "random.Random(f\"{config['seed']} {params}\")",
        "random.Random()",
        "different predictions",
    ),
    ("too slow", "train.py", "rng =", "import time; time.sleep(600)\nrng =", "timeout"),
    ("no such file", "solution.yaml", "train.py", "trane.py", "trane.py does not exist"),
    (
        "no program",
        "solution.yaml",
        "[python, train.py]",
        "[no-such-program]",
        "there is no program 'no-such-program'",
    ),
]


@pytest.fixture
def bench_of(tmp_path):
    files = ToyFiles(tmp_path)
    yaml, settings = files.solution / "solution.yaml", files.settings()
    yaml.write_text(yaml.read_text() + "resources: {fast_budget_s: 60}\n")
    return lambda: make_bench(settings, load_solution(settings, "toy")), files.solution


@pytest.mark.parametrize(("slices", "fault"), [(2, None), (40, "of which the search split has 0; it takes two")])
def test_a_guard_on_the_worst_slice_asks_for_slices_that_are_large_enough(bench_of, slices, fault):
    """A doctor's trial answers a tenth of the split, in which none is."""
    make, folder = bench_of
    declared = folder / "solution.yaml"
    declared.write_text(declared.read_text().replace("guards: [latency_ms]", "guards: [worst_slice]"))
    generator = folder.parents[1] / "benchmarks" / "toy" / "generator.py"
    named = f'{{"slice": str(int(item["id"].split("-")[1]) % {slices}), "answer":'
    generator.write_text(generator.read_text().replace('{"answer":', named))
    findings = list(examine(make()))
    said = next(f for f in findings if f.text.startswith("guard: worst_slice"))
    assert said.ok == (fault is None) and (fault or "has 2") in said.text


def test_a_sound_solution_passes(bench_of):
    make, _ = bench_of
    findings = list(examine(make()))
    assert all(f.ok for f in findings), findings
    assert any("accuracy" in f.text for f in findings) and any("same predictions" in f.text for f in findings)
    assert any("knobs: each of 4 changes answers" in f.text for f in findings)


def test_a_knob_without_effect_is_named_and_is_no_fault(bench_of):
    make, folder = bench_of
    code = folder / "train.py"
    code.write_text(code.read_text().replace("{config['seed']} {params}", "{config['seed']}"))
    findings = list(examine(make()))
    assert all(f.ok for f in findings), findings
    assert any(f.text.startswith("knobs: colour changed no answer on 10% of the search split") for f in findings)


@pytest.mark.parametrize(("name", "file", "old", "new", "expected"), BROKEN, ids=[b[0] for b in BROKEN])
def test_a_broken_solution_is_told_what_is_wrong(bench_of, name, file, old, new, expected):
    make, folder = bench_of
    path = folder / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    if name == "too slow":
        declared = folder / "solution.yaml"
        declared.write_text(declared.read_text().replace("fast_budget_s: 60", "fast_budget_s: 3"))
    findings = list(examine(make()))
    wrong = [f.text for f in findings if not f.ok]
    assert any(expected in text for text in wrong), findings
