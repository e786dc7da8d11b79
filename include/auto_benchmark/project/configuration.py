"""Everything that users declare, loaded and checked across files."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.documents import Document, ModelT, Strict
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.project.benchmark_files import benchmark_faults
from auto_benchmark.project.board_benchmarks import board_faults
from auto_benchmark.project.exposure import exposure_faults
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry, warnings
from auto_benchmark.registry.names import project_name
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.registry.schedule import ScheduleFile
from auto_benchmark.registry.solution import Solution
from auto_benchmark.registry.technique_catalog import TechniqueCatalog
from auto_benchmark.settings import INCLUDE, Settings
from auto_benchmark.spelling import did_you_mean

DEFAULT_PROJECT = "default"
REGISTRY_FILE = "competitive_registry.yaml"
CATALOG_FILE = "technique_catalog.yaml"


@dataclass(frozen=True, slots=True)
class SolutionFolder:
    """A solution and the folder that its command runs in."""

    path: Path
    solution: Solution


@dataclass(frozen=True, slots=True)
class BenchmarkFolder:
    """A benchmark and the folder with its generator and scorer."""

    path: Path
    benchmark: Benchmark


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """What one project declares."""

    name: str
    registry: CompetitiveRegistry
    schedule: ScheduleFile
    solution: SolutionFolder
    benchmark: BenchmarkFolder


def project_directory(settings: Settings, project: str) -> Path:
    """Where a project's files lie. Raises InputError for what cannot be the name of a project."""
    return settings.config if project_name(project) == DEFAULT_PROJECT else settings.config / "projects" / project


def project_names(settings: Settings) -> list[str]:
    """The default project, if its registry exists, and one per folder under ``projects`` that is named like one."""
    found = [DEFAULT_PROJECT] if (settings.config / REGISTRY_FILE).exists() else []
    return found + [folder.name for folder in _project_folders(settings) if _misnamed(folder) is None]


def _project_folders(settings: Settings) -> list[Path]:
    projects = settings.config / "projects"
    return sorted(p for p in projects.iterdir() if p.is_dir()) if projects.is_dir() else []


def _misnamed(folder: Path) -> Fault | None:
    """Why a folder under ``projects`` is not a project; None where it is one."""
    try:
        project_name(folder.name)
    except InputError as error:
        return Fault(shown(folder), None, "", str(error))
    taken = folder.name == DEFAULT_PROJECT
    return (
        Fault(shown(folder), None, "", f"the project {DEFAULT_PROJECT!r} is declared one folder up")
        if taken
        else None
    )


def load_solution(settings: Settings, name: str, *, relative_to: Path | None = None) -> SolutionFolder:
    """Load a solution by name (a folder of ``settings.solutions``) or by path of its folder or file.

    A path counts from ``relative_to`` (the file that names it), else from the working directory.

    Raises:
        InputError: when there is no such solution.
        ConfigError: when its file is faulty.
    """
    for base in (settings.solutions, relative_to or Path(), Path()):
        path = base / name
        folder = path.parent if path.name == "solution.yaml" else path
        if (folder / "solution.yaml").is_file():
            file = folder / "solution.yaml"
            return SolutionFolder(folder.resolve(), documents.load(Solution, file, shown_as=shown(file)))
    known = sorted(p.parent.name for p in settings.solutions.glob("*/solution.yaml"))
    raise InputError(f"no solution {name!r} (no folder with a solution.yaml); there are {', '.join(known) or 'none'}")


def load_benchmark(settings: Settings, name: str) -> BenchmarkFolder:
    """Load a benchmark by name. Raises InputError or ConfigError."""
    file = settings.benchmarks / name / "benchmark.yaml"
    if not file.is_file():
        raise InputError(f"no benchmark {name!r}: {shown(file)} does not exist")
    return BenchmarkFolder(file.parent.resolve(), documents.load(Benchmark, file, shown_as=shown(file)))


def load_project(settings: Settings, project: str = DEFAULT_PROJECT) -> ProjectConfig:
    """Load one project.

    Raises:
        InputError: when it does not exist or names no solution.
        ConfigError: when a file is faulty.
    """
    directory = project_directory(settings, project)
    file = directory / REGISTRY_FILE
    if not file.is_file():
        raise InputError(f"no project {project!r}: {shown(file)} does not exist")
    registry = documents.load(CompetitiveRegistry, file, shown_as=shown(file))
    schedule = load_optional(ScheduleFile, directory / "schedule.yaml")
    if registry.our_solution.solution is None:
        raise ConfigError([Fault(shown(file), None, "our_solution.solution", "is required to run experiments")])
    solution = load_solution(settings, registry.our_solution.solution)
    benchmark = load_benchmark(settings, solution.solution.benchmark)
    require_directions(solution, benchmark.benchmark)
    return ProjectConfig(project, registry, schedule, solution, benchmark)


