"""New ids for everything: the declared list is complete, every reference follows, decisions replay byte by byte."""

import re
import tarfile
from pathlib import Path

import pytest
from sqlalchemy import JSON, BigInteger, Integer, Text, text

from auto_benchmark.db import row_values, table_contents, transfer
from auto_benchmark.db.identities import Identities
from auto_benchmark.db.models import Base
from auto_benchmark.db.repositories import decisions, records
from auto_benchmark.db.table_contents import LOG, NOT_EXPORTED, PHRASES, SLACK, SUBMISSIONS, TABLES
from auto_benchmark.errors import RefusedError
from auto_benchmark.project.transfer import export_project, import_project
from auto_benchmark.promotion.replay import replay
from auto_benchmark.settings import Settings

FORMAT_1 = Path(__file__).parent / "format_1.tar.gz"
"""Written by the version before imports gave new ids, from a toy project after its first promotion."""
MODELS = {table.name: table for table in Base.metadata.sorted_tables}


def test_every_table_is_declared():
    assert set(TABLES) | NOT_EXPORTED == set(MODELS) and not set(TABLES) & NOT_EXPORTED
    assert all("project" in table.c or name == "projects" for name, table in MODELS.items() if name in TABLES)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_column_is_declared_once_as_what_it_is(name):
    table, contents = MODELS[name], TABLES[name]
    assert sorted(contents.columns()) == sorted(table.c.keys())
    points_to = {
        fk.parent.name: fk.column.table.name for fk in table.foreign_keys if fk.column.table.name != "projects"
    }
    ids = {column: target for column, target in points_to.items() if not isinstance(table.c[column].type, Text)}
    own = {column.name: name for column in table.c if column.identity is not None}
    assert dict(contents.ids) == ids | own, "every foreign key and every identity"
    of_type = {kind: {c.name for c in table.c if isinstance(c.type, kind)} for kind in (JSON, Text, Integer)}
    assert {*contents.objects, *contents.lists} == of_type[JSON]
    texts = {key.rpartition(":")[2] for key in contents.keys} | contents.prose | set(contents.names)
    assert texts <= of_type[Text] and set(contents.ids) <= of_type[Integer]
    assert set(contents.names.values()) <= set(row_values.NAMES)
    if any(":" in key for part in (contents.keys, *contents.objects.values()) for key in part):
        assert contents.kind in table.c


def test_a_bigint_that_is_no_id_is_known_as_such():
    """A new bigint column is probably an id: whoever adds one says here that it is not."""
    found = {f"{name}.{c.name}" for name, table in MODELS.items() if name in TABLES for c in table.c
             if isinstance(c.type, BigInteger) and c.name not in TABLES[name].ids}  # fmt: skip
    assert found == {"trials.seed", "split_queries.queries"}


def with_ids(template, first):
    """The template as a text with ids from ``first`` on, and the ids by table."""
    used = []

    def one(match):
        used.append((match[1], first + len(used)))
        return str(used[-1][1])

    filled = re.sub(r"\{(\w+)\}", one, template)
    return filled.replace("**", "Board of 5/accuracy 7").replace("*", "Board 9"), used


def all_templates():
    for table, contents in TABLES.items():
        yield from (
            (table, column, template) for column, templates in contents.keys.items() for template in templates
        )
        for column, keys in contents.objects.items():
            yield from (
                (table, f"{column}.{key}", t) for key, ts in keys.items() if isinstance(ts, tuple) for t in ts
            )


@pytest.mark.parametrize(("table", "column", "template"), list(all_templates()))
def test_every_template_finds_its_ids_and_nothing_else(table, column, template):
    identities = Identities()
    filled, used = with_ids(template, 1000)
    for name, old in used:
        identities._new.setdefault(name, {})[old] = old + 5000
    declared = TABLES[table]
    where, _, key = column.partition(".")
    templates = declared.objects[where][key] if key else declared.keys[column]
    expected = re.sub(r"100\d", lambda match: str(int(match[0]) + 5000), filled)
    assert identities._key(templates, filled) == expected != filled
    with pytest.raises(ValueError, match="the archive holds no row"):
        Identities()._key(templates, filled)


