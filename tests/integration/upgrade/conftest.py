"""The demo's project as an earlier version left it, brought to the present one in both ways that an operator has."""

from __future__ import annotations

import gzip
import lzma
import tarfile
from pathlib import Path

import pytest
from tests.integration.upgrade.installation import BEFORE, PLACEHOLDER, REGISTRY, Installation

from auto_benchmark.db.embedded import EmbeddedPostgres


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``export`` of the earlier version wrote."""
    path = tmp_path_factory.mktemp("archive") / "export.tar.gz"
    path.write_bytes(gzip.compress(lzma.decompress((BEFORE / "project.tar.xz").read_bytes()), compresslevel=1))
    return path


@pytest.fixture(scope="session")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The operator's configuration, benchmark and solution, which an upgrade leaves alone."""
    folder = tmp_path_factory.mktemp("declared")
    with tarfile.open(BEFORE / "declared.tar.xz") as tar:
        tar.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def restored(
    postgres: EmbeddedPostgres, archive: Path, declared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    """The dump in a fresh database, still with the schema of before, and the home's files."""
    made = Installation(tmp_path_factory.mktemp("restored"), postgres.create_database("upgrade_restored"), declared)
    made.psql(lzma.decompress((BEFORE / "database.sql.xz").read_bytes()))
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.name.startswith("files/"):
                member.name = member.name.removeprefix("files/")
                tar.extract(member, made.project_home, filter="data")
    return _moved_in(made)


@pytest.fixture(scope="module")
def imported(
    postgres: EmbeddedPostgres, archive: Path, declared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    """The archive in an empty database and an empty home."""
    made = Installation(
        tmp_path_factory.mktemp("imported"), postgres.create_database("upgrade_imported"), declared, 1
    )
    made.command("import", archive)
    return _moved_in(made)


@pytest.fixture(scope="module", params=["restored", "imported"])
def installation(request: pytest.FixtureRequest) -> Installation:
    """The project under the present code, come there in either way; its views are not rendered yet."""
    found: Installation = request.getfixturevalue(request.param)
    return found


def _moved_in(installation: Installation) -> Installation:
    for path in installation.project_home.rglob("*.json"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(PLACEHOLDER, str(installation.home)), encoding="utf-8")
    (installation.project_home / REGISTRY).unlink(
        missing_ok=True
    )  # so that the one found later is the present code's
    return installation
