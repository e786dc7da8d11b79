"""Every system against every board, and what we miss to #1 on each."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from auto_benchmark.leaderboards.alerts import decimals
from auto_benchmark.leaderboards.standing import lead, standing
from auto_benchmark.leaderboards.uncertainty import probability_first, saturation, standard_error
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identities, identity
from auto_benchmark.tables.ranking import ranked
from auto_benchmark.terminal import one_line

_MARKUP = re.compile(r"([\\`*\[\]|~]|(?<!\w)_|_(?!\w))")
_ENTITY = re.compile(r"&(?=#?\w+;)")


@dataclass(frozen=True, slots=True)
class BoardState:
    """The last good snapshot of one board.

    Attributes:
        name: the board.
        entries: its entries, in any order.
        higher_is_better: direction of its metric.
        items: evaluation items, where the metric is a share.
        stderr: the board's standard error, where it gives one.
    """

    name: str
    entries: Sequence[Entry]
    higher_is_better: bool
    items: int | None = None
    stderr: float | None = None


@dataclass(frozen=True, slots=True)
class BoardGap:
    """Where we stand on one board. Scores are in the board's unit.

    Attributes:
        board: its name.
        our_rank: None when we are not on it.
        our_score: None when we are not on it.
        leader: system at #1.
        leader_score: its score.
        gap: as :meth:`Standing.gap` has it.
        gap_fraction: as :meth:`Standing.gap_fraction` has it.
        p_first: probability that we are truly first, where intervals are known.
        saturation: share of the top ten that cannot be told from #1, where intervals are known.
    """

    board: str
    our_rank: int | None
    our_score: float | None
    leader: str | None
    leader_score: float | None
    gap: float | None
    gap_fraction: float | None
    p_first: float | None = None
    saturation: float | None = None


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system: its rank and the difference to us on the first board, its score on each."""

    rank: int | None
    system: str
    scores: tuple[float | None, ...]
    delta: float | None
    ours: bool


@dataclass(frozen=True, slots=True)
class GapMatrix:
    """All boards side by side; rows are ranked by the first board."""

    boards: tuple[BoardGap, ...]
    rows: tuple[SystemRow, ...]

    def markdown(self, most: int = 25) -> str:
        """The mission's table, and a line per board where intervals say more.

        Args:
            most: rows shown; ours is always among them.
        """
        names = [b.board for b in self.boards]
        places = [decimals(*(row.scores[i] for row in self.rows)) for i in range(len(names))]
        shown = [r for i, r in enumerate(self.rows) if i < most or r.ours]
        cells = [["Rank", "System", *map(_escaped, names), "Δ to Our Score"], *(_cells(r, places) for r in shown)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
        lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
        if len(shown) < len(self.rows):
            lines.append(f"\n{len(self.rows) - len(shown)} further systems.")
        facts = [fact for board in self.boards if (fact := _fact(board))]
        return "\n".join(lines + (["", *facts] if facts else [])) + "\n"


def gap_matrix(boards: Sequence[BoardState], ours: Collection[str], *, primary: str | None = None) -> GapMatrix:
    """Join the boards' systems by name.

    Args:
        boards: last good snapshots.
        ours: our names.
        primary: board that ranks the rows; the first by default.
    """
    order = sorted(boards, key=lambda b: b.name != primary) if primary else list(boards)
    mine = identities(ours)
    columns = [_best_per_system(board) for board in order]
    systems: dict[str, str] = {}
    for column in columns:
        for key, entry in column.items():
            systems.setdefault(key, entry.system)
    our_key = next((key for column in columns for key in column if key in mine), None)
    first = columns[0] if columns else {}
    reference = first[our_key].score if our_key in first else None
    higher = not order or order[0].higher_is_better
    rows = [
        SystemRow(
            rank=first[key].rank if key in first else None,
            system=name,
            scores=tuple(column[key].score if key in column else None for column in columns),
            delta=_delta(reference, first.get(key), higher) if key not in mine else None,
            ours=key in mine,
        )
        for key, name in systems.items()
    ]
    rows.sort(key=lambda r: (r.rank is None, r.rank or 0, not r.ours, r.system.casefold()))
    return GapMatrix(tuple(board_gap(board, ours) for board in order), tuple(rows))


def board_gap(board: BoardState, ours: Collection[str]) -> BoardGap:
    """Our standing on one board."""
    mine, higher = identities(ours), board.higher_is_better
    entries = [e for e in ranked(board.entries, higher_is_better=higher) if e.score is not None]
    now = standing(entries, ours)
    scores = [e.score for e in entries if e.score is not None]
    errors = [standard_error(e, items=board.items, stderr=board.stderr) for e in entries]
    chances = probability_first(scores, errors, higher_is_better=board.higher_is_better)
    return BoardGap(
        board=board.name,
        our_rank=now.our_rank,
        our_score=now.our_score,
        leader=now.leader,
        leader_score=now.leader_score,
        gap=now.gap(higher_is_better=higher),
        gap_fraction=now.gap_fraction(higher_is_better=higher),
        p_first=sum(p for p, e in zip(chances, entries, strict=True) if identity(e.system) in mine)
        if chances
        else None,
        saturation=saturation(scores, errors, higher_is_better=board.higher_is_better),
    )


def _best_per_system(board: BoardState) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in ranked(board.entries, higher_is_better=board.higher_is_better):
        if entry.score is not None:
            found.setdefault(identity(entry.system), entry)
    return found


def _delta(reference: float | None, entry: Entry | None, higher: bool) -> float | None:
    """Ours against theirs, negative when they are ahead."""
    if reference is None or entry is None or entry.score is None:
        return None
    return lead(reference, entry.score, higher_is_better=higher)


def _cells(row: SystemRow, places: Sequence[int]) -> list[str]:
    rank = f"#{row.rank}" if row.rank is not None else "–"
    scores = ["–" if s is None else f"{s:.{p}f}" for s, p in zip(row.scores, places, strict=True)]
    delta = "—" if row.delta is None else f"{row.delta:+.{places[0]}f}"
    return [rank, _escaped(row.system), *scores, delta]


def _fact(board: BoardGap) -> str | None:
    parts = []
    if board.p_first is not None:
        parts.append(f"P(#1) = {board.p_first:.2f}")
    if board.saturation is not None:
        parts.append(f"saturation {board.saturation:.2f} (share of the top ten that cannot be told from #1)")
    return f"- {_escaped(board.board)}: {', '.join(parts)}" if parts else None


def _escaped(text: str) -> str:
    """A cell of a Markdown table that shows the text as it is: no markup, no HTML, and nothing that steers a terminal."""
    entities = _ENTITY.sub("&amp;", one_line(text)).replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\1", entities)
