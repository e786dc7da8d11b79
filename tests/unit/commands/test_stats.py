"""``stats decide`` and ``stats simulate`` as a user meets them."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from auto_benchmark import cli
from auto_benchmark.contract.record import ExperimentPlan
from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.repositories import decisions, experiments
from auto_benchmark.promotion.gate import Case
from auto_benchmark.promotion.schema import Evidence

ROOT = Path(__file__).resolve().parents[3]
SCENARIO = ROOT.parent / "shared" / "reference" / "scenario-60.yaml"


@dataclass
class Result:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """The command line in this process: argv in, exit code and both streams out."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["auto-benchmark", "stats", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
            raise SystemExit(0)
        out, err = capsys.readouterr()
        return Result(left.value.code or 0, out, err)

    return call


@pytest.fixture
def decide(run, tmp_path):
    def call(content, *flags):
        file = tmp_path / "trials.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return run("decide", file, *flags)

    return call


def document(**changes):
    control = [0.8213, 0.8189, 0.8224, 0.8167, 0.8198, 0.8242, 0.8179, 0.8205, 0.8231, 0.8156]
    return {
        "metric": "accuracy",
        "higher_is_better": True,
        "promotion_threshold": 0.005,
        "noise": {"sd": 0.004, "df": 30},
        "candidate": [{"seed": 100 + i, "metrics": {"accuracy": v}} for i, v in enumerate([0.8352, 0.8391, 0.8368])],
        "control": [{"seed": i, "metrics": {"accuracy": v}} for i, v in enumerate(control)],
        **changes,
    }


def test_as_a_module():
    result = subprocess.run(
        [sys.executable, "-m", "auto_benchmark", "stats", "decide", "nowhere.json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "include"},
        timeout=280,
        check=False,
    )
    assert result.returncode == 2
    assert "nowhere.json" in result.stderr


def test_decide_prints_one_json_document(decide):
    result = decide(document(), "--json")
    assert (result.returncode, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert list(found) == ["verdict", "reason", "n", "estimate", "interval", "criteria"]
    assert [list(c) for c in found["criteria"]] == [["name", "value", "threshold", "passed", "reason"]] * 5
    assert found["verdict"] == "promote"
    assert decide(document(), "--json").stdout == result.stdout


def test_decide_for_people(decide):
    result = decide(document())
    assert result.returncode == 0
    assert result.stdout.startswith("promote: ")
    assert "reproducibility" in result.stdout


def test_scores_that_are_not_finite_are_dropped_and_counted(decide):
    trials = document()
    trials["candidate"] += [
        {"seed": 7, "metrics": {"accuracy": float("nan")}},
        {"seed": 8, "metrics": {"accuracy": None}},
    ]
    result = decide(trials, "--json")
    found = json.loads(result.stdout)
    assert (result.returncode, found["n"]) == (0, 3)
    assert "2 trials without a finite score left out" in found["reason"]
    assert "candidate[3]" in result.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (document(candidate=[{"seed": 1, "metrics": {"acc": 1.0}}]), "candidate[0].metrics.accuracy: is required"),
        (
            document(candidate=[{"seed": 1, "metrics": {"accuracy": "high"}}]),
            "candidate[0].metrics.accuracy: should be",
        ),
        (document(candidate=[{"metrics": {"accuracy": 1.0}}]), "candidate[0].seed: is required"),
        (document(promotion_threshold=0), "promotion_threshold: should be greater than 0"),
        (document(treshold=1), "treshold: unknown key"),
        (document(policy="lucky"), "no policy is called 'lucky'"),
        (document(control=document()["control"][:1] * 2), "control[1].seed: seed 0 is given twice"),
        ('{"metric": "accuracy",\n "metric": "f1"}', "duplicate key"),
        ('{"metric": ', "not valid JSON"),
        ("[1, 2]", "should be a mapping"),
        ("", "not valid JSON"),
    ],
)
def test_bad_input_names_file_and_field(decide, content, message):
    result = decide(content, "--json")
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_missing_file(run):
    result = run("decide", "nowhere.json")
    assert result.returncode == 2
    assert "nowhere.json" in result.stderr


