"""A project of an earlier version, restored or imported, is the same project under the present code."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import PurePosixPath

import pytest
from alembic.script import ScriptDirectory
from tests.integration.upgrade.installation import BEFORE, REGISTRY

from auto_benchmark.db.migrate import alembic_config
from auto_benchmark.db.table_contents import TABLES

CLOCK = {"stale"}
"""Fields of a board in ``status --json`` that depend on the present moment: whether its last reading is too old."""
REPLAYS = json.loads((BEFORE / "replays.json").read_text(encoding="utf-8"))


def timeless(status, before):
    """What ``before`` tells of a status, without what depends on the clock and on the machine; more may be told now."""
    known = before["boards"][0].keys() - CLOCK
    boards = [{key: board[key] for key in known} for board in status["boards"]]
    return {key: status[key] for key in before} | {"isolation": None, "boards": boards}


@pytest.fixture(scope="module")
def status(installation):
    """What an operator asks for first: it migrates, reconciles and renders the views."""
    return installation.document("status")


def test_the_status_is_as_before(status):
    before = json.loads((BEFORE / "status.json").read_text(encoding="utf-8"))
    assert timeless(status, before) == timeless(before, before)
    assert all(board.keys() >= CLOCK for board in status["boards"])


def test_the_live_registry_is_rendered_as_before(installation, status):
    assert (installation.project_home / REGISTRY).read_bytes() == (BEFORE / REGISTRY).read_bytes()


def test_the_decisions_are_those_of_before(status):
    assert {str(decision["id"]) for decision in status["decisions"]} == set(REPLAYS)


@pytest.mark.parametrize("decision", REPLAYS)
def test_a_decision_replays_as_before(installation, status, decision):
    assert installation.command("stats", "replay", decision) == REPLAYS[decision]


def test_the_schema_is_the_newest(installation, status):
    version = installation.psql(b"SELECT version_num FROM auto_benchmark.schema_version").split()
    assert version == [ScriptDirectory.from_config(alembic_config()).get_current_head()]


def test_rows_name_the_code_of_their_fingerprint_and_production_the_folder_s(installation, status):
    """What ran on other code than production's is not stored; nothing of it is compared with production."""
    ran = b"SELECT count(*) FROM auto_benchmark.trials WHERE fingerprint IS NOT NULL AND tree "
    told = [installation.psql(ran + how + b" fingerprint->>'code'").split() for how in (b"=", b"<>")]
    assert told[0] != ["0"] and told[1] == ["0"]
    unnamed = b"SELECT count(*) FROM auto_benchmark.production_configs WHERE tree = ''"
    assert installation.psql(unnamed).split() == ["0"] and len(status["code"]["tree"]) == 16


def test_no_row_is_lost_or_added(installation, status, archive, tmp_path):
    before = {name: len(lines) for name, lines in rows(archive).items()}
    installation.command("export", tmp_path / "again.tar.gz")
    now = {name: len(lines) for name, lines in rows(tmp_path / "again.tar.gz").items()}
    now["decision_log"] -= installation.imports
    assert {name: now.get(name) for name in before} == before
    assert before["trials"] > 0 and before["item_results"] > 0


def test_both_ways_lead_to_the_same_rows(restored, imported, tmp_path):
    """A migration that rewrites rows does not see an archive's; what imports those has to do the same to them."""
    found = []
    for number, way in enumerate((restored, imported)):
        way.command("status")
        way.command("export", tmp_path / f"{number}.tar.gz")
        found.append(rows(tmp_path / f"{number}.tar.gz"))
    assert found[0].keys() == found[1].keys()
    assert [name for name in found[0] if alike(name, found[0][name]) != alike(name, found[1][name])] == []


def alike(table, lines):
    """Rows without what an import gives anew: ids, in texts and documents too, and the entry that tells of the import."""
    exact = TABLES[table].plain | TABLES[table].names.keys()
    found = []
    for row in map(json.loads, lines):
        if table == "decision_log" and row["kind"] == "import":
            continue
        kept = {k: v for k, v in row.items() if k in exact}
        masked = {
            k: re.sub(r"\d+", "#", json.dumps(v)) for k, v in row.items() if k not in {*exact, *TABLES[table].ids}
        }
        found.append(json.dumps([kept, masked], sort_keys=True))
    return sorted(found)


def rows(archive):
    """Table -> its rows in an export archive, as JSON lines."""
    with tarfile.open(archive) as tar:
        names = [PurePosixPath(name) for name in tar.getnames() if name.startswith("tables/")]
        return {name.stem: tar.extractfile(str(name)).read().splitlines() for name in names}
