"""Programs that an offline agent has tried, kept in its workspace between attempts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from statistics import fmean
from typing import Any

from auto_benchmark.agents.brief import PastAttempt
from auto_benchmark.agents.workspace import OURS, File, Files

NOTES = f"{OURS}/programs.json"
MOST = 12
"""Programs that are kept whole."""
Texts = Mapping[str, str]
"""Name of an editable text file -> its text."""


@dataclass(slots=True)
class Program:
    """A valid program.

    Attributes:
        texts: of its files.
        loss: its score, smaller is better; None where it was never measured.
    """

    texts: dict[str, str]
    loss: float | None

    @property
    def digest(self) -> str:
        """Hash of the texts."""
        return digest(self.texts)


@dataclass(slots=True)
class Programs:
    """What is known.

    Attributes:
        kept: best first, the given one among them until better ones fill the place.
        tried: digest -> loss, None where the program was not valid.
        submitted: number of an attempt -> digest of what it left.
        refuted: digests that the sealed verifier found wrong, whatever public inputs say.
        sealed: number of an attempt -> loss that the sealed verifier found for what it left.
        operators: name of a change -> [times it gave something better, times it gave something that is not valid].
        notes: of one kind of search, as JSON.
    """

    kept: list[Program] = field(default_factory=list)
    tried: dict[str, float | None] = field(default_factory=dict)
    submitted: dict[str, str] = field(default_factory=dict)
    refuted: list[str] = field(default_factory=list)
    sealed: dict[str, float] = field(default_factory=dict)
    operators: dict[str, list[int]] = field(default_factory=dict)
    notes: list[Any] = field(default_factory=list)

    @classmethod
    def read(cls, files: Files) -> Programs:
        """Those of a workspace; none where there is no file, or one that is damaged."""
        try:
            told = json.loads(files[NOTES].content)
            told["kept"] = [Program(**each) for each in told["kept"]]
            return cls(**told)
        except (KeyError, ValueError, TypeError):
            return cls()

    def file(self) -> File:
        """As a file of the workspace."""
        return File(json.dumps(asdict(self), ensure_ascii=False).encode())

    @property
    def best(self) -> Program:
        """The best one. Raises IndexError where there is none."""
        return self.kept[0]

    def add(self, texts: Texts, loss: float | None, *, is_valid: bool) -> None:
        """Remember what was measured."""
        key = digest(texts)
        self.tried[key] = loss if is_valid else None
        if is_valid and key not in self.refuted and all(program.digest != key for program in self.kept):
            self.kept.append(Program(dict(texts), loss))
            self._sort()

    def take(self, history: Sequence[PastAttempt], sign: float) -> None:
        """Believe the verdicts on earlier attempts.

        What was refuted is left. A program's loss becomes the mean of what public and sealed inputs say, since one that
        is fitted to public inputs alone looks better than it is.
        """
        for past in history:
            key = self.submitted.get(str(past.attempt))
            if key is None:
                continue
            if not past.valid and key not in self.refuted:
                self.refuted.append(key)
            if past.valid and past.score is not None:
                self.sealed[str(past.attempt)] = sign * past.score
        for program in self.kept:
            program.loss = self._mean_loss(program)
        self.kept = [program for program in self.kept if program.digest not in self.refuted]
        self._sort()

    def _mean_loss(self, program: Program) -> float | None:
        key = program.digest
        told = [loss for attempt, loss in self.sealed.items() if self.submitted.get(attempt) == key]
        public = self.tried.get(key)
        seen = [*told, *([] if public is None else [public])]
        return fmean(seen) if seen else None

    def _sort(self) -> None:
        self.kept.sort(key=lambda program: float("inf") if program.loss is None else program.loss)
        del self.kept[MOST:]

    def worked(self, operator: str, *, well: bool) -> None:
        """Count what became of a change."""
        self.operators.setdefault(operator, [0, 0])[0 if well else 1] += 1


def digest(texts: Texts) -> str:
    """Hash of a program's texts."""
    return sha256(json.dumps(sorted(texts.items()), ensure_ascii=False).encode()).hexdigest()[:16]


def texts_of(files: Files) -> dict[str, str]:
    """The files that are text."""
    found = {}
    for name, file in files.items():
        try:
            found[name] = file.content.decode()
        except UnicodeDecodeError:
            continue
    return found


def files_of(texts: Texts, before: Files) -> dict[str, File]:
    """The editable files with other texts."""
    return {**before, **{name: File(text.encode(), before[name].executable) for name, text in texts.items()}}
