"""A recorded run of an agent, replayed in another project with a database of its own, ends in the same decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import runner
from tests.toy_project import Toy, ToyFiles, enter, toy_context, toy_database

from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.repositories import decisions, hypotheses
from auto_benchmark.flows import inline
from auto_benchmark.promotion.gate import thaw
from auto_benchmark.promotion.schema import Decision

PROGRAM = """#!/usr/bin/env python3
import json, os, pathlib, subprocess
brief = json.loads(pathlib.Path(os.environ['AB_BRIEF']).read_text())
measure = lambda: json.loads(subprocess.run([os.environ['AB_MEASURE']], capture_output=True, check=True).stdout)
file = pathlib.Path('train.py')
edits = [('rng.random() < params["flip"]', 'rng.random() < 0.02'), ('["digits"][: params["reads"]]', '["digits"]')]
old, new = edits[len(brief['history'])]
file.write_text(file.read_text().replace(old, new))
measure()
"""


@pytest.fixture
def twice(tmp_path: Path, postgres: EmbeddedPostgres, template_database: str) -> Iterator[list[Toy]]:
    """The toy project two times: files, home and database of their own, the published seeds of the same splits."""
    with ExitStack() as open_ones:
        made = []
        for name in ("first", "second"):
            (tmp_path / name).mkdir()
            files, url, said = ToyFiles(tmp_path / name), toy_database(postgres, template_database), []
            settings = files.settings(seeds="published")
            ctx = open_ones.enter_context(toy_context(settings, url, say=said.append))
            made.append(Toy(ctx, said, files, url))
        yield made


def decided(toy: Toy) -> list[tuple[Any, ...]]:
    """Every decision about changed code: what it rested on and what it said, without what was timed."""
    inline.scrape(toy.ctx)
    inline.sweep(toy.ctx)
    rows = []
    with toy.ctx.sessions() as session:
        (found,) = [each for each in hypotheses.listed(session=session, project=toy.ctx.project)
                    if each.implementation.code]  # fmt: skip
        experiment = hypotheses.experiment_of(session=session, project=toy.ctx.project, hypothesis_id=found.id)
        assert experiment is not None
        for made in decisions.of_experiment(session=session, experiment_id=experiment):
            case, decision = thaw(made.evidence_json), Decision.model_validate_json(made.decision_json)
            scores = [[(t.seed, t.metrics["accuracy"]) for t in side]
                      for side in (case.evidence.candidate, case.evidence.control)]  # fmt: skip
            rows.append((made.look, str(made.verdict), decision.n, decision.estimate, decision.interval, case.alpha,
                         case.evidence.noise, scores))  # fmt: skip
    return [(found.tree, str(found.status)), *rows]


def test_a_replay_ends_in_the_same_decisions_of_the_gate(
    twice: list[Toy], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    original, other = twice
    program = tmp_path / "agent.py"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    run = runner(monkeypatch, capsys)
    enter(monkeypatch, original.ctx.settings, db_url=original.url)
    told = run("propose", "--agent", f"command:{program}", "--rounds", "2", "--json").json
    assert told["chosen"] == 2 and told["hypothesis"] is not None, json.dumps(told)
    enter(monkeypatch, other.ctx.settings, db_url=other.url)
    again = run("propose", "--agent", f"replay:{told['folder']}", "--rounds", "2", "--json").json
    assert [again[key] for key in ("start", "attempts", "chosen")] == [
        told[key] for key in ("start", "attempts", "chosen")
    ]
    first, second = decided(original), decided(other)
    assert len(first) > 1 and first[-1][1] in {"promote", "challenger"}, first
    assert first == second
