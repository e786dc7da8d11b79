"""Through which files a board, a paper and a trial's result pass: counted on real runs of the flows' own steps.

``python perf/files_on_the_way.py [--kept]``. The toy project of the tests, a real Postgres and real trial processes; every
call of a function of the library is seen with ``sys.setprofile``.

A file is **on the way** when a function of it gives the thing back in one of its forms (``FORMS``), or takes it and is
declared to return nothing, because it stores, writes or sends it; and when such a call goes through a function of it,
from the step on. A function that takes the thing and returns something else answers a question about it, for example
which column holds the scores: a reader who follows the thing need not open it. Trials of other configurations, which
the gate compares with, are not the thing. All files that were entered are counted beside, without exception.

A file is **visited twice** when more than one file on the way leads to it. Repositories (``db/repositories``) are named
apart: a step takes the thing from the database, where the step before has left it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("perf", ".", "include", "plugins")]
LIBRARY = f"{ROOT / 'include' / 'auto_benchmark'}/"
FORMS: Mapping[str, Collection[str]] = {
    "board": (
        "boards.scrape.BoardDocument", "sources.fetch.Fetched", "sources.page.Page", "tables.table.Table",
        "tables.entry.ParsedBoard",
        "leaderboards.snapshot.BoardReading", "leaderboards.snapshot.Snapshot", "leaderboards.delta.Delta",
        "leaderboards.snapshot.RankDrop", "leaderboards.our_entries.JudgedBoard", "leaderboards.gap_matrix.BoardState",
        "leaderboards.gap_matrix.GapMatrix", "leaderboards.triggers.Trigger", "leaderboards.triggers.KeyedTrigger",
        "boards.landscape.Landscape",
    ),
    "paper": (
        "research.paper.Paper", "research.record.PaperRecord", "research.record.Dossier", "research.assessment.Findings",
        "research.assessment.Assessment", "hypotheses.hypothesis.Hypothesis",
    ),
    "trial": (
        "contract.record.Trial", "runners.runner.TrialRequest", "runners.runner.RunResult", "contract.scoring.Scores",
        "contract.record.TrialResult", "db.repositories.observations.FinishedTrial", "promotion.schema.Evidence",
        "experiments.gate.evidence.Gathered", "promotion.gate.Case", "promotion.schema.Decision",
    ),
}  # fmt: skip
"""Way -> the classes in which the whole thing travels; parts of it, as an entry or a column, are none."""
NO_PLACES = {
    "project/context.py": "the bundle that every step is given",
    "parallel.py": "runs a function beside others",
}
"""Files that pass everything on alike, with the reason why they are no place of their own."""


@dataclass
class Way:
    """What was seen of one thing.

    Attributes:
        forms: classes in which it travels.
        trial: the trial that is followed; None where all things of these classes are.
        entered: every file of which a function ran, in order.
        files: those on the way, in order.
        doors: file on the way -> files that lead to it.
    """

    forms: tuple[type, ...]
    trial: int | None = None
    entered: dict[str, None] = field(default_factory=dict)
    files: dict[str, set[str]] = field(default_factory=dict)
    doors: dict[str, set[str]] = field(default_factory=dict)

    def seen(self, frame: FrameType, event: str, returned: Any) -> None:
        """The hook of ``sys.setprofile``."""
        if event not in {"call", "return"} or (name := _file_of(frame.f_code)) is None or _is_importing(frame):
            return
        if event == "call":
            self.entered.setdefault(name)
        elif self._is_passed_on(frame, returned):
            self._note(frame)

    def _is_passed_on(self, frame: FrameType, returned: Any) -> bool:
        if not _is_function(frame.f_code):
            return False
        return self._holds(returned) or (returned is None and self._is_given(frame))

    def _is_given(self, frame: FrameType) -> bool:
        """Whether the function takes the thing and does something with it."""
        arguments = (frame.f_locals.get(name) for name in _parameters(frame.f_code))
        return any(map(self._holds, arguments)) and _returns_nothing(frame.f_code)

    def _holds(self, value: Any) -> bool:
        """Whether ``value`` is the thing, or a few of it."""
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, tuple | list):
            return any(self._is_it(one) for one in value[:8])
        return self._is_it(value)

    def _is_it(self, value: Any) -> bool:
        of = getattr(value, "trial_id", None) or getattr(value, "id", None)
        return isinstance(value, self.forms) and (self.trial is None or not isinstance(of, int) or of == self.trial)

    def _note(self, frame: FrameType) -> None:
        """Every file from the step to this call."""
        inner, function, at = None, frame.f_code.co_qualname, frame
        while at is not None:
            name = _file_of(at.f_code)
            if name is not None and name not in NO_PLACES:
                self.files.setdefault(name, set())
                if inner is None:
                    self.files[name].add(function)
                elif inner != name:
                    self.doors.setdefault(inner, set()).add(name)
                inner = name
            at = at.f_back

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Everything that this process calls meanwhile, in every thread."""
        threading.setprofile(self.seen)
        sys.setprofile(self.seen)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def facts(self) -> dict[str, Any]:
        """What is kept."""
        order = [name for name in self.entered if name in self.files]
        twice = {name: sorted(doors) for name in order if len(doors := self.doors.get(name, set())) > 1}
        stores = {name: twice.pop(name) for name in list(twice) if name.startswith("db/repositories/")}
        return {
            "files": len(order), "visited_twice": twice, "stores": stores, "entered": len(self.entered),
            "way": {name: sorted(self.files[name]) for name in order},
        }  # fmt: skip


