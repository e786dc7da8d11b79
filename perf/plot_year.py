"""The plot of docs/evaluation.md about a year on real boards, from perf/results/year.json: python perf/plot_year.py."""

import json
from pathlib import Path
from statistics import fmean

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
SETTING = "first table | all year"
MARKS = {"loop": "o", "loop, no urgent lane": "x", "greedy": "^", "Optuna TPE": "s"}


def main() -> None:
    by_board = json.loads((ROOT / "perf" / "results" / "year.json").read_text())["by_board"]
    weeks = {
        name.removeprefix(f"{SETTING} | "): {
            policy: fmean(w[policy]["weeks_first"] for w in worlds) for policy in MARKS
        }
        for name, worlds in by_board.items()
        if name.startswith(SETTING)
    }
    boards = sorted(weeks, key=lambda board: weeks[board]["loop"])
    figure, axes = plt.subplots(figsize=(7, 3.6))
    for policy, mark in MARKS.items():
        hollow = {} if mark == "x" else {"markerfacecolor": "none"}
        values = [weeks[board][policy] for board in boards]
        axes.plot(values, range(len(boards)), mark, color="black", label=policy, linestyle="none", **hollow)
    axes.set_yticks(range(len(boards)), boards)
    axes.set(xlabel="weeks at #1 of 52", xlim=(-1, 53))
    axes.grid(axis="y", color="0.9")
    axes.legend(frameon=False, fontsize="small", loc="lower right")
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "images" / "year.png", dpi=90, metadata={"Software": None})


if __name__ == "__main__":
    main()