@pytest.mark.parametrize("key", [
    "search/Board/30", "standing/Board/c0", "trigger/urgent_sweep/Board", "technique/adam 3", "paper/arxiv:2401.1/x",
    "decision/x", "decision/01", "decision/1x", "rank_drop/123", "person/12", "", "1/2", "competitor/a/b/3",
])  # fmt: skip
def test_keys_without_ids_stay(key):
    assert Identities()._key(LOG, key) == key and Identities()._key(SLACK, f"log/{key}") == f"log/{key}"


def test_phrases_follow_where_the_row_is_known():
    identities = Identities()
    identities._new["trials"] = {3: 30, 4: 40}
    told = (
        "(trials 3 and 4, seed 3); trial 4 withdrawn by ann; trial 9 is not ours; trials 3 and 9; 3 trials; trial 4x"
    )
    assert identities._prose(told) == (
        "(trials 30 and 40, seed 3); trial 40 withdrawn by ann; trial 9 is not ours; trials 3 and 9; 3 trials; trial 4x"
    )
    assert PHRASES and identities._prose(None) is None


def ids_of(sessions, query):
    with sessions() as session:
        return session.execute(text(query)).all()


def starts_at(sessions, base):
    """Every sequence counts from a number of its own; first number of each table."""
    first = {}
    with sessions.begin() as session:
        for number, name in enumerate(
            sorted(n for n in TABLES if n in TABLES[n].ids.values() and "id" in TABLES[n].ids)
        ):
            first[name] = base + number * 1_000_000
            sequence = f"pg_get_serial_sequence('auto_benchmark.{name}', 'id')"
            session.execute(text(f"select setval({sequence}, :first, false)"), {"first": first[name]})
    return first


def test_an_archive_of_the_version_before_still_comes_in(target):
    first = starts_at(target.sessions, 500_000_000)
    told = import_project(target.settings, target.sessions, FORMAT_1)
    assert told["rows"]["trials"] == 45 and told["rows"]["promotion_decisions"] == 2
    home = target.settings.project_home("default")
    assert not (home / "tracking").exists() and not list(home.rglob("*.html")) and (home / "CHANGELOG.md").exists()
    rows = ids_of(
        target.sessions,
        "select id, key, inputs from auto_benchmark.decision_log where project = 'default' order by id",
    )
    known = {int(r[0]) for r in ids_of(target.sessions, "select id from auto_benchmark.trials")}
    assert min(known) == first["trials"] and rows[0].id == first["decision_log"]
    decision = first["promotion_decisions"] + 1
    assert [r.key for r in rows[2:4]] == [f"decision/{decision}", f"production/{decision}"]
    assert set(rows[2].inputs["trial_ids"]) <= known and rows[2].inputs["decision_id"] == decision
    sent = ids_of(target.sessions, "select idempotency_key from auto_benchmark.outbox")
    assert sent == [(f"log/production/{decision}",)], "what was told is not told again"
    with target.sessions() as session:
        for made in decisions.latest(session=session, project="default"):
            assert replay(made.evidence_json, made.decision_json) == []


def test_going_there_and_back_changes_nothing_but_ids(target, tmp_path, postgres, template_database):
    """Numbers of both installations are told apart by their size, so that one that did not follow is seen."""
    from auto_benchmark.db.engine import engine, session_factory

    first = starts_at(target.sessions, 500_000_000)
    import_project(target.settings, target.sessions, FORMAT_1)
    with target.sessions.begin() as session:
        leave_every_kind_of_key(session, first)
    told = export_project(target.settings, target.sessions, "default", tmp_path / "a.tar.gz")
    bind = engine(postgres.create_database(f"back_{tmp_path.name[:30]}", template=template_database))
    there, other = Settings(home=tmp_path / "there"), session_factory(bind)
    again = starts_at(other, 900_000_000)
    assert import_project(there, other, tmp_path / "a.tar.gz") == told
    with target.sessions() as one, other() as two:
        for table in transfer.tables():
            old = list(transfer.rows_of(table, session=one, project="default"))
            new = list(transfer.rows_of(table, session=two, project="default"))
            number = re.compile(r"(?<!\d)5\d{8}(?!\d)")
            moved = [number.sub(lambda m: renewed(m[0], first, again, one), line) for line in old]
            assert not any(number.search(line) for line in new), table.name
            if table.name == "decision_log":
                assert new.pop().count('"kind": "import"') == 1
            assert new == moved, table.name
    bind.dispose()


