"""What ``check`` says of every declared file and of the references between them.

Apart from :mod:`~auto_benchmark.project.configuration`, which a DAG file loads each time that it is parsed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.documents import Document, Strict, dotted
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.project.benchmark_files import benchmark_faults
from auto_benchmark.project.board_benchmarks import board_faults, share_metrics, threshold_faults
from auto_benchmark.project.configuration import (
    DEFAULT_PROJECT,
    REGISTRY_FILE,
    catalog_file,
    environment_notes,
    load_benchmark,
    load_solution,
    misnamed,
    project_directory,
    project_folders,
    project_names,
    shown,
    undirected,
    unknown_techniques,
)
from auto_benchmark.project.exposure import exposure_faults
from auto_benchmark.project.local_boards import is_there, local_board_faults, unit_remarks
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry, warnings
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.registry.schedule import ScheduleFile
from auto_benchmark.registry.solution import Solution
from auto_benchmark.registry.technique_catalog import TechniqueCatalog
from auto_benchmark.settings import Settings


def check(settings: Settings) -> tuple[list[Fault], list[Fault]]:
    """Check every declared file and the references between them.

    Returns:
        Faults and warnings, in file order.
    """
    faults: list[Fault] = []
    notes = environment_notes(settings)
    faults += [fault for folder in project_folders(settings) if (fault := misnamed(folder)) is not None]
    for project in project_names(settings):
        directory = project_directory(settings, project)
        for part in _project_parts(settings, directory, notes):
            faults.extend(part)
    for file in sorted(settings.solutions.glob("*/solution.yaml")):
        faults.extend(_solution_faults(settings, file))
    for file in sorted(settings.benchmarks.glob("*/benchmark.yaml")):
        wrong, remarks = benchmark_faults(file, shown)
        faults += wrong
        notes += remarks
    if not project_names(settings):
        faults.append(Fault(shown(settings.config / REGISTRY_FILE), None, "", "does not exist"))
    return faults, notes


def _project_parts(settings: Settings, directory: Path, notes: list[Fault]) -> Iterator[list[Fault]]:
    yield _registry_faults(settings, directory / REGISTRY_FILE, notes)
    for name, model in (
        ("schedule.yaml", ScheduleFile),
        ("research_config.yaml", ResearchConfig),
        ("technique_catalog.yaml", TechniqueCatalog),
    ):
        if os.path.exists(directory / name):  # noqa: PTH110 - a folder that cannot be entered is the registry's fault
            yield _faults_of(model, directory / name)


def _registry_faults(settings: Settings, file: Path, notes: list[Fault]) -> list[Fault]:
    try:
        document = documents.read(file, shown_as=shown(file))
        registry = documents.validate(CompetitiveRegistry, document)
    except ConfigError as error:
        return list(error.faults)
    notes.extend(warnings(registry, document))
    for i, board in enumerate(registry.target_leaderboards):
        if board.victory is None:
            line = document.line_of(("target_leaderboards", i))
            used = ", ".join(f"{name}: {value}" for name, value in board.victory_condition.model_dump().items())
            text = f"no victory condition for {board.name!r}; used is {{{used}}}"
            notes.append(Fault(document.file, line, f"target_leaderboards[{i}].victory", text))
    notes.extend(_missing_boards(file.parent, document, registry))
    faults = [*_missing_folders(settings, document, registry), *_missing_requests(file.parent, document, registry)]
    unreadable, doubted = local_board_faults(file.parent, document, registry)
    faults += unreadable
    notes.extend(doubted)
    name = registry.our_solution.solution
    if name is None or any(fault.field == "our_solution.solution" for fault in faults):
        return faults
    with contextlib.suppress(ConfigError, InputError):  # a faulty solution is told by its own check
        default = registry.our_solution.benchmark or load_solution(settings, name).solution.benchmark
        benchmarks = _benchmarks(settings)
        found, remarks = board_faults(document, registry.target_leaderboards, benchmarks, default)
        notes.extend(remarks)
        shares = share_metrics(registry, benchmarks, default)
        faults += [*found, *threshold_faults(document, registry, shares)]
        notes.extend(unit_remarks(file.parent, document, registry, shares))
    return faults


def _missing_folders(settings: Settings, document: Document, registry: CompetitiveRegistry) -> Iterator[Fault]:
    """The solution and the benchmark that are named, and are not there."""
    named = {"solution": settings.solutions, "benchmark": settings.benchmarks}
    for kind, folder in named.items():
        name = getattr(registry.our_solution, kind)
        if name is not None and not (folder / name / f"{kind}.yaml").is_file():
            line = document.line_of(("our_solution", kind))
            text = f"no folder {kind}s/{name} with a {kind}.yaml"
            yield Fault(document.file, line, f"our_solution.{kind}", text)


def _missing_boards(directory: Path, document: Document, registry: CompetitiveRegistry) -> Iterator[Fault]:
    """Boards that are kept in a file which is not there."""
    for i, board in enumerate(registry.target_leaderboards):
        if board.url is None or ":" in board.url or board.conn_id is not None or is_there(directory / board.url):
            continue
        path = ("target_leaderboards", i, "url")
        text = f"no file {board.url[:80]!r} beside the registry; the board cannot be read without it"
        yield Fault(document.file, document.line_of(path), dotted(path), text)


def _missing_requests(directory: Path, document: Document, registry: CompetitiveRegistry) -> Iterator[Fault]:
    """Requests of benchmarks that are to follow a board, and are not there."""
    for i, board in enumerate(registry.target_leaderboards):
        request, path = board.saturation.request, ("target_leaderboards", i, "saturation", "request")
        if request is not None and not is_there(directory / request):
            yield Fault(
                document.file, document.line_of(path), dotted(path), f"no file {request[:80]!r} beside the registry"
            )


def _benchmarks(settings: Settings) -> dict[str, Benchmark | None]:
    """Every benchmark by the name of its folder; None where its file is faulty."""
    found: dict[str, Benchmark | None] = {}
    for file in sorted(settings.benchmarks.glob("*/benchmark.yaml")):
        found[file.parent.name] = None
        with contextlib.suppress(ConfigError):
            found[file.parent.name] = documents.load(Benchmark, file)
    return found


def _known_techniques(settings: Settings) -> set[str]:
    """Ids of every project's catalogue; a faulty one is reported by its own check."""
    known: set[str] = set()
    for project in project_names(settings) or [DEFAULT_PROJECT]:
        with contextlib.suppress(ConfigError, InputError):
            file = catalog_file(settings, project_directory(settings, project))
            known |= {t.id for t in documents.load(TechniqueCatalog, file, shown_as=shown(file)).techniques}
    return known


