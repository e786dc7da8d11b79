"""Trials of the associative recall solution, as trial contract v1 has it: one seed, or all seeds of a configuration.

Reads ``AB_CONFIG_JSON`` and ``AB_DATA_DIR/{train,inputs}.jsonl``; writes ``predictions.jsonl``, ``metrics.json`` and
``progress.jsonl`` to ``AB_OUTPUT_DIR``, with ``seeds`` once per seed in ``seed-<n>/``. Exit 0 when all are written, 2
on a bad configuration, 78 where PyTorch or the promised GPU is missing. A ``checkpoint.bin`` beside the inputs is a
model that is trained already, and only answers; otherwise one is written per seed.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from knobs import Knobs

if TYPE_CHECKING:
    from training import Training

EXIT_ENVIRONMENT = 78
CHECKPOINT = "checkpoint.bin"


class CheckpointError(ValueError):
    """A checkpoint is of another configuration, or cut off."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What the trial contract hands in: seeds with the directory that each one's files belong in."""

    knobs: Knobs
    seeds: dict[int, Path]
    subset: float
    data: Path
    output: Path


class Progress:
    """Curves: a line per seed in its ``progress.jsonl``, the mean over seeds on stdout."""

    def __init__(self, directories: Sequence[Path]) -> None:
        self._files = [(directory / "progress.jsonl").open("w", encoding="utf-8") for directory in directories]

    def report(self, step: int, losses: Sequence[float], recalls: Sequence[float]) -> None:
        """Write one step; what is not finite is left out."""
        for file, loss, recall in zip(self._files, losses, recalls, strict=True):
            file.write(_line(step, loss, recall) + "\n")
            file.flush()
        print("AB_PROGRESS " + _line(step, sum(losses) / len(losses), sum(recalls) / len(recalls)), flush=True)


def _line(step: int, loss: float, recall: float) -> str:
    metrics = {"loss": round(loss, 6), "training_recall": round(recall, 6)}
    return json.dumps({"step": step, "metrics": {n: v for n, v in metrics.items() if math.isfinite(v)}})


def read_trial(environment: Mapping[str, str]) -> Trial:
    """Read the contract's variables.

    Raises:
        KnobError: for an unknown knob or a refused value.
        ValueError: when a variable is missing or malformed.
    """
    try:
        config = json.loads(environment["AB_CONFIG_JSON"])
        params, subset = config["params"], config.get("subset", 1.0)
        data, output = Path(environment["AB_DATA_DIR"]), Path(environment["AB_OUTPUT_DIR"])
    except KeyError as error:
        raise ValueError(f"the trial contract wants {error}") from None
    if not 0 < subset <= 1:
        raise ValueError(f"subset should lie in (0, 1], is {subset!r}")
    if config.get("seeds"):
        seeds = {seed: output / f"seed-{seed}" for seed in config["seeds"]}
    elif isinstance(config.get("seed"), int):
        seeds = {config["seed"]: output}
    else:
        raise ValueError("the trial contract wants seed or seeds")
    return Trial(Knobs.of(params), seeds, subset, data, output)


def run(trial: Trial) -> None:
    """Train, or take what is trained; answer; write. Raises CheckpointError."""
    import evaluation
    import task
    from training import Mode, Training

    rule, items = task.read(trial.data / "inputs.jsonl")
    steps = max(1, math.ceil(trial.knobs.steps * trial.subset))
    knobs = replace(trial.knobs, steps=steps)
    for directory in trial.seeds.values():
        directory.mkdir(parents=True, exist_ok=True)
    progress = Progress(list(trial.seeds.values()))
    training = Training(knobs, rule, list(trial.seeds), Mode.best())
    every = max(1, steps // 20)
    shown = [0]

    def report(step: int, losses: object, recalls: object) -> None:
        if step - shown[0] >= every or step == steps:
            shown[0] = step
            progress.report(step, losses.tolist(), recalls.tolist())  # type: ignore[attr-defined]

    trained = trial.data / CHECKPOINT
    train_s = 0.0
    if trained.is_file():
        content = trained.read_bytes()
        if len(content) != training.checkpoint_bytes:
            raise CheckpointError(
                f"{CHECKPOINT} has {len(content)} bytes, not the {training.checkpoint_bytes} of this configuration"
            )
        training.restore(content)
    else:
        train_s = training.run(report)
        for directory, content in zip(trial.seeds.values(), training.checkpoints(), strict=True):
            (directory / CHECKPOINT).write_bytes(content)
    answers = evaluation.predictions(training, items)
    metrics = {**_measured(training), "train_s": train_s, "latency_ms": evaluation.latency_ms(training, items)}
    for directory, answered in zip(trial.seeds.values(), answers, strict=True):
        with (directory / "predictions.jsonl").open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps({"id": i, "answer": a}) + "\n" for i, a in answered.items())
        (directory / "metrics.json").write_text(json.dumps({"metrics": metrics}, allow_nan=False), encoding="utf-8")


def _measured(training: Training) -> dict[str, float]:
    """Size and memory; of a GPU the share of one seed, of the host the whole process."""
    import torch

    found = {"parameters": float(training.layout.parameters)}
    if training.mode.device.type == "cuda":
        found["gpu_mb_per_seed"] = torch.cuda.max_memory_allocated() / 2**20 / len(training.seeds)
    found["host_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def _missing(environment: Mapping[str, str]) -> str | None:
    """What this trial needs and does not have; a promised GPU that does not answer must not become a slow CPU run."""
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed: pip install -r requirements-gpu.txt"
    if int(environment.get("AB_GPUS") or 0) and not torch.cuda.is_available():
        return "AB_GPUS asks for a GPU, and PyTorch finds none that works"
    return None


def main() -> int:
    """Entry point."""
    try:
        trial = read_trial(os.environ)
    except ValueError as error:  # KnobError is one
        print(f"bad configuration: {error}", file=sys.stderr)
        return 2
    if missing := _missing(os.environ):
        print(missing, file=sys.stderr)
        return EXIT_ENVIRONMENT
    try:
        run(trial)
    except CheckpointError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
