"""Export and import bring a project whole into another database; bad archives are refused."""

import json
import tarfile

import pytest
from sqlalchemy import text
from tests.unit.db.test_hypotheses import hypothesis

from auto_benchmark.db import transfer
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import deltas, hypotheses, projects, records, snapshots
from auto_benchmark.db.table_contents import TABLES
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.snapshot import BoardReading
from auto_benchmark.project.context import utc_now
from auto_benchmark.project.transfer import export_project, import_project
from auto_benchmark.settings import Settings
from auto_benchmark.tables.entry import Entry


@pytest.fixture
def filled(sessions, project, tmp_path):
    settings = Settings(home=tmp_path / "from")
    home = settings.project_home(project)
    (home / "reports").mkdir(parents=True)
    (home / "reports" / "digest.md").write_text("# Digest\n")
    entries = [Entry(rank=1, system="A", score=0.9), Entry(rank=2, system="OurSystem", score=0.8)]
    with sessions.begin() as session:
        reading = BoardReading(utc_now(), "a" * 64, entries)
        snapshot, _ = snapshots.record(
            session=session, project=project, board="MemoryBench", reading=reading, ours=["OurSystem"]
        )
        delta = compare([], entries, board="MemoryBench", higher_is_better=True, ours=["OurSystem"])
        deltas.record(session=session, project=project, new=snapshot, old=None, delta=delta)
        hypotheses.add(session=session, project=project, hypothesis=hypothesis("c1"))
        records.log(session=session, project=project, key="k", kind="note", subject="s", reason="because — ü")
    return settings, tmp_path / "project.tar.gz"


@pytest.fixture
def elsewhere(postgres, template_database, tmp_path, project):
    bind = engine(postgres.create_database(f"elsewhere_{project}", template=template_database))
    yield Settings(home=tmp_path / "to"), session_factory(bind)
    bind.dispose()


def everything(sessions, project):
    """Table -> rows; ids as places in the order of their table, without what the import says of itself."""
    with sessions() as session:
        rows = {t.name: [json.loads(line) for line in transfer.rows_of(t, session=session, project=project)]
                for t in transfer.tables()}  # fmt: skip
    rows["decision_log"] = [row for row in rows["decision_log"] if row["kind"] != "import"]
    ids = {name: [row["id"] for row in found] for name, found in rows.items() if name in TABLES[name].ids.values()}
    for name, found in rows.items():
        for row in found:
            row |= {
                column: row[column] and ids[target].index(row[column]) for column, target in TABLES[name].ids.items()
            }
    return rows


def test_a_project_comes_back_whole_and_goes_on_counting(sessions, project, filled, elsewhere):
    settings, archive = filled
    told = export_project(settings, sessions, project, archive)
    there, other = elsewhere
    with other.begin() as session:  # ids that are taken already are no obstacle
        session.execute(text("select nextval(pg_get_serial_sequence('auto_benchmark.leaderboards', 'id'))"))
    assert import_project(there, other, archive) == told
    assert told["rows"]["leaderboard_entries"] == 2 and told["files"] == 1
    assert everything(other, project) == everything(sessions, project)
    assert (there.project_home(project) / "reports" / "digest.md").read_text() == "# Digest\n"
    with other.begin() as session:
        added, _ = hypotheses.add(session=session, project=project, hypothesis=hypothesis("c2"))
        assert added.id == "H-002"
        assert records.log(session=session, project=project, key="k2", kind="note", subject="s", reason="r")


def test_an_existing_project_is_not_overwritten(sessions, project, filled, elsewhere):
    settings, archive = filled
    export_project(settings, sessions, project, archive)
    there, other = elsewhere
    import_project(there, other, archive)
    with pytest.raises(RefusedError, match="holds files already"):
        import_project(there, other, archive)
    with pytest.raises(RefusedError, match="already"):
        import_project(Settings(home=there.home / "new"), other, archive)


def test_a_failed_import_leaves_nothing(sessions, project, filled, elsewhere, tmp_path):
    settings, archive = filled
    export_project(settings, sessions, project, archive)
    there, other = elsewhere
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(archive.read_bytes()[:-200])
    with pytest.raises(InputError):
        import_project(there, other, cut)
    with other() as session:
        assert projects.names(session=session) == []
        assert session.scalar(text("select count(*) from auto_benchmark.leaderboard_entries")) == 0


@pytest.mark.parametrize("content", [b"", b"not an archive", None])
def test_files_that_are_no_export(elsewhere, tmp_path, content):
    there, other = elsewhere
    archive = tmp_path / "x.tar.gz"
    if content is None:
        with tarfile.open(archive, "w:gz"):
            pass
    else:
        archive.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.tar\.gz"):
        import_project(there, other, archive)


def test_an_unknown_project_cannot_be_exported(sessions, tmp_path):
    with pytest.raises(InputError, match="no project 'nobody'"):
        export_project(Settings(home=tmp_path), sessions, "nobody", tmp_path / "x.tar.gz")
    assert list(tmp_path.iterdir()) == []
