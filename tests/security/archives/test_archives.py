"""Archives from outside: refused with the place named and nothing left behind, or imported and at rest."""

import gzip
import io
import json
import os
import random
import tarfile
import time

import pytest
from sqlalchemy import text
from tests.security.archives.hostile_archive import (
    HEX,
    NOW,
    board_row,
    experiment_row,
    header,
    hypothesis_row,
    log_row,
    outbox_row,
    project_row,
    raw,
    trial_row,
    write,
)

from auto_benchmark.artifacts.export_archive import ALWAYS_ALLOWED, MB
from auto_benchmark.db.repositories import outbox, projects, records
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.project.configuration import project_directory, project_names
from auto_benchmark.project.transfer import export_project, import_project
from auto_benchmark.registry.names import RESERVED, project_name
from auto_benchmark.settings import Settings

PAX = tarfile.XHDTYPE
NOISE = random.Random(1).randbytes(20_000).hex()
"""A key too long for an index of Postgres, which no compression makes short enough."""


def refused(target, archive, match):
    """Import, see it refused, and see that nothing has changed; the error."""
    before = target.state()
    with pytest.raises(InputError, match=match) as caught:
        import_project(target.settings, target.sessions, archive)
    assert target.state() == before
    return caught.value


NAMES = ["../outside", "/tmp/x", "Guest", "a b", "", "a" * 64, "guest\n", "1st", "sealed/deadbeef", "gu\u0131st", "."]


@pytest.mark.parametrize("name", [*NAMES, *sorted(RESERVED)])
def test_a_project_is_named_by_one_rule_everywhere(target, tmp_path, name):
    refused(target, write(tmp_path / "a.tar.gz", name), "cannot be the name of a project")
    for use in (project_name, lambda n: project_directory(target.settings, n)):
        with pytest.raises(InputError, match="cannot be the name of a project"):
            use(name)
    with pytest.raises(InputError, match="cannot be the name of a project"):
        export_project(target.settings, target.sessions, name, tmp_path / "b.tar.gz")


def test_a_folder_that_is_not_named_like_a_project_is_none(tmp_path):
    for name in ("fine", "Not fine", "sealed", "default"):
        (tmp_path / "projects" / name).mkdir(parents=True)
    assert project_names(Settings(config=tmp_path)) == ["fine"]


@pytest.mark.parametrize("tables", [
    {"decision_log": [log_row("victim", key="forged", kind="approval")]},
    {"decision_log": [log_row("guest"), log_row("victim", id=2)]},
    {"projects": [project_row("victim")]},
    {"projects": [project_row("guest"), project_row("victim")]},
])  # fmt: skip
def test_rows_of_another_project_are_refused(target, tmp_path, tables):
    refused(target, write(tmp_path / "a.tar.gz", tables=tables), r"tables/\w+.jsonl:\d: (project|name): a row of")


