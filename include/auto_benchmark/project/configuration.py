"""Everything that users declare: where it lies, and how it is loaded."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auto_benchmark import documents
from auto_benchmark.documents import Document, ModelT
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.registry.names import project_name
from auto_benchmark.registry.schedule import ScheduleFile
from auto_benchmark.settings import INCLUDE, Settings
from auto_benchmark.spelling import did_you_mean

if TYPE_CHECKING:  # models that take time to build: no DAG file needs them when it is parsed
    from auto_benchmark.registry.benchmark import Benchmark
    from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
    from auto_benchmark.registry.leaderboard import Leaderboard
    from auto_benchmark.registry.solution import Solution

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
    return found + [folder.name for folder in project_folders(settings) if misnamed(folder) is None]


def project_folders(settings: Settings) -> list[Path]:
    """Every folder under ``projects``, whatever its name."""
    projects = settings.config / "projects"
    return sorted(p for p in projects.iterdir() if p.is_dir()) if projects.is_dir() else []


def misnamed(folder: Path) -> Fault | None:
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
    from auto_benchmark.registry.solution import Solution

    for base in (settings.solutions, relative_to or Path(), Path()):
        path = base / name
        folder = path.parent if path.name == "solution.yaml" else path
        if _is_file(folder / "solution.yaml"):
            file = folder / "solution.yaml"
            return SolutionFolder(folder.resolve(), documents.load(Solution, file, shown_as=shown(file)))
    known = sorted(p.parent.name for p in settings.solutions.glob("*/solution.yaml"))
    raise InputError(f"no solution {name!r} (no folder with a solution.yaml); there are {', '.join(known) or 'none'}")


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is the name of none."""
    try:
        return path.is_file()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def load_benchmark(settings: Settings, name: str) -> BenchmarkFolder:
    """Load a benchmark by name. Raises InputError or ConfigError."""
    from auto_benchmark.registry.benchmark import Benchmark

    file = settings.benchmarks / name / "benchmark.yaml"
    if not _is_file(file):
        raise InputError(f"no benchmark {name!r}: {shown(file)} does not exist")
    return BenchmarkFolder(file.parent.resolve(), documents.load(Benchmark, file, shown_as=shown(file)))


def load_project(settings: Settings, project: str = DEFAULT_PROJECT) -> ProjectConfig:
    """Load one project.

    Raises:
        InputError: when it does not exist or names no solution.
        ConfigError: when a file is faulty.
    """
    from auto_benchmark.project.adopted_boards import adopted_boards, with_adopted
    from auto_benchmark.registry.competitive_registry import CompetitiveRegistry

    directory = project_directory(settings, project)
    file = directory / REGISTRY_FILE
    if not file.is_file():
        raise InputError(f"no project {project!r}: {shown(file)} does not exist")
    registry = documents.load(CompetitiveRegistry, file, shown_as=shown(file))
    schedule = load_optional(ScheduleFile, directory / "schedule.yaml")
    if registry.our_solution.solution is None:
        raise ConfigError([Fault(shown(file), None, "our_solution.solution", "is required to run experiments")])
    solution = load_solution(settings, registry.our_solution.solution)
    adopted = adopted_boards(settings, project)
    benchmark = load_benchmark(settings, _measured_on(registry, adopted) or solution.solution.benchmark)
    require_directions(solution, benchmark.benchmark)
    return ProjectConfig(project, with_adopted(registry, adopted), schedule, solution, benchmark)


def _measured_on(registry: CompetitiveRegistry, adopted: list[Leaderboard]) -> str | None:
    """The benchmark that the loop works on, where it is not the solution's own."""
    return registry.our_solution.benchmark or next((b.benchmark for b in reversed(adopted) if b.benchmark), None)


def require_directions(solution: SolutionFolder, benchmark: Benchmark) -> None:
    """Raise ConfigError where nothing says whether more of a guarded metric is better or worse."""
    if any(solution.solution.metrics.undirected(benchmark.directions)):
        file = solution.path / "solution.yaml"
        raise ConfigError(undirected(documents.read(file, shown_as=shown(file)), solution.solution, benchmark))


def undirected(document: Document, solution: Solution, benchmark: Benchmark) -> list[Fault]:
    """A fault for each guarded metric of which nothing says whether more is better."""
    return [
        Fault(document.file, document.line_of(("metrics", "guards", i)), f"metrics.guards[{i}]", text)
        for i, text in solution.metrics.undirected(benchmark.directions)
    ]


def load_optional(model: type[ModelT], file: Path) -> ModelT:
    """Load a file that may be absent; its defaults then. Raises ConfigError, also where its folder cannot be entered."""
    try:
        is_there = file.exists()
    except OSError as error:
        raise ConfigError([Fault(shown(file), None, "", f"cannot be read: {error.strerror or error}")]) from None
    return documents.load(model, file, shown_as=shown(file)) if is_there else model()


def shown(path: Path) -> str:
    """A path as a user would type it: relative to the working directory where possible."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (ValueError, RuntimeError):  # elsewhere, or a link to itself
        return str(path)


def environment_notes(settings: Settings) -> list[Fault]:
    """What the process' environment asks for and should not."""
    one_writer = (settings.mlflow_url or "").startswith("sqlite") and settings.parallel_trials > 1
    reason = (
        f"a sqlite file is locked by one writer at a time and {settings.parallel_trials} trials run at once; runs wait "
        "in the journal meanwhile. Use an MLflow server on Postgres"
    )
    return [Fault("environment", None, "AUTO_BENCHMARK_MLFLOW_URL", reason)] if one_writer else []


def catalog_file(settings: Settings, directory: Path) -> Path:
    """A project's own technique catalogue, else the default project's, else the one that comes with the package.

    Raises:
        InputError: when none of them exists.
    """
    for folder in (directory, settings.config, INCLUDE / "config"):
        if os.path.isfile(folder / CATALOG_FILE):  # noqa: PTH113 - false where the folder cannot be entered
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
