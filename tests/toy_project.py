"""The toy project of ``tests/toy``: its files, its database and its context are made here and nowhere else.

A test takes the fixture ``toy``. One that changes the files first calls ``ToyFiles``, ``toy_database`` and
``toy_context`` in turn, and leaves out what it does not need.
"""

from __future__ import annotations

import itertools
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from auto_benchmark.cli import main
from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.project.context import Context, make_context
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import Connections, NamedConnections

TOY = Path(__file__).parent / "toy"
"""The original; a test that only reads may point at it."""
BEHIND = "system,accuracy\nLeader,0.90\nOurs,0.61\nLast,0.50\n"
"""The board at the start: we are second of three."""
_numbers = itertools.count(1)


class ToyFiles:
    """A copy of the toy project in ``folder/toy``; what it writes lies in ``folder/home``.

    Args:
        folder: an existing folder of the test's own.
        board: the text of the board, a CSV file.
    """

    def __init__(self, folder: Path, board: str = BEHIND) -> None:
        self.folder, self.home = folder, folder / "home"
        self.root = shutil.copytree(TOY, folder / "toy")
        self.config, self.benchmarks, self.solutions = (
            self.root / part for part in ("config", "benchmarks", "solutions")
        )
        self.solution = self.solutions / "toy"
        self.board = self.config / "board.csv"
        self.board.write_text(board)

    def settings(self, **more: Any) -> Settings:
        """Settings that point at these files; ``more`` are further fields of ``Settings``."""
        parts = {"config": self.config, "benchmarks": self.benchmarks, "solutions": self.solutions}
        return Settings(home=self.home, **parts, **more)

    def declare(self, **changed: Any) -> None:
        """Set fields of ``solution.yaml``, in whatever form YAML gives them."""
        file = self.solution / "solution.yaml"
        file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | changed, sort_keys=False))

    def follow(self) -> None:
        """Declare that whatever is written into the solution's folder is live at once."""
        schedule = self.config / "schedule.yaml"
        schedule.write_text(f"{schedule.read_text()}code: {{folder: follow}}\n")

    def train_also(self, code: str) -> str:
        """Append to the solution's program. Returns the whole program."""
        file = self.solution / "train.py"
        file.write_text(f"{file.read_text()}\n{code}")
        return file.read_text()


def add_project(config: Path, name: str, board: str = BEHIND) -> Path:
    """Declare the toy project once more, as ``name`` in the folder ``config``. Returns its own folder there."""
    folder = shutil.copytree(TOY / "config", config / "projects" / name)
    (folder / "board.csv").write_text(board)
    return folder


def environment(settings: Settings, **more: Any) -> dict[str, str]:
    """The variables from which a new process reads the same settings; ``more`` are further fields."""
    fields = {name: getattr(settings, name) for name in settings.model_fields_set} | more
    plain = {name: v.get_secret_value() if isinstance(v, SecretStr) else v for name, v in fields.items()}
    return {f"AUTO_BENCHMARK_{name.upper()}": str(value) for name, value in plain.items()}


def enter(monkeypatch: pytest.MonkeyPatch, settings: Settings, **more: Any) -> None:
    """Let whatever runs in this process find the project of ``settings``; ``more`` are further fields."""
    for name, value in environment(settings, **more).items():
        monkeypatch.setenv(name, value)


def enter_through_airflow(monkeypatch: pytest.MonkeyPatch, settings: Settings, url: str) -> None:
    """The same for Airflow, which knows the database as a Connection."""
    enter(monkeypatch, settings)
    monkeypatch.setenv("AIRFLOW_CONN_AUTO_BENCHMARK_DB", url.replace("postgresql+psycopg", "postgresql"))


def toy_database(postgres: EmbeddedPostgres, template_database: str) -> str:
    """URL of a new, migrated database."""
    return postgres.create_database(f"toy_{next(_numbers)}", template=template_database)


@contextmanager
def toy_context(
    settings: Settings, url: str, connections: Connections | None = None, **more: Any
) -> Iterator[Context]:
    """The project of ``settings`` in the database at ``url``; ``more`` goes to ``make_context``."""
    bind = engine(url)
    try:
        yield make_context(settings, session_factory(bind), connections or NamedConnections({}), **more)
    finally:
        bind.dispose()


class Toy:
    """A context, what it said, and its files."""

    def __init__(self, ctx: Context, said: list[str], files: ToyFiles, url: str) -> None:
        self.ctx, self.said, self.files, self.url = ctx, said, files, url

    @property
    def board(self) -> Path:
        """The board's file."""
        return self.files.board

    def again(self) -> Context:
        """The same project as a new process reads it."""
        self.ctx = make_context(self.ctx.settings, self.ctx.sessions, NamedConnections({}), say=self.said.append)
        return self.ctx

    def follow(self) -> Context:
        """The same project where the solution's folder is live; for what edits it, or writes rows that name no code."""
        self.files.follow()
        return self.again()

    def scheduled(self, **parts: dict[str, Any]) -> Context:
        """The same project under another schedule; ``parts`` are updates of ``automation`` or ``budget``."""
        schedule = self.ctx.config.schedule
        changed = {name: getattr(schedule, name).model_copy(update=update) for name, update in parts.items()}
        return replace(self.ctx, config=replace(self.ctx.config, schedule=schedule.model_copy(update=changed)))


@pytest.fixture
def toy(tmp_path: Path, postgres: EmbeddedPostgres, template_database: str) -> Iterator[Toy]:
    """The toy project with a database of its own: real trial processes, a board in a file."""
    files, url, said = ToyFiles(tmp_path), toy_database(postgres, template_database), []
    with toy_context(files.settings(), url, say=said.append) as ctx:
        yield Toy(ctx, said, files, url)


@pytest.fixture
def command(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[Any, str]]:
    """Runs a command on the toy project; its exit code and standard output."""
    enter(monkeypatch, toy.ctx.settings, db_url=toy.url)

    def run(*words: str) -> tuple[Any, str]:
        monkeypatch.setattr(sys, "argv", ["auto-benchmark", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr().out

    return run
