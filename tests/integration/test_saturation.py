"""From a board with nothing left to win to a new one that the loop works on."""

from datetime import timedelta
from statistics import fmean

import pytest
import yaml
from sqlalchemy import text
from tests.toy_project import ToyFiles, toy_context, toy_database

from auto_benchmark.boards.landscape import observe
from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.repositories import records
from auto_benchmark.errors import ConfigError, InputError
from auto_benchmark.flows import inline
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.saturation import SaturationState
from auto_benchmark.project.adopted_boards import FILE
from auto_benchmark.project.configuration_check import check
from auto_benchmark.project.context import make_context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.telling.approvals import approve, reject
from auto_benchmark.telling.slack_messages import notices
from auto_benchmark.telling.status import status

FULL = "system,accuracy\nLeader,0.999\nOurs,0.998\nLast,0.9\n"
REQUEST = {
    "name": "next_hill", "request": "Say whether a number is prime", "sources": ["arithmetic"], "target_size": 60,
    "rounds": 1, "per_round": 2, "pilot_items": 10, "candidates": ["learners"], "seed": 2,
}  # fmt: skip
SOLVER = """
        if "input" in item:
            file.write(json.dumps({"id": item["id"], "answer": "yes" if rng.random() < params["flip"] else "no"}) + "\\n")
            continue
"""


def saturated(folder, automation="on", *, solves=True, **ours) -> ToyFiles:
    files = ToyFiles(folder, FULL)
    registry = yaml.safe_load((files.config / "competitive_registry.yaml").read_text())
    registry["our_solution"] |= ours
    registry["target_leaderboards"][0] |= {"items": 400, "saturation": {"request": "next.yaml"}}
    (files.config / "competitive_registry.yaml").write_text(yaml.safe_dump(registry, sort_keys=False))
    (files.config / "next.yaml").write_text(yaml.safe_dump(REQUEST))
    schedule = files.config / "schedule.yaml"
    schedule.write_text(f"{schedule.read_text()}automation: {{construction: {automation}}}\n")
    if solves:
        program = files.solution / "train.py"
        lines = program.read_text().replace(
            '        if "id" not in item:', SOLVER.lstrip("\n") + '        if "id" not in item:'
        )
        program.write_text(lines)
    return files


@pytest.fixture
def opened(tmp_path, postgres, template_database):
    """Opens the saturated project of the given form; its context."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def open_as(*args, **kwargs):
            files = saturated(tmp_path, *args, **kwargs)
            url = toy_database(postgres, template_database)
            return stack.enter_context(toy_context(files.settings(), url))

        yield open_as


CONTROL = """
    SELECT v.value FROM auto_benchmark.metric_values AS v JOIN auto_benchmark.trials AS t ON t.id = v.trial_id
    WHERE v.name = 'accuracy' AND v.slice = '' AND t.purpose = 'control' AND t.stage = 'full'
        AND t.benchmark = 'next_hill'
