"""A database with a victim in it, and a home; both are looked at after each attack."""

from __future__ import annotations

import itertools

import pytest
from tests.security.archives.target import emptied

from auto_benchmark.db.engine import engine, session_factory

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def target_database(postgres, template_database):
    bind = engine(postgres.create_database(f"target_{next(_numbers)}", template=template_database))
    yield session_factory(bind)
    bind.dispose()


@pytest.fixture
def target(target_database, tmp_path, small_registry):
    return emptied(tmp_path, target_database, small_registry)
