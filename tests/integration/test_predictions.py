"""What ``check`` predicts per board, from declared values and from stored trials; and what became of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import yaml
from tests.command_line import runner
from tests.toy_project import ToyFiles, enter, toy  # noqa: F401 - a fixture
from tests.unit.promotion.evidence import CONTROL, GOOD, evidence

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.record import ExperimentPlan
from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.repositories import decisions, experiments
from auto_benchmark.kinds import ExperimentKind
from auto_benchmark.project.prospects import BEFORE_GATE, prospects, usual_night
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.promotion.gate import Case
from auto_benchmark.promotion.past_nights import predicted
from auto_benchmark.promotion.prospect import Prospect
from auto_benchmark.registry.schedule import Budget
from auto_benchmark.stats.noise import pooled
from auto_benchmark.telling.track_record import track_record

DATA = BenchmarkRef(name="toy", version="1")
EVENING = datetime(2026, 3, 1, 20, tzinfo=UTC)


@pytest.fixture
def files(tmp_path):
    return ToyFiles(tmp_path)


def predict(files) -> Prospect:
    (found,) = prospects(files.settings())
    return found


def store(files, params, seed, accuracy, items=None, **changed):
    """Write a finished trial as the loop stores it."""
    folder = files.settings().project_home("default") / "experiments" / "results" / f"{params}" / f"seed-{seed}"
    folder.mkdir(parents=True)
    config = {
        "params": params,
        "seed": seed,
        "stage": "full",
        "subset": 1.0,
        "benchmark": DATA.model_dump(),
    } | changed
    content = {"metrics": {"accuracy": accuracy}, "scored": {"accuracy": accuracy}, "config": config,
               "fingerprint": {"key": "k"}, "measured": {"wall_s": 600.0}, "slices": {}}  # fmt: skip
    trial_folder.write_results(folder, metrics=content, boards={}, items={"accuracy": items} if items else {})
    return folder


def test_without_trials_usual_values_are_assumed_and_said(files):
    found = predict(files)
    assert (found.project, found.board, found.metric, found.items) == ("default", "ToyBoard", "accuracy", 1500)
    assert (found.noise, found.threshold, found.trials) == (0.004, 0.03, 300)
    assert 0.017 < found.smallest_effect < 0.03 and found.threshold_reached and found.items_needed is None
    assert 0.2 < found.night_promotes < 1 - 0.85**3  # three hypotheses, 15 % of which are good
    assert any("no two seeds of a configuration are stored" in text for text in found.assumptions)


def test_a_threshold_out_of_reach_names_the_items_that_would_do(files):
    file = files.config / "competitive_registry.yaml"
    file.write_text(file.read_text().replace("promotion_threshold: 0.03", "promotion_threshold: 0.01"))
    found = predict(files)
    assert found.threshold_reached is False and found.at_threshold < 0.8
    assert found.items_needed > 1500


def test_stored_trials_say_the_noise_and_how_many_trials_a_night_pays(files):
    rng = np.random.default_rng(3)
    groups = {n: [0.7 + 0.01 * n + 0.02 * float(rng.standard_normal()) for _ in range(4)] for n in (1, 2)}
    ids = [f"i{k}" for k in range(800)]
    luck = {n: rng.random(800) for n in groups}
    for n, scores in groups.items():
        for seed, score in enumerate(scores):
            store(files, {"reads": n}, seed, score, {i: float(x < score) for i, x in zip(ids, luck[n], strict=True)})
    store(files, {"reads": 3}, 1, 0.1, stage="fast")
    store(files, {"reads": 4}, 1, 0.1, benchmark={"name": "other", "version": "1"})
    found = predict(files)
    assert found.noise == pytest.approx(pooled(groups.values()).sd, rel=0.01)
    assert found.items == 800
    assert found.trials == 5 * 3600 // 600  # the budget's five hours, ten minutes a trial
    assert found.trials < BEFORE_GATE and found.night_promotes == 0
    assert "noise between seeds of 8 stored trials (df 6)" in found.assumptions


def test_damaged_trials_are_passed_over(files):
    for seed, content in enumerate(
        (b"", b"[]", b"{}", b'{"config": 3}', b"\xff", b'{"config": {"benchmark": "toy"}}')
    ):
        folder = store(files, {"reads": 1}, seed, 0.7)
        (folder / trial_folder.METRICS).write_bytes(content)
    folder = store(files, {"reads": 2}, 1, 0.7)
    (folder / trial_folder.ITEMS).write_bytes(b"[1]")
    for seed in (3, 4):
        folder = store(files, {"reads": 2}, seed, 0.7, {"a": 1.0})
        for name in (trial_folder.METRICS, trial_folder.ITEMS):
            (folder / name).write_text((folder / name).read_text().replace("0.7", "NaN").replace("1.0", "Infinity"))
    store(files, {"reads": 2}, 2, 0.71)
    found = predict(files)
    assert found.noise == pytest.approx(0.01 / 2**0.5, rel=0.01)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"boards": {"ToyBoard": {"metric": "accuracy", "higher_is_better": False}}}, "is not a share"),
        ({"generator": "broken.py"}, "ValueError: no luck"),
        ({"generator": "absent.py"}, "absent.py"),
    ],
)
def test_what_cannot_be_predicted_is_said(files, change, said):
    file = files.benchmarks / "toy" / "benchmark.yaml"
    (file.parent / "broken.py").write_text("def generate(seed, worlds):\n    raise ValueError('no luck')\n")
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | change))
    found = predict(files)
    assert said in found.unknown
    assert found.night_promotes is None and found.smallest_effect is None


def test_seeds_that_change_nothing_are_told(files):
    for seed in (1, 2):
        store(files, {"reads": 1}, seed, 0.7)
    assert "same score" in predict(files).unknown


def test_check_shows_it(files, monkeypatch, capsys):
    files.declare(techniques={})
    enter(monkeypatch, files.settings())
    generator = files.benchmarks / "toy" / "generator.py"
    generator.write_text(f"print('hello')\n{generator.read_text()}")
    cli = runner(monkeypatch, capsys)
    shown = cli("check")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0] == "every config file is sound"
    assert lines[1].startswith("default, ToyBoard (accuracy): 1,500 items and up to 12 seeds show a gain of 0.0")
    assert "a night (3 hypotheses, at most 300 trials) promotes something with probability" in shown.out
    document = cli("check", "--json").json
    assert (document["ok"], document["faults"], document["warnings"]) == (True, [], document["warnings"])
    (only,) = document["predictions"]
    assert Prospect.model_validate(only) == predict(files)


def decide(ctx, key, moment, scores, kind=ExperimentKind.HYPOTHESIS, look=2):
    """Record what the gate says about a candidate with these scores."""
    case = Case(evidence=evidence(scores))
    with ctx.sessions.begin() as session:
        plan = ExperimentPlan(kind, key, "toy", DATA, {"reads": 3}, {"reads": 2})
        opened = experiments.start(session=session, project=ctx.project, plan=plan)
        made, _ = decisions.record(
            session=session, project=ctx.project, experiment_id=opened.id, look=look, case=case,
            decision=case.decide(), now=moment,
        )  # fmt: skip
    return made


def test_past_nights_are_compared_with_what_was_predicted(toy, monkeypatch, capsys):  # noqa: F811
    ctx, flat = toy.ctx, CONTROL[:3]
    enter(monkeypatch, ctx.settings, db_url=toy.url)
    cli = runner(monkeypatch, capsys)
    assert "nothing to compare yet: 0 nights" in cli("stats", "predictions").out
    for night, scores in enumerate([flat, flat, GOOD, flat]):
        moment = EVENING + timedelta(days=night)
        assert decide(ctx, f"H-{night}", moment, scores).verdict == ("promote" if scores is GOOD else "futile")
        decide(ctx, f"H-{night}b", moment + timedelta(hours=1), flat)
    decide(ctx, "aa/1", EVENING + timedelta(days=9), GOOD, ExperimentKind.AA)
    with ctx.sessions() as session:
        found = track_record(ctx, session)
    expected = predicted(Case(evidence=evidence(flat)), usual_night(Budget(trials=300)))
    assert (found.nights, found.unpredicted) == (4, 0)
    whole = found.calibration.whole
    assert (whole.predictions, whole.happened, whole.predicted) == (4, 1, pytest.approx(expected))
    assert whole.interval[0] < 0.25 < whole.interval[1]
    shown = cli("stats", "predictions")
    assert shown.code == 0 and "25.0%" in shown.out and "Brier score" in shown.out
    assert cli("stats", "predictions", "--json").json["calibration"]["whole"]["happened"] == 1


def test_a_night_of_unknown_noise_is_counted_apart(toy):  # noqa: F811
    case = Case(evidence=evidence([0.9], control=[], noise=None))
    assert predicted(case, usual_night(Budget())) is None
    reconcile(toy.ctx)
    with toy.ctx.sessions.begin() as session:
        plan = ExperimentPlan(ExperimentKind.HYPOTHESIS, "H-1", "toy", DATA, {"reads": 3}, {"reads": 2})
        opened = experiments.start(session=session, project=toy.ctx.project, plan=plan)
        decisions.record(
            session=session,
            project=toy.ctx.project,
            experiment_id=opened.id,
            look=1,
            case=case,
            decision=case.decide(),
        )
    with toy.ctx.sessions() as session:
        found = track_record(toy.ctx, session)
    assert (found.nights, found.unpredicted, found.calibration) == (1, 1, None)
