"""A project with something on every page, written through the repositories as the loop does. Names are hostile."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from tests.toy_project import ToyFiles

from auto_benchmark.construction.in_project import FOLDER
from auto_benchmark.construction.run import run as construct
from auto_benchmark.contract.record import ExperimentPlan, TrialPlan, TrialResult
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import BenchmarkRef, Stage
from auto_benchmark.db.repositories import (
    decisions,
    experiments,
    hypotheses,
    papers,
    production,
    projects,
    records,
    snapshots,
    trials,
)
from auto_benchmark.documents import load
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation
from auto_benchmark.hypotheses.queue import priority_score
from auto_benchmark.kinds import Outcome
from auto_benchmark.lab.plan import Plan
from auto_benchmark.lab.run_folder import RESULT, Finished, RunFolder
from auto_benchmark.lab.steps import LAB
from auto_benchmark.leaderboards.snapshot import BoardReading
from auto_benchmark.promotion.gate import Case
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.promotion.schema import Criterion, Decision, Evidence, Observation, Verdict
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.record import PaperRecord
from auto_benchmark.settings import Settings
from auto_benchmark.tables.entry import Entry

EVIL = "<img src=x onerror=\"document.title='owned'\"> & 'Co'"
EVIL_URL = "javascript:document.title='owned'"
DIGESTS = (date(2026, 2, 16), date(2026, 2, 23))
BENCHMARK = BenchmarkRef(name="toy", version="1")
PRODUCTION = {"reads": 6, "offset": 4.0, "flip": 0.2, "colour": "red"}
REGISTRY = """\
domain: toys
target_leaderboards:
  - name: MemoryBench
    scrape_method: manual
    primary_metric: accuracy
    higher_is_better: true
    submission: {api: "https://example.org/submissions", max_per_day: 1}
  - {name: LongContextEval, scrape_method: manual, primary_metric: f1, higher_is_better: true}
our_solution: {name: Ours, solution: toy}
"""


def settings_of(folder: Path) -> Settings:
    """The toy project with two boards, in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    files = ToyFiles(folder)
    (files.config / "competitive_registry.yaml").write_text(REGISTRY)
    measured = files.benchmarks / "toy" / "benchmark.yaml"
    measured.write_text(measured.read_text().replace("ToyBoard", "MemoryBench"))
    return files.settings()


def declare(sessions: Any, settings: Settings, project: str = "default") -> None:
    """The project and its boards, with nothing read yet."""
    registry = load(CompetitiveRegistry, settings.config / "competitive_registry.yaml")
    with sessions.begin() as session:
        projects.upsert(session=session, project=project, registry=registry)


def fill(sessions: Any, project: str = "default") -> dict[str, Any]:
    """Something on every page. Returns ids: ``{"hypothesis", "queued", "trial", "running", "waiting_decision"}``."""
    now = datetime.now(UTC)
    with sessions.begin() as session:
        for days, ours, rival in ((9, 0.61, 0.70), (5, 0.66, 0.70), (0, 0.72, 0.71)):
            read(session, project, "MemoryBench", now - timedelta(days=days), ours, rival)
        read(session, project, "LongContextEval", now - timedelta(days=4), 0.55, 0.60)
        done = add_hypothesis(session, project, f"Read more {EVIL}", {"reads": 6}, 0.02)
        queued = add_hypothesis(session, project, "Less offset", {"offset": 1.0}, 0.01)
        waiting = add_hypothesis(session, project, "Green", {"colour": "green"}, 0.004)
        first = add_decision(session, project, done, 1, Verdict.INCONCLUSIVE, (-0.01, 0.03))
        promoted = add_decision(session, project, done, 2, Verdict.PROMOTE, (0.005, 0.03))
        held = ProductionCandidate("toy", BENCHMARK, PRODUCTION, {"MemoryBench": 0.72}, "better", done, promoted)
        production.promote(session=session, project=project, candidate=held, now=now - timedelta(days=2))
        hypotheses.set_status(
            session=session, project=project, hypothesis_id=done, status=HypothesisStatus.PROMOTED, reason="better"
        )
        records.log(
            session=session, project=project, key="promotion/1", kind="promotion", subject=done, reason=f"won {EVIL}"
        )
        waits = add_decision(session, project, waiting, 1, Verdict.PROMOTE, (0.004, 0.02))
        experiments.finish(
            session=session,
            experiment_id=start_experiment(session, project, waiting),
            outcome=Outcome.WAITS_FOR_APPROVAL,
            reason="asks",
        )
        records.escalate(
            session=session, project=project, key=f"approve-promotion/{waits}", title=f"{waiting} waits for approval",
            brief=f"The gate would promote {waiting}. {EVIL}", inputs={"decision_id": waits},
        )  # fmt: skip
        records.escalate(
            session=session, project=project, key="competitor/Rival", title=f"Rival cannot be read {EVIL}",
            brief="## What is wanted\nWhat Rival does differently.", now=now - timedelta(hours=1),
        )  # fmt: skip
        papers.upsert(session=session, project=project, papers=_papers())
        records.log(
            session=session, project=project, key="paper/1", kind="paper_hypothesis", subject=done, reason="credits",
            inputs={"paper": "arxiv:2601.00001", "technique": "read_more"},
        )  # fmt: skip
        for week in DIGESTS:
            facts = {
                "lines": ["MemoryBench: #1 ✅"],
                "changes": [f"Rival {EVIL} moved"],
                "completed": 2,
                "promoted": 1,
            }
            records.save_digest(session=session, project=project, week=week, markdown="# D", facts=facts)
        running = _running(session, project)
        trial = trials.of_experiment(session=session, experiment_id=start_experiment(session, project, done))[0].id
    return {
        "hypothesis": done, "queued": queued, "waiting": waiting, "trial": trial, "running": running,
        "waiting_decision": waits, "first_decision": first,
    }  # fmt: skip


