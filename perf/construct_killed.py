"""Constructions over text, media and several steps, killed by SIGKILL at every file that they write, and gone on with.

A first run without a kill notes which files are written in which order. Each of them is a place to kill at: before its
first write and, where it is written again and again, before one in the middle. What is gone on with has to end as the run
that was never killed: the same bytes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from measured import keep

from auto_benchmark import atomic
from auto_benchmark.construction.run import run
from auto_benchmark.settings import Settings

SMALL = {"target_size": 60, "rounds": 2, "per_round": 3, "pilot_items": 8, "candidates": ["planted"], "seed": 4}
REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "text": {**SMALL, "name": "text", "request": "Elements, borders of countries, languages",
             "sources": ["elements", "places", "languages"]},
    "media": {**SMALL, "name": "media", "request": "Lines of diagrams, tones, charts",
              "sources": ["diagrams", "tones", "charts"]},
    "steps": {**SMALL, "name": "steps", "request": "Endgames, programs, the state of a world",
              "sources": ["games", "programs", "memory_world"]},
}  # fmt: skip
SAME = ("benchmark/train.jsonl", "benchmark/search.jsonl", "benchmark/gate.jsonl", "benchmark/benchmark.yaml",
        "quality.json", "card.yaml", "candidates.jsonl", "privileged.jsonl")  # fmt: skip
ENDED_ALIKE = 0


def _constructed(request: Path, out: Path, killed_at: int | None, log: Path) -> None:
    plain: Callable[..., Any] = atomic.write_bytes
    writes = 0

    def write(path: Path, content: bytes, **more: Any) -> None:
        nonlocal writes
        writes += 1
        if killed_at is not None and writes >= killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        with log.open("a") as lines:
            lines.write(f"{_stage(path)}\n")
        plain(path, content, **more)

    atomic.write_bytes = write
    run(Settings(), request, out, say=lambda _: None)


def _stage(path: Path) -> str:
    """What is being written; media of a stage are one, and so are the parts of a stage that has one for each subtask."""
    if path.parent.name == "media":
        return f"media of {'the stages' if path.parent.parent.name == 'stages' else 'the benchmark'}"
    if path.name.startswith(("items_", "answers_")):
        return f"stages/{path.name.partition('_')[0]}"
    return f"{'stages/' if path.parent.name == 'stages' else ''}{path.name}"


def _in_a_child(request: Path, out: Path, log: Path, killed_at: int | None = None) -> int:
    """Exit code of a construction in a process of its own."""
    child = multiprocessing.get_context("fork").Process(target=_constructed, args=(request, out, killed_at, log))
    child.start()
    child.join()
    return int(child.exitcode or 0)


def places(stages: Sequence[str]) -> dict[int, str]:
    """Write to kill at -> what it writes: the first of every stage, and the middle one where there are several."""
    found: dict[int, str] = {}
    for stage in dict.fromkeys(stages):
        at = [i for i, name in enumerate(stages, 1) if name == stage]
        found |= {at[0]: stage, at[len(at) // 2]: stage}
    return dict(sorted(found.items()))


def measure_one(name: str, progress: Callable[[list[int]], Iterable[int]] = iter) -> dict[str, Any]:
    """One request, killed at every place."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="killed-") as folder:
        place = Path(folder)
        request, log = place / "request.yaml", place / "writes.txt"
        request.write_text(yaml.safe_dump(dict(REQUESTS[name])))
        whole = place / "whole"
        code = _in_a_child(request, whole, log)
        assert code == ENDED_ALIKE, code
        stages = log.read_text().splitlines()
        killed, different = places(stages), list[str]()
        for killed_at in progress(list(killed)):
            out = place / f"killed-{killed_at}"
            code = _in_a_child(request, out, log, killed_at)
            assert code == -signal.SIGKILL, code
            code = _in_a_child(request, out, log)
            different += [
                f"{name}: killed before write {killed_at} ({killed[killed_at]}): "
                + (f"exit {code}" if code else f"{file} differs")
                for file in SAME if code or (out / file).read_bytes() != (whole / file).read_bytes()
            ]  # fmt: skip
    return {
        "sources": REQUESTS[name]["sources"], "writes": len(stages), "kills": len(killed),
        "stages": sorted(set(killed.values())), "different": different, "seconds": round(time.monotonic() - began),
    }  # fmt: skip


def measure(progress: Callable[[list[int]], Iterable[int]] = iter) -> dict[str, Any]:
    """Every request."""
    found = {name: measure_one(name, progress) for name in REQUESTS}
    return {"requests": found, "different": [line for each in found.values() for line in each["different"]]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "request", nargs="?", choices=REQUESTS, help="one of them; its result is kept with the others'"
    )
    wanted = parser.parse_args().request
    result = Path(__file__).parent / "results" / "construct_killed.json"
    known = json.loads(result.read_text())["requests"] if wanted and result.exists() else {}
    known |= {name: measure_one(name) for name in ([wanted] if wanted else REQUESTS)}
    told = {"requests": known, "different": [line for each in known.values() for line in each["different"]]}
    keep("construct_killed", told)
    print(json.dumps(told, indent=1))
