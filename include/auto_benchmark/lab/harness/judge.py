"""One verification: reads the task, judges, writes the result."""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import tomllib
from pathlib import Path
from typing import Any

from . import confined, reward, verify_file
from .candidate import opened
from .confined import ConfinementError
from .wrong import CHECKS, MissingToolError, VerifierFaultError, Wrong

EXIT_MISSING, EXIT_UNCONFINED, EXIT_FAULT = 69, 70, 71
SEED_BYTES = 8
BY_PIPE = "-"


def main(arguments: list[str]) -> int:
    """Judge one candidate; returns the exit code."""
    parser = argparse.ArgumentParser(prog="harness")
    parser.add_argument("tests", type=Path)
    parser.add_argument("--candidate", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", help="a number, or - for one on standard input; drawn by default")
    parser.add_argument(
        "--layers", type=json.loads, help="what isolates here, as `confinement probe` says; tried anew by default"
    )
    parser.add_argument("--recounts", type=int, default=0, help="how often one input is counted again; 0 by default")
    given = parser.parse_args(arguments)
    seed = _seed(given.seed)
    if given.layers is not None:
        confined.know(given.layers)
    try:
        numbers, told = verification(given.tests, given.candidate, seed, recounts=given.recounts)
    except MissingToolError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_MISSING
    except ConfinementError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_UNCONFINED
    except VerifierFaultError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_FAULT
    given.out.mkdir(parents=True, exist_ok=True)
    _write(given.out / "checks.json", {"seed": seed, **told})
    _write(given.out / "reward.json", numbers)
    return 0


def _seed(said: str | None) -> int:
    """The seed of the inputs. Every process of the machine may read a command line, so that a secret one comes by a pipe."""
    if said is None:
        return int.from_bytes(os.urandom(SEED_BYTES))
    return int(sys.stdin.readline() if said == BY_PIPE else said)


def verification(
    tests: Path, source: Path, seed: int, *, recounts: int = 0
) -> tuple[dict[str, float], dict[str, Any]]:  # fmt: skip
    """The numbers of one verification; the ``checks`` that led to them, and every number of ``counts`` that were repeated.

    Args:
        tests: the task's ``tests`` folder.
        source: the candidate's folder.
        seed: of the inputs.
        recounts: how often one input is counted again.
    """
    task = task_of(tests)
    anchors = task["metadata"]["optimization"]
    verifier = verify_file.opened(tests / "verify.py")
    own = tests / "environment" if (tests / "environment").is_dir() else tests.parent / "environment"
    passed: list[tuple[str, str]] = []
    counts: list[int] = []
    failed: Wrong | None = None
    score = 0.0
    try:
        with opened(source, anchors["editable"], own) as candidate:
            passed, candidate.recounts = candidate.passed, recounts
            candidate.note("files")
            drawn = random.Random(seed)  # noqa: S311 - drawn anew from os.urandom
            score = verify_file.score(verifier, candidate, drawn, tests / "verify.py")
            counts = candidate.counts
            if not math.isfinite(score):
                raise Wrong("the score is not a finite number", "score")
    except Wrong as wrong:
        failed = wrong
    checks = [{"name": name, "passed": True, "reason": said} for name, said in passed]
    if failed and failed.check not in CHECKS:
        raise VerifierFaultError(
            f"{verify_file.SHOWN}: `Wrong` names the check {failed.check!r:.40}; there are {', '.join(CHECKS)}"
        )
    if failed:
        checks.append({"name": failed.check, "passed": False, "reason": failed.reason})
        return {"reward": 0.0, "valid": 0}, {"checks": checks, "counts": counts}
    return numbers_of(score, anchors), {"checks": checks, "counts": counts}


def numbers_of(score: float, anchors: dict[str, Any]) -> dict[str, float]:
    """What ``reward.json`` holds about a valid score."""
    return {
        "reward": reward.reward(score, anchors),
        "valid": 1,
        "score": score,
        "ratio": reward.ratio(score, anchors),
        "autolab": reward.autolab(score, anchors),
        "record": int(reward.reward(score, anchors) > 1),
    }


def task_of(tests: Path) -> dict[str, Any]:
    """``task.toml``, which an export puts into ``tests`` and the task's folder holds beside it."""
    path = tests / "task.toml" if (tests / "task.toml").is_file() else tests.parent / "task.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _write(path: Path, document: dict[str, Any]) -> None:
    """Whole or not at all."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(json.dumps(document, allow_nan=False) + "\n", encoding="utf-8")
    aside.replace(path)