def lab_runs(settings: Settings, project: str = "default") -> None:
    """A finished run of an agent, one that goes on, and one whose files are damaged."""
    home = settings.project_home(project) / LAB
    plan = Plan(f"compress {EVIL}", f"command:{EVIL}", 3, shock=2)
    ended = RunFolder(home / "first" / "compress-1")
    ended.belongs_to(plan.to_json())
    ended.keep(Finished(1, 2.0, True, 2.1, 0.2, "", 7, 3, 0, 0.0))
    ended.keep(Finished(2, 2.5, False, None, 0.0, f"does not compile {EVIL}", 8, 1, 0, 0.0))
    ended.keep(Finished(3, 2.5, True, 1.9, 0.6, "", 9, 0, 0, 0.0))
    keys = ("attempt", "seconds", "valid", "score", "reward", "reason")
    resilience = {
        "closed_loop_gain": None,
        "recovery": 1.0,
        "recovery_expected": 0.5,
        "pivots": [],
        "shock_attempts": 1,
    }
    result = {"valid": True, "score": 1.95, "reward": 0.55, "seeds": 3, "interval": [1.9, 2.0], "reason": ""}
    told = [{key: getattr(row, key) for key in keys} for row in ended.attempts()]
    ended.write(RESULT, {"task": plan.task, "agent": plan.agent, "attempts": told, "chosen": 3, "result": result,
                         "reward": 0.55, "resilience": resilience})  # fmt: skip
    going = RunFolder(home / "second" / "compress-1")
    going.belongs_to(Plan("compress", "tune", 5).to_json())
    going.keep(Finished(1, 2.0, True, 2.2, 0.1, "", 7, 3, 0, 0.0))
    damaged = home / "third" / "compress-1"
    damaged.mkdir(parents=True)
    (damaged / "run.json").write_text('{"task": ')
    for minutes, place in ((3, damaged), (2, going.path), (1, ended.path)):
        at = datetime.now(UTC).timestamp() - 60 * minutes
        os.utime(place / "run.json", (at, at))


def constructions(settings: Settings, project: str = "default") -> None:
    """A finished construction, one that goes on, and one whose files are damaged."""
    home = settings.project_home(project) / FOLDER
    home.mkdir(parents=True)
    request = {
        "name": "brackets", "request": f"Are brackets balanced? {EVIL}", "sources": ["algorithms"], "target_size": 20,
        "rounds": 1, "per_round": 2, "pilot_items": 8, "candidates": ["planted"], "seed": 1,
    }  # fmt: skip
    asked = home / "request.yaml"
    asked.write_text(yaml.safe_dump(request))
    construct(settings, asked, home / "ended", say=lambda _: None)
    going = home / "going"
    (going / "stages").mkdir(parents=True)
    (going / "request.yaml").write_text(yaml.safe_dump({**request, "name": "going", "rounds": 4}))
    shutil.copy(home / "ended" / "stages" / "trajectory.jsonl", going / "stages")
    damaged = home / "damaged"
    shutil.copytree(home / "ended", damaged)
    (damaged / "quality.json").write_text('{"objective": ')
    asked.unlink()
    for minutes, place in ((3, damaged), (2, going), (1, home / "ended")):
        at = datetime.now(UTC).timestamp() - 60 * minutes
        os.utime(place / "request.yaml", (at, at))


