"""Every code candidate of the bundled solution through the real queue: by a person, a program, a scripted model on loopback.

    PYTHONPATH=include:plugins:. nice .venv/bin/python perf/code_ways_in.py [--limit SECONDS] [NAME:WAY …]

Each case has a project of its own on the best configuration of knobs, with a database and a home that begin alike. What
enters is tried by the steps of the sweep: doctor, fast validation, rounds of the gate, fresh seeds; what an agent makes no
better on the search split is not queued. So a trial's code, configuration, seed and data are the same whichever way a
candidate came in, and each such trial is run once (``kept_runs.py``, below var/): the ways differ in the way in alone, and
in the share of the level that belongs to who proposes. Each end is kept in perf/results/code_ways_in.json beside what
perf/code_candidates.py found, and is not measured again. The cheat's target is real: the project's sealed answers lie where
it looks.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from cheats import MIGRATED, place_for_projects
from code_candidate_trials import BEST, PATCHES, ROOT, tree
from kept_runs import KeptRuns
from measured import RESULTS, keep
from memory_retrieval_trials import SOLUTION
from pydantic import SecretStr
from tests.fakes.llm_server import FakeModel, served
from tests.toy_project import environment, toy_context

from auto_benchmark.agents.llm import Spending
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.repositories import decisions, hypotheses, trials
from auto_benchmark.experiments import steps
from auto_benchmark.experiments.gate.rounds import claim, decide, plan_round, validate
from auto_benchmark.experiments.outcome.promotion import finish, plan_confirmation
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.project.context import Context
from auto_benchmark.proposals.declared import agent_of
from auto_benchmark.proposals.limits import ProposalLimits
from auto_benchmark.proposals.propose import propose
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import HttpConnection, NamedConnections
from auto_benchmark.stats.looks import LOOKS

RESULT, ALONE = RESULTS / "code_ways_in.json", RESULTS / "code_candidates.json"
KEPT = ROOT / "var" / "code_ways_in"
CHEAT = "cheat_reads_answers"
WAYS = ("person", "command", "llm")
CLASSES = (CHEAT, "broken_syntax", "harms_no_facts", "neutral_draw", "helps_recency_antecedents")
"""One of each class, before the others."""
NAMES = sorted((each.stem for each in PATCHES.glob("*.diff")), key=lambda name: (name not in CLASSES, name))
TRIED = [(name, way) for name in NAMES for way in WAYS]
PLACES = (("search", 1.0), ("search", 0.1), ("gate", 1.0))
REGISTRY = {
    "domain": "memory", "our_solution": {"name": "Ours", "solution": SOLUTION.name},
    "target_leaderboards": [{
        "name": "MemoryBench", "url": "board.csv", "scrape_method": "csv", "primary_metric": "accuracy",
        "higher_is_better": True, "columns": {"system": "system", "score": "accuracy"}, "promotion_threshold": 0.005,
    }],
}  # fmt: skip
PROGRAM = """#!/usr/bin/env python3
import pathlib
FILES = {files!r}
for name, text in FILES.items():
    pathlib.Path(name).write_text(text)