def leave_every_kind_of_key(session, first):
    """Log entries, questions and messages with every kind of key, about rows that exist."""

    def there(template):
        return re.sub(r"\{(\w+)\}", lambda m: str(existing(session, m[1], first)), template).replace("*", "Board")

    production = existing(session, "production_configs", first)
    board = session.scalar(text("select id from auto_benchmark.leaderboards where project = 'default'"))
    key = f"default/Board/{production}"
    session.execute(text("""insert into auto_benchmark.submissions
        (project, leaderboard_id, production_config_id, idempotency_key, state)
        values ('default', :board, :production, :key, 'accepted')"""),
        {"board": board, "production": production, "key": key})  # fmt: skip
    for number, template in enumerate(LOG):
        session.execute(text("""insert into auto_benchmark.decision_log (project, key, kind, subject, reason, inputs)
            values ('default', :key, 'x', :subject, :reason, '{}') on conflict do nothing"""),
            {"key": there(template), "subject": there("trial {trials}"),
             "reason": f"{number}: {there('trials {trials} and {trials}')}"})  # fmt: skip
    inputs = {name: existing(session, table, first) for name, table in
              TABLES["decision_log"].objects["inputs"].items() if ":" not in name}  # fmt: skip
    records.log(session=session, project="default", key="inputs", kind="x", subject="s", reason="r", inputs=inputs)
    base = {"from": production, "to": production, "base": "unchanged"}
    records.log(session=session, project="default", key="r", kind="rollback", subject="s", reason="r", inputs=base)
    for template in table_contents.ESCALATIONS:
        records.escalate(session=session, project="default", key=there(template), title="t", brief="b",
                         inputs={"production_config_id": production})  # fmt: skip
    for topic, templates in (("slack", SLACK), ("submission", SUBMISSIONS)):
        for template in templates:
            session.execute(text("""insert into auto_benchmark.outbox (project, topic, idempotency_key, payload, state)
                values ('default', :topic, :key, cast(:payload as json), 'sent') on conflict do nothing"""),
                {"topic": topic, "key": there(template), "payload": f'{{"thread": "{there(SLACK[0])}"}}'})  # fmt: skip


def existing(session, table, first):
    """Id of the newest row of a table that an archive of the project will hold."""
    return (
        session.scalar(text(f"select max(id) from auto_benchmark.{table} where project = 'default'")) or first[table]
    )


def renewed(old, first, again, session):
    """What an id has to become: the same place in the order of its table, counted from the other start."""
    table = max((name for name in first if first[name] <= int(old)), key=first.get)
    place = session.scalar(
        text(f"select count(*) from auto_benchmark.{table} where project = 'default' and id < :old"),
        {"old": int(old)},
    )
    return str(again[table] + place)


def test_an_archive_without_a_row_that_is_referred_to_is_refused(target, tmp_path):
    """No half of a relation: the trials of a decision belong to it."""
    with tarfile.open(FORMAT_1) as old, tarfile.open(tmp_path / "a.tar.gz", "w:gz") as new:
        for member in old.getmembers():
            content = old.extractfile(member)
            if member.name == "tables/trials.jsonl":
                member.size = 0
            if member.name not in {"tables/metric_values.jsonl", "tables/decision_log.jsonl", "manifest.json"}:
                new.addfile(member, content)
        manifest = b'{"format": 1, "project": "default"}'
        info = tarfile.TarInfo("manifest.json")
        info.size = len(manifest)
        (tmp_path / "m").write_bytes(manifest)
        new.addfile(info, (tmp_path / "m").open("rb"))
    with pytest.raises(
        RefusedError, match=r"promotion_decisions.jsonl:1: trial_ids: the archive holds no row \d+ of trials"
    ):
        import_project(target.settings, target.sessions, tmp_path / "a.tar.gz")
