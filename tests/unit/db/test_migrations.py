from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.config import Config
from pytest_alembic.tests import (  # noqa: F401 - collected by pytest
    test_model_definitions_match_ddl,
    test_single_head_revision,
    test_up_down_consistency,
    test_upgrade,
)
from sqlalchemy import Engine, text

from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.engine import engine
from auto_benchmark.db.migrate import alembic_config as library_config
from auto_benchmark.db.migrate import upgrade
from auto_benchmark.db.models import Base
from auto_benchmark.db.table_contents import NOT_EXPORTED
from auto_benchmark.errors import InputError

_names = iter(range(1000))


@pytest.fixture
def empty_url(postgres: EmbeddedPostgres) -> str:
    return postgres.create_database(f"empty_{next(_names)}")


@pytest.fixture
def alembic_config() -> Config:
    return library_config()


@pytest.fixture
def alembic_engine(empty_url: str) -> Iterator[Engine]:
    bind = engine(empty_url)
    yield bind
    bind.dispose()


def test_two_processes_may_upgrade_at_once(empty_url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(upgrade, [empty_url] * 4))
    bind = engine(empty_url)
    with bind.connect() as connection:
        tables = set(
            connection.scalars(
                text("SELECT table_name FROM information_schema.tables WHERE table_schema = 'auto_benchmark'")
            )
        )
        versions = connection.scalars(text("SELECT version_num FROM auto_benchmark.schema_version")).all()
        others = connection.scalar(
            text("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'")
        )
    bind.dispose()
    assert tables == {table.name for table in Base.metadata.tables.values()} | {"schema_version"}
    assert versions == ["0008"]
    assert others == 0


def test_every_table_is_keyed_by_project() -> None:
    for table in Base.metadata.tables.values():
        assert table.name in {"projects", *NOT_EXPORTED} or "project" in table.columns, table.name


def test_times_carry_their_zone_and_read_as_utc(empty_url: str) -> None:
    for table in Base.metadata.tables.values():
        for column in table.columns:
            assert getattr(column.type, "timezone", True), f"{table.name}.{column.name}"
    bind = engine(empty_url.replace("+psycopg", ""))
    with bind.connect() as connection:
        assert connection.scalar(text("SHOW timezone")) == "UTC"
    bind.dispose()


@pytest.mark.parametrize("url", ["sqlite:///x.db", "not a url", "mysql://u:secret@h/x"])
def test_anything_but_postgres_is_refused_without_repeating_secrets(url: str) -> None:
    with pytest.raises(InputError) as raised:
        engine(url)
    assert "secret" not in str(raised.value)
