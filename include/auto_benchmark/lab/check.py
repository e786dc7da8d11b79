"""``lab check``: a task's anchors measured again, and its cheats tried. What is not as declared is a problem."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from auto_benchmark.errors import AutoBenchmarkError, ConfigError
from auto_benchmark.lab.catalog import cheats, load
from auto_benchmark.lab.machine import COUNTER, Machine, machine
from auto_benchmark.lab.task import Task
from auto_benchmark.lab.verification import MissingToolchainError, TaskVerdict, verify
from auto_benchmark.scratch import scratch_folder
from auto_benchmark.settings import Settings

FEWEST_CHEATS = 3
CLOSE = 0.05
"""How far anchors may lie from the declared ones under another toolchain."""
EXACT = 1e-9
RECOUNTS = 20
"""Of one program on one input, half of them beside a process that keeps a processor busy."""


@dataclass
class TaskCheck:
    """What a task's check found.

    Attributes:
        name: of the task.
        baseline: measured, None where it was not.
        reference: likewise.
        problems: what is not as it should be; empty = the task is sound.
        notes: what is worth knowing besides.
        skipped: why nothing was measured: this machine lacks something.
        cheats: how many were refused, and how many there are.
        counts: anchor -> every number that its program counted on one input.
    """

    name: str
    baseline: float | None = None
    reference: float | None = None
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: str | None = None
    cheats: tuple[int, int] = (0, 0)
    counts: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong. A skipped task is neither right nor wrong, and counts as right."""
        return not self.problems


def check(settings: Settings, name: str) -> TaskCheck:
    """Check one task. Faults of its files are problems, not errors."""
    found = TaskCheck(name)
    try:
        task = load(settings, name)
        found.skipped = skipped(task, machine())
        if found.skipped is None:
            _measure(task, found, machine())
            _try_cheats(task, found)
    except ConfigError as error:
        found.problems += map(str, error.faults)
    except MissingToolchainError as error:
        found.skipped = str(error).removeprefix(f"{name}: ")
    except AutoBenchmarkError as error:
        found.problems.append(str(error))
    return found


def skipped(task: Task, here: Machine) -> str | None:
    """Why a task cannot be verified on a machine; None where it can."""
    toolchain = task.anchors.toolchain
    if missing := here.missing(toolchain):
        return f"not installed here: {', '.join(missing)}"
    if here.unsealed:
        return here.unsealed
    return here.uncounted if COUNTER in toolchain else None


def _measure(task: Task, found: TaskCheck, here: Machine) -> None:
    anchors = task.anchors
    differing = here.differing(anchors.toolchain)
    close = CLOSE if differing else max(EXACT, anchors.spread)
    if differing:
        found.notes.append(f"anchors may differ by {CLOSE:.0%}: {', '.join(differing)}")
    found.baseline = _anchor(task, "baseline", task.environment, anchors.baseline, close, found)
    if anchors.reference is not None:
        found.reference = _anchor(task, "reference", task.solution, anchors.reference, close, found)


def _anchor(task: Task, name: str, folder: Path, declared: float, close: float, found: TaskCheck) -> float | None:
    first, *others = task.anchors.check_seeds
    verdicts = [verify(task, folder, seed=first, recounts=RECOUNTS), *(verify(task, folder, seed=n) for n in others)]
    for verdict in verdicts:
        if not verdict.valid:
            found.problems.append(f"the {name} is refused by {verdict.refused_by!r}: {verdict.reason}")
            return None
    measured = fmean(verdict.score for verdict in verdicts if verdict.score is not None)
    unequal = []
    if counts := verdicts[0].counts:
        found.counts[name] = counts
        unequal = _unequal(name, counts, task.anchors.spread)
        found.problems += unequal
        if COUNTER not in task.anchors.toolchain and name == "baseline":
            found.problems.append(f"counts with {COUNTER}, which [metadata.optimization.toolchain] does not name")
    if not math.isclose(measured, declared, rel_tol=close):
        found.problems.append(f"{name}: declared {declared:.12g}, measured {measured:.12g} {task.anchors.unit}")
        found.problems += [] if unequal else _unsteady(task, name, folder, verdicts[0])
    return measured


def spread_of(counts: Sequence[int]) -> float:
    """Share by which the largest of some counts is larger than the smallest."""
    return (max(counts) - min(counts)) / max(1, min(counts))


def _unequal(name: str, counts: Sequence[int], allowed: float) -> list[str]:
    """Says so when one program does not count the same on one input."""
    if (spread := spread_of(counts)) <= allowed:
        return []
    return [
        f"{name}: not the same number each time: {len(counts)} counts of one program on one input, "
        f"{min(counts)} to {max(counts)} ({spread:.2%} apart, `spread` allows {allowed:.2%})"
    ]


def _unsteady(task: Task, name: str, folder: Path, before: TaskVerdict) -> list[str]:
    """Says so when one program on one input does not score the same twice: then no declared anchor would hold."""
    after = verify(task, folder, seed=before.seed)
    if before.score is None or after.score is None:
        return [f"{name}: valid on seed {before.seed} and then not: {after.reason}"]
    apart = abs(after.score - before.score) / max(abs(before.score), abs(after.score), 1e-300)
    if apart <= max(EXACT, task.anchors.spread):
        return []
    return [
        f"{name}: not the same twice on seed {before.seed}: {before.score:.12g}, then {after.score:.12g} "
        f"{task.anchors.unit} ({apart:.2%} apart, `spread` allows {task.anchors.spread:.2%})"
    ]


def _try_cheats(task: Task, found: TaskCheck) -> None:
    known = cheats(task)
    if len(known) < FEWEST_CHEATS:
        found.problems.append(f"has {len(known)} cheats in tests/cheats; at least {FEWEST_CHEATS} are wanted")
    refused = 0
    for name, (folder, cheat) in known.items():
        verdict = _verdict_on(task, folder)
        if verdict.refused_by == cheat.refused_by:
            refused += 1
        elif verdict.valid:
            found.problems.append(f"the cheat {name} is not refused: score {verdict.score:.12g}")
        else:
            found.problems.append(
                f"the cheat {name} is refused by {verdict.refused_by!r} and not by {cheat.refused_by!r}: {verdict.reason}"
            )
    found.cheats = refused, len(known)


def _verdict_on(task: Task, cheat: Path) -> TaskVerdict:
    """Of a cheat's files; those that it lacks are the baseline's."""
    with scratch_folder("cheat") as scratch:
        for name in task.anchors.editable:
            own = cheat / name
            _put(own if os.path.lexists(own) else task.environment / name, scratch / name)
        return verify(task, scratch, seed=task.anchors.check_seeds[0])


def _put(own: Path, place: Path) -> None:
    """A cheat's file as it is: also a link, or a folder, where there should be a file."""
    if own.is_dir() and not own.is_symlink():
        place.mkdir()
    elif own.is_symlink() or own.is_file():
        shutil.copy(own, place, follow_symlinks=False)
    else:
        os.mkfifo(place)


def check_all(settings: Settings, names: list[str]) -> Iterator[TaskCheck]:
    """Check tasks one after the other."""
    for name in names:
        yield check(settings, name)
