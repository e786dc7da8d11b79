"""The toy project with a database of its own: real trial processes, a board in a file."""

import itertools
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from auto_benchmark.cli import main
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.project.context import make_context
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections

TOY = Path(__file__).parents[2] / "toy"
BEHIND = "system,accuracy\nLeader,0.90\nOurs,0.61\nLast,0.50\n"
_numbers = itertools.count(1)


class Toy:
    """A context, what it said, and its board."""

    def __init__(self, ctx, said, board):
        self.ctx, self.said, self.board = ctx, said, board

    def again(self):
        """The same project as a new process reads it."""
        self.ctx = make_context(self.ctx.settings, self.ctx.sessions, NamedConnections({}), say=self.said.append)
        return self.ctx

    def scheduled(self, **parts):
        """The same project under another schedule; ``parts`` are updates of ``automation`` or ``budget``."""
        schedule = self.ctx.config.schedule
        changed = {name: getattr(schedule, name).model_copy(update=update) for name, update in parts.items()}
        return replace(self.ctx, config=replace(self.ctx.config, schedule=schedule.model_copy(update=changed)))


@pytest.fixture
def toy(tmp_path, postgres, template_database):
    shutil.copytree(TOY, tmp_path / "toy")
    board = tmp_path / "toy" / "config" / "board.csv"
    board.write_text(BEHIND)
    settings = Settings(
        home=tmp_path / "home", config=board.parent, benchmarks=tmp_path / "toy" / "benchmarks",
        solutions=tmp_path / "toy" / "solutions",
    )  # fmt: skip
    bind = engine(postgres.create_database(f"loop_{next(_numbers)}", template=template_database))
    said = []
    ctx = make_context(settings, session_factory(bind), NamedConnections({}), say=said.append)
    yield Toy(ctx, said, board)
    bind.dispose()


@pytest.fixture
def command(toy, monkeypatch, capsys):
    """Runs a command on the toy project; its exit code and standard output."""
    url = toy.ctx.sessions.kw["bind"].url.render_as_string(hide_password=False)
    settings = toy.ctx.settings
    places = {"HOME": settings.home, "CONFIG": settings.config, "BENCHMARKS": settings.benchmarks}
    for name, value in {**places, "SOLUTIONS": settings.solutions, "DB_URL": url}.items():
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name}", str(value))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["auto-benchmark", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr().out

    return run
