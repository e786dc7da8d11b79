"""An agent works on the toy project's code: measured on search, queued where it is better, and told no more than it may."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import psutil
import pytest
from sqlalchemy import text
from tests.command_line import Ended, runner
from tests.fakes.llm_server import FakeModel, served
from tests.toy_project import Toy, enter, environment
from tests.waiting import eventually

from auto_benchmark.db.repositories import hypotheses, records, trials
from auto_benchmark.experiments.search.rounds import plan_search
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.proposals.steps import propose
from auto_benchmark.runners.isolation import NETWORK_DECLARED
from auto_benchmark.telling.technical_log import write_logs

SURE = 'if rng.random() < params["flip"]:', "if rng.random() < 0.01:"
ALL = 'seen = item["digits"][: params["reads"]]', 'seen = item["digits"]'
TOTAL = 'total = sum(seen) + 4.5 * (6 - len(seen)) + params["offset"]', "total = sum(seen)"
"""Together what no knob can do: read everything, without the offset, and hardly ever flip the answer."""


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n        {old}\n=======\n        {new}\n>>>>>>> REPLACE\n"


HELPS = f"I make it sure of its answers.\nFILE: train.py\n{block(*SURE)}{block(*ALL)}{block(*TOTAL)}"
HARMS = HELPS.replace("< 0.01", "< 0.5").replace("sure", "unsure")
BREAKS = HELPS.replace("if rng.random() < 0.01:", "raise SystemExit('no way')")
DECLARES = "FILE: solution.yaml\n```\nname: toy\n```\n"
MENDS = "--- a/train.py\n+++ b/train.py\n@@ -19 +19 @@\n-        if rng.random() < 0.5:\n+        if rng.random() < 0.01:\n"
PATCH = f"--- a/train.py\n+++ b/train.py\n@@ -19 +19 @@\n-        {SURE[0]}\n+        {SURE[1]}\n"


@pytest.fixture
def proposing(toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs ``propose`` on the toy project."""
    enter(monkeypatch, toy.ctx.settings, db_url=toy.url)
    run = runner(monkeypatch, capsys)

    def propose(*words: object) -> Ended:
        return run("propose", *words, "--json")

    return propose


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    with served(FakeModel(says=[HELPS])) as running:
        monkeypatch.setenv("AUTO_BENCHMARK_CONN_LAB", running.url)
        monkeypatch.setenv("AUTO_BENCHMARK_TOKEN_LAB", "k3y")
        yield running


def recorded(tmp_path: Path, *patches: str) -> str:
    folder = tmp_path / "recorded"
    folder.mkdir(parents=True)
    for number, patch in enumerate(patches, 1):
        (folder / f"{number}.patch").write_text(patch)
    return f"replay:{folder}"


def queued(toy: Toy) -> list[Any]:
    with toy.ctx.sessions() as session:
        return hypotheses.listed(session=session, project=toy.ctx.project)


def test_what_a_model_improves_is_queued_and_promoted_by_the_gate(toy: Toy, proposing: Any, model: FakeModel) -> None:
    ended = proposing("--agent", "llm:lab:tiny", "--rounds", "1")
    assert ended.code == 0, ended.err
    told = ended.json
    (attempt,) = told["attempts"]
    assert (attempt["valid"], told["chosen"], told["tokens"], told["measures"]) == (True, 1, 1000, 1)
    assert attempt["score"] > told["start"]
    (found,) = queued(toy)
    assert told["hypothesis"] == {"id": found.id, "status": "queued"}
    assert found.title == "I make it sure of its answers."
    assert found.source == "agent llm:lab:tiny"
    assert (found.implementation.kind, found.implementation.code.files) == ("code", ["train.py"])
    assert found.implementation.estimated_gain == pytest.approx(attempt["score"] - told["start"], abs=1e-6)
    run = Path(told["folder"])
    assert {"brief-1.json", "1.patch", "1.json", "change.diff", "hypothesis.yaml"} <= {f.name for f in run.iterdir()}
    assert (
        "code: {diff: change.diff}" in (run / "hypothesis.yaml").read_text()
        or "diff: change.diff" in (run / "hypothesis.yaml").read_text()
    )
    inline.scrape(toy.again())
    done = inline.sweep(toy.ctx)["experiments"]
    assert (done[0]["hypothesis_id"], done[0]["outcome"]) == (found.id, "waits_for_approval")

    told_after_the_gate(toy, proposing, model)


