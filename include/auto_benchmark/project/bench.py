"""What trials of one solution share, how it is made, which trial to run, and how it ended."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auto_benchmark import documents
from auto_benchmark.artifacts.benchmark_data import SELF_REPORTED, BenchmarkData
from auto_benchmark.artifacts.fingerprint import environment_fingerprint
from auto_benchmark.artifacts.split_seeds import FIRST, PUBLISHED, SplitSeeds, of_home
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.measured import CPU, CPU_AT_MOST, MEMORY, WALL
from auto_benchmark.contract.record import Trial
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialConfig, TrialState
from auto_benchmark.contract.trial_file import TrialFile
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.project.configuration import (
    BenchmarkFolder,
    SolutionFolder,
    load_benchmark,
    load_solution,
    require_directions,
    shown,
)
from auto_benchmark.project.exposure import exposing, exposing_code, exposure_faults
from auto_benchmark.registry.guard import Guard
from auto_benchmark.registry.schedule import RateCard
from auto_benchmark.registry.slice_metrics import SLICE_METRICS
from auto_benchmark.registry.solution import Params
from auto_benchmark.runners import RUNNERS, runner
from auto_benchmark.runners.isolation import isolation_report
from auto_benchmark.runners.runner import EnvironmentFaultError, Runner
from auto_benchmark.settings import Settings


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """Which trial.

    Attributes:
        data: what it sees instead of its stage's own view.
        draw: of the gate's items.
        tree: the code that it runs, by the name under which it is stored; '' is the bench's own.
    """

    id: str
    params: Params
    seed: int
    stage: Stage = Stage.FULL
    subset: float = 1.0
    budget_s: float | None = None
    data: Path | None = None
    draw: int = FIRST
    tree: str = ""


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """How a trial ended after all its attempts.

    Attributes:
        metrics: scored metrics and the trial's own secondary ones; empty when it failed.
        scores: with per-item results; None when it failed or reports its own scores.
        cost: money by the rate card.
        wall_s: and ``cpu_s``, ``cpu_at_most_s``, ``peak_memory_mb``: measured outside of the trial; None where the
            runner cannot tell.
        failures: classes of attempts that were followed by another one.
    """

    state: TrialState
    failure: FailureClass | None
    message: str
    attempts: int
    wall_s: float
    cost: float
    folder: Path
    fingerprint: Mapping[str, str]
    metrics: Mapping[str, float] = field(default_factory=dict)
    scores: Scores | None = None
    cpu_s: float | None = None
    peak_memory_mb: float | None = None
    failures: tuple[FailureClass, ...] = ()
    cpu_at_most_s: float | None = None

    @property
    def measured(self) -> dict[str, float]:
        """The costs that are known from outside, by the name of their metric; rounded to what a clock can tell."""
        costs = {
            WALL: self.wall_s, CPU: self.cpu_s, MEMORY: self.peak_memory_mb, CPU_AT_MOST: self.cpu_at_most_s,
        }  # fmt: skip
        return {name: round(value, 3) for name, value in costs.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that trials of one solution share.

    Attributes:
        hidden_inputs: view with an arena's hidden inputs; needed for the stage ``submit`` only.
        tree: the code in ``solution.path``, by the name under which it is stored; '' is a folder that people edit.
        is_folder: whether that is the code of the solution's folder, which images are built from.
        image_lock: checksum of the folder's lock, which images are built for, where the code is not the folder's.
        other_limits: the limits that apply, where they are not those that the tree itself declares.
    """

    solution: SolutionFolder
    benchmark: BenchmarkFolder
    data: BenchmarkData
    runner: Runner
    rates: RateCard = field(default_factory=RateCard)
    hidden_inputs: Path | None = None
    tree: str = ""
    is_folder: bool = True
    image_lock: str = ""
    other_limits: str = ""

    def require_unexposed(self) -> None:
        """Refuse to show trials answers, or results of others. Raises ConfigError, and UnfitCodeError for odd code."""
        folder, resources = self.solution.path, self.solution.solution.resources
        sealed = (self.benchmark.path.parent, self.data.root)
        if exposing(resources, sealed) or exposing_code(folder, sealed):
            file = folder / "solution.yaml"
            raise ConfigError(exposure_faults(documents.read(file, shown_as=shown(file)), resources, folder, sealed))

    @property
    def ref(self) -> BenchmarkRef:
        """The benchmark's name and the version of this installation's data, with the gate's first draw of items."""
        return self.ref_of(FIRST)

    def ref_of(self, draw: int) -> BenchmarkRef:
        """The same with another draw of the gate's items."""
        return BenchmarkRef(name=self.benchmark.benchmark.name, version=self.data.version(draw))

    def draw_of(self, ref: BenchmarkRef) -> int | None:
        """Which draw of the gate's items a recorded reference names; None when it is of other data."""
        return self.data.draw_of(ref.version) if ref.name == self.benchmark.benchmark.name else None

    @property
    def ranked_metrics(self) -> set[str]:
        """Metrics that some board ranks by; only a scorer may give them a value."""
        return {board.metric for board in self.benchmark.benchmark.boards.values()}

    @property
    def scored_metrics(self) -> frozenset[str]:
        """Metrics that only the scorer may give a value: the boards', the benchmark's secondary ones, and its slices'."""
        declared = self.benchmark.benchmark
        return (
            frozenset()
            if declared.scorer == SELF_REPORTED
            else frozenset(
                {*self.ranked_metrics, *declared.secondary_names, *declared.standard_metrics, *SLICE_METRICS}
            )
        )

    @property
    def guards(self) -> list[Guard]:
        """The solution's guards, with the directions that the benchmark declares."""
        return self.solution.solution.metrics.guarded(self.benchmark.benchmark.directions)

    def fingerprint(self) -> dict[str, str]:
        """Environment facts of a trial that runs now. Raises EnvironmentFaultError where none can."""
        data = ",".join(f"{name}={self.data.digest(name)}" for name in ("train", "search", "gate"))
        limits = {"limits": self.other_limits} if self.other_limits else {}
        facts = environment_fingerprint(
            self.solution.path,
            runner=self.runner.name,
            data_sha256=data,
            runner_facts={**self.runner.facts(self.solution.solution.image), **limits},
            isolation=str(isolation_report(self.runner)),
        )
        if self.tree and facts["code"] != self.tree:
            raise EnvironmentFaultError(f"the stored code {self.tree} was changed")
        return facts

    def spec_of(self, trial: Trial, name: str) -> TrialSpec:
        """What is run for a planned trial, as ``name``. Raises InputError where its data is not here any more."""
        plan = trial.plan
        draw = FIRST if plan.stage is Stage.SUBMIT else self.draw_of(plan.benchmark)
        if draw is None:
            other = f"{plan.benchmark.name} {plan.benchmark.version}, here it is {self.ref.name} {self.ref.version}"
            raise InputError(f"trial {trial.id} is on {other}")
        return TrialSpec(
            name, plan.params, plan.seed, plan.stage, plan.subset, plan.budget_s, draw=draw, tree=plan.tree
        )

    def view(self, spec: TrialSpec) -> Path:
        """The data directory that the trial sees."""
        if spec.data is not None:
            return spec.data
        if spec.stage is not Stage.SUBMIT:
            return self.data.view(spec.stage.evaluates, spec.subset, spec.draw)
        if self.hidden_inputs is None:
            raise ValueError("a trial of stage submit needs the arena's hidden inputs")
        return self.hidden_inputs

    def process_config(self, specs: Sequence[TrialSpec]) -> TrialConfig:
        """The content of ``AB_CONFIG_JSON`` of a process; ``seeds`` where the solution declares batching.

        It tells no stage from another, so that no trial can act by what it is for: only its size remains, which are its
        items, their share and its budget. The benchmark's version is the declared one, whatever is drawn.
        """
        seeds = [self.data.seeds.given(spec.seed) for spec in specs]
        alone = self.solution.solution.seeds_per_process == 1
        declared = self.benchmark.benchmark
        return self.config(specs[0]).model_copy(
            update={
                "stage": Stage.FULL,
                "seed": seeds[0] if alone else None,
                "seeds": None if alone else seeds,
                "benchmark": BenchmarkRef(name=declared.name, version=declared.version),
            }
        )

    def config(self, spec: TrialSpec) -> TrialConfig:
        """One trial's configuration, as it is recorded."""
        resources = self.solution.solution.resources
        knobs = self.solution.solution.knobs
        known = {name: value for name, value in spec.params.items() if not self.tree or name in knobs}
        usual = resources.fast_budget_s if spec.stage is Stage.FAST else resources.budget_s
        return TrialConfig(
            params=self.solution.solution.complete(known),
            seed=spec.seed,
            stage=spec.stage,
            subset=spec.subset,
            budget_s=spec.budget_s or usual,
            benchmark=self.ref_of(spec.draw if spec.stage is Stage.FULL else FIRST),
        )

    def cost(self, wall_s: float) -> float:
        """Money for one trial: CPU and GPU hours by the rate card."""
        resources = self.solution.solution.resources
        hourly = resources.cpus * self.rates.cpu_hour + resources.gpus * self.rates.gpu_hour
        return round(wall_s / 3600 * hourly, 6)

    def board_scores(self, metrics: Mapping[str, float]) -> dict[str, Any]:
        """What the metrics mean for each board of the benchmark."""
        return {
            board: {"metric": declared.metric, "score": metrics.get(declared.metric)}
            for board, declared in self.benchmark.benchmark.boards.items()
        }


