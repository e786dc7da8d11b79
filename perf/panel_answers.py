"""What systems of real panels answer on grids of descriptions, asked once and kept in perf/data, dealt anew to each seed."""

import itertools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

import numpy as np
from scipy.stats import rankdata

from auto_benchmark.construction.answering import put
from auto_benchmark.construction.answers import is_same_key
from auto_benchmark.construction.candidate import Candidate, missing
from auto_benchmark.construction.candidates import PANELS
from auto_benchmark.construction.item import Item, Scalar
from auto_benchmark.construction.search import utility
from auto_benchmark.construction.source import Description, Source, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.stages import read_rows, write_rows
from auto_benchmark.stats.objectives import Right

POOL, PILOT, CHOICE = 48, 12, 12
REPORT = POOL - PILOT - CHOICE
"""Items of a description; the rest of the pool reports."""
SEPARABILITY, NOVELTY = 1.0, 0.5
"""Weights beside difficulty."""
DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True, slots=True)
class Field:
    """What is searched with one panel.

    Attributes:
        source: whose forms are the subtasks.
        forms: that the systems can answer.
        grid: parameter -> values, from easy to hard where they are numbers.
        panels: whose systems answer.
        family: systems of the first half, by the start of their names; the others are the second.
        left_out: systems whose cost is out of proportion.
        hopeless: where no system is right on more than this share of items, one that always guesses the same does as well;
            without such descriptions the comparison is made a second time. 0: once.
        only: ids of the descriptions that count; None: all of the grid.
    """

    source: str
    forms: tuple[str, ...]
    grid: Mapping[str, tuple[Scalar, ...]]
    panels: tuple[str, ...]
    family: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    hopeless: float = 0.0
    only: frozenset[str] | None = None

    def systems(self) -> list[Candidate]:
        """Those that are installed here."""
        every = [c for name in self.panels for c in PANELS[name] if c.name not in self.left_out]
        return [c for c in every if missing(c) is None]

    def descriptions(self, form: str) -> list[Description]:
        """Every one of the grid that counts."""
        every = [
            Description(self.source, form, dict(zip(self.grid, values, strict=True)))
            for values in itertools.product(*self.grid.values())
        ]
        return [description for description in every if self.counts(description)]

    def counts(self, description: Description) -> bool:
        """Whether a description of the grid is searched for."""
        return self.only is None or description.id in self.only


FIELDS = {
    "graded_skill": Field(
        "chess_endings", ("mate", "defence"), {"moves": tuple(range(1, 13)), "piece": ("queen", "rook")},
        ("graded_skill",), ("stockfish", "glaurung", "toga2"),
    ),
    "language_identification": Field(
        "languages", ("countries",),
        {"brevity": (2, 4, 6, 8), "typos": (0, 2, 4, 6), "marks": ("kept",), "case": ("kept", "upper"),
         "family": ("any", "romance", "slavic")},
        ("language_identification",), ("langid", "py3langid", "lingua", "lingua_low"),
    ),
    "memory_retrieval": Field(
        "memory_world", ("latest",),
        {"people": (1, 3, 5), "months": (6,), "changes": (0, 2), "pronouns": ("none", "some"),
         "wording": ("plain", "reworded")},
        ("memory_retrieval", "bundled_solution"), ("minilm", "wordllama", "tfidf", "bm25", "tantivy", "rapidfuzz"),
    ),
    "optical_recognition": Field(
        "scans", ("codes",), {"smallness": (0, 2), "turn": (0, 1, 2), "noise": (0, 2), "paleness": (0,)},
        ("optical_recognition",), ("tesseract", "gocr", "ocrad"), ("ddddocr", "tesseract_sparse"),
    ),
    "pitch_tracking": Field(
        "tones", ("rises",),
        {"tones": (5,), "closeness": (3,), "timbre": ("sine", "rich", "missing"), "register": ("middle", "high"),
         "brevity": (1, 3), "room": (0,), "noise": (0, 12, 24)},
        ("pitch_tracking",), ("aubio", "praat"), ("swipe", "basic_pitch"), hopeless=0.7,
    ),
}  # fmt: skip


class Answered(Protocol):
    """Who is right on the pool of each description."""

    source: Source
    names: list[str]

    def of(self, description: Description) -> Right:
        """(systems, items) of the pool."""
        ...

    def wrong_keys(self, description: Description) -> float:
        """Share of drawn items whose key the second way does not find."""
        ...