@pytest.mark.parametrize(("tables", "match"), [
    ({"projects": []}, "projects.jsonl: holds 0 rows instead of one"),
    ({"projects": [project_row("guest")] * 2}, "holds 2 rows instead of one"),
    ({"projects": [{**project_row("guest"), "nope": 1}]}, "projects.jsonl:1: projects has no column 'nope'"),
    ({"projects": [project_row("guest", our_name=None)]}, "projects.jsonl:1: our_name: is null"),
    ({"projects": [project_row("guest", our_name=["x"])]}, "our_name: is a list"),
    ({"projects": [project_row("guest", our_name="a\0b")]}, "our_name: holds a character"),
    ({"projects": [project_row("guest", our_name="\ud800")]}, "our_name: holds a character"),
    ({"projects": [project_row("guest", last_hypothesis=True)]}, "last_hypothesis: is true or false"),
    ({"projects": [project_row("guest", last_hypothesis=2**31)]}, "last_hypothesis: is too large"),
    ({"projects": [project_row("guest", created_at="2025-01-01")]}, "created_at: is a time without its zone"),
    ({"projects": [project_row("guest", created_at="yesterday")]}, "created_at: Invalid isoformat"),
    ({"projects": [project_row("guest", created_at="9000-01-01T00:00:00+00:00")]}, "lies in the future"),
    ({"projects": [{"name": "guest"}]}, "projects.jsonl:1: domain: is missing"),
    ({"projects": [b"{broken"]}, "projects.jsonl:1: is not a JSON row"),
    ({"projects": [b"[1]"]}, "projects.jsonl:1: should be a row, is a list"),
    ({"projects": [b"[" * 100_000]}, "projects.jsonl:1: is not a JSON row"),
    ({"projects": [b"\xff\xfe"]}, "projects.jsonl:1: is not a JSON row"),
    ({"decision_log": [log_row("guest", id=2**70)]}, "decision_log.jsonl:1: id: is too large"),
    ({"decision_log": [log_row("guest", id=0)]}, "decision_log.jsonl:1: id: 0 is not an id"),
    ({"decision_log": [log_row("guest"), log_row("guest", key="l")]}, "decision_log.jsonl:2: id: 1 is not an id, or occurs"),
    ({"decision_log": [log_row("guest"), log_row("guest", id=2)]}, "decision_log: rows contradict each other"),
    ({"decision_log": [log_row("guest", key=NOISE)]}, "decision_log: rows contradict"),
    ({"decision_log": [log_row("guest", inputs=[])]}, "inputs: is a list"),
    ({"decision_log": [log_row("guest", inputs={"x": 10**400})]}, "inputs: holds too large a number"),
    ({"decision_log": [log_row("guest", inputs={"a\0": 1})]}, "inputs: holds a character"),
    ({"decision_log": [json.dumps(log_row("guest", inputs={"x": 1.5})).replace("1.5", "1e999").encode()]}, "finite"),
    ({"decision_log": [json.dumps(log_row("guest", inputs={"x": 1.5})).replace("1.5", "NaN").encode()]}, "finite"),
    ({"decision_log": [json.dumps(log_row("guest")).replace("{}", '{"x":' * 50 + "1" + "}" * 50).encode()]}, "nested"),
    ({"decision_log": [log_row("guest", inputs={"trial_ids": [1]})]}, "inputs: the archive holds no row 1 of trials"),
    ({"decision_log": [log_row("guest", inputs={"trial_id": "x"})]}, "inputs: 'x' is not an id of trials"),
    ({"decision_log": [log_row("guest", key="decision/4")]}, "key: the archive holds no row 4 of promotion_decisions"),
    ({"trials": [trial_row("guest", experiment_id=1)]}, "trials.jsonl:1: experiment_id: the archive holds no row 1"),
    ({"trials": [trial_row("guest", artifact_uri="../../victim")]}, "artifact_uri: .* is not a valid result folder"),
    ({"trials": [trial_row("guest", artifact_uri="/etc")]}, "artifact_uri: .* is not a valid result folder"),
    ({"trials": [trial_row("guest", purpose="../../x")]}, "purpose: .* is not a valid purpose"),
    ({"trials": [trial_row("guest", config_hash="../x")]}, "config_hash: .* is not a valid hash"),
    ({"trials": [trial_row("guest", state="won")]}, "state: 'won' is not a valid trial state"),
    ({"experiments": [experiment_row("guest", key="../../../x")]}, "key: .* is not a valid experiment"),
    ({"hypotheses": [hypothesis_row("guest", id="H-001/../../x")]}, "id: .* is not a valid hypothesis"),
    ({"leaderboards": [board_row("guest", higher_is_better=1)]}, "higher_is_better: is a number"),
])  # fmt: skip
def test_a_faulty_row_is_refused_by_table_line_and_column(target, tmp_path, tables, match):
    refused(target, write(tmp_path / "a.tar.gz", tables=tables), match)