def test_an_agent_may_build_on_a_tree_that_was_tried_and_not_queued(
    toy: Toy, proposing: Any, model: FakeModel, tmp_path: Path
) -> None:
    """The harmful attempt is not queued; it is kept with its score and its patch, and a later run begins with it."""
    model.says = [HARMS]
    first = proposing("--agent", "llm:lab", "--rounds", "1").json
    assert (first["hypothesis"], first["attempts"][0]["valid"]) == (None, True)
    unknown = proposing("--agent", "llm:lab", "--start", "../../etc")
    assert (unknown.code, unknown.err) == (
        2,
        "error: --start ../../etc: is not code that was tried from the present code\n",
    )
    model.says, model.asked = ["DONE"], []
    told = proposing("--agent", "llm:lab", "--start", "best").json
    (tried,) = json.loads((Path(told["folder"]) / "brief-1.json").read_text())["context"]["tried_code"]
    assert tried["score"] == pytest.approx(first["attempts"][0]["score"], abs=1e-6)
    assert (
        "+        if rng.random() < 0.5:" in tried["patch"] and tried["title"] == "I make it unsure of its answers."
    )
    assert "< 0.5" in (Path(told["folder"]) / "workspace" / "train.py").read_text()
    (begun,) = model.asked
    assert "rng.random() < 0.5" in json.dumps(begun)
    mended = proposing("--agent", recorded(tmp_path / "x", MENDS), "--start", tried["tree"], "--rounds", "1").json
    assert mended["hypothesis"] is not None, mended["reason"]
    (found,) = queued(toy)
    assert found.implementation.code.files == ["train.py"] and found.implementation.code.base_tree != tried["tree"]


def told_after_the_gate(toy: Toy, proposing: Any, model: FakeModel) -> None:
    """Now that the gate has measured: a brief holds the search's results and the board, no gate result, no secret."""
    model.says, model.asked = ["DONE"], []
    run_trials(toy.ctx, plan_search(toy.ctx, 0)[:6])
    told = proposing("--agent", "llm:lab:tiny").json
    assert (told["attempts"], told["hypothesis"]) == ([], None)
    (asked,) = model.asked
    said = json.dumps(asked)
    assert "k3y" not in said and "postgresql" not in said and str(toy.files.home) not in said
    brief = json.loads((Path(told["folder"]) / "brief-1.json").read_text())
    assert brief["metric"] == "accuracy" and brief["higher_is_better"] is True
    assert brief["context"]["start"]["score"] == told["start"]
    assert brief["context"]["board"]["best_rival_score"] == 0.9
    gate, search = (_scores(toy, stage) for stage in ("full", "fast"))
    assert gate and brief["context"]["tried_parameters"]
    assert {round(each["score"], 6) for each in brief["context"]["tried_parameters"]} <= search
    (code,) = brief["context"]["tried_code"]
    assert (code["title"], code["files"]) == ("I make it sure of its answers.", ["train.py"])
    assert code["score"] in search and "approv" not in said
    assert not {f"{value:.6f}" for value in gate - search} & set(re.findall(r"\d\.\d{6}", said))


def _scores(toy: Toy, stage: str) -> set[float]:
    """What trials of a stage have scored, alone and as means over their seeds."""
    with toy.ctx.sessions() as session:
        rows = session.execute(
            text(
                "SELECT t.config_hash, t.tree, t.purpose, m.value FROM auto_benchmark.metric_values m "
                "JOIN auto_benchmark.trials t ON t.id = m.trial_id "
                "WHERE t.stage = :stage AND m.name = 'accuracy' AND m.slice = ''"
            ),
            {"stage": stage},
        ).all()
    alone = {round(value, 6) for *_, value in rows}
    keys = {tuple(row[:3]) for row in rows}
    return alone | {round(fmean(value for *key, value in rows if tuple(key) == wanted), 6) for wanted in keys}


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (HARMS, "nothing is proposed"),
        (
            BREAKS,
            "nothing could be scored: the edited program cannot be scored: trial: crash: the command ended",
        ),
        (DECLARES, "edit 1, solution.yaml: is not editable; you may edit train.py, *.py"),
    ],
)
def test_what_does_not_help_is_said_and_not_queued(
    toy: Toy, proposing: Any, model: FakeModel, says: str, why: str
) -> None:
    model.says = [says]
    ended = proposing("--agent", "llm:lab", "--rounds", "1")
    assert ended.code == 0, ended.err
    assert ended.json["hypothesis"] is None and why in ended.json["reason"]
    assert queued(toy) == []
    with toy.ctx.sessions() as session:
        (logged,) = records.logged(session=session, project=toy.ctx.project, kind=LogKind.PROPOSAL)
    assert why in logged.reason


