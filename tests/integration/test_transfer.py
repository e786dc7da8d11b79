"""Export and import bring a project whole into another database; bad archives are refused."""

import io
import json
import re
import tarfile

import pytest
from sqlalchemy import text
from tests.unit.db.test_hypotheses import hypothesis

from auto_benchmark.artifacts import import_stage, tree_store
from auto_benchmark.db import transfer
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import hypotheses, projects, records, snapshots
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
        snapshots.record_changes(session=session, project=project, new=snapshot, old=None, delta=delta)
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


@pytest.fixture
def with_code(sessions, project, filled, tmp_path):
    """The archive of a project whose hypothesis has code, and the tree's name."""
    settings, archive = filled
    folder = tmp_path / "toy"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "lib" / "run.sh").chmod(0o755)
    (folder / "train.py").write_text("print('it helps')\n")
    tree = tree_store.keep(folder, settings.root)
    with sessions.begin() as session:
        changed = hypothesis("c9").model_copy(update={"tree": tree})
        hypotheses.add(session=session, project=project, hypothesis=changed)
    assert export_project(settings, sessions, project, archive)["code"] == 1
    return archive, tree


def test_code_travels_under_its_checksum_and_enters_only_where_it_is_asked_for(project, with_code, elsewhere):
    archive, tree = with_code
    there, other = elsewhere
    told = import_project(there, other, archive, with_code=True)
    assert told["code"] == 1
    copy = tree_store.find(tree, "toy", there.root)
    assert (copy / "train.py").read_text() == "print('it helps')\n"
    assert (copy / "lib" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (copy / "train.py").stat().st_mode & 0o777 == 0o644
    assert import_stage.left_in(there.root) == []


def test_an_import_is_of_records_unless_programs_are_asked_for(project, with_code, elsewhere):
    archive, tree = with_code
    there, other = elsewhere
    assert import_project(there, other, archive)["code"] == 0
    assert not tree_store.holds(tree, "toy", there.root)
    with other() as session:
        assert hypotheses.get(session=session, project=project, hypothesis_id="H-002").tree == tree


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("code/{tree}/toy/train.py", b"print('mine')", "holds other code than its name says"),
        ("code/{tree}/toy/extra.py", b"import evil", "holds other code than its name says"),
        ("code/{tree}/toy/__pycache__/train.pyc", b"x", "is not a file of stored code"),
        ("code/{tree}/lone", b"x", "is not a file of stored code"),
        ("code/{tree}/../evil/train.py", b"x", "has an empty component, . or .."),
        ("code/0123456789abcdef/toy/train.py", b"x", "no row of the archive names this code"),
        ("code/..0123456789abcd/toy/train.py", b"x", "is not a file of stored code"),
        ("code/{tree}/toy/large.bin", bytes(65 * 2**20), "holds more than 2000 files or 64 MiB"),
    ],
)
def test_code_that_is_not_what_its_name_says_is_refused_whole(
    project, with_code, elsewhere, tmp_path, name, content, said
):
    archive, tree = with_code
    there, other = elsewhere
    changed, wanted = tmp_path / "changed.tar.gz", name.format(tree=tree)
    with tarfile.open(archive) as old, tarfile.open(changed, "w:gz") as new:
        for member in old.getmembers():
            if member.name != wanted:
                new.addfile(member, old.extractfile(member))
        extra = tarfile.TarInfo(wanted)
        extra.size = len(content)
        new.addfile(extra, io.BytesIO(content))
    with pytest.raises(RefusedError, match=re.escape(said)):
        import_project(Settings(home=there.home, import_expansion=100_000), other, changed, with_code=True)
    with other() as session:
        assert projects.names(session=session) == []
    assert not list(there.root.glob("code/*/*/*")) and import_stage.left_in(there.root) == []


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