@pytest.mark.parametrize("name", [
    "files/../../evil", "files//etc/evil", "/etc/evil", "files/reports/../../x", "files/reports/a\\b", "files/reports/a:b",
    "files/reports/a\x1b[31m", "files/reports/\u202egpj", "files/reports/a.", "files/reports/ a", "files/reports/\udc80",
    "files/reports/" + "a" * 201, "files/" + "reports/" * 16 + "a", "files/solutions/evil/train.py",
    "files/solution.yaml", "files/config/projects/evil/competitive_registry.yaml", "files/experiments", "files/raw",
    "tables/nobody.jsonl", "tables/trials.json", "other", "files", "manifest.json/x", "schedule.yaml",
])  # fmt: skip
def test_a_member_with_another_path_is_refused(target, tmp_path, name):
    refused(
        target, write(tmp_path / "a.tar.gz", members=[(header(name, 1), b"x")]), "a.tar.gz|path|home holds no such"
    )


@pytest.mark.parametrize("names", [
    ["reports/a.md", "reports/a.md"], ["reports/a.md", "reports/A.md"], ["reports/\u00e9", "reports/e\u0301"],
    ["reports/a", "reports/a/b"], ["reports/a/b", "reports/A"],
])  # fmt: skip
def test_members_may_not_meet(target, tmp_path, names):
    members = [(header(f"files/{name}", 1), b"x") for name in names]
    refused(target, write(tmp_path / "a.tar.gz", members=members), "another member has this path")


KINDS = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
KINDS += [tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, b"Z"]


@pytest.mark.parametrize("kind", KINDS)
def test_only_regular_files_are_members(target, tmp_path, kind):
    info = header("files/reports/l", type=kind, linkname="/etc/passwd" if kind in KINDS[:2] else "")
    refused(target, raw(tmp_path / "a.tar.gz", info.tobuf(tarfile.USTAR_FORMAT) + bytes(1024)), "not a regular file")


def test_rights_are_ours(target, tmp_path):
    archive = write(tmp_path / "a.tar.gz", members=[(header("files/reports/x", 1, mode=0o6777, mtime=2**33), b"x")])
    import_project(target.settings, target.sessions, archive)
    status = (target.settings.project_home("guest") / "reports" / "x").stat()
    assert status.st_mode & 0o7022 == 0 and status.st_uid == os.getuid() and status.st_mtime <= time.time()


class Letters(io.RawIOBase):
    """Any number of the same letter."""

    def read(self, size=-1):
        return b"x" * size


@pytest.mark.parametrize(("member", "size"), [
    ("files/reports/x", 3 << 30), ("tables/projects.jsonl", 3 << 30), ("manifest.json", 1 << 30)
])  # fmt: skip
def test_a_small_archive_does_not_become_a_large_one(target, tmp_path, member, size):
    head = header(member, size).tobuf(tarfile.USTAR_FORMAT)
    archive = raw(tmp_path / "a.tar.gz", head + b"x" * (4 * MB))
    started = time.monotonic()
    refused(target, archive, "unpacks to more than 67108864 bytes; AUTO_BENCHMARK_IMPORT_EXPANSION")
    assert time.monotonic() - started < 5


def test_what_unpacks_is_counted_behind_the_end_too(target, tmp_path):
    archive = write(tmp_path / "a.tar.gz")
    with archive.open("ab") as file:
        file.write(gzip.compress(bytes(ALWAYS_ALLOWED), 1))
    refused(target, archive, "unpacks to more than")


@pytest.mark.parametrize(("limits", "match"), [
    ({"import_members": 2}, "more than 2 members; AUTO_BENCHMARK_IMPORT_MEMBERS"),
    ({"import_total_mb": 1}, "unpacks to more than 1048576 bytes; AUTO_BENCHMARK_IMPORT_TOTAL_MB"),
    ({"import_member_mb": 1}, r"has \d+ bytes, more than 1048576; AUTO_BENCHMARK_IMPORT_MEMBER_MB"),
    ({"import_line_mb": 1}, "decision_log.jsonl:1: is longer than 1048576 bytes; AUTO_BENCHMARK_IMPORT_LINE_MB"),
])  # fmt: skip
def test_each_limit_holds_and_names_its_setting(target, tmp_path, limits, match):
    long = json.dumps(log_row("guest", reason="x" * (MB + 1))).encode()
    archive = write(tmp_path / "a.tar.gz", tables={"decision_log": [long]}, files={"reports/x": bytes(2 * MB)})
    target.settings = target.settings.model_copy(update=limits)
    refused(target, archive, match)


