"""Writes the past of public boards that the source ``board_histories`` asks about, from stored snapshots of them."""

from __future__ import annotations

import json

from market import HISTORIES, SPECS
from source_tables import DATA

from auto_benchmark.documents import load
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.sources.replay import replay_directory

KEPT, MOST = 20, 24
"""Systems of a snapshot, the best ones, and snapshots of a board, evenly spread."""


def boards() -> list[dict[str, object]]:
    """Each board's snapshots: a date and its systems with their scores, the best first."""
    found = []
    for path in sorted(SPECS.glob("*.yaml")):
        folder, spec = HISTORIES / path.stem, load(Leaderboard, path)
        snapshots: dict[str, list[list[object]]] = {}
        for snapshot in replay_directory(folder, spec).snapshots:
            if snapshot.status != "ok" or not snapshot.file or not snapshot.date:
                continue
            board = read_board((folder / snapshot.file).read_bytes(), spec, source=snapshot.file)
            scores: dict[str, float] = {}
            for entry in board.entries:
                if entry.score is not None:
                    scores.setdefault(entry.system, entry.score)
            best = sorted(scores.items(), key=lambda row: (-row[1] if spec.higher_is_better else row[1], row[0]))
            if len(best) >= 5:
                snapshots[snapshot.date] = [[name, round(score, 4)] for name, score in best[:KEPT]]
        dates = sorted(snapshots)
        step = max(1, -(-len(dates) // MOST))
        kept = {date: snapshots[date] for date in dates[::step]}
        if len(kept) >= 4:
            found.append({"board": spec.name, "higher_is_better": spec.higher_is_better, "snapshots": kept})
    return found


def write() -> None:
    """One file."""
    about = "Positions on public leaderboards as they were published on the days named; facts, without their texts"
    text = json.dumps({"about": about, "boards": boards()}, ensure_ascii=False, separators=(",", ":"))
    (DATA / "board_histories.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