"""


class Project:
    """The bundled solution with the best knobs as its defaults, and a board on which it leads."""

    def __init__(self, folder: Path) -> None:
        self.folder, config = folder, folder / "config"
        (folder / "solutions").mkdir(parents=True)
        ignored = shutil.ignore_patterns("__pycache__")
        own = shutil.copytree(SOLUTION, folder / "solutions" / SOLUTION.name, ignore=ignored)
        declared = yaml.safe_load((own / "solution.yaml").read_text())
        for name, value in BEST.items():
            declared["knobs"][name]["default"] = value
        (own / "solution.yaml").write_text(yaml.safe_dump(declared, sort_keys=False))
        config.mkdir()
        (config / "competitive_registry.yaml").write_text(yaml.safe_dump(REGISTRY, sort_keys=False))
        (config / "schedule.yaml").write_text("budget: {trials: 100000, hours: 1000, money: 1000}\n")
        (config / "board.csv").write_text("system,accuracy\nOurs,0.92\nLast,0.5\n")
        self.settings = Settings(
            home=folder / "home", config=config, solutions=folder / "solutions", seeds="published",
            benchmarks=ROOT / "include" / "benchmarks",
        )  # fmt: skip

    def edited(self, name: str) -> dict[str, str]:
        """The files that a candidate changes, as it has them."""
        folder = shutil.copytree(self.folder / "solutions" / SOLUTION.name, self.folder / "edited" / name)
        subprocess.run(["git", "apply", PATCHES / f"{name}.diff"], cwd=folder, check=True)
        own = self.folder / "solutions" / SOLUTION.name
        return {f.name: f.read_text() for f in folder.glob("*.py") if f.read_bytes() != (own / f.name).read_bytes()}


class Entrance:
    """Ways for a candidate into the queue; each gives the id of its hypothesis, or why there is none."""

    def __init__(self, project: Project, ctx: Context, url: str) -> None:
        self.project, self.ctx = project, ctx
        self.variables = {**os.environ, **environment(project.settings, db_url=url), "PYTHONPATH": "include:plugins"}

    def by(self, way: str, name: str) -> tuple[str | None, str]:
        """Enter a candidate."""
        ways: dict[str, Callable[[str], tuple[str | None, str]]] = {
            "person": self._person, "command": self._command, "llm": self._llm,
        }  # fmt: skip
        return ways[way](name)

    def _person(self, name: str) -> tuple[str | None, str]:
        """As the command line does it, in a process of its own."""
        file = self.project.folder / f"{name}.yaml"
        shutil.copy(PATCHES / f"{name}.diff", file.with_suffix(".diff"))
        change = {"change": name, "effort": "Low", "estimated_gain": 0.02, "code": {"diff": f"{name}.diff"}}
        file.write_text(yaml.safe_dump({"title": f"{name} by a person", "implementation": change}))
        ended = subprocess.run(
            [sys.executable, "-m", "auto_benchmark", "hypothesis", "add", file, "--json"], env=self.variables, cwd=ROOT,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if ended.returncode:
            raise RuntimeError(f"hypothesis add {file}: {ended.stderr[-2000:]}")
        return str(json.loads(ended.stdout)["id"]), ""

    def _command(self, name: str) -> tuple[str | None, str]:
        program = self.project.folder / f"{name}.py"
        program.write_text(PROGRAM.format(files=self.project.edited(name)))
        program.chmod(0o755)
        return self._proposed(self.ctx, f"command:{program}")

    def _llm(self, name: str) -> tuple[str | None, str]:
        files = self.project.edited(name)
        said = f"{name} by a model\n" + "".join(f"FILE: {n}\n```\n{text}```\n" for n, text in files.items())
        with served(FakeModel(says=[said])) as model:
            connections = NamedConnections({"lab": HttpConnection(model.url, SecretStr("none"))})
            return self._proposed(replace(self.ctx, connections=connections), f"llm:lab:{name}")

    def _proposed(self, ctx: Context, agent: str) -> tuple[str | None, str]:
        """What ``propose --agent`` does, in this process, so that its trials are kept, too."""
        told = propose(ctx, agent_of(ctx, agent, Spending(calls=40, tokens=1_000_000)), ProposalLimits(1, 30.0, 6))
        return (told.hypothesis.id if told.hypothesis else None), told.reason


def tried(ctx: Context, hypothesis: str) -> dict[str, Any]:
    """One hypothesis by the sweep's steps to its end."""
    if claim(ctx, "ways", hypothesis_id=hypothesis) is None:
        with ctx.sessions() as session:
            known = hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis)
        return {"outcome": "asked before", "reason": known.reason if known else ""}
    run_trials(ctx, steps.plan_validation(ctx, hypothesis))
    if validate(ctx, hypothesis):
        for look in range(len(LOOKS)):
            run_trials(ctx, plan_round(ctx, hypothesis, look))
            if decide(ctx, hypothesis, look)["final"]:
                break
        run_trials(ctx, plan_confirmation(ctx, hypothesis))
        finish(ctx, hypothesis)
    return _end(ctx, hypothesis)


def _end(ctx: Context, hypothesis: str) -> dict[str, Any]:
    with ctx.sessions() as session:
        found = hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis)
        experiment = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis)
        made = decisions.of_experiment(session=session, experiment_id=experiment) if experiment else []
        ran = trials.of_experiment(session=session, experiment_id=experiment) if experiment else []
    told = json.loads(made[-1].decision_json) if made else {}
    return {
        "status": str(found.status) if found else None, "verdict": str(made[-1].verdict) if made else None,
        "seeds": sum(t.plan.stage is Stage.FULL and t.plan.purpose == "candidate" for t in ran),
        "estimate": told.get("estimate"), "reason": (found.reason or "")[:400] if found else "",
    }  # fmt: skip


def outside(ctx: Context, project: Project, name: str) -> float:
    """Accuracy of a candidate on the search split where nothing confines it: 1 where it finds the sealed answers."""
    data, output = ctx.bench.data, project.folder / "outside"
    output.mkdir(exist_ok=True)
    told = {
        "PATH": os.defpath, "AB_CONFIG_JSON": json.dumps({"params": BEST, "seed": 1}),
        "AB_DATA_DIR": str(data.view("search")), "AB_OUTPUT_DIR": str(output),
    }  # fmt: skip
    program = tree(name) / "train.py"
    subprocess.run([sys.executable, program], env=told, cwd=program.parent, check=True, capture_output=True)
    rows = [json.loads(line) for line in (output / "predictions.jsonl").read_text().splitlines()]
    files = (data.root / "sealed").glob("*.json")
    truth = {i: a["answer"] for file in files for i, a in json.loads(file.read_text()).items()}
    return sum(truth[row["id"]] == row["answer"] for row in rows) / len(rows)


