"""Reads a sweep spec and checks it against the solution and the benchmarks that it names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auto_benchmark import documents
from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.documents import Document
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.grid.plan import GridRun, plan
from auto_benchmark.grid.spec import Dataset, SweepSpec
from auto_benchmark.project.bench import Bench, open_data, place
from auto_benchmark.project.configuration import (
    BenchmarkFolder,
    SolutionFolder,
    load_benchmark,
    load_optional,
    load_solution,
    shown,
)
from auto_benchmark.registry.schedule import ScheduleFile
from auto_benchmark.registry.solution import Params
from auto_benchmark.runners import RUNNERS
from auto_benchmark.settings import Settings
from auto_benchmark.sweeps.known_metrics import unknown_metric


@dataclass(frozen=True, slots=True)
class Sweep:
    """A checked sweep.

    Attributes:
        benches: by task.
        params: complete configuration by name.
        identity: what must not change between two calls in one directory.
    """

    file: Path
    spec: SweepSpec
    solution: SolutionFolder
    benches: Mapping[str, Bench]
    params: Mapping[str, Params]
    runs: Sequence[GridRun]

    @property
    def identity(self) -> dict[str, Any]:
        """The spec and what it means for the solution, as plain JSON; comments and layout do not count."""
        return {"spec": self.spec.model_dump(mode="json"), "params": {k: dict(v) for k, v in self.params.items()}}

    def cost(self, wall_s: float) -> float:
        """Money for seconds of a trial."""
        return next(iter(self.benches.values())).cost(wall_s)


def load_sweep(settings: Settings, file: Path, *, runners: Collection[str] = RUNNERS) -> Sweep:
    """Read and check a spec whose trials run on one of ``runners``.

    Raises:
        ConfigError: a faulty value, an unknown knob, solution, benchmark or runner, data that is not what it says.
    """
    document = documents.read(file, shown_as=shown(file))
    spec = documents.validate(SweepSpec, document)
    solution = documents.located(
        document, ("solution",), lambda: load_solution(settings, spec.solution, relative_to=file.parent)
    )
    params = _params(document, spec, solution)
    if spec.runner is None:
        where = place(settings, among=runners)
    else:
        where = documents.located(document, ("runner",), lambda: place(settings, spec.runner, runners))
    rates = load_optional(ScheduleFile, settings.config / "schedule.yaml").rate_card
    benches = {}
    for i, dataset in enumerate(spec.datasets):
        found = partial(load_benchmark, settings, dataset.name)
        benchmark = documents.located(document, ("datasets", i, "name"), found)
        data = open_data(settings, benchmark, PUBLISHED)  # a sweep is for everybody to repeat; it decides nothing
        _check_data(document, i, dataset, benchmark, data)
        _check_metrics(document, spec, solution, benchmark)
        benches[dataset.task] = Bench(solution, benchmark, data, where, rates)
    return Sweep(file, spec, solution, benches, params, plan(spec))


def _params(document: Document, spec: SweepSpec, solution: SolutionFolder) -> dict[str, Params]:
    faults, complete = [], {}
    for i, configuration in enumerate(spec.configurations):
        for knob, reason in solution.solution.refusals(configuration.params).items():
            path = ("configurations", i, "params", knob)
            faults.append(Fault(document.file, document.line_of(path), documents.dotted(path), reason))
        complete[configuration.name] = solution.solution.configured(configuration.params)
    if faults:
        raise ConfigError(faults)
    return complete


def _check_metrics(document: Document, spec: SweepSpec, solution: SolutionFolder, benchmark: BenchmarkFolder) -> None:
    """Every metric is one that the benchmark or the solution declares, or that their code names."""
    metrics: dict[documents.Path, str] = {("metrics", "primary"): spec.metrics.primary}
    metrics |= {("metrics", "secondary", i): name for i, name in enumerate(spec.metrics.secondary)}
    faults = [
        Fault(document.file, document.line_of(path), documents.dotted(path), reason)
        for path, name in metrics.items()
        if (reason := unknown_metric(name, solution, benchmark))
    ]
    if faults:
        raise ConfigError(faults)


def _check_data(
    document: Document, i: int, dataset: Dataset, benchmark: BenchmarkFolder, data: BenchmarkData
) -> None:
    def fault(field: str, message: str) -> ConfigError:
        path = ("datasets", i, field)
        return ConfigError([Fault(document.file, document.line_of(path), documents.dotted(path), message)])

    declared = benchmark.benchmark
    if dataset.version != declared.version:
        raise fault("version", f"{dataset.name} is at version {declared.version!r} here, not {dataset.version!r}")
    if dataset.sha256 is not None:
        promised = getattr(declared.splits, dataset.split).sha256
        found = promised or data.split_sha256(dataset.split)
        if dataset.sha256 != found:
            raise fault("sha256", f"{dataset.task} has the checksum {found}")
    documents.located(document, ("datasets", i, "name"), lambda: data.view(dataset.split))