def pax(text):
    """An extended header that says this, and a file behind it."""
    return header("x", len(text), type=PAX).tobuf(tarfile.USTAR_FORMAT) + text.ljust(512, b"\0")


@pytest.mark.parametrize(("blocks", "match"), [
    (header("x", 1 << 30, type=PAX).tobuf(tarfile.USTAR_FORMAT), "an extended header of 1073741824 bytes"),
    (pax(b"20 size=99999999999\n"), "an extended header says 'size'"),
    (pax(b"24 GNU.sparse.major=1\n\n\n"), "an extended header says 'GNU.sparse.major'"),
    (pax(b"9999999999 path=x\n"), "an extended header is damaged"),
    (pax(b"3 path=x\n"), "an extended header is damaged"),
    (pax(b"11 path=ab\n") + pax(b"11 path=ab\n"), "'ab' is not a regular file"),
    (pax(b"11 path=ab\n"), "ends"),
    (header("files/reports/x", 10).tobuf(tarfile.USTAR_FORMAT), "ends too early"),
    (b"\1" * 512, "cannot be read as an export"),
    (bytes(512) + header("files/reports/x").tobuf(tarfile.USTAR_FORMAT), "an empty block"),
    (bytes(1024) + b"more", "something follows"),
    (b"", "ends too early"),
])  # fmt: skip
def test_damaged_headers(target, tmp_path, blocks, match):
    refused(target, raw(tmp_path / "a.tar.gz", blocks), match)


@pytest.mark.parametrize("manifest", [
    b"", b"[]", b"{", b'{"format": 2, "project": "guest"}', b'{"format": 1}', b'{"format": 1, "project": 3}',
    b'{"format": 1, "project": "guest", "rows": 3}', b"[" * 10_000,
])  # fmt: skip
def test_without_a_manifest_of_ours_nothing_is_imported(target, tmp_path, manifest):
    refused(target, write(tmp_path / "a.tar.gz", manifest=manifest), "manifest")


def test_rows_are_as_many_as_the_manifest_says(target, tmp_path):
    manifest = json.dumps({"format": 1, "project": "guest", "rows": {"projects": 1, "trials": 4}}).encode()
    refused(target, write(tmp_path / "a.tar.gz", manifest=manifest), "other numbers of rows")


def test_a_pipe_is_not_waited_for(target, tmp_path):
    os.mkfifo(tmp_path / "a.tar.gz")
    refused(target, tmp_path / "a.tar.gz", "not a regular file")


def test_the_largest_id_uses_no_sequence_up(target, tmp_path):
    archive = write(tmp_path / "a.tar.gz", tables={"decision_log": [log_row("guest", id=2**63 - 1)]})
    import_project(target.settings, target.sessions, archive)
    with target.sessions.begin() as session:
        assert records.log(session=session, project="victim", key="after", kind="note", subject="s", reason="r")
        assert session.scalar(text("select max(id) from auto_benchmark.decision_log")) < 10_000


def test_nothing_imported_acts_by_itself(target, tmp_path):
    snapshot = {"id": 4, "project": "guest", "leaderboard_id": 5, "fetched_at": NOW, "last_seen_at": NOW}
    snapshot |= {"content_hash": HEX, "status": "ok", "reason": "", "raw_uri": None, "warnings": [], "n_entries": 0}
    delta = {"id": 9, "project": "guest", "leaderboard_id": 5, "snapshot_id": 4, "position": 0, "type": "overtook_us"}
    delta |= {"system": "A", "recorded_at": NOW, "event_key": HEX}
    lease = {"lease_owner": "o", "lease_expires_at": "2999-01-01T00:00:00+00:00", "heartbeat_at": NOW}
    escalation = {"project": "guest", "key": "q", "title": "t", "brief": "b", "inputs": {}, "created_at": NOW}
    archive = write(tmp_path / "a.tar.gz", tables={
        "leaderboards": [board_row("guest")], "leaderboard_snapshots": [snapshot], "competitive_deltas": [delta],
        "trials": [trial_row("guest", state="running", finished_at=None, **lease)],
        "hypotheses": [hypothesis_row("guest", status="active", **lease)],
        "outbox": [outbox_row("guest", payload={"approved_by": "somebody"}, topic="submission")],
        "escalations": [escalation],
    })  # fmt: skip
    import_project(target.settings, target.sessions, archive)
    with target.sessions.begin() as session:
        assert outbox.claim(session=session, owner="o", lease_s=1, limit=9, project="guest") == []
        found = session.execute(text("select state, lease_owner, last_error from auto_benchmark.outbox")).one()
        assert found == ("dead", None, "imported before it was sent; an import sends nothing")
        trial = session.execute(text("select state, lease_owner, lease_expires_at from auto_benchmark.trials")).one()
        assert trial == ("planned", None, None)
        asked = session.execute(text("select status, lease_owner from auto_benchmark.hypotheses")).one()
        assert asked == ("queued", None)
        claimed = session.execute(text("select claimed_by, claimed_at from auto_benchmark.competitive_deltas")).one()
        assert claimed.claimed_by == "import" and claimed.claimed_at is not None
        assert [e.key for e in records.open_escalations(session=session, project="guest")] == ["q"]


