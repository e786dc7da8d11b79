"""A small arena, created once: tests that change something work on a copy of its home."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.research_world import world  # noqa: F401 - a fixture
from tests.toy_project import toy

from arena.arena_state import Arena
from arena.declaration import Declaration, load_declaration

__all__ = ["toy"]
INCLUDE = Path(__file__).resolve().parents[2] / "include"


@pytest.fixture(scope="session")
def small_include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``benchmarks`` and ``solutions`` with few worlds, so that an arena is created in seconds."""
    root = tmp_path_factory.mktemp("include")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(INCLUDE / "benchmarks" / "memory", root / "benchmarks" / "memory", ignore=ignored)
    shutil.copytree(
        INCLUDE / "solutions" / "memory_retrieval", root / "solutions" / "memory_retrieval", ignore=ignored
    )
    file = root / "benchmarks" / "memory" / "benchmark.yaml"
    declared = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r', sha256: "\w+"', "", re.sub(r"worlds: \d+", "worlds: 4", declared)), encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def declaration(small_include: Path) -> Declaration:
    """The bundled boards over the small benchmark."""
    return load_declaration(INCLUDE / "arena", small_include)


@pytest.fixture(scope="session")
def created_home(declaration: Declaration, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Home of an arena that is ready."""
    home = tmp_path_factory.mktemp("arena")
    arena = Arena(declaration, home)
    arena.create()
    assert arena.fault == ""
    arena.store.close()
    return home


@pytest.fixture
def home(created_home: Path, tmp_path: Path) -> Path:
    """A ready arena's home of this test's own."""
    return shutil.copytree(created_home, tmp_path / "arena")
