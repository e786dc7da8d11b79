"""``make demo``: the whole loop in a real Airflow, from behind to #1, on a world that has not been seen before."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from auto_benchmark.db.repositories import hypotheses, production, submissions
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.experiments.submission import submit
from auto_benchmark.flows.flow import next_run_id
from auto_benchmark.project.configuration import DEFAULT_PROJECT
from auto_benchmark.project.context import Context, make_context
from auto_benchmark.reporting.status import BoardStatus
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import HttpConnection, NamedConnections
from auto_benchmark.stack import services
from auto_benchmark.stack.airflow_api import AirflowApi
from auto_benchmark.stack.launcher import Launcher
from auto_benchmark.stack.saturation_act import SaturationAct, copied
from auto_benchmark.stack.session import database
from auto_benchmark.stack.story import Story
from auto_benchmark.telling.status import status

PLAYS = ("leaderboard_scrape", "experiment_sweep_urgent", "report_digest")
"""DAGs that the demo needs; the others stay paused until it is over, so that no schedule interferes."""
READS = "research_ingest"
"""Started when the story is told: the feed needs the internet, which a demo must not."""
LIMIT_S = 2400.0
"""Of one DAG run. A sweep of thirty trials takes 5 minutes on two quiet cores and was seen to take 15 on busy ones."""
POLL_S = 1.0
SWEEPS_TO_WIN = 3


def run_demo(settings: Settings, *, say: Callable[[str], None], saturation: bool = False) -> dict[str, Any]:
    """Play the story once, in ``<home>/demo``, which starts empty; the stack keeps running afterwards.

    Args:
        settings: of this machine.
        say: told each line.
        saturation: go on with a board that saturates and the benchmark that follows it.

    Returns:
        ``{"rank_before", "rank_after", "board", "hypothesis_id", "score_before", "score_after", "arena_score",
        "decision_id", "seconds"}``, and ``saturation`` where it was asked for.

    Raises:
        AutoBenchmarkError: the loop did not get to its end.
    """
    began = time.monotonic()
    settings = demo_settings(settings)
    before = Launcher(settings, say)
    if before.layout.root.is_dir():
        before.down()
    shutil.rmtree(settings.root, ignore_errors=True)
    settings = copied(settings) if saturation else settings
    launcher = Launcher(settings, say)
    launcher.up(unpause=False)
    with ExitStack() as stack:
        api = stack.enter_context(launcher.airflow())
        url = launcher.environment()["AUTO_BENCHMARK_DB_URL"]
        sessions = stack.enter_context(database(settings.model_copy(update={"db_url": SecretStr(url)})))
        story = Story(sessions, DEFAULT_PROJECT, say, began=began)
        arena = HttpConnection(services.urls(launcher.ports)["arena"], SecretStr(launcher.arena_token() or ""))
        ctx = make_context(settings, sessions, NamedConnections({"arena": arena}))
        for dag_id in PLAYS:
            api.unpause(dag_id)
        demo = _Demo(ctx, api, story)
        told = demo.play()
        if saturation:
            api.unpause("benchmark_construction")
            told["saturation"] = SaturationAct(ctx, demo, story).play()
        for dag_id, paused in api.dags().items():
            if paused:
                api.unpause(dag_id)
        api.trigger(READS)
        story.say("papers     the research feed is read from now on; what it finds, or cannot reach: research_log.md")
    for name, url in services.urls(launcher.ports).items():
        say(f"{name:8} {url}")
    say(f"log in as {launcher.user} with the password {launcher.credentials.password}; make down stops everything")
    again = {
        "HOME": settings.root,
        **({"CONFIG": settings.config, "BENCHMARKS": settings.benchmarks} if saturation else {}),
    }
    words = " ".join(f"AUTO_BENCHMARK_{name}={place}" for name, place in again.items())
    say(f"its data lie in {settings.root}: {words} make up starts it again")
    return {**told, "seconds": round(time.monotonic() - began, 1)}


def demo_settings(settings: Settings) -> Settings:
    """The same settings with a home of the demo's own."""
    return Settings(home=settings.root / "demo")


