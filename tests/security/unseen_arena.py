"""The door of the hundred cheats for those that were written without knowing them: whole programs, and what they logged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from tests.security.cheat_arena import LIMITS, Arena, Tried
from tests.security.unseen_cheats import PROGRAM, Unseen
from tests.toy_project import ToyFiles, toy_context, toy_database

from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.repositories import hypotheses, trials
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.experiments.trials.planned import folder_of
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.intake import take_in

NONE, HONEST = "none", "honest"
PATIENCE = {"fast_budget_s": 20.0, "budget_s": 20.0}
"""A machine that is shared must not end by the clock what a guard has to refuse."""
KNOBS = {
    "reads": {"type": "int", "range": [1, 6], "default": 2},
    "offset": {"type": "float", "range": [-9, 9], "default": 0},
    "flip": {"type": "float", "range": [0, 0.5], "default": 0.2},
}
ENDS = {NONE: "write(answers())", HONEST: "write(answers(reads=6, flip=0.02))"}


@dataclass(frozen=True)
class Seen:
    """How a cheat came out, and what its trials logged about it."""

    tried: Tried
    logged: tuple[str, ...]

    def was_carried_out(self, cheat: Unseen) -> bool:
        """Whether it did what it is for, or was refused for it; one that fails for its own mistake shows nothing."""
        return any(re.search(cheat.did, line) for line in (*self.logged, self.tried.reason))


class UnseenArena(Arena):
    """A project whose solution holds every program as a value of its knob ``cheat``."""

    def see(self, cheat: Unseen | None) -> Seen:
        """Try one, from the queue to its end; None is an honest improvement."""
        self._cheat = cheat
        if cheat and any(name == "solution.yaml" for name, _ in cheat.files):
            return self._as_code(cheat)
        tried = self.try_(cheat)  # type: ignore[arg-type]
        ctx = self.ctx
        with ctx.sessions() as session:
            number = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=self.last_id)
            ran = trials.of_experiment(session=session, experiment_id=number or 0)
        folders = [ctx.home / trial.artifact_uri if trial.artifact_uri else folder_of(ctx, trial) for trial in ran]
        logs = [file for folder in folders for file in folder.rglob("train.log")]
        lines = {
            line[:300] for log in logs for line in log.read_text(errors="replace").splitlines() if "CHEAT" in line
        }
        return Seen(tried, tuple(sorted(lines)))

    def _said(self, wanted: Hypothesis) -> Hypothesis:
        told = dict(self._cheat.document) if self._cheat else {}
        return Hypothesis.model_validate(wanted.model_dump() | told)

    def _as_code(self, cheat: Unseen) -> Seen:
        """Propose the folder itself, where the cheat lies in what the folder declares."""
        place = self.files.folder / "proposed"
        place.mkdir()
        for name, text in (*cheat.files, ("train.py", cheat.program)):
            (place / name).write_text(text)
        change = {"change": "c", "code": {"folder": "proposed"}, "effort": "Low", "estimated_gain": 0.4}
        file = self.files.folder / "idea.yaml"
        file.write_text(yaml.safe_dump({"title": "t", "implementation": change}))
        try:
            with self.ctx.sessions.begin() as session:
                take_in(self.ctx, session, *read_idea(file), beside=self.files.folder)
            outcome, reason = "queued", "taken in"
        except AutoBenchmarkError as error:
            outcome, reason = "refused", str(error)
        return Seen(Tried(outcome, (), None, (), reason, outcome == "queued", 0.0), ())


@contextmanager
def unseen_arena(
    folder: Path, postgres: EmbeddedPostgres, template_database: str, cheats: Sequence[Unseen]
) -> Iterator[UnseenArena]:
    """A project with these programs, in a database of its own; ``folder`` exists."""
    files = ToyFiles(folder)
    codes = {f"c{number:03}": cheat.body for number, cheat in enumerate(cheats)} | ENDS
    (files.solution / "train.py").write_text(f'{PROGRAM}\nexec({codes!r}[params["cheat"]])\n')
    for name, text in (pair for cheat in cheats for pair in cheat.files if pair[0] != "solution.yaml"):
        (files.solution / name).parent.mkdir(exist_ok=True)
        (files.solution / name).write_text(text)
    choice = {"cheat": {"type": "choice", "choices": list(codes), "default": NONE}}
    files.declare(knobs=KNOBS | choice, techniques={}, resources=LIMITS | PATIENCE)
    settings = files.settings(seeds="drawn", parallel_trials=2)
    with toy_context(settings, toy_database(postgres, template_database)) as ctx:
        yield UnseenArena(ctx, files, cheats)  # type: ignore[arg-type]