def test_code_of_a_model_that_goes_for_the_answers_gets_none_and_tells_none(
    toy: Toy, proposing: Any, model: FakeModel
) -> None:
    """It is given the very place of the answers; what it could read would come back as feedback, and to the endpoint."""
    toy.ctx.bench.data.answers("search")
    sealed = toy.ctx.bench.data.root / "sealed"
    answers = [file.read_text() for file in sealed.glob("*.json")]
    assert answers, "there is something to read"
    reads = f"""
import pathlib
texts = []
for place in ({str(sealed)!r}, {str(sealed.parent / "data")!r}):
    try:
        texts += [p.read_text() for p in pathlib.Path(place).rglob("*") if p.is_file()]
    except OSError:
        pass
raise SystemExit("READ " + max(texts, key=len)[:3000] if texts else "nothing to read")
"""
    model.says = [f"I go for the answers.\nFILE: train.py\n```{reads}```\n"]
    told = proposing("--agent", "llm:lab", "--rounds", "2").json
    assert told["hypothesis"] is None and queued(toy) == []
    assert [attempt["valid"] for attempt in told["attempts"]] == [False, False]
    assert "nothing to read" in told["attempts"][0]["feedback"]
    said = json.dumps(model.asked) + json.dumps(told)
    assert "SystemExit: READ" not in said and not any(text[:200] in said for text in answers)


