"""Loops of the bundled solution's retrieval over all turns at once: the same additions in the same order, so bit for bit
the same answers at half the processor time. Trials by the hundred run with them; the unchanged program in a process of its
own is what they are checked against (``as_processes`` in ``perf/code_aa.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from memory_retrieval_trials import SOLUTION

EDGE = 1
Rows = list[list[int]]
LINES = {
    "retrieval.py": (
        ("from terms import", "import quick_loops\nfrom terms import"),
        (
            "[answer_span(language, conversation, t) for t in range(len(conversation.turns))]",
            "quick_loops.spans(language, conversation)",
        ),
        (
            "np.array([language.factual[np.unique(language.classes(turn))].sum() for turn in conversation.turns])",
            "quick_loops.factual(language, conversation)",
        ),
        (
            "np.array([table[language.classes(ids)].sum(0) for ids in rows])",
            "quick_loops.sums(language, rows, table)",
        ),
        (
            "_names(conversation, asked, knobs.context_window)",
            "quick_loops.once((id(conversation), knobs.context_window, knobs.multi_hop_steps),"
            " lambda: _names(conversation, asked, knobs.context_window))",
        ),
    ),
    "memory.py": (
        ("import numpy as np", "import numpy as np\nimport quick_loops"),
        (
            "asked = [bridge(conversation, named, words, of) or words for words in asked]",
            "asked = quick_loops.once((id(conversation), _, len(conversation.questions)),"
            " lambda: [bridge(conversation, named, words, of) or words for words in asked])",
        ),
        ("named = places(conversation)", "named = quick_loops.once(id(conversation), lambda: places(conversation))"),
    ),
}
"""File -> what stands there and what is put there."""
UNCHANGED = ("retrieval.py", "terms.py", "corpus.py", "knobs.py")


def quicken(folder: Path) -> None:
    """Put the loops into a copy of the solution that changes nothing of what they do: neither retrieval nor spans."""
    for name in UNCHANGED:
        if (folder / name).read_bytes() != (SOLUTION / name).read_bytes():
            raise ValueError(f"{folder.name} changes {name}, which the quick loops stand for")
    for name, lines in LINES.items():
        text = (folder / name).read_text()
        for old, new in lines:
            text = text.replace(old, new, 1)
        (folder / name).write_text(text)


@dataclass(frozen=True, slots=True)
class _Flat:
    """Rows of word numbers, one after the other, and the rows of each length."""

    words: np.ndarray
    owner: np.ndarray
    start: np.ndarray
    lengths: np.ndarray
    groups: list[tuple[np.ndarray, np.ndarray]]


_known: dict[Any, Any] = {}


def once(key: Any, make: Callable[[], Any]) -> Any:
    """What depends on the data alone is made once; conversations are never dropped here, so that ids stay theirs."""
    if key not in _known:
        _known[key] = make()
    return _known[key]


def _flat(rows: Rows) -> _Flat:
    return once((id(rows), len(rows)), lambda: (rows, _flattened(rows)))[1]


def _flattened(rows: Rows) -> _Flat:
    lengths = np.array([len(row) for row in rows])
    start = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    groups = []
    for length in np.unique(lengths).tolist():
        members = np.flatnonzero(lengths == length)
        groups.append((members, start[members][:, None] + np.arange(length)))
    words = np.array([w for row in rows for w in row], np.int64)
    return _Flat(words, np.repeat(np.arange(len(rows)), lengths), start, lengths, groups)


def sums(language: Any, rows: Rows, table: np.ndarray) -> np.ndarray:
    """(rows, dim) sum of the vectors of each row's words."""
    flat = _flat(rows)
    vectors, out = table[language.known[flat.words]], np.zeros((len(rows), table.shape[1]))
    for members, at in flat.groups:
        out[members] = vectors[at].sum(1)
    return out


def factual(language: Any, conversation: Any) -> np.ndarray:
    """(turns,) sum over the different classes of each turn."""
    flat = _flat(conversation.turns)
    size = len(language.factual)
    found = np.unique(flat.owner * size + language.known[flat.words])
    owner, values = found // size, language.factual[found % size]
    counts = np.bincount(owner, minlength=len(conversation.turns))
    start, out = np.concatenate([[0], np.cumsum(counts)[:-1]]), np.zeros(len(counts))
    for count in np.unique(counts).tolist():
        members = np.flatnonzero(counts == count)
        out[members] = values[start[members][:, None] + np.arange(count)].sum(1)
    return out


def spans(language: Any, conversation: Any) -> list[tuple[str, float]]:
    """The solution's ``answer_span`` of every turn."""
    flat = _flat(conversation.turns)
    classes = language.known[flat.words]
    before, after = np.concatenate([[EDGE], classes[:-1]]), np.concatenate([classes[1:], [EDGE]])
    full = flat.lengths > 0
    before[flat.start[full]] = EDGE
    after[(flat.start + flat.lengths - 1)[full]] = EDGE
    odds = (language.before[before] + language.after[after] + language.own[classes]).tolist()
    bounds = zip(flat.start.tolist(), flat.lengths.tolist(), conversation.texts, strict=True)
    return [_span(odds[start : start + length], text) for start, length, text in bounds]


def _span(odds: list[float], text: list[str]) -> tuple[str, float]:
    best, best_score, start, total = (0, 0), 0.0, 0, 0.0
    for i, value in enumerate(odds):
        if value <= 0:
            start, total = i + 1, 0.0
            continue
        total += value
        if total > best_score:
            best, best_score = (start, i + 1), total
    return " ".join(text[best[0] : best[1]]), best_score
