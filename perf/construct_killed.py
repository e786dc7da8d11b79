"""A construction over text and pictures, killed by SIGKILL at one write after the other, and gone on with."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from auto_benchmark import atomic
from auto_benchmark.construction.run import run
from auto_benchmark.settings import Settings

REQUEST = {
    "name": "killed", "request": "Salts, borders, programs, heaps, lines of diagrams", "target_size": 60, "rounds": 1,
    "sources": ["elements", "places", "programs", "games", "diagrams"], "per_round": 3, "pilot_items": 8,
    "candidates": ["planted"], "seed": 4,
}  # fmt: skip
SAME = ("benchmark/train.jsonl", "benchmark/search.jsonl", "benchmark/gate.jsonl", "benchmark/benchmark.yaml",
        "quality.json", "card.yaml", "candidates.jsonl", "privileged.jsonl")  # fmt: skip
Write = Callable[..., Any]


def _constructed(request: Path, out: Path, killed_at: int | None, writes: Any) -> None:
    plain: Write = atomic.write_bytes

    def write(path: Path, content: bytes, **more: Any) -> None:
        writes.value += 1
        if killed_at is not None and writes.value >= killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        plain(path, content, **more)

    atomic.write_bytes = write
    run(Settings(), request, out, say=lambda _: None)


def _in_a_child(request: Path, out: Path, killed_at: int | None = None) -> tuple[int, int]:
    """Exit code and writes of a construction in a process of its own."""
    fork = multiprocessing.get_context("fork")
    writes = fork.Value("i", 0)
    child = fork.Process(target=_constructed, args=(request, out, killed_at, writes))
    child.start()
    child.join()
    return int(child.exitcode or 0), int(writes.value)


def measure(progress: Callable[[list[int]], Iterable[int]] = iter, kills: int = 40) -> dict[str, Any]:
    """Kill at evenly spread writes; each run that is gone on with must end as the one that was never killed."""
    with tempfile.TemporaryDirectory(prefix="killed-") as place:
        request = Path(place) / "request.yaml"
        request.write_text(yaml.safe_dump(REQUEST))
        whole = Path(place) / "whole"
        code, total = _in_a_child(request, whole)
        assert code == 0, code
        stages, different = set[str](), list[str]()
        points = sorted({1 + round(i * (total - 1) / (kills - 1)) for i in range(kills)})
        for killed_at in progress(points):
            out = Path(place) / f"killed-{killed_at}"
            code, _ = _in_a_child(request, out, killed_at)
            assert code == -signal.SIGKILL, code
            stages.add(_stage(out))
            code, _ = _in_a_child(request, out)
            different += [f"{killed_at}: {name}" for name in SAME
                          if code or (out / name).read_bytes() != (whole / name).read_bytes()]  # fmt: skip
    return {"writes": total, "killed_at": len(points), "stages": sorted(stages), "different": different}


def _stage(out: Path) -> str:
    """How far a killed construction had come: the last stage that it had noted."""
    for name in ("quality.json", "candidates.jsonl", "benchmark", "stages/privileged.yaml"):
        if (out / name).exists():
            return f"after {name}"
    for pattern in (
        "answers_*",
        "items_*",
        "choice.yaml",
        "trajectory.jsonl",
        "quotas.yaml",
        "grounding.yaml",
        "subtasks.yaml",
    ):
        if list((out / "stages").glob(pattern)):
            return f"after {pattern}"
    return "at the start"