@dataclass
class _Demo:
    """The acts of the story."""

    ctx: Context
    api: AirflowApi
    story: Story

    def play(self) -> dict[str, Any]:
        """All acts; what came out of it, without the time."""
        self.story.say("ACT 1      the boards as they are, and our system handed in as it is")
        self._scrape()
        submit(self.ctx)
        self.story.catch_up()
        self.story.say("ACT 2      a competitor answers; the scrape sees that we were passed")
        self._scrape()
        before = self._standings()
        self._tell_standings()
        self.story.say("ACT 3      the rank drop starts an urgent sweep")
        self._sweep_until_first()
        self.story.say("ACT 4      the digest")
        digest = self.run("report_digest")
        if digest["state"] != "success":
            raise AutoBenchmarkError("the digest was not written; see its log in the Airflow UI")
        self.story.say(f"digest     {next(iter(sorted((self.ctx.home / 'reports').glob('digest-*.md'))))}")
        return self._result(before)

    def _sweep_until_first(self) -> None:
        """Follow the urgent sweep; start another sweep while we are not first anywhere."""
        self._follow("experiment_sweep_urgent", self._first_run("experiment_sweep_urgent"))
        for attempt in range(SWEEPS_TO_WIN):
            self._scrape()
            self._tell_standings()
            if any(board.our_rank == 1 for board in self._standings().values()):
                return
            if attempt < SWEEPS_TO_WIN - 1:
                self.story.say("not first yet: the next sweep starts from what was learned")
                self.sweep()

    def sweep(self) -> None:
        """Start a sweep and wait for it and those that it starts."""
        self.api.unpause("experiment_sweep")
        self._follow("experiment_sweep", self.api.trigger("experiment_sweep"))

    def wait_for_first(self, dag_id: str) -> dict[str, Any]:
        """Wait for the run that an event starts."""
        return self._wait(dag_id, self._first_run(dag_id))

    def _follow(self, dag_id: str, run_id: str) -> None:
        """Wait for a sweep and for the sweeps that it starts."""
        while True:
            self._wait(dag_id, run_id)
            runs = {run["dag_run_id"] for run in self.api.runs(dag_id)}
            run_id = next_run_id(run_id)
            if run_id not in runs:
                return

    def _first_run(self, dag_id: str) -> str:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if runs := self.api.runs(dag_id):
                return str(runs[-1]["dag_run_id"])
            time.sleep(POLL_S / 2)
        raise AutoBenchmarkError(f"nothing started {dag_id} within two minutes; is the triggerer alive?")

    def _scrape(self) -> None:
        if self.run("leaderboard_scrape")["state"] != "success":
            raise AutoBenchmarkError("leaderboard_scrape failed; see its log in the Airflow UI")

    def run(self, dag_id: str) -> dict[str, Any]:
        """Start a DAG and wait for its run."""
        self.api.unpause(dag_id)
        return self._wait(dag_id, self.api.trigger(dag_id))

    def _wait(self, dag_id: str, run_id: str) -> dict[str, Any]:
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            self.story.catch_up()
            run = self.api.run(dag_id, run_id)
            if run["state"] in {"success", "failed"}:
                self.story.catch_up()
                return run
            time.sleep(POLL_S)
        raise AutoBenchmarkError(f"{dag_id} {run_id} did not end within {LIMIT_S:g} s")

    def _standings(self) -> dict[str, BoardStatus]:
        return {board.board: board for board in status(self.ctx).boards}

    def _tell_standings(self) -> None:
        for board in self._standings().values():
            rank = "not listed" if board.our_rank is None else f"#{board.our_rank} with {board.our_score:.4f}"
            self.story.say(f"{board.board:16} {rank}; {board.leader} leads with {board.leader_score:.4f}")

    def _result(self, before: dict[str, BoardStatus]) -> dict[str, Any]:
        """What the promotion behind the present production configuration changed."""
        after = self._standings()
        with self.ctx.sessions() as session:
            current = production.current(session=session, project=self.ctx.project)
            if current is None or current.candidate.decision_id is None:
                raise AutoBenchmarkError("no experiment was promoted")
            hypothesis_id = current.candidate.hypothesis_id or ""
            found = hypotheses.get(session=session, project=self.ctx.project, hypothesis_id=hypothesis_id)
            board = found.target_leaderboards[0] if found else self.ctx.boards[0].name
            sent = submissions.listed(session=session, project=self.ctx.project, board=board)
            arena_score = next((s.score for s in sent if s.production_config_id == current.id), None)
        return {
            "rank_before": before[board].our_rank,
            "rank_after": after[board].our_rank,
            "board": board,
            "hypothesis_id": hypothesis_id,
            "score_before": before[board].our_score,
            "score_after": current.candidate.scores.get(board),
            "arena_score": arena_score,
            "decision_id": current.candidate.decision_id,
        }
