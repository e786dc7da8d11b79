"""What every step is given: one project, its database, its bench and the world around it."""

from __future__ import annotations

import logging
import os
import socket
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.db.repositories import installation
from auto_benchmark.project.bench import Bench, make_bench, short_hash
from auto_benchmark.project.board_benchmarks import with_boards
from auto_benchmark.project.configuration import DEFAULT_PROJECT, ProjectConfig, environment_notes, load_project
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import Connections
from auto_benchmark.terminal import one_line

log = logging.getLogger(__name__)


def utc_now() -> datetime:
    """The present, with its timezone."""
    return datetime.now(UTC)


def new_owner() -> str:
    """A lease owner that no other process uses: host, process and a random part."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


@dataclass(frozen=True, slots=True)
class Context:
    """One project at work.

    Attributes:
        sessions: makes database sessions; steps own the transactions.
        connections: endpoints by ``conn_id``.
        say: tells a person what happens, one line at a time.
    """

    settings: Settings
    config: ProjectConfig
    sessions: sessionmaker[Session]
    bench: Bench
    connections: Connections
    now: Callable[[], datetime] = utc_now
    say: Callable[[str], None] = field(default=lambda _: None)

    @property
    def project(self) -> str:
        """The project's name."""
        return self.config.name

    @property
    def home(self) -> Path:
        """Where the project's files are written."""
        return self.settings.project_home(self.project)

    @property
    def trial_name_prefix(self) -> str:
        """What the names of all this project's containers begin with, and of no other project's."""
        database = self.settings.db_url.get_secret_value() if self.settings.db_url else self.settings.root
        return f"ab-{short_hash(self.settings.root, database, self.project)}-"

    def trial_name(self, trial_id: int) -> str:
        """Name of a trial's container: one engine may serve many databases, each of which counts from 1."""
        return f"{self.trial_name_prefix}{self.project}-{trial_id}"

    @property
    def ours(self) -> list[str]:
        """Our name on the boards and its aliases."""
        return [self.config.registry.our_solution.name, *self.config.registry.our_solution.aliases]

    @property
    def boards(self) -> list[Leaderboard]:
        """The watched boards, in the registry's order."""
        return self.config.registry.target_leaderboards

    def board(self, name: str) -> Leaderboard:
        """One board. Raises KeyError."""
        return self.config.registry.board(name)

    def metric_of(self, board: str) -> tuple[str, bool] | None:
        """The local metric that stands for a board and whether higher is better; None when it has none."""
        declared = self.bench.benchmark.benchmark.boards.get(board)
        return None if declared is None else (declared.metric, declared.higher_is_better)


def make_context(
    settings: Settings,
    sessions: sessionmaker[Session],
    connections: Connections,
    *,
    project: str = DEFAULT_PROJECT,
    say: Callable[[str], None] = lambda _: None,
) -> Context:
    """Load a project and put its context together. Raises InputError or ConfigError."""
    for note in environment_notes(settings):
        log.warning("%s", note)
    config = load_project(settings, project)
    secret = partial(installation.seed_secret, sessions=sessions)
    bench = make_bench(
        settings, config.solution, rates=config.schedule.rate_card, secret=secret, benchmark=config.benchmark
    )
    measured = with_boards(bench.benchmark.benchmark, config.registry.target_leaderboards)
    bench = replace(bench, benchmark=replace(bench.benchmark, benchmark=measured))
    return Context(settings, config, sessions, bench, connections, say=lambda line: say(one_line(line)))
