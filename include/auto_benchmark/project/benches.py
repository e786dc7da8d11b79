"""Makes the bench on which a solution's trials run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.split_seeds import PUBLISHED, SplitSeeds, of_home
from auto_benchmark.contract.trial import Stage
from auto_benchmark.contract.trial_file import TrialFile
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.project.bench import Bench, TrialSpec
from auto_benchmark.project.configuration import (
    BenchmarkFolder,
    SolutionFolder,
    load_benchmark,
    load_solution,
    shown,
)
from auto_benchmark.registry.schedule import RateCard
from auto_benchmark.runners import RUNNERS, runner
from auto_benchmark.runners.runner import Runner
from auto_benchmark.settings import Settings


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
) -> Bench:
    """The bench of a solution with its benchmark's data under the home directory, on one of ``runners``.

    ``secret`` gives the installation's, from which the seeds of its data are drawn; without a database there is none,
    and the home's own serves.
    """
    where = place(settings, runner_name, runners)
    benchmark = load_benchmark(settings, solution.solution.benchmark)
    seeds = SplitSeeds(secret) if secret else of_home(settings.root)
    data = open_data(settings, benchmark, PUBLISHED if settings.seeds == "published" else seeds)
    return Bench(solution, benchmark, data, where, rates or RateCard())


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
        params={**solution.solution.defaults, **trial.params},
        seed=seed,
        stage=trial.stage,
        subset=trial.subset,
        budget_s=trial.budget_s,
    )
    return make_bench(settings, solution, runner_name=runner_name, runners=runners), spec