def test_results_that_no_finished_trial_has_are_left_out(target, tmp_path):
    """Whoever runs the trial of that folder would take the result as it is."""
    files = {f"experiments/results/{folder}/{name}": b"{}" for folder in ("control/c/seed-1", "control/c/seed-2")
             for name in ("metrics.json", "items.json", "train.log")}  # fmt: skip
    archive = write(tmp_path / "a.tar.gz", tables={"trials": [trial_row("guest")]}, files=files)
    assert import_project(target.settings, target.sessions, archive)["files"] == 4
    results = target.settings.project_home("guest") / "experiments/results/control/c"
    assert sorted(p.name for p in (results / "seed-1").iterdir()) == ["items.json", "metrics.json", "train.log"]
    assert sorted(p.name for p in (results / "seed-2").iterdir()) == ["train.log"]


def test_orders_caches_and_pages_are_left_out(target, tmp_path):
    """They stand in archives of earlier versions."""
    left = ["tracking/x.json", "cache/second_reader/x.json", "hidden_inputs/x.jsonl", "competitive_registry.yaml"]
    left += ["reports/plots/H-001-2.png", "reports/technical_log.html", "reports/.x.md.abc", "sweeps/a/.lock"]
    left += ["experiments/results/control/c/seed-1/output/x.bin"]
    archive = write(tmp_path / "a.tar.gz", files=dict.fromkeys([*left, "reports/gap_matrix.md"], b"x"))
    assert import_project(target.settings, target.sessions, archive)["files"] == 1
    home = target.settings.project_home("guest")
    assert [str(p.relative_to(home)) for p in home.rglob("*") if p.is_file()] == ["reports/gap_matrix.md"]


