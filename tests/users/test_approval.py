"""Findings 10, 12 and 18: a promotion that waits for a person is seen, understood, and told once it is approved."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.command_line import runner

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections

TOY = Path(__file__).parents[1] / "toy"


@pytest.fixture(scope="module")
def asked(tmp_path_factory, postgres, template_database):
    """The toy project under ``promotion: approve`` with a promotion that waits: context, address and the question."""
    from auto_benchmark.db.repositories import hypotheses, records
    from auto_benchmark.flows import inline
    from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation, Urgency
    from auto_benchmark.project.context import make_context
    from auto_benchmark.registry.technique_catalog import Effort

    folder = tmp_path_factory.mktemp("approval")
    shutil.copytree(TOY, folder / "toy")
    (folder / "toy/config/board.csv").write_text("system,accuracy\nLeader,0.90\nOurs,0.61\nLast,0.50\n")
    (folder / "toy/config/schedule.yaml").write_text("automation: {promotion: approve}\n")
    _with_a_tiny_latency(folder / "toy/solutions/toy")
    parts = {part: folder / "toy" / part for part in ("config", "benchmarks", "solutions")}
    url = postgres.create_database("users_approval", template=template_database)
    bind = engine(url)
    ctx = make_context(Settings(home=folder / "home", **parts), session_factory(bind), NamedConnections({}))
    inline.scrape(ctx)
    base = ctx.bench.solution.solution.defaults
    for number, flip in enumerate((0.02, 0.03)):
        change = Implementation(
            change=f"Read all digits, flip {flip}", effort=Effort.LOW, estimated_gain=0.2, base=base,
            patch={"reads": 6, "flip": flip, "offset": 0.0},
        )  # fmt: skip
        wanted = Hypothesis(
            id="H-000", title=change.change, claim="ToyBoard accuracy rises", source="a test",
            target_leaderboards=["ToyBoard"], implementation=change, priority_score=90.0 - number,
            urgency=Urgency.NORMAL, config_hash=str(number) * 64,
        )  # fmt: skip
        with ctx.sessions.begin() as session:
            hypotheses.add(session=session, project=ctx.project, hypothesis=wanted)
    ended = [done for number in range(2) for done in inline.sweep(ctx, run_id=f"test-{number}")["experiments"]]
    if [done["outcome"] for done in ended] != ["waits_for_approval"] * 2:
        raise RuntimeError(f"both promotions should wait for a person: {ended}")
    with ctx.sessions() as session:
        question, _ = records.open_escalations(session=session, project=ctx.project)
    yield ctx, url, question, *(done["hypothesis_id"] for done in ended)
    bind.dispose()


def _with_a_tiny_latency(solution):
    """A latency of microseconds, of which a millisecond may be lost."""
    file, train = solution / "solution.yaml", solution / "train.py"
    guard = "[{name: latency_ms, within: 0.1, absolute: 1.0}]"
    file.write_text(file.read_text().replace("[latency_ms]", guard))
    train.write_text(train.read_text().replace("1.0 + rng.random() / 100", "(1 + rng.random()) / 1000"))


@pytest.fixture
def cli(asked, monkeypatch, capsys):
    ctx, url, *_ = asked
    settings = ctx.settings
    places = {"HOME": settings.home, "CONFIG": settings.config, "BENCHMARKS": settings.benchmarks}
    for name, value in {**places, "SOLUTIONS": settings.solutions, "DB_URL": url}.items():
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name}", str(value))
    return runner(monkeypatch, capsys)


def test_status_shows_what_waits_and_how_to_answer(asked, cli):
    ended = cli("status")
    assert re.search(rf"{asked[3]}.*wait", ended.out) and f"approve {asked[3]}" in ended.out, ended.out


def test_status_shows_what_an_answer_rests_on(asked, cli):
    shown = cli("status").out
    assert f"    | The gate would promote {asked[3]}" in shown and "    | It changes reads" in shown, shown
    (told,) = [q for q in json.loads(cli("status", "--json").out)["questions"] if q["subject"] == asked[3]]
    assert told["brief"] == asked[2].brief


@pytest.mark.parametrize("words", [("approve",), ("reject", "--reason", "too late")])
def test_an_answer_without_the_project_names_the_one_in_which_it_waits(asked, cli, words):
    """``default`` is taken where no project is named."""
    elsewhere = asked[0].settings.config / "projects" / "elsewhere"
    shutil.copytree(TOY / "config", elsewhere, dirs_exist_ok=True)
    ended = cli(words[0], asked[3], "--project", "elsewhere", *words[1:])
    assert ended.code == 2
    assert f"'{asked[3]}' waits in another one: --project default" in ended.err, ended.err
    unknown = cli(words[0], "H-999", "--project", "elsewhere", *words[1:])
    assert unknown.code == 2 and "another one" not in unknown.err


def test_what_waits_is_not_archived(asked):
    folder = asked[0].home / "experiments"
    assert not (folder / "archived" / f"{asked[3]}.yaml").exists()
    assert list(folder.rglob(f"{asked[3]}.yaml"))


def test_the_brief_is_written_for_people(asked):
    brief = asked[2].brief
    assert "{'" not in brief and "##" not in brief
    assert "reads" in brief and "6" in brief


def test_a_margin_in_milliseconds_is_told_in_milliseconds(asked):
    shares = [float(share) for share in re.findall(r"([\d.]+) %", asked[2].brief)]
    assert all(share <= 1000 for share in shares), asked[2].brief


def test_the_changelog_says_what_an_approval_changed_at_once(asked, cli):
    ctx, _, _, name, _ = asked
    ended = cli("approve", name)
    if ended.code != 0:
        raise RuntimeError(ended.err)
    changelog = ctx.home / "CHANGELOG.md"
    assert changelog.exists()
    assert name in changelog.read_text() and "reads" in changelog.read_text()


def test_what_waits_against_the_same_base_cannot_be_approved_after_it(asked, cli):
    *_, first, second = asked
    cli("approve", first)  # refused where the test before has done so
    ended = cli("approve", second)
    assert ended.code == 2 and second in ended.err, ended.said


def test_status_shows_what_an_approval_outdated(asked, cli):
    *_, first, second = asked
    cli("approve", first)
    assert re.search(rf"{second}.*outdated", cli("status").out)


@pytest.mark.parametrize("words", [("approve",), ("reject", "--reason", "no")])
def test_a_question_that_asks_for_no_approval_says_how_it_is_answered(asked, cli, words):
    """Even where the same question waits in another project, which would send the person back."""
    from auto_benchmark.db.repositories import records

    ctx, gap = asked[0], "structural-gap/ToyBoard/0.9"
    shutil.copytree(TOY / "config", ctx.settings.config / "projects" / "elsewhere", dirs_exist_ok=True)
    assert cli("hypothesis", "list", "--project", "elsewhere").code == 0
    with ctx.sessions.begin() as session:
        for project in (ctx.project, "elsewhere"):
            records.escalate(session=session, project=project, key=gap, title="a gap", brief="a gap")
    ended = cli(words[0], gap, *words[1:])
    told = f"error: '{gap}' is answered by auto-benchmark close {gap} --reason '…'\n"
    assert (ended.code, ended.err.endswith(told)) == (2, True), ended.err


@pytest.mark.parametrize("words", [("approve",), ("close", "--reason", "x"), ("hypothesis", "show")])
def test_a_word_that_is_no_text_is_refused(asked, cli, words):
    ended = cli(*words, "caf\udce9")
    assert (ended.code, ended.err.endswith("error: 'caf\\udce9' on the command line is not UTF-8\n")) == (2, True), (
        ended.err
    )
