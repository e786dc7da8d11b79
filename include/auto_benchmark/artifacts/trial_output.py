"""The door: what a trial wrote, read as hostile input. Bounded, no links followed, nothing executed or unpickled.

Whatever cannot be taken raises :class:`OutputError`, which gives the trial a failure class; nothing else leaves here.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

from auto_benchmark import trees
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.limits import LARGEST_NUMBER, MOST_METRICS, refused_name, refused_number, storable
from auto_benchmark.errors import AutoBenchmarkError

LARGEST_PREDICTIONS_BYTES = 64 * 2**20
LARGEST_METRICS_BYTES = 2**20
LONGEST_LINE_BYTES = 1_500_000
"""Room for the longest answer with every character escaped."""
LONGEST_ANSWER = 100_000
MOST_VALUES, MOST_VALUES_IN_ALL, DEEPEST_ANSWER = 10_000, 2_000_000, 16
"""Of answers that are lists and objects: each value takes the worker some sixty bytes."""
MOST_FILES, DEEPEST_FOLDER = 10_000, 32


class OutputError(AutoBenchmarkError):
    """The trial ended well but what it left is missing or malformed."""

    def __init__(self, failure: FailureClass, message: str) -> None:
        self.failure = failure
        super().__init__(message)


def bad(message: str) -> OutputError:
    """An error of the class ``bad_output``."""
    return OutputError(FailureClass.BAD_OUTPUT, storable(message))


def check_tree(output_dir: Path) -> None:
    """Look through all that a trial left. Raises OutputError where it is too much, too deep or closed."""
    if problem := trees.excess(output_dir, most=MOST_FILES, deepest=DEEPEST_FOLDER):
        raise bad(f"the output holds {problem}")


def read_bounded(path: Path, limit: int) -> bytes:
    """Read a regular file of at most ``limit`` bytes.

    Raises:
        OutputError: ``no_result`` when absent; ``bad_output`` for links, devices and files over the limit.
    """
    with _opened(path, limit) as file:
        return _read(file, limit, path.name)


def read_predictions(output_dir: Path, expected: Collection[str]) -> dict[str, Any]:
    """Read ``predictions.jsonl``.

    Args:
        output_dir: of the trial.
        expected: ids of the split; others are refused. Missing ones stay absent: the scorer counts them as wrong.

    Returns:
        Item id -> answer: JSON with finite numbers and text that can be stored.

    Raises:
        OutputError: when the file is missing, malformed, too large, or holds an unknown or repeated id.
    """
    answers: dict[str, Any] = {}
    room = MOST_VALUES_IN_ALL
    for where, line in _lines(output_dir / "predictions.jsonl"):
        try:
            row = json.loads(line.decode(), parse_constant=_refuse_constant)
            item, answer = row["id"], row["answer"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise bad(f'{where}: not {{"id": …, "answer": …}}') from None
        if not isinstance(item, str) or item not in expected:
            raise bad(f"{where}: no item of the split is called {str(item)[:80]!r}")
        if item in answers:
            raise bad(f"{where}: item {item!r} is answered twice")
        room -= _values_in(answer, where)
        if room < 0:
            raise bad(f"{where}: more than {MOST_VALUES_IN_ALL} values in all answers")
        answers[item] = _mended(answer) if b"\\u" in line else answer
    if not answers:
        raise OutputError(FailureClass.NO_RESULT, "predictions.jsonl is empty")
    return answers


def read_metrics(output_dir: Path, *, guarded: Collection[str] = ()) -> dict[str, float]:
    """Read the trial's own ``metrics.json``: flat, finite, with names that can be stored and shown.

    Args:
        output_dir: of the trial.
        guarded: metrics on whose staying low a promotion rests.

    Raises:
        OutputError: when it is missing or malformed, or a time or size is not above zero.
    """
    content = read_bounded(output_dir / "metrics.json", LARGEST_METRICS_BYTES)
    try:
        metrics = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)["metrics"]
        items = list(metrics.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise bad(f'metrics.json: not {{"metrics": {{name: number}}}} ({str(error)[:80]})') from None
    if len(items) > MOST_METRICS:
        raise bad(f"metrics.json: {len(items)} metrics; the limit is {MOST_METRICS}")
    for name, value in items:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise bad(f"metrics.json: {name[:80]!r} should be a finite number, is {str(value)[:80]!r}")
        if problem := refused_name(name) or refused_number(name, value, guarded=name in guarded):
            raise bad(f"metrics.json: {problem}"[:400])
    return {name: float(value) for name, value in items}


def _opened(path: Path, limit: int) -> IO[bytes]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise OutputError(FailureClass.NO_RESULT, f"{path.name} was not written") from None
    except OSError as error:
        raise bad(f"{path.name} cannot be opened: {error.strerror}") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise bad(f"{path.name} is not a file of its own")
    if status.st_size > limit:
        os.close(descriptor)
        raise bad(f"{path.name} has {status.st_size} bytes; the limit is {limit}")
    return os.fdopen(descriptor, "rb")


def _read(file: IO[bytes], limit: int, name: str) -> bytes:
    """At most ``limit`` bytes: the file may have grown since it was opened."""
    try:
        content = file.read(limit + 1)
    except OSError as error:
        raise bad(f"{name} cannot be read: {error.strerror}") from None
    if len(content) > limit:
        raise bad(f"{name} has more than {limit} bytes")
    return content


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """Where each line stands, and its bytes; blank ones are left out. They end at newlines alone."""
    room = LARGEST_PREDICTIONS_BYTES
    with _opened(path, room) as file:
        number = 0
        while True:
            number += 1
            where = f"{path.name}:{number}"
            try:
                line = file.readline(LONGEST_LINE_BYTES + 1)
            except OSError as error:
                raise bad(f"{where}: cannot be read: {error.strerror}") from None
            room -= len(line)
            if len(line) > LONGEST_LINE_BYTES:
                raise bad(f"{where}: a line of more than {LONGEST_LINE_BYTES} bytes")
            if room < 0:
                raise bad(f"{path.name} has more than {LARGEST_PREDICTIONS_BYTES} bytes")
            if not line:
                return
            if line.strip():
                yield where, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def _values_in(answer: Any, where: str) -> int:
    """How many values an answer consists of. Raises OutputError where it is too long, too deep or not finite."""
    waiting, values, characters = [(answer, 1)], 0, 0
    while waiting:
        value, depth = waiting.pop()
        values += 1
        if isinstance(value, str):
            characters += len(value)
        elif isinstance(value, dict):
            characters += sum(map(len, value))
            waiting += [(inner, depth + 1) for inner in value.values()]
        elif isinstance(value, list):
            waiting += [(inner, depth + 1) for inner in value]
        elif value is not None and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
            raise bad(f"{where}: a number beyond {LARGEST_NUMBER:g}")
        if values + len(waiting) > MOST_VALUES:
            raise bad(f"{where}: an answer of more than {MOST_VALUES} values")
        if characters > LONGEST_ANSWER:
            raise bad(f"{where}: answer of more than {LONGEST_ANSWER} characters")
        if depth > DEEPEST_ANSWER:
            raise bad(f"{where}: an answer of more than {DEEPEST_ANSWER} levels")
    return values


def _mended(value: Any) -> Any:
    """The same answer with text that every store takes. No deeper than was checked before."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_mended(inner) for inner in value]
    if isinstance(value, dict):
        return {storable(key): _mended(inner) for key, inner in value.items()}
    return value


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")
