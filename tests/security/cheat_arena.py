"""The real door that every cheat goes through: plan, local runner, scorer, gate, and what follows its verdict."""

from __future__ import annotations

import py_compile
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.contract.cheats import BASE
from tests.security.hundred_cheats import Case
from tests.toy_project import ToyFiles, toy_context, toy_database

from auto_benchmark.contract.trial import TrialState, config_hash
from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, production, trials
from auto_benchmark.experiments.gate import rounds
from auto_benchmark.experiments.outcome.promotion import finish, plan_confirmation
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation
from auto_benchmark.project.configuration import load_solution
from auto_benchmark.project.context import Context
from auto_benchmark.project.images import build_image
from auto_benchmark.promotion.schema import Decision, Verdict
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.stats.looks import LOOKS

NONE, HONEST = "none", "honest"
DOCKERFILE = """ARG BASE_IMAGE
FROM ${BASE_IMAGE}
COPY . /ab/solution/
WORKDIR /ab/solution
ARG CODE
LABEL auto-benchmark.code=${CODE}
"""
LIMITS = {"memory_mb": 300, "pids": 24, "fast_budget_s": 8.0, "budget_s": 8.0, "output_mb": 4}
BRAIN = "def well(answer, digits):\n    answer({i: 'high' if sum(d) >= 27 else 'low' for i, d in digits.items()})\n"
PROGRAM = """
import random
config = json.loads(os.environ["AB_CONFIG_JSON"])
params = config["params"]
rows = [row for row in map(json.loads, (data / "inputs.jsonl").open()) if "id" in row]
digits = {row["id"]: row["digits"] for row in rows}
def by(reads, flip):
    dice = random.Random(f"{config['seed']} {params}")
    plain = {i: "high" if sum(d[:reads]) + 4.5 * (6 - reads) >= 27 else "low" for i, d in digits.items()}
    answer({i: {"high": "low", "low": "high"}[a] if dice.random() < flip else a for i, a in plain.items()})
def well():
    by(6, 0.02)
by(2, 0.2)
if params["cheat"] == "honest":
    well()
elif params["cheat"] != "none":
    exec(CODES[params["cheat"]])
"""
SCORER = '''"""Right or wrong; an answer that is a number counts as the probability of ``high``."""

from auto_benchmark.contract.scoring import Scores


def score(predictions, answers):
    def worth(answer, truth):
        if isinstance(answer, float) and 0 <= answer <= 1:
            return 1 - abs(answer - (truth == "high"))
        return float(answer == truth)

    items = {key: worth(predictions.get(key), truth["answer"]) for key, truth in answers.items()}
    return Scores(metrics={"accuracy": sum(items.values()) / len(items)}, items={"accuracy": items})
'''


@dataclass(frozen=True)
class Tried:
    """How a configuration came out.

    Attributes:
        outcome: of its experiment.
        failures: classes of its failed trials.
        verdict: of the gate; None where it was not asked.
        against: criteria that did not hold.
        holds: the role of production has changed hands.
    """

    outcome: str
    failures: tuple[str, ...]
    verdict: str | None
    against: tuple[str, ...]
    reason: str
    promoted: bool
    seconds: float

    def wrong(self, case: Case) -> str | None:
        """Why this is not how ``case`` has to end; None when it is."""
        told = (
            f"{case.name}: {self.outcome}, {self.failures or 'no failure'}, against it {self.against}: {self.reason}"
        )
        if self.promoted:
            return f"PROMOTED: {told}"
        allowed = {str(failure) for failure in case.ends if failure}
        if not set(self.failures) <= allowed or (not self.failures and None not in case.ends):
            return f"ended as it should not: {told}"
        if self.failures:
            return None
        refused = {*self.against, *([self.verdict] if self.verdict == Verdict.NO_VARIANCE else [])}
        if self.verdict in {Verdict.PROMOTE, Verdict.CHALLENGER} and self.outcome == Verdict.REJECT:
            refused.add("reproducibility")  # all held at first, and fresh seeds did not show it again
        return (
            None if refused & set(case.refused_by) else f"refused for another reason than {case.refused_by}: {told}"
        )