def short_hash(*parts: object) -> str:
    """8 hex digits that tell two places apart; container names need it, since one engine serves many."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:8]


def place(settings: Settings, name: str | None = None, among: Collection[str] = RUNNERS) -> Runner:
    """The runner called ``name``, or the process setting's. Raises InputError unless it is ``among`` the allowed."""
    if name is not None:
        return runner(name, among)
    try:
        return runner(settings.runner, among)
    except InputError as error:
        raise InputError(f"AUTO_BENCHMARK_RUNNER: {error}") from None


def open_data(settings: Settings, benchmark: BenchmarkFolder, seeds: SplitSeeds) -> BenchmarkData:
    """A benchmark's data below the home directory. Raises InputError where that cannot be made."""
    data = BenchmarkData(benchmark.path, settings.root, seeds)
    try:
        (settings.root / "data").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"{settings.root} cannot be written: {error.strerror or error}"
        raise InputError(f"AUTO_BENCHMARK_HOME: {text}") from None
    return data


def make_bench(
    settings: Settings,
    solution: SolutionFolder,
    *,
    runner_name: str | None = None,
    runners: Collection[str] = RUNNERS,
    rates: RateCard | None = None,
    secret: Callable[[], bytes] | None = None,
    benchmark: BenchmarkFolder | None = None,
) -> Bench:
    """The bench of a solution with a benchmark's data, by default its own, under the home directory, on one of ``runners``.

    ``secret`` gives the installation's, from which the seeds of its data are drawn; without a database there is none,
    and the home's own serves.
    """
    where = place(settings, runner_name, runners)
    benchmark = benchmark or load_benchmark(settings, solution.solution.benchmark)
    require_directions(solution, benchmark.benchmark)
    seeds = SplitSeeds(secret, of_trials=True) if secret else of_home(settings.root)
    data = open_data(settings, benchmark, PUBLISHED if settings.seeds == "published" else seeds)
    bench = Bench(solution, benchmark, data, where, rates or RateCard())
    bench.require_unexposed()
    return bench


