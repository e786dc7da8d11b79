"""Trials of the bundled solution inside this process: the code and scorer that the runners use, without start-up."""

import importlib
import importlib.util
import json
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from auto_benchmark.promotion.schema import Observation

ROOT = Path(__file__).resolve().parent.parent
SOLUTION = ROOT / "include" / "solutions" / "memory_retrieval"
BENCHMARK = ROOT / "include" / "benchmarks" / "memory"
sys.path[:0] = [str(SOLUTION)]


def _package(name: str, folder: Path):
    """The benchmark's modules as a package, as the library loads them."""
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    package = importlib.util.module_from_spec(spec) if spec and spec.loader else None
    if package is not None:
        sys.modules[name] = package
    return package


_package("memory_benchmark", BENCHMARK)
DATA = Path(tempfile.mkdtemp(prefix="ab-perf-"))


def _module(name: str):
    return importlib.import_module(f"memory_benchmark.{name}")


@cache
def inputs(seed: int, worlds: int, *, with_answers: bool = False) -> Path:
    """A generated split as the trial sees it."""
    data = _module("generator").generate(seed, worlds)
    path = DATA / f"{seed}-{worlds}-{int(with_answers)}.jsonl"
    items = data.items if not with_answers else [{**i, "answer": data.answers[i["id"]]["answer"]} for i in data.items]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*data.contexts, *items]), encoding="utf-8")
    return path


@cache
def answers(seed: int, worlds: int) -> dict:
    """Sealed answers of a split."""
    return _module("generator").generate(seed, worlds).answers


def trial(
    params: dict, seed: int, split: tuple[int, int], train: tuple[int, int], *, items: bool = True
) -> Observation:
    """One full trial, graded on accuracy.

    Args:
        params: complete configuration.
        seed: of the training.
        split: generator seed and worlds of the evaluation data.
        train: the same of the training data.
        items: keep per-item results.
    """
    scores, latency = _run(params, seed, split, train)
    return Observation(
        seed=seed,
        metrics={"accuracy": scores.metrics["accuracy"], "latency_ms": latency},
        items=scores.items["accuracy"] if items else None,
    )


def scored(params: dict, seed: int, split: tuple[int, int], train: tuple[int, int]):
    """All scores of one full trial; arguments as for :func:`trial`."""
    return _run(params, seed, split, train)[0]


def _run(params: dict, seed: int, split: tuple[int, int], train: tuple[int, int]):
    import memory
    from knobs import Knobs
    from train import LATENCY_QUANTILE, answer_all

    knobs = Knobs.of(params)
    vocabulary, training, conversations = _read(knobs.stemming, split, train)
    system = memory.train(training, vocabulary, knobs, np.random.default_rng(seed))
    predictions, costs = answer_all(system, [c for c in conversations if c.questions])
    scores = _module("scorer").score(predictions, answers(*split))
    return scores, 1000 * float(np.quantile(costs, LATENCY_QUANTILE))


@cache
def _read(stemming: str, split: tuple[int, int], train: tuple[int, int]):
    """Reading depends on the configuration through stemming alone, so it is done once."""
    from corpus import Vocabulary, read
    from knobs import Knobs

    vocabulary = Vocabulary(Knobs(stemming=stemming))
    return vocabulary, read(inputs(*train, with_answers=True), vocabulary), read(inputs(*split), vocabulary)
