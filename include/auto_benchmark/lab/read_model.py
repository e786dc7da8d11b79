"""Laboratory runs as the page and ``lab_report.json`` show them: plain JSON, those that still go on among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from auto_benchmark.errors import InputError
from auto_benchmark.lab.comparison import medal_of
from auto_benchmark.lab.outcome import rewards_of
from auto_benchmark.lab.plan import Feedback
from auto_benchmark.lab.resilience import best_so_far
from auto_benchmark.lab.run_folder import RUN, Finished, RunFolder
from auto_benchmark.listing import begun_last_first, read_each

PLANNED = ("task", "agent", "feedback", "shock", "attempts", "minutes", "measures")


def lab_runs(folder: Path) -> dict[str, Any]:
    """Every run in or below a folder.

    Returns:
        ``{"runs": [{"folder", "task", "agent", "feedback", "shock", "attempts", "minutes", "measures", "state",
        "made": [{"attempt", "seconds", "valid", "score", "reward", "reason", "measures", "tokens", "money"}], "curve",
        "chosen", "result", "medal", "resilience"}], "faults": [{"folder", "fault"}]}``. ``state`` is ``finished`` or
        ``unfinished``; ``curve`` is the best reward up to each attempt. Runs whose files are damaged are among the faults.
    """
    return read_runs(folder, sorted(run_names(folder)))


def run_names(folder: Path) -> list[str]:
    """Where runs lie in or below a folder, as :func:`lab_run` takes it; the one that was begun last comes first."""
    return [place.relative_to(folder).as_posix() for place in begun_last_first(folder.rglob(RUN))]


def read_runs(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """What :func:`lab_runs` returns, of some of a folder's runs in the order of their names here."""
    runs, faults = read_each(names, partial(lab_run, folder))
    return {"runs": runs, "faults": faults}


def lab_run(folder: Path, name: str) -> dict[str, Any]:
    """One of :func:`lab_runs`. Raises InputError where its files are damaged."""
    return {"folder": name, **_run(folder / name)}


def _run(place: Path) -> dict[str, Any]:
    folder = RunFolder(place)
    rows, result = folder.attempts(), folder.result()
    return {
        **planned(place / RUN),
        "state": "unfinished" if result is None else "finished",
        "made": _made(rows),
        "curve": best_so_far(rewards_of(rows)),
        "chosen": result and result["chosen"],
        "result": result and result["result"],
        "medal": medal_of(result["reward"]) if result else "",
        "resilience": result and result["resilience"],
    }


def planned(file: Path) -> dict[str, Any]:
    """What ``run.json`` says of a run's arguments. Raises InputError where it is not such a file."""
    try:
        plan = json.loads(file.read_text(encoding="utf-8"), parse_constant=int)  # NaN is no number of a plan
        checked = {"feedback": Feedback(plan["feedback"]), "attempts": int(plan["attempts"]),
                   "minutes": float(plan["minutes"]), "measures": int(plan["measures"])}  # fmt: skip
        return {key: plan[key] for key in PLANNED} | checked
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{file}: is not the description of a run") from None


def _made(rows: Sequence[Finished]) -> list[dict[str, Any]]:
    shown = ("attempt", "seconds", "valid", "score", "reward", "reason", "measures", "tokens", "money")
    return [{key: getattr(row, key) for key in shown} for row in rows]