def require_directions(solution: SolutionFolder, benchmark: Benchmark) -> None:
    """Raise ConfigError where nothing says whether more of a guarded metric is better or worse."""
    if any(solution.solution.metrics.undirected(benchmark.directions)):
        file = solution.path / "solution.yaml"
        raise ConfigError(_undirected(documents.read(file, shown_as=shown(file)), solution.solution, benchmark))


def _undirected(document: Document, solution: Solution, benchmark: Benchmark) -> list[Fault]:
    return [
        Fault(document.file, document.line_of(("metrics", "guards", i)), f"metrics.guards[{i}]", text)
        for i, text in solution.metrics.undirected(benchmark.directions)
    ]


def load_optional(model: type[ModelT], file: Path) -> ModelT:
    """Load a file that may be absent; its defaults then."""
    return documents.load(model, file, shown_as=shown(file)) if file.exists() else model()


def shown(path: Path) -> str:
    """A path as a user would type it: relative to the working directory where possible."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def check(settings: Settings) -> tuple[list[Fault], list[Fault]]:
    """Check every declared file and the references between them.

    Returns:
        Faults and warnings, in file order.
    """
    faults: list[Fault] = []
    notes = environment_notes(settings)
    faults += [fault for folder in _project_folders(settings) if (fault := _misnamed(folder)) is not None]
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


def environment_notes(settings: Settings) -> list[Fault]:
    """What the process' environment asks for and should not."""
    one_writer = (settings.mlflow_url or "").startswith("sqlite") and settings.parallel_trials > 1
    reason = (
        f"a sqlite file is locked by one writer at a time and {settings.parallel_trials} trials run at once; runs wait "
        "in the journal meanwhile. Use an MLflow server on Postgres"
    )
    return [Fault("environment", None, "AUTO_BENCHMARK_MLFLOW_URL", reason)] if one_writer else []


def _project_parts(settings: Settings, directory: Path, notes: list[Fault]) -> Iterator[list[Fault]]:
    yield _registry_faults(settings, directory / REGISTRY_FILE, notes)
    for name, model in (
        ("schedule.yaml", ScheduleFile),
        ("research_config.yaml", ResearchConfig),
        ("technique_catalog.yaml", TechniqueCatalog),
    ):
        if (directory / name).exists():
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
            text = f"no victory condition for {board.name!r}: {board.victory_condition.model_dump()} is used"
            notes.append(Fault(document.file, line, f"target_leaderboards[{i}].victory", text))
    name = registry.our_solution.solution
    if name is not None and not (settings.solutions / name / "solution.yaml").is_file():
        line = document.line_of(("our_solution", "solution"))
        return [
            Fault(document.file, line, "our_solution.solution", f"no folder solutions/{name} with a solution.yaml")
        ]
    if name is None:
        return []
    with contextlib.suppress(ConfigError, InputError):  # a faulty solution is told by its own check
        default = load_solution(settings, name).solution.benchmark
        faults, remarks = board_faults(document, registry.target_leaderboards, _benchmarks(settings), default)
        notes.extend(remarks)
        return faults
    return []


def _benchmarks(settings: Settings) -> dict[str, Benchmark | None]:
    """Every benchmark by the name of its folder; None where its file is faulty."""
    found: dict[str, Benchmark | None] = {}
    for file in sorted(settings.benchmarks.glob("*/benchmark.yaml")):
        found[file.parent.name] = None
        with contextlib.suppress(ConfigError):
            found[file.parent.name] = documents.load(Benchmark, file)
    return found


def catalog_file(settings: Settings, directory: Path) -> Path:
    """A project's own technique catalogue, else the default project's, else the one that comes with the package.

    Raises:
        InputError: when none of them exists.
    """
    for folder in (directory, settings.config, INCLUDE / "config"):
        if (folder / CATALOG_FILE).is_file():
            return folder / CATALOG_FILE
    raise InputError(f"{shown(directory / CATALOG_FILE)} does not exist")


def unknown_techniques(document: Document, solution: Solution, known: Collection[str]) -> list[Fault]:
    """A fault for each technique of ``solution.yaml`` that no catalogue has: a paper would never reach its knobs."""
    found = []
    for name in solution.techniques:
        if name not in known:
            text = f"no technique of {CATALOG_FILE} has this id{did_you_mean(name, known)}"
            found.append(Fault(document.file, document.line_of(("techniques", name)), f"techniques.{name}", text))
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
        found += _undirected(document, solution, load_benchmark(settings, solution.benchmark).benchmark)
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