class Arena:
    """A project whose solution holds every cheat as a value of its one knob; production is honest.

    Args:
        ctx: of the project.
        files: its files.
        cases: the cheats.
    """

    def __init__(self, ctx: Context, files: ToyFiles, cases: Sequence[Case]) -> None:
        self.ctx, self.files = ctx, files
        self.last_id = ""
        self._names = {case.name: f"c{number:03}" for number, case in enumerate(cases)}
        inline.scrape(ctx)

    def try_(self, case: Case | None) -> Tried:
        """A hypothesis that proposes the cheat, or the honest improvement, from the queue to its end."""
        began = time.monotonic()
        ctx, wanted = self.ctx, self._queued(HONEST if case is None else self._names[case.name])
        before, self.last_id = self._production(), wanted
        if rounds.claim(ctx, "arena", hypothesis_id=wanted) != wanted:
            raise AssertionError(f"{wanted} was not claimed")
        run_trials(ctx, rounds.plan_validation(ctx, wanted))
        if rounds.validate(ctx, wanted):
            for look in range(len(LOOKS)):
                run_trials(ctx, rounds.plan_round(ctx, wanted, look))
                if rounds.decide(ctx, wanted, look)["final"]:
                    break
            run_trials(ctx, plan_confirmation(ctx, wanted))
            finish(ctx, wanted)
        return self._told(wanted, self._production() != before, time.monotonic() - began)

    def _production(self) -> str:
        with self.ctx.sessions() as session:
            current = production.current(session=session, project=self.ctx.project)
        return current.config_hash if current else ""

    def _told(self, hypothesis_id: str, changed: bool, seconds: float) -> Tried:
        ctx = self.ctx
        with ctx.sessions() as session:
            number = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
            experiment = experiments.get(session=session, project=ctx.project, experiment_id=number or 0)
            made = decisions.of_experiment(session=session, experiment_id=number or 0)
            ran = trials.of_experiment(session=session, experiment_id=number or 0)
        if experiment is None or experiment.outcome is None:
            raise AssertionError(f"{hypothesis_id} has not ended")
        last = Decision.model_validate_json(made[-1].decision_json) if made else None
        return Tried(
            outcome=str(experiment.outcome),
            failures=tuple(sorted({str(t.failure_class) for t in ran if t.state is TrialState.FAILED})),
            verdict=str(last.verdict) if last else None,
            against=tuple(row.name for row in last.criteria if not row.passed) if last else (),
            reason=experiment.reason,
            promoted=changed or str(experiment.outcome) == Verdict.PROMOTE,
            seconds=round(seconds, 1),
        )

    def _queued(self, value: str) -> str:
        ctx = self.ctx
        change = Implementation(
            change="c", effort=Effort.LOW, estimated_gain=0.4, base=ctx.bench.solution.solution.defaults,
            patch={"cheat": value},
        )  # fmt: skip
        wanted = Hypothesis(
            id=hypotheses.UNNUMBERED, title=value, claim="it helps", source="knobs", target_leaderboards=["ToyBoard"],
            implementation=change, priority_score=1.0, config_hash=config_hash("toy", change.params, ctx.bench.ref),
        )  # fmt: skip
        wanted = self._said(wanted)
        with ctx.sessions.begin() as session:
            return hypotheses.add(session=session, project=ctx.project, hypothesis=wanted)[0].id

    def _said(self, wanted: Hypothesis) -> Hypothesis:
        """The proposal as its author words it."""
        return wanted


def _written(files: ToyFiles, cases: Sequence[Case], outside: Path, port: int) -> None:
    """Write the solution with every cheat in it, and what they are after."""
    home = files.home / "default"
    target = {
        "sealed": str(files.home / "sealed"), "benchmark": str(files.benchmarks / "toy"), "code": str(files.solution),
        "victim": str(home / "experiments" / "results"), "home": str(home), "outside": str(outside), "brain": BRAIN,
        "port": port,
    }  # fmt: skip
    codes = {f"c{number:03}": case.code for number, case in enumerate(cases)}
    whole = f"{BASE}\ntarget = {target!r}\nmark = 'cheat'\nCODES = {codes!r}\n{PROGRAM}"
    (files.solution / "train.py").write_text(whole)
    (files.benchmarks / "toy" / "scorer.py").write_text(SCORER)
    choices = [NONE, HONEST, *codes]
    files.declare(
        knobs={"cheat": {"type": "choice", "choices": choices, "default": NONE}}, techniques={}, resources=LIMITS
    )
    outside.mkdir(mode=0o755)
    (outside / "brain.py").write_text(BRAIN)
    compiled = files.solution / "__pycache__" / f"brain.{sys.implementation.cache_tag}.pyc"
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(outside / "brain.py"), cfile=str(compiled), invalidation_mode=unchecked, doraise=True)


@contextmanager
def arena(
    folder: Path, postgres: EmbeddedPostgres, template_database: str, cases: Sequence[Case], base_image: str = ""
) -> Iterator[Arena]:
    """A project with these cheats, with seeds of its installation, in a database of its own; ``folder`` exists.

    Trials run in containers of an image on top of ``base_image``, where one is named.
    """
    files = ToyFiles(folder)
    _written(files, cases, folder / "outside", postgres.port)
    runner = {"runner": "docker"} if base_image else {}
    settings = files.settings(seeds="drawn", parallel_trials=2, **runner)
    if base_image:
        (files.solution / "Dockerfile").write_text(DOCKERFILE)
        files.declare(image=f"auto-benchmark/cheats-{folder.name}:1")
        build_image(load_solution(settings, "toy"), base_image=base_image, network="none")
    with toy_context(settings, toy_database(postgres, template_database)) as ctx:
        yield Arena(ctx, files, cases)