def test_a_program_measures_and_chooses(toy: Toy, proposing: Any, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(
        f"""#!/usr/bin/env python3
import json, os, pathlib, subprocess
brief = json.loads(pathlib.Path(os.environ['AB_BRIEF']).read_text())
def measure():
    return json.loads(subprocess.run([os.environ['AB_MEASURE']], capture_output=True, check=True).stdout)
before, file = measure(), pathlib.Path('train.py')
good = file.read_text().replace({SURE[0]!r}, {SURE[1]!r})
if brief['history']:
    file.write_text(file.read_text() + 'raise SystemExit(1)\\n')
    pathlib.Path('.ab/choice').write_text('1')
else:
    file.write_text(good)
    after = measure()
    assert after['score'] > before['score'], (before, after)
    pathlib.Path('.ab').mkdir(exist_ok=True)
    pathlib.Path('.ab/title').write_text('Surer <b>answers</b>')
print(os.listdir('.'))
"""
    )
    program.chmod(0o755)
    ended = proposing("--agent", f"command:{program}", "--rounds", "2")
    assert ended.code == 0, ended.err
    told = ended.json
    assert [(each["attempt"], each["valid"]) for each in told["attempts"]] == [(1, True), (2, False)]
    assert (told["chosen"], told["measures"]) == (1, 3)
    assert told["isolation"].startswith("runner local isolates by ") and told["isolation"] in ended.err
    (found,) = queued(toy)
    assert (found.title, found.status) == ("Surer <b>answers</b>", HypothesisStatus.QUEUED)
    replayed = proposing("--agent", f"replay:{told['folder']}", "--rounds", "2").json
    keys = ("start", "attempts", "chosen", "hypothesis")
    assert {key: replayed[key] for key in keys} == {key: told[key] for key in keys}
    assert "asked before" in replayed["reason"]


def test_a_killed_run_leaves_no_agent_and_loses_nothing(toy: Toy, proposing: Any, tmp_path: Path) -> None:
    program = tmp_path / "slow.py"
    mark = f"slow-{secrets.token_hex(6)}"
    program.write_text(
        "import os, subprocess, sys, time\n"
        "subprocess.run([os.environ['AB_MEASURE']], check=True)\n"
        f"subprocess.run([sys.executable, '-c', 'import time; time.sleep(300)', '{mark}'])\n"
    )
    words = [sys.executable, "-m", "auto_benchmark", "propose", "--agent", f"command:{program}"]
    variables = {**os.environ, **environment(toy.ctx.settings, db_url=toy.url), "PYTHONPATH": "include"}
    running = subprocess.Popen(words, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def slow() -> list[psutil.Process]:
        return [each for each in psutil.process_iter(["cmdline"]) if mark in (each.info["cmdline"] or [])]

    eventually(slow, "the agent", every_s=0.2)
    running.kill()
    running.wait()
    eventually(lambda: not slow(), "its end", every_s=0.2)
    with toy.ctx.sessions() as session:
        before = trials.counts(session=session, project=toy.ctx.project)
    assert sum(before.values()) == 3, "the present code's three seeds: what the agent measured is one of them"
    ended = proposing("--agent", recorded(tmp_path, PATCH))
    assert ended.code == 0 and ended.json["hypothesis"] is not None, ended.err


def test_trials_are_recorded_charged_and_run_once(toy: Toy, proposing: Any, tmp_path: Path) -> None:
    agent = recorded(tmp_path, PATCH)
    first = proposing("--agent", agent).json
    with toy.ctx.sessions() as session:
        before = trials.counts(session=session, project=toy.ctx.project)
        purposes = set(session.execute(text("SELECT DISTINCT purpose FROM auto_benchmark.trials")).scalars())
    assert sum(before.values()) == 6 and purposes == {Purpose.SEARCH}
    again = proposing("--agent", agent).json
    with toy.ctx.sessions() as session:
        assert trials.counts(session=session, project=toy.ctx.project) == before
    assert (first["attempts"], first["chosen"]) == (again["attempts"], again["chosen"])


def test_a_sweep_lets_the_declared_agent_work_once(toy: Toy, tmp_path: Path) -> None:
    recorded(tmp_path, PATCH)
    (toy.files.config / "schedule.yaml").write_text(
        f"proposals: {{agent: 'replay:{tmp_path}/recorded', rounds: 1}}\n"
    )
    reconcile(toy.again())
    assert propose(toy.ctx, number=2) is None and queued(toy) == []
    told = propose(toy.ctx, number=1)
    (found,) = queued(toy)
    assert told is not None and told["hypothesis_id"] == found.id
    (toy.files.config / "schedule.yaml").write_text("proposals: {agent: 'replay:nowhere'}\n")
    assert propose(toy.again(), number=1) is None
    assert "no proposal: --agent replay: there is no folder" in toy.said[-1]
    (toy.files.config / "schedule.yaml").write_text("{}\n")
    assert propose(toy.again(), number=1) is None and len(queued(toy)) == 1


@pytest.mark.parametrize(
    ("automation", "why"),
    [("automation: {code: off}", "automation: {code: off}"), ("automation: {experiments: off}", "switched off"),
     ("code: {folder: follow}", "folder: follow")],
)  # fmt: skip
def test_it_is_refused_where_nothing_may_come_of_it(
    toy: Toy, proposing: Any, tmp_path: Path, automation: str, why: str
) -> None:
    (toy.files.config / "schedule.yaml").write_text(f"{automation}\n")
    ended = proposing("--agent", recorded(tmp_path, PATCH))
    assert ended.code == 2 and ended.out == ""
    assert why in ended.err or "off" in ended.err


@pytest.mark.parametrize(
    "words",
    [("--agent", "nobody"), ("--agent", "llm:nowhere"), ("--agent", "command:/nowhere"), ("--agent", "replay:"), ()],
)
def test_a_wrong_agent_ends_with_2_and_a_reason(toy: Toy, proposing: Any, words: tuple[str, ...]) -> None:
    ended = proposing(*words)
    assert ended.code == 2 and ("agent" in ended.err or "AUTO_BENCHMARK_CONN_NOWHERE" in ended.err)
    assert "Traceback" not in ended.err


def test_a_network_is_declared_for_one_agent_and_every_report_says_so(
    toy: Toy, proposing: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "agent.py"
    program.write_text("#!/usr/bin/env python3\nraise SystemExit(3)\n")
    program.chmod(0o755)
    without = proposing("--agent", f"command:{program}", "--rounds", "1")
    assert NETWORK_DECLARED not in without.json["isolation"] + without.err
    given = proposing("--agent", f"command:{program}", "--rounds", "1", "--network")
    assert NETWORK_DECLARED in given.json["isolation"] and NETWORK_DECLARED in given.err
    with toy.ctx.sessions() as session:
        newest = records.logged(session=session, project=toy.ctx.project, kind=LogKind.PROPOSAL)[0]
    assert "(with the network)" in newest.reason
    write_logs(toy.ctx)
    assert (
        "1 run of an agent in the week: runner local isolates by" in (toy.ctx.home / "TECHNICAL_LOG.md").read_text()
    )
    assert NETWORK_DECLARED in (toy.ctx.home / "TECHNICAL_LOG.md").read_text()
    wrong = proposing("--agent", recorded(tmp_path, PATCH), "--network")
    assert wrong.code == 2 and "is for an agent command:PATH alone" in wrong.err
    schedule = toy.files.config / "schedule.yaml"
    schedule.write_text(f"{schedule.read_text()}proposals: {{agent: 'command:{program}', network: true}}\n")
    status = runner(monkeypatch, capsys)("status", "--json").json
    assert status["agent"].endswith("works on the code before each sweep and may use the machine's network")
    schedule.write_text(schedule.read_text().replace(f"command:{program}", "replay:x"))
    refused = runner(monkeypatch, capsys)("status", "--json")
    assert refused.code == 2 and "proposals.network: is for an agent command:PATH alone" in refused.err