def _solution_faults(settings: Settings, file: Path) -> list[Fault]:
    try:
        document = documents.read(file, shown_as=shown(file))
        solution = documents.validate(Solution, document)
    except ConfigError as error:
        return list(error.faults)
    found = []
    if not (settings.benchmarks / solution.benchmark / "benchmark.yaml").is_file():
        line = document.line_of(("benchmark",))
        found.append(Fault(document.file, line, "benchmark", f"no folder benchmarks/{solution.benchmark}"))
    with contextlib.suppress(ConfigError, InputError):  # a faulty benchmark is told by its own check
        found += undirected(document, solution, load_benchmark(settings, solution.benchmark).benchmark)
    if solution.name != file.parent.name:
        text = f"should be the folder's name, {file.parent.name!r}, is {solution.name!r}"
        found.append(Fault(document.file, document.line_of(("name",)), "name", text))
    found += exposure_faults(document, solution.resources, file.parent, (settings.benchmarks, settings.root))
    if solution.techniques and (known := _known_techniques(settings)):
        found += unknown_techniques(document, solution, known)
    return found


def _faults_of(model: type[Strict], file: Path) -> list[Fault]:
    try:
        documents.load(model, file, shown_as=shown(file))
    except ConfigError as error:
        return list(error.faults)
    return []
