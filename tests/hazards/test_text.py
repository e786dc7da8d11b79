"""Text from outside that UTF-8, a database or a terminal cannot take, and lines that end where none ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

TOY = Path(__file__).parents[1] / "toy"


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_items_of_a_benchmark_end_at_newlines_alone(tmp_path, separator):
    from auto_benchmark.experiments.trials.scoring import input_ids

    lines = [f'{{"id": "q{n}", "question": "one{separator}two"}}\n' for n in range(2)]
    (tmp_path / "inputs.jsonl").write_text("".join(lines), encoding="utf-8")
    assert sorted(input_ids(tmp_path)) == ["q0", "q1"]


class TestHalvesOfCharacters:
    """Half a surrogate pair in what a trial writes is a fault of its output, or a replacement character."""

    @pytest.fixture
    def run(self, cli, tmp_path, monkeypatch):
        shutil.copytree(TOY, tmp_path / "toy")
        monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(tmp_path / "home"))
        for part in ("config", "benchmarks", "solutions"):
            monkeypatch.setenv(f"AUTO_BENCHMARK_{part.upper()}", str(tmp_path / "toy" / part))
        (tmp_path / "trial.yaml").write_text("solution: toy\nparams: {}\nstage: fast\n")

        def trial(more):
            train = tmp_path / "toy/solutions/toy/train.py"
            train.write_text(train.read_text() + more)
            return cli("trial", "run", tmp_path / "trial.yaml", "--seed", 1, "--out", tmp_path / "out", "--json")

        return trial

    def test_in_the_name_of_a_metric(self, run):
        ended = run('\n(out / "metrics.json").write_text(json.dumps({"metrics": {"ms \\ud83e": 1.0}}))\n')
        assert ended.code in {0, 1}
        ended.out.encode()

    def test_in_a_prediction(self, run):
        ended = run(
            '\nwith (out / "predictions.jsonl").open("a") as file:\n'
            '    file.write(json.dumps({"id": item["id"], "answer": "\\ud83e"}) + "\\n")\n'
        )
        assert ended.code in {0, 1}

    def test_in_its_last_words(self, run):
        ended = run("\nraise RuntimeError(json.loads('\"\\\\ud83e\"'))\n")
        assert ended.code == 1
        ended.out.encode()
