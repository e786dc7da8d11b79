"""REPORT.md and its plots."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auto_benchmark import atomic
from auto_benchmark.construction.answering import AnswerSheet
from auto_benchmark.construction.build import Built
from auto_benchmark.construction.choice import front
from auto_benchmark.construction.folder import candidate_rows, slice_of
from auto_benchmark.construction.panel import Panel
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.source import Source
from auto_benchmark.reporting.render import render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLES_EACH = 1
LONGEST_CONTEXT = 600


def write_report(
    out: Path, request: ConstructionRequest, result: Mapping[str, Any], quality: Mapping[str, Any],
    trajectory: Sequence[Mapping[str, Any]], chosen: Mapping[str, Any], built: Built, panel: Panel, sheet: AnswerSheet,
    sources: Mapping[str, Source],
) -> None:  # fmt: skip
    """Write the report of a construction; text from documents and requests is escaped by the template."""
    rows = candidate_rows(panel, sheet, built)
    names = sorted({slice_of(item) for item in built.items})
    atomic.write_bytes(out / "plots" / "rounds.png", _rounds(trajectory))
    atomic.write_bytes(out / "plots" / "candidates.png", _grid(rows, names))
    shown = quality.get("instrument") or quality["objective"]
    used = sorted({item.source for item in built.items})
    text = render(
        "construction_report.md.j2", request=request, result=result, quality=quality, trajectory=trajectory,
        front=front(trajectory), chosen=chosen["chosen"], rows=rows, subtasks=names, examples=_examples(built),
        cards=[sources[name].card for name in used], splits={s: len(i) for s, i in built.splits.items()},
        objectives={name: {"floor": None, "paper_form": None, **value} for name, value in shown.items()},
    )  # fmt: skip
    atomic.write_text(out / "REPORT.md", text)


def _examples(built: Built) -> list[dict[str, Any]]:
    found, seen = [], dict[str, int]()
    for item in built.splits["train"]:
        name = slice_of(item)
        if seen.setdefault(name, 0) < EXAMPLES_EACH:
            seen[name] += 1
            context = item.asked.context
            found.append({
                "subtask": name, "question": item.asked.question, "options": ", ".join(item.asked.options),
                "context": context[:LONGEST_CONTEXT] + ("…" if len(context) > LONGEST_CONTEXT else ""),
                "answer": item.answer, "media": f"benchmark/{item.media_name}" if item.media_name else None,
            })  # fmt: skip
    return sorted(found, key=lambda row: row["subtask"])


def _rounds(trajectory: Sequence[Mapping[str, Any]]) -> bytes:
    """Utility of every description by round, random ones hollow, and the best so far."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for random, face, edge in ((False, "tab:blue", "tab:blue"), (True, "none", "tab:orange")):
        rows = [row for row in trajectory if row["random"] is random]
        axes.scatter([r["round"] for r in rows], [r["utility"] for r in rows], facecolors=face, edgecolors=edge,
                     label="random" if random else "proposed")  # fmt: skip
    best = float("-inf")
    line = []
    for row in trajectory:
        best = max(best, row["utility"])
        line.append((row["round"], best))
    axes.plot([x for x, _ in line], [y for _, y in line], color="0.4", label="best so far")
    axes.set_xlabel("round")
    axes.set_ylabel("utility on pilot items")
    axes.grid(alpha=0.3)
    if trajectory:
        axes.legend(fontsize=8)
    return _png(figure)


def _grid(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> bytes:
    """Accuracy of every candidate on every subtask."""
    import numpy as np
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3 + 0.9 * len(names), 1.6 + 0.35 * len(rows)), layout="constrained")
    axes = figure.subplots()
    values = np.array([[row["subtasks"][name] for name in names] for row in rows])
    axes.imshow(values, vmin=0, vmax=1, cmap="viridis", aspect="auto")
    for (y, x), value in np.ndenumerate(values):
        axes.text(
            x, y, f"{value:.2f}", ha="center", va="center", fontsize=8, color="black" if value > 0.6 else "white"
        )
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=8)
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows], fontsize=8)
    return _png(figure)


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
    return file.getvalue()