def read(session: Any, project: str, board: str, at: datetime, ours: float, rival: float) -> None:
    """One reading of a board: we, a rival and an old system."""
    rows = sorted([("Ours", ours), (f"Rival {EVIL}", rival), ("Old one", 0.4)], key=lambda r: -r[1])
    entries = [Entry(rank=i + 1, system=name, score=score) for i, (name, score) in enumerate(rows)]
    reading = BoardReading(at, f"{board}{at.isoformat()}", entries)
    snapshots.record(session=session, project=project, board=board, reading=reading, ours=["Ours"])


def add_hypothesis(session: Any, project: str, title: str, patch: dict[str, Any], gain: float) -> str:
    """Queue a hypothesis; its id."""
    change = Implementation(change=f"set {patch}", effort=Effort("Low"), estimated_gain=gain, patch=patch)
    plan = TrialPlan("toy", patch, BENCHMARK, Stage.FULL, 0, "candidate")
    made, _ = hypotheses.add(
        session=session, project=project,
        hypothesis=Hypothesis(
            id=hypotheses.UNNUMBERED, title=title, claim="It should help.", source="arxiv:2601.00001",
            target_leaderboards=["MemoryBench"], implementation=change, config_hash=plan.config_hash,
            priority_score=priority_score(gain, change.effort, hypotheses.Urgency.NORMAL),
        ),
    )  # fmt: skip
    return made.id


def start_experiment(session: Any, project: str, hypothesis_id: str) -> int:
    """The experiment of a hypothesis, begun once; its id."""
    patch = hypotheses.get(session=session, project=project, hypothesis_id=hypothesis_id).implementation.patch
    plan = ExperimentPlan("hypothesis", hypothesis_id, "toy", BENCHMARK, patch, PRODUCTION, hypothesis_id)
    return experiments.start(session=session, project=project, plan=plan).id


def add_decision(
    session: Any, project: str, hypothesis_id: str, look: int, verdict: Verdict, interval: tuple[float, float]
) -> int:
    """A decision at one look, resting on three trials of its own; its id."""
    experiment = start_experiment(session, project, hypothesis_id)
    patch = hypotheses.get(session=session, project=project, hypothesis_id=hypothesis_id).implementation.patch
    ids = []
    for seed in range(look * 10, look * 10 + 3):
        plan = TrialPlan("toy", patch, BENCHMARK, Stage.FULL, seed, "candidate", experiment_id=experiment)
        trial = trials.plan(session=session, project=project, plans=[plan])[0]
        trials.claim(session=session, project=project, owner="o", lease_s=60, trial_ids=[trial.id])
        result = TrialResult(
            Scores(metrics={"accuracy": 0.7 + seed / 1000, "latency_ms": 2.0}, items={}, slices={}),
            fingerprint={"where": "here"}, artifact_uri=None, wall_s=4.0, gpu_seconds=0.0, cost=0.01,
        )  # fmt: skip
        trials.finish(session=session, trial_id=trial.id, owner="o", result=result)
        ids.append(trial.id)
    seen = [Observation(seed=seed, metrics={"accuracy": 0.7 + seed / 1000}) for seed in (1, 2, 3)]
    evidence = Evidence(
        metric="accuracy", higher_is_better=True, promotion_threshold=0.005, candidate=seen, control=seen
    )
    rows = [
        Criterion(name="improvement", value=sum(interval) / 2, threshold=0.005, passed=True, reason="large enough"),
        Criterion(
            name="significance",
            value=0.01 if interval[0] > 0 else 0.2,
            threshold=0.05,
            passed=interval[0] > 0,
            reason="so",
        ),
    ]
    decision = Decision(
        verdict=verdict,
        reason=f"look {look} {EVIL}",
        n=3,
        estimate=sum(interval) / 2,
        interval=interval,
        criteria=rows,
    )
    made, _ = decisions.record(
        session=session, project=project, experiment_id=experiment, look=look, case=Case(evidence=evidence),
        decision=decision, trial_ids=ids, alpha_spent=0.005, alpha_wealth=0.04,
    )  # fmt: skip
    return made.id


def _papers() -> list[PaperRecord]:
    evil = PaperRecord(
        Paper("blog:1", f"A title {EVIL}", "An abstract", "blog", EVIL_URL), relevant=False, reason="not about memory"
    )
    good = PaperRecord(
        Paper("arxiv:2601.00001", "Reading more helps", "We read more.", "arXiv", "https://example.org/1"), relevant=True,
        priority=4.0, disposition="hypothesis", techniques={"read more": ("method", "We read more.")},
    )  # fmt: skip
    return [evil, good]


def _running(session: Any, project: str) -> int:
    plan = TrialPlan("toy", {"reads": 3}, BENCHMARK, Stage.FULL, 99, "candidate")
    trial = trials.plan(session=session, project=project, plans=[plan])[0]
    trials.claim(session=session, project=project, owner="worker", lease_s=3600, trial_ids=[trial.id])
    return trial.id