def _file_of(code: CodeType) -> str | None:
    path = code.co_filename
    return path[len(LIBRARY) :] if path.startswith(LIBRARY) and path.endswith(".py") else None


def _is_function(code: CodeType) -> bool:
    return not code.co_name.startswith("<") and not code.co_flags & 0x20  # a generator gives its elements one by one


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


@cache
def _returns_nothing(code: CodeType) -> bool:
    """Whether the function is declared to return None, and is no constructor, which keeps what it takes for later."""
    found: Any = import_module(f"auto_benchmark.{str(_file_of(code)).removesuffix('.py').replace('/', '.')}")
    for part in code.co_qualname.split("."):
        found = getattr(found, part, None)
    return code.co_name != "__init__" and getattr(found, "__annotations__", {}).get("return") == "None"


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "_find_and_load":
            return True
        frame = frame.f_back
    return False


def way_of(thing: str) -> Way:
    """An empty way."""
    named = [f"auto_benchmark.{form}".rpartition(".") for form in FORMS[thing]]
    return Way(tuple(getattr(import_module(module), name) for module, _, name in named))


def board(ctx: Any, files: Any) -> Way:
    """One scrape of a board on which a competitor has appeared above us, and what it sets in motion."""
    from auto_benchmark.boards import steps
    from auto_benchmark.ideas.steps import reconcile

    reconcile(ctx)
    steps.scrape_board(ctx, "ToyBoard")
    steps.update_landscape(ctx, None)
    files.board.write_text("system,accuracy\nLeader,0.90\nOther,0.80\nOurs,0.61\nLast,0.50\n")
    way = way_of("board")
    with way.watched():
        assert steps.scrape_board(ctx, "ToyBoard")["changed"]
        assert steps.update_landscape(ctx, None)["unclaimed_rank_drops"]
    return way


def paper(ctx: Any, web: Any, endpoints: Any) -> Way:
    """One paper from the feed to a hypothesis."""
    from auto_benchmark.papers import steps

    asked = {"web": web, "endpoints": endpoints}
    way = way_of("paper")
    with way.watched():
        steps.fetch_papers(ctx, "cli", False, **asked)
        steps.screen_relevance(ctx)
        steps.extract_techniques(ctx, **asked)
        steps.assess_applicability(ctx, **asked)
        steps.write_research_log(ctx)
        assert steps.generate_hypotheses(ctx, web=web)
    return way


def trial(ctx: Any) -> Way:
    """One seed of a candidate: its process, its score, its row; and the gate's decision, which rests on it."""
    from auto_benchmark.experiments import steps

    steps.run_trials(ctx, steps.plan_search(ctx, 0, "normal"))
    hypothesis = steps.claim(ctx, "cli")
    assert hypothesis is not None
    steps.run_trials(ctx, steps.plan_validation(ctx, hypothesis))
    assert steps.validate(ctx, hypothesis)
    planned = steps.plan_round(ctx, hypothesis, 0)
    way = way_of("trial")
    way.trial = planned[0]
    with way.watched():
        assert steps.run_trial(ctx, planned[0])["state"] == "done"
    steps.run_trials(ctx, planned[1:])
    with way.watched():
        assert steps.decide(ctx, hypothesis, 0)["decision_id"]
    return way


def measure() -> dict[str, Any]:
    """All three ways, on one toy project."""
    import yaml
    from tests.fakes import papers_server
    from tests.fakes.clock import FrozenClock
    from tests.fakes.opener import loopback
    from tests.research_world import PAPER
    from tests.toy_project import ToyFiles, toy_context, toy_database

    from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
    from auto_benchmark.db.migrate import upgrade
    from auto_benchmark.sources.papers.collect import Endpoints
    from auto_benchmark.sources.papers.web import Pace, Web

    with tempfile.TemporaryDirectory(prefix="auto-benchmark-ways-") as name:
        folder, clock = Path(name), FrozenClock()
        folder.chmod(0o755)
        with (
            EmbeddedPostgres(folder / "postgres", settings=FAST_AND_UNSAFE) as postgres,
            papers_server.served(papers_server.FakeServices()) as services,
        ):
            upgrade(postgres.create_database("migrated"))
            (folder / "project").mkdir()
            files = ToyFiles(folder / "project")
            files.declare(techniques={"self_consistency": {"reads": 6}})
            sources = {"research_sources": {"arxiv_queries": ["repeated reads"]}}
            (files.config / "research_config.yaml").write_text(yaml.safe_dump(sources))
            services.routes["/api/query"] = papers_server.arxiv([PAPER])
            web = Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)
            endpoints = Endpoints(*[services.url] * 5)
            with toy_context(files.settings(), toy_database(postgres, "migrated"), say=lambda _: None) as ctx:
                runs: dict[str, Callable[[], Way]] = {
                    "board": lambda: board(ctx, files),
                    "paper": lambda: paper(ctx, web, endpoints),
                    "trial": lambda: trial(ctx),
                }
                return {thing: run().facts() for thing, run in runs.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kept", action="store_true", help="write results/files_on_the_way.json")
    wanted = parser.parse_args()
    found = measure()
    if wanted.kept:
        from measured import keep

        keep("files_on_the_way", found)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
