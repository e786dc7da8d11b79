"""One trial of the memory retrieval solution, as trial contract v1 has it.

Reads ``AB_CONFIG_JSON`` and ``AB_DATA_DIR/{train,inputs}.jsonl``; writes ``predictions.jsonl``, ``metrics.json`` and
``progress.jsonl`` to ``AB_OUTPUT_DIR``. Exit 0 when all are written, 2 on a bad configuration. A ``checkpoint.bin``
beside the inputs is a system that is trained already, and only answers; otherwise one is written.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import checkpoint
import memory
import numpy as np
from corpus import Conversation, Vocabulary, read
from knobs import Knobs

# Interference from other processes only ever adds time, so a low quantile over conversations is the stable figure.
LATENCY_QUANTILE = 0.1


class Progress:
    """Lines of ``progress.jsonl``, mirrored to stdout."""

    def __init__(self, output: Path) -> None:
        self._file = (output / "progress.jsonl").open("w", encoding="utf-8")
        self._step = 0

    def report(self, **metrics: float) -> None:
        """Write one line; steps count up from 0."""
        line = json.dumps({"step": self._step, "metrics": metrics}, allow_nan=False)
        self._file.write(line + "\n")
        self._file.flush()
        print(f"AB_PROGRESS {line}", flush=True)
        self._step += 1


def peak_memory_mb() -> float:
    """High-water mark of this program alone, MiB.

    ``ru_maxrss`` is not used where /proc exists: Linux carries it over from the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 1024)


@dataclass(frozen=True, slots=True)
class Trial:
    """What the trial contract hands in."""

    knobs: Knobs
    seed: int
    subset: float
    data: Path
    output: Path


def read_trial(environment: Mapping[str, str]) -> Trial:
    """Read the contract's variables.

    Raises:
        KnobError: for an unknown knob or a refused value.
        ValueError: when a variable is missing or malformed.
    """
    try:
        config = json.loads(environment["AB_CONFIG_JSON"])
        params, seed, subset = config["params"], config["seed"], config.get("subset", 1.0)
        data, output = Path(environment["AB_DATA_DIR"]), Path(environment["AB_OUTPUT_DIR"])
    except KeyError as error:
        raise ValueError(f"the trial contract wants {error}") from None
    if not 0 < subset <= 1:
        raise ValueError(f"subset should lie in (0, 1], is {subset!r}")
    return Trial(Knobs.of(params), seed, subset, data, output)


def run(trial: Trial) -> None:
    """Train, answer, write."""
    knobs, data, output = trial.knobs, trial.data, trial.output
    rng = np.random.default_rng(trial.seed)
    progress = Progress(output)
    if (data / checkpoint.NAME).is_file():
        system = checkpoint.load(data / checkpoint.NAME, knobs)
        conversations = read(data / "inputs.jsonl", system.vocabulary)
        system.language.widen(len(system.vocabulary))
    else:
        vocabulary = Vocabulary(knobs)
        training = read(data / "train.jsonl", vocabulary)
        training = training[: math.ceil(round(len(training) * trial.subset, 9))]
        progress.report(training_conversations=len(training))
        conversations = read(data / "inputs.jsonl", vocabulary)
        system = memory.train(training, vocabulary, knobs, rng)
        checkpoint.save(system, output / checkpoint.NAME)
    progress.report(known_words=float((system.language.known > 0).sum()))

    predictions, costs = answer_all(system, [c for c in conversations if c.questions])
    count = len(predictions)
    with (output / "predictions.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"id": i, "answer": a}) + "\n" for i, a in predictions.items())
    metrics = {
        "latency_ms": 1000 * float(np.quantile(costs, LATENCY_QUANTILE)),
        "memory_mb": peak_memory_mb(),
        "abstained": sum(a == memory.UNKNOWN for a in predictions.values()) / max(count, 1),
    }
    (output / "metrics.json").write_text(json.dumps({"metrics": metrics}, allow_nan=False), encoding="utf-8")
    progress.report(answered=count)


def answer_all(system: memory.Memory, conversations: list[Conversation]) -> tuple[dict[str, str], list[float]]:
    """Answers by question id, and each conversation's processor seconds per question."""
    predictions: dict[str, str] = {}
    costs = []
    for conversation in conversations:
        started = time.process_time()
        predictions |= system.answer(conversation)
        costs.append((time.process_time() - started) / len(conversation.questions))
    return predictions, costs or [0.0]


def main() -> int:
    """Entry point."""
    try:
        trial = read_trial(os.environ)
    except ValueError as error:  # KnobError is one
        print(f"bad configuration: {error}", file=sys.stderr)
        return 2
    run(trial)
    return 0


if __name__ == "__main__":
    sys.exit(main())