def test_an_export_has_no_secrets(target, tmp_path, small_registry):
    home = target.settings.project_home("victim")
    for name in ("tracking/x.json", "hidden_inputs/x.jsonl", "competitive_registry.yaml", "reports/x.md"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text("secret" if name != "reports/x.md" else "open")
    (home / "reports" / "link").symlink_to("/etc/passwd")
    with target.sessions.begin() as session:
        session.execute(
            text("""update auto_benchmark.leaderboards set spec =
            '{"leaderboard_url": "https://user:secret@board.example/x?a=1&api_key=secret&b=2"}'""")
        )
    told = export_project(target.settings, target.sessions, "victim", tmp_path / "a.tar.gz")
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        names = tar.getnames()
        content = b"".join(tar.extractfile(name).read() for name in names)
    assert told["files"] == 2 and {n for n in names if n.startswith("files/")} == {
        "files/CHANGELOG.md",
        "files/reports/x.md",
    }
    assert b"secret" not in content and b"https://board.example/x?a=1&api_key=removed&b=2" in content


class Killed(BaseException):
    """What stands for SIGKILL: nothing of ours runs after it."""


def killed_at(monkeypatch, module, name, *, after):
    """The process dies when ``name`` is called, or once it has returned; neither handler nor clean-up runs."""
    original = getattr(module, name)

    def dies(*args, **kwargs):
        if after:
            original(*args, **kwargs)
        raise Killed

    monkeypatch.setattr(module, name, dies)


@pytest.mark.parametrize(("place", "after", "committed"), [
    ("check", False, False), ("insert", True, False), ("place", False, False), ("place", True, False),
    ("_import", True, True),
])  # fmt: skip
def test_an_import_that_was_killed_anywhere_is_healed_by_the_next(
    target, tmp_path, monkeypatch, place, after, committed
):
    from auto_benchmark.artifacts.import_stage import ImportStage
    from auto_benchmark.db.transfer import Rows
    from auto_benchmark.project import transfer

    archive = write(tmp_path / "a.tar.gz", tables={"decision_log": [log_row("guest")]}, files={"reports/x": b"x"})
    before = target.state()
    owner = {"check": Rows, "insert": Rows, "place": ImportStage, "_import": transfer}[place]
    with monkeypatch.context() as patch:
        killed_at(patch, owner, place, after=after)
        patch.setattr(transfer, "_settle", lambda *_: None)
        with pytest.raises(Killed):
            import_project(target.settings, target.sessions, archive)
    assert any(".import-" in name for name in target.files()), "it has left something"
    if not committed:
        refused_one = write(tmp_path / "b.tar.gz", "Bad")
        with pytest.raises(InputError):
            import_project(target.settings, target.sessions, refused_one)
        assert target.state() == before, "any import cleans up"
    told = import_project(target.settings, target.sessions, archive)
    assert told["project"] == "guest" and told["files"] == 1 and told["rows"]["decision_log"] == 1
    assert target.projects() == ["guest", "victim"] and len(target.rows("guest")["decision_log"]) == 2
    assert (target.settings.project_home("guest") / "reports" / "x").read_bytes() == b"x"
    assert not any(".import-" in name for name in target.files())
    with pytest.raises(RefusedError, match="holds files already"):
        import_project(target.settings, target.sessions, archive)


def test_files_that_somebody_has_written_since_stay(target, tmp_path, monkeypatch, small_registry):
    """The project's own loop began between the kill and the next import."""
    from auto_benchmark.artifacts.import_stage import ImportStage
    from auto_benchmark.project import transfer

    archive = write(tmp_path / "a.tar.gz", files={"reports/x": b"x", "reports/y": b"y", "raw/aa/z": b"z"})
    with monkeypatch.context() as patch:
        killed_at(patch, ImportStage, "place", after=True)
        patch.setattr(transfer, "_settle", lambda *_: None)
        with pytest.raises(Killed):
            import_project(target.settings, target.sessions, archive)
    home = target.settings.project_home("guest")
    (home / "reports" / "new").write_text("new")
    (home / "reports" / "x").rename(home / "reports" / "old")
    (home / "reports" / "x").write_text("written again")
    (home / "reports" / "old").unlink()
    with target.sessions.begin() as session:
        projects.upsert(session=session, project="guest", registry=small_registry)
    with pytest.raises(RefusedError, match="holds files already"):
        import_project(target.settings, target.sessions, archive)
    assert {p.name: p.read_text() for p in home.rglob("*") if p.is_file()} == {"new": "new", "x": "written again"}


def test_a_home_that_appears_meanwhile_is_not_touched(target, tmp_path, monkeypatch):
    from auto_benchmark.db.transfer import Rows

    home, insert = target.settings.project_home("guest"), Rows.insert

    def appears(self, *, session):
        insert(self, session=session)
        home.mkdir()
        (home / "theirs").write_text("theirs")

    monkeypatch.setattr(Rows, "insert", appears)
    with pytest.raises(RefusedError, match="cannot be put in place"):
        import_project(target.settings, target.sessions, write(tmp_path / "a.tar.gz", files={"reports/x": b"x"}))
    assert [p.name for p in home.iterdir()] == ["theirs"] and target.projects() == ["victim"]


def test_one_import_at_a_time(target, tmp_path):
    from auto_benchmark.artifacts.import_stage import one_import

    with one_import(target.settings.root), pytest.raises(RefusedError, match="another import"):
        import_project(target.settings, target.sessions, write(tmp_path / "a.tar.gz"))
