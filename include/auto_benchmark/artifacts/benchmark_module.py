"""Loads the Python modules of a benchmark folder by path.

The folder becomes a package under a private name, so that its modules may import each other relatively and two
benchmarks may both have a ``generator.py``.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol, cast

from auto_benchmark.contract.scoring import Scorer
from auto_benchmark.errors import InputError


class Data(NamedTuple):
    """What a generator returns; every row is plain JSON.

    Attributes:
        contexts: rows that several items share, without an ``id``; may be empty.
        items: evaluation inputs, each with a unique ``id``, already in a fixed random order.
        answers: item id -> a mapping that holds at least ``answer``.
    """

    contexts: Sequence[Mapping[str, Any]]
    items: Sequence[Mapping[str, Any]]
    answers: Mapping[str, Mapping[str, Any]]


class Generator(Protocol):
    """What a benchmark's generator module provides."""

    def generate(self, seed: int, worlds: int) -> Data:
        """The same seed gives the same rows on every platform."""
        ...


def load_module(folder: Path, file: str) -> ModuleType:
    """Import ``file`` of a benchmark folder.

    Raises:
        InputError: when it is missing, lies elsewhere, or cannot be imported.
    """
    folder = folder.resolve()
    path = folder / file
    if path.resolve().parent != folder or path.suffix != ".py" or not path.is_file():
        raise InputError(f"{path}: not a Python file beside benchmark.yaml")
    package = f"_benchmark_{folder.name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    if package not in sys.modules:
        module = ModuleType(package)
        module.__path__ = [str(folder)]
        sys.modules[package] = module
    try:
        return importlib.import_module(f"{package}.{path.stem}")
    except Exception as error:  # whatever user code raises on import
        raise InputError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from error


def generator_of(folder: Path, file: str) -> Generator:
    """The generator of a benchmark. Raises InputError."""
    return cast("Generator", _with(load_module(folder, file), "generate", folder / file))


def scorer_of(folder: Path, file: str) -> Scorer:
    """The scorer of a benchmark. Raises InputError."""
    return cast("Scorer", _with(load_module(folder, file), "score", folder / file))


def _with(module: ModuleType, function: str, path: Path) -> ModuleType:
    if not callable(getattr(module, function, None)):
        raise InputError(f"{path}: has no function {function}()")
    return module