class Answers:
    """Who is right on the pool of each description; asked once and kept.

    Args:
        name: of the panel.
        field: what is searched with it.

    Attributes:
        source: of the items.
        names: of the systems, in the order of all matrices.
    """

    def __init__(self, name: str, field: Field) -> None:
        self._path = DATA / f"construct_answers_{name}.jsonl"
        self._rows = {row["description"]: row for row in read_rows(self._path)} if self._path.exists() else {}
        self._matrices: dict[str, Right] = {}
        self.source: Source = sources_by_name(SOURCES)[field.source]
        self._systems = field.systems()
        self.names = [c.name for c in self._systems] if self._systems else self._kept_names()

    def of(self, description: Description) -> Right:
        """(systems, items) of the pool."""
        if description.id not in self._matrices:
            row = self._row(description)
            self._matrices[description.id] = np.array([[sign == "1" for sign in row["right"][n]] for n in self.names])
        return self._matrices[description.id]

    def wrong_keys(self, description: Description) -> float:
        """Share of drawn items whose key the second way does not find."""
        row = self._row(description)
        return float(row["wrong"] / row["drawn"])

    def _kept_names(self) -> list[str]:
        return list(next(iter(self._rows.values()))["right"]) if self._rows else []

    def _row(self, description: Description) -> dict[str, Any]:
        row = self._rows.get(description.id)
        if row is None or not set(self.names) <= set(row["right"]):
            row = self._rows[description.id] = self._asked(description)
            write_rows(self._path, self._rows.values())
            print(f"[{len(self._rows)} descriptions answered] {description.id}", flush=True)
        return row

    def _asked(self, description: Description) -> dict[str, Any]:
        drawn = self.source.generate(description, 2 * POOL, "comparison")
        right = [item for item in drawn if self._has_its_key(item)]
        items, examples = right[:POOL], right[POOL:]
        sheet = put(self._systems, items, examples)
        if len(items) < POOL or sheet.failed:
            raise SystemExit(f"{description.id}: {len(items)} items, failed: {sheet.failed}")
        signs = {name: "".join(str(int(by_id[item.id])) for item in items) for name, by_id in sheet.right.items()}
        return {"description": description.id, "drawn": len(drawn), "wrong": len(drawn) - len(right), "right": signs}

    def _has_its_key(self, item: Item) -> bool:
        try:
            return is_same_key(self.source.key_again(item), item.answer)
        except (ValueError, KeyError):
            return False


@dataclass(slots=True)
class Deal:
    """One seed's view of the pools: which items steer, which choose, which report.

    Attributes:
        rows: systems that the search sees.
        earlier: descriptions of earlier boards; items that report elsewhere are on none of them.
        piloted: items of a description that steer.
        weighed: items of a description that choose.
        boards: accuracies on earlier boards, mean over them.
    """

    answers: Answered
    seed: int
    rows: np.ndarray[Any, np.dtype[np.int64]]
    earlier: Sequence[Description]
    piloted: int = PILOT
    weighed: int = CHOICE
    boards: np.ndarray[Any, np.dtype[np.float64]] = field(init=False)

    def __post_init__(self) -> None:
        self.boards = self.known().mean(axis=1)

    def known(self) -> Right:
        """Items of the earlier boards."""
        return np.concatenate(
            [self.answers.of(d)[:, self._order(d)[: self.piloted + self.weighed]] for d in self.earlier], axis=1
        )

    def _order(self, description: Description) -> np.ndarray[Any, Any]:
        pool = self.answers.of(description).shape[1]
        return np.random.default_rng(zlib.crc32(f"{self.seed}/{description.id}".encode())).permutation(pool)

    def pilot(self, description: Description, pull: int = 0) -> Right:
        """Items that steer; a further pull of one description sees those for the choice too, in turn."""
        at = (np.arange(self.piloted) + pull * self.piloted) % (self.piloted + self.weighed)
        return np.asarray(self.answers.of(description)[:, self._order(description)[at]])

    def choice(self, description: Description) -> Right:
        """Items that choose among the shortlist."""
        return np.asarray(
            self.answers.of(description)[:, self._order(description)[self.piloted : self.piloted + self.weighed]]
        )

    def report(self, description: Description) -> Right:
        """Items that nothing was chosen by."""
        return np.asarray(self.answers.of(description)[:, self._order(description)[self.piloted + self.weighed :]])

    def utility(self, right: Right) -> float:
        """The objective: difficulty crosswise over halves, separability less its floor, novelty against earlier boards."""
        seen = right[self.rows]
        hard = fmean((best_error(seen[:, ::2], seen[:, 1::2]), best_error(seen[:, 1::2], seen[:, ::2])))
        means = seen.mean(axis=1)
        new = 1 - rank_correlation(means, self.boards[self.rows])
        weights = _Weights(SEPARABILITY, NOVELTY)
        return utility(hard, spread_beyond_chance(seen), new if np.ptp(means) else 0.0, weights)


@dataclass(frozen=True, slots=True)
class _Weights:
    separability: float
    novelty: float
    target: float | None = None
    safety: float = 0.0


def best_error(choosing: Right, reporting: Right) -> float:
    """Error on one half of the system that is best on the other."""
    return float(1 - reporting[int(choosing.mean(axis=1).argmax())].mean())


def spread_beyond_chance(right: Right) -> float:
    """Mean distance from the mean, less what labels permuted within items show in expectation (normal approximation)."""
    means = right.mean(axis=1)
    within = float(right.var(axis=0).mean()) / right.shape[1]  # variance of a system's mean if labels meant nothing
    return float(np.abs(means - means.mean()).mean() - np.sqrt(2 / np.pi * within))


def rank_correlation(a: Any, b: Any) -> float:
    """Spearman's; 0 where one side has no order."""
    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1]) if np.ptp(a) > 0 and np.ptp(b) > 0 else 0.0
