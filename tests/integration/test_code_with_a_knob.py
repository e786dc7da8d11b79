"""Code that brings a knob: judged at the knob's default, promoted, applied; then the next search turns it."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import yaml
from sqlalchemy import text
from tests.toy_project import BEHIND

from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.db.repositories import hypotheses, production
from auto_benchmark.errors import ConfigError
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.intake import take_in
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.registry.schedule import Mode

PROGRAM = (
    ('seen = item["digits"][: params["reads"]]', 'seen = item["digits"]'),
    (' + params["offset"]', ""),
    ('rng.random() < params["flip"]', 'rng.random() < 0.2 - 0.2 * params["care"]'),
)
"""Reads everything whatever ``reads`` says, and answers with care: at its default a better program, whose new knob is worth
as much again. No old knob does anything here."""
CARE = {"type": "float", "range": [0.0, 1.0], "default": 0.0}


@pytest.fixture
def folder(toy, tmp_path):
    """A copy of the solution whose program reads a knob that its declaration adds."""
    made = shutil.copytree(toy.files.solution, tmp_path / "with-care")
    program = (made / "train.py").read_text()
    for old, new in PROGRAM:
        assert old in program
        program = program.replace(old, new)
    (made / "train.py").write_text(program)
    redeclared(made, care=CARE)
    return made


def redeclared(folder, **knobs):
    file = folder / "solution.yaml"
    declared = yaml.safe_load(file.read_text())
    declared["knobs"] |= knobs
    file.write_text(yaml.safe_dump(declared, sort_keys=False))


def proposed(ctx, folder):
    file = folder.parent / "idea.yaml"
    change = {"change": "care", "code": {"folder": folder.name}, "effort": "Low", "estimated_gain": 0.2}
    file.write_text(yaml.safe_dump({"title": "Answer with care", "implementation": change}))
    idea, document = read_idea(file, shown_as="idea.yaml")
    with ctx.sessions.begin() as session:
        return take_in(ctx, session, idea, document, file.parent).hypothesis


def held(ctx):
    with ctx.sessions() as session:
        return production.current(session=session, project=ctx.project).candidate


def cares(ctx, purpose):
    """Values of the new knob in trials of production's code."""
    with ctx.sessions() as session:
        found = session.scalars(
            text(
                "SELECT DISTINCT params->>'care' FROM auto_benchmark.trials WHERE tree = :tree AND purpose = :purpose"
            ),
            {"tree": held(ctx).tree, "purpose": purpose},
        ).all()
    return {None if each is None else float(each) for each in found}


def test_a_promoted_program_s_new_knob_is_turned_by_the_next_search(toy, folder):
    toy.board.write_text(BEHIND.replace("0.90", "0.76"))  # what the program reaches without the knob is enough
    ctx = toy.scheduled(automation={"code": Mode.ON})
    inline.scrape(ctx)
    taken = proposed(ctx, folder)
    assert taken.implementation.code.files == ["solution.yaml", "train.py"]
    outcomes = {}
    for _ in range(3):
        outcomes |= {each["hypothesis_id"]: each["outcome"] for each in inline.sweep(ctx)["experiments"]}
        if taken.id in outcomes:
            break
    assert outcomes[taken.id] == "promote", toy.said
    assert held(ctx).tree == taken.tree and 0.75 < held(ctx).scores["ToyBoard"] < 0.85, "judged at the knob's default"
    patch = ctx.home / "experiments" / "promoted" / taken.id / "change.patch"
    subprocess.run(["git", "apply", patch], cwd=toy.files.solution, check=True)
    assert folder_sha256(toy.files.solution) == held(ctx).tree

    toy.again()
    ctx = toy.scheduled(automation={"code": Mode.ON})
    reconcile(ctx)
    assert held(ctx).params["care"] == 0.0, "production has the new knob at its default"
    inline.sweep(ctx)
    assert max(each or 0.0 for each in cares(ctx, "search")) > 0.0, "the search turns it"
    if held(ctx).params["care"] == 0.0:
        inline.sweep(ctx)
    assert held(ctx).params["care"] > 0.5 and held(ctx).tree == taken.tree, toy.said
    with ctx.sessions() as session:
        promoted = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.PROMOTED])
    assert {each.implementation.kind for each in promoted} == {"code", "params"}


@pytest.mark.parametrize("spoil", ["other knob", "limits", "no program", "no mapping"])
def test_of_a_declaration_code_may_add_knobs_and_nothing_else(toy, folder, spoil):
    reconcile(toy.ctx)
    match spoil:
        case "other knob":
            redeclared(folder, reads={"type": "int", "range": [1, 60], "default": 2})
        case "limits":
            file = folder / "solution.yaml"
            file.write_text(f"{file.read_text()}resources: {{memory_mb: 64000}}\n")
        case "no program":
            shutil.copy(toy.files.solution / "train.py", folder / "train.py")
        case "no mapping":
            (folder / "solution.yaml").write_text("- knobs\n")
    with pytest.raises(ConfigError, match=r"idea\.yaml:\d+: implementation\.code\.folder: ") as refused:
        proposed(toy.ctx, folder)
    wanted = "solution.yaml:1" if spoil == "no mapping" else "of solution.yaml it may add knobs"
    assert wanted in str(refused.value)
