"""One embedded Postgres for the whole run; a database of its own, migrated, for each test module."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy.orm import Session, sessionmaker
from tests.small_registry import small_registry

from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.migrate import upgrade
from auto_benchmark.db.repositories import projects
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry

os.environ.setdefault("AUTO_BENCHMARK_SEEDS", "published")  # the numbers in tests are of published items
_numbers = itertools.count(1)
# How long Hypothesis takes for an example says something about the machine alone.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def open_directory() -> Iterator[Path]:
    """A directory that the server's own user can reach; pytest's own temporary directories are private."""
    path = Path(tempfile.mkdtemp(prefix="auto-benchmark-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(open_directory: Path) -> Iterator[EmbeddedPostgres]:
    """The server of this test run."""
    with EmbeddedPostgres(open_directory / "shared", settings=FAST_AND_UNSAFE) as server:
        yield server


@pytest.fixture(scope="session")
def template_database(postgres: EmbeddedPostgres) -> str:
    """Name of a migrated, empty database."""
    upgrade(postgres.create_database("migrated"))
    return "migrated"


@pytest.fixture(scope="module")
def database_url(postgres: EmbeddedPostgres, template_database: str) -> str:
    """A migrated database of this module's own."""
    return postgres.create_database(f"test_{next(_numbers)}", template=template_database)


@pytest.fixture(scope="module")
def sessions(database_url: str) -> Iterator[sessionmaker[Session]]:
    """Sessions on this module's database; ``with sessions.begin() as session`` commits."""
    bind = engine(database_url, pool_size=10)
    yield session_factory(bind)
    bind.dispose()


@pytest.fixture(scope="session", name="small_registry")
def a_small_registry() -> CompetitiveRegistry:
    """A project with two boards."""
    return small_registry()


@pytest.fixture
def project(sessions: sessionmaker[Session], small_registry: CompetitiveRegistry) -> str:
    """A project of this test's own."""
    name = f"project_{next(_numbers)}"
    with sessions.begin() as session:
        projects.upsert(session=session, project=name, registry=small_registry)
    return name


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[Any]:
    """The engine of this run: None where ``DOCKER_HOST`` names somebody else's."""
    from tests.docker import engine

    if reason := engine.available():
        pytest.skip(reason)
    with engine.running_engine() as own:
        yield own


@pytest.fixture(scope="session")
def docker_client(docker_engine: Any) -> Iterator[Any]:
    """A client of the engine of this run."""
    import docker

    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture(scope="session")
def base_image(docker_client: Any) -> str:
    """Name of the image that trial images are built from."""
    from tests.docker.base_image import build_base_image

    return build_base_image(docker_client)


@pytest.fixture(scope="session")
def contract_image(docker_client: Any, base_image: str) -> str:
    """An image with nothing but the entrypoint in it: the trial's code comes as its command."""
    from tests.docker.base_image import CONTRACT_DOCKERFILE, built

    return built(docker_client, f"FROM {base_image}\n{CONTRACT_DOCKERFILE}")