def test_tiny_numbers_in_scientific_notation(decide):
    """1e-05 is a number in JSON and text in YAML."""
    small = document(promotion_threshold=1e-05)
    assert "1e-05" in json.dumps(small)
    assert decide(small, "--json").returncode == 0


def test_simulate_prints_the_shape(run, tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(
        "hypotheses: 10\nrepetitions: 50\neffects:\n  - {share: 1.0, delta: 0}\n"
        "noise: {distribution: gamma2, sd: 1.0, assumed_sd: 0.7, candidate_sd: 2.0}\n"
        "items: {n: 1000, discordance: 0.05}\ncontrol_runs: 4\ndefense_runs_per_hypothesis: 0\n"
        "policies: [sequential, greedy]\n"
    )
    result = run("simulate", file, "--json")
    found = json.loads(result.stdout)
    assert [p["name"] for p in found["policies"]] == ["sequential", "greedy"]
    assert found["repetitions"] == 50
    assert set(found["policies"][0]) == {
        "name",
        "trials",
        "true_gain",
        "claimed_gain",
        "promoted",
        "false_promotions",
        "false_share",
        "false_share_p95",
        "type_i",
    }
    assert "greedy" in run("simulate", file).stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("share: 1.0", "share: 0.9", "effects: the shares add up to 0.9"),
        ("[greedy]", "[gready]", "policies[0]: no policy is called 'gready'"),
        ("[greedy]", "[greedy, greedy]", "policies[1]: policy 'greedy' is given twice"),
        ("normal", "cauchy", "noise.distribution"),
        ("delta: 0", "delta: 0, uniform: [0, 1]", "give delta or uniform"),
        ("repetitions: 5", "repetitions: 0", "repetitions"),
    ],
)
def test_bad_scenarios_name_line_and_field(run, tmp_path, old, new, message):
    text = (
        "hypotheses: 3\nrepetitions: 5\neffects:\n  - {share: 1.0, delta: 0}\n"
        "noise: {distribution: normal}\npolicies: [greedy]\n"
    )
    assert old in text
    file = tmp_path / "s.yaml"
    file.write_text(text.replace(old, new))
    result = run("simulate", file, "--json")
    assert result.returncode == 2
    assert message in result.stderr


@pytest.fixture
def record(sessions, project, database_url, monkeypatch, tmp_path):
    """Records the decision about :func:`document`, changed as an other version might have decided; its id."""
    monkeypatch.setenv("AUTO_BENCHMARK_DB_URL", database_url)
    monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(tmp_path))

    def call(**changes):
        case = Case(evidence=Evidence.model_validate(document()), alpha=0.01)
        with sessions.begin() as session:
            plan = ExperimentPlan(
                "hypothesis", f"H-{len(changes)}", "toy", BenchmarkRef(name="toy", version="1"), {}, {}
            )
            experiment = experiments.start(session=session, project=project, plan=plan).id
            made, _ = decisions.record(
                session=session, project=project, experiment_id=experiment, look=1, case=case,
                decision=case.decide().model_copy(update=changes),
            )  # fmt: skip
        return made.id

    return call


def test_replay_ends_by_what_differs(run, record):
    same = record()
    result = run("replay", same)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"decision {same} (promote) replays byte-identically\n"
    reworded = record(reason="all is well")
    result = run("replay", reworded)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        'reason: stored "all is well", now "all five criteria hold after 3 seeds"',
        f"decision {reworded} replays to the same verdict and numbers, worded differently",
    ]
    other = record(reason="all is well", n=4)
    result = run("replay", other)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines()[1:] == ["n: stored 4, now 3", f"decision {other} replays differently"]
    assert "there is no decision" in run("replay", 10**9).stderr


@pytest.mark.skipif(not SCENARIO.exists(), reason="the reference scenario lies beside the checkout only")
def test_the_reference_scenario(run):
    found = {p["name"]: p for p in json.loads(run("simulate", SCENARIO, "--json").stdout)["policies"]}
    gate, fixed = found["sequential"], found["fixed_n10"]
    assert gate["false_share"] <= 0.05
    assert gate["trials"] <= 0.55 * fixed["trials"]
    assert gate["true_gain"] >= max(fixed["true_gain"], 3 * found["seed_rule_n3"]["true_gain"])