def load_trial(
    settings: Settings,
    file: Path,
    *,
    seed: int,
    folder: Path,
    runner_name: str | None = None,
    runners: Collection[str] = RUNNERS,
) -> tuple[Bench, TrialSpec]:
    """Read the file of ``trial run``; a trial is named after the folder that receives it.

    Raises:
        ConfigError: for a faulty file, an unknown solution or knob, a value that its knob refuses, the stage submit.
        InputError: for a runner that is unknown or not among ``runners``.
    """
    document = documents.read(file, shown_as=shown(file))
    trial = documents.validate(TrialFile, document)
    if trial.stage is Stage.SUBMIT:
        text = "submit needs an arena; the loop runs it when it submits"
        raise ConfigError([Fault(document.file, document.line_of(("stage",)), "stage", text)])
    solution = documents.located(
        document, ("solution",), lambda: load_solution(settings, trial.solution, relative_to=file.parent)
    )
    refusals = solution.solution.refusals(trial.params)
    if refusals:
        raise ConfigError(
            [
                Fault(document.file, document.line_of(("params", knob)), f"params.{knob}", reason)
                for knob, reason in refusals.items()
            ]
        )
    spec = TrialSpec(
        id=f"ab-{short_hash(folder.resolve())}-{solution.solution.name}-{seed}",
        params=solution.solution.configured(trial.params),
        seed=seed,
        stage=trial.stage,
        subset=trial.subset,
        budget_s=trial.budget_s,
    )
    return make_bench(settings, solution, runner_name=runner_name, runners=runners), spec