class Start:
    """A project as every case finds it: its database, its home with data that is made, and what trials left before."""

    def __init__(self, folder: Path, server: EmbeddedPostgres) -> None:
        self.server, self.project, self.home = server, Project(folder / "project"), folder / "home-at-the-start"
        url = server.create_database("start", template=MIGRATED)
        with toy_context(self.project.settings, url) as ctx:
            reconcile(ctx)
            for split, share in PLACES:
                ctx.bench.data.view(split, share)
        shutil.copytree(self.project.settings.root, self.home, symlinks=True)
        self.cases = 0

    @contextmanager
    def case(self) -> Iterator[tuple[Context, Entrance, KeptRuns]]:
        """A new database and a new home, both as at the start."""
        self.cases += 1
        root = self.project.settings.root
        shutil.rmtree(root)
        shutil.copytree(self.home, root, symlinks=True)
        shutil.rmtree(self.project.folder / "edited", ignore_errors=True)
        url = self.server.create_database(f"ways_{self.cases}", template="start")
        with toy_context(self.project.settings, url) as ctx:
            runs = KeptRuns(ctx.bench.runner, KEPT)
            kept = replace(ctx, bench=replace(ctx.bench, runner=runs))
            yield kept, Entrance(self.project, kept, url), runs


def one(start: Start, name: str, way: str) -> dict[str, Any]:
    """A candidate by a way to its end."""
    began = time.monotonic()
    with start.case() as (ctx, door, runs):
        hypothesis, why = door.by(way, name)
        told = tried(ctx, hypothesis) if hypothesis else {"outcome": "not queued", "reason": why[:400]}
        if name == CHEAT and way == WAYS[0]:
            told["accuracy_unconfined"] = outside(ctx, door.project, name)
        return told | {"ran": runs.ran, "reused": runs.reused, "seconds": round(time.monotonic() - began)}


def measure(wanted: list[tuple[str, str]], limit_s: float = float("inf")) -> dict[str, Any]:
    """Every candidate by its way, as far as the time goes."""
    until = time.monotonic() + limit_s
    known: dict[str, Any] = json.loads(RESULT.read_text())["ended"] if RESULT.exists() else {}
    alone = json.loads(ALONE.read_text())["candidates"]
    missing = [(name, way) for name, way in wanted if f"{name} by {way}" not in known]
    if missing:
        with place_for_projects() as (folder, server):
            start = Start(folder, server)
            for name, way in missing:
                if time.monotonic() > until:
                    break
                told = one(start, name, way) | {"alone": alone[name]["outcome"], "load": round(os.getloadavg()[0], 1)}
                known[f"{name} by {way}"] = told
                keep("code_ways_in", summary(known))
                print(name, way, json.dumps(told), flush=True)
    return summary(known)


def summary(known: dict[str, Any]) -> dict[str, Any]:
    """All ends, what is wrong in them, in what the ways differ, and how much is left."""
    return {
        "ended": known, "wrong": wrong(known), "differences": differences(known), "not_reached": len(TRIED) - len(known),
    }  # fmt: skip


def differences(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Candidates that the gate judged by several ways, with verdict, seeds and estimate where these are not all the same."""
    found = {}
    for name in NAMES:
        judged = {
            way: [told["verdict"], told["seeds"], told["estimate"]]
            for way in WAYS
            if (told := known.get(f"{name} by {way}", {})).get("verdict")
        }
        if len({json.dumps(each) for each in judged.values()}) > 1:
            found[name] = judged
    return found


def held(told: dict[str, Any]) -> bool:
    """Whether the gate saw all but the cost, which a busy machine cannot measure, and asks a person."""
    return told.get("verdict") == "inconclusive" and told["status"] == "escalated"


def wrong(known: dict[str, Any]) -> list[str]:
    """What the gate decided otherwise than its code alone had it; what is held for its cost alone counts as promoted."""
    return [
        f"{case}: {told['verdict']} instead of {told['alone']}"
        for case, told in known.items()
        if told.get("verdict") and ("promote" if held(told) else told["verdict"]) != told["alone"]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="NAME:WAY", help="all by default")
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds after which none is begun")
    given = parser.parse_args()
    cases = [(name, way) for name, _, way in (each.partition(":") for each in given.cases)]
    keep("code_ways_in", measure(cases or TRIED, given.limit))


if __name__ == "__main__":
    main()