"""
"""Production's own trials on the new board's benchmark."""


def again(ctx):
    return make_context(ctx.settings, ctx.sessions, NamedConnections({}), say=ctx.say)


def log_of(ctx, kind):
    with ctx.sessions() as session:
        return records.logged(session=session, project=ctx.project, kind=kind)


def test_a_saturated_board_is_followed_by_one_that_the_loop_works_on(opened):
    ctx = opened()
    assert inline.scrape(ctx)["triggers"] == ["benchmark_construction"]
    (entry,) = log_of(ctx, LogKind.SATURATION)
    assert (entry.subject, entry.inputs["headroom"]) == ("ToyBoard", pytest.approx(0.001))
    assert inline.construct_due(ctx) == {"board": "next_hill", "benchmark": "next_hill", "measured": True}
    assert inline.construct_due(ctx) is None, "one construction a board"
    inline.scrape(ctx)
    assert len(log_of(ctx, LogKind.SATURATION)) == 1

    now = again(ctx)
    assert [board.name for board in now.boards] == ["ToyBoard", "next_hill"]
    assert (now.metric_of("next_hill"), now.metric_of("ToyBoard")) == (("accuracy", True), None)
    live = yaml.safe_load((ctx.home / "competitive_registry.yaml").read_text())
    assert [board["name"] for board in live["target_leaderboards"]] == ["ToyBoard", "next_hill"]
    boards = {b["board"]: b["status"] for b in inline.scrape(now)["boards"]}
    assert boards == {"ToyBoard": "ok", "next_hill": "ok"}
    with now.sessions() as session:
        current = production_config(now, session)
        told = [n.title for n in notices(now, session)]
    assert current.candidate.benchmark == now.bench.ref == BenchmarkRef(name="next_hill", version="1")
    assert {"ToyBoard is saturated", "A new board to win: next_hill"} <= set(told)
    swept = inline.sweep(now)["experiments"]
    assert swept
    with now.sessions() as session:
        control = session.scalars(text(CONTROL)).all()
    shown = {board.board: board.measured for board in status(again(ctx)).boards}
    assert control and shown == {"ToyBoard": None, "next_hill": pytest.approx(fmean(control), abs=1e-6)}


def test_a_row_that_is_deleted_is_followed_no_more(opened):
    ctx = opened()
    inline.scrape(ctx)
    inline.construct_due(ctx)
    (ctx.home / FILE).unlink()
    assert [board.name for board in again(ctx).boards] == ["ToyBoard"]
    assert again(ctx).bench.ref.name == "toy"


def test_a_faulty_row_is_named_with_its_line(opened):
    ctx = opened()
    ctx.home.mkdir(parents=True, exist_ok=True)
    (ctx.home / FILE).write_text("target_leaderboards:\n- name: X\n  scrape_method: psychic\n")
    with pytest.raises(ConfigError, match=r"adopted_boards.yaml:3: target_leaderboards\[0\].scrape_method"):
        again(ctx)


def test_a_benchmark_that_production_cannot_answer_is_watched_only(opened):
    ctx = opened(solves=False)
    inline.scrape(ctx)
    assert inline.construct_due(ctx)["measured"] is False
    now = again(ctx)
    assert now.bench.ref.name == "toy"
    assert [board.name for board in now.boards] == ["ToyBoard", "next_hill"]
    (entry,) = log_of(ctx, LogKind.ADOPTION)
    assert "watched only, production cannot answer it" in entry.reason


def test_a_benchmark_that_is_declared_stays(opened):
    ctx = opened(benchmark="toy")
    inline.scrape(ctx)
    assert inline.construct_due(ctx)["measured"] is False
    assert again(ctx).bench.ref.name == "toy"
    (entry,) = log_of(ctx, LogKind.ADOPTION)
    assert entry.reason.endswith("watched only, the registry declares our_solution.benchmark: toy")


def test_a_person_is_asked_first_where_that_is_declared(opened):
    ctx = opened("approve")
    assert inline.scrape(ctx)["triggers"] == []
    assert inline.construct_due(ctx) is None
    approve(ctx, "construction/ToyBoard", by="anna")
    assert inline.scrape(ctx)["triggers"] == ["benchmark_construction"]
    with pytest.raises(InputError):
        approve(ctx, "construction/ToyBoard", by="anna")


def test_a_person_may_decline(opened):
    ctx = opened("approve")
    inline.scrape(ctx)
    reject(ctx, "construction/ToyBoard", by="anna", reason="we like it here")
    assert inline.scrape(ctx)["triggers"] == []
    with ctx.sessions() as session:
        assert records.open_escalations(session=session, project=ctx.project) == []


def test_nothing_is_built_where_that_is_off(opened):
    ctx = opened("off")
    assert inline.scrape(ctx)["triggers"] == []
    assert len(log_of(ctx, LogKind.SATURATION)) == 1


def test_submissions_without_a_gain_saturate_a_board(opened):
    ctx = opened("off")
    scores = [0.800, 0.801, 0.799, 0.798, 0.797]
    file = ctx.settings.config / "board.csv"
    for extra in range(7):
        rows = [*scores, *[0.7 + i / 1000 for i in range(extra)]]
        file.write_text("system,accuracy\n" + "".join(f"S{i},{score}\n" for i, score in enumerate(rows)))
        moment = ctx.now() + timedelta(minutes=extra)
        inline.scrape(type(ctx)(**{**{f: getattr(ctx, f) for f in ctx.__slots__}, "now": lambda m=moment: m}))
        with ctx.sessions() as session:
            found = observe(ctx, session).saturation[ctx.boards[0].name]
        assert (found.state is SaturationState.SATURATED) is (extra >= 5), (extra, found.reason)


def test_the_request_that_is_missing_is_named(tmp_path):
    files = saturated(tmp_path)
    (files.config / "next.yaml").unlink()
    faults, _ = check(files.settings())
    assert ("target_leaderboards[0].saturation.request", "no file 'next.yaml' beside the registry") in [
        (fault.field, fault.message) for fault in faults
    ]
