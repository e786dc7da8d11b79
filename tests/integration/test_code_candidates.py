"""Changed code on the toy project: proposed, run beside production, judged, promoted; or refused with the reason."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from sqlalchemy import text
from tests.toy_project import command

from auto_benchmark.artifacts import tree_store
from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.db.repositories import hypotheses, production, records, trials
from auto_benchmark.errors import ConfigError
from auto_benchmark.experiments import steps
from auto_benchmark.experiments.gate.rounds import claim, plan_validation, validate
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.intake import take_in
from auto_benchmark.ideas.listing import listed, shown
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.registry.schedule import Mode
from auto_benchmark.telling import approvals

__all__ = ["command"]
READS_ALL = 'seen = item["digits"][: params["reads"]]', 'seen = item["digits"]'
"""What no knob can do together with the next: read everything, whatever ``reads`` says."""
SURE = 'rng.random() < params["flip"]', "rng.random() < 0.02"
UNTIL_A_DATE = "\nimport datetime\nassert datetime.date.today().year < 2900\n"
NO_OFFSET = ' + params["offset"]', ""


@pytest.fixture
def code(toy, tmp_path):
    """Writes a copy of the solution with its program changed; its folder."""

    def changed(*edits, also="", name="candidate"):
        folder = shutil.copytree(toy.files.solution, tmp_path / name)
        program = (folder / "train.py").read_text()
        for old, new in edits:
            assert old in program
            program = program.replace(old, new)
        (folder / "train.py").write_text(program + also)
        return folder

    return changed


@pytest.fixture
def propose(toy, tmp_path):
    """Takes an idea in; ``code`` is what stands under ``implementation.code``."""

    def proposed(code, *, params=None, gain=0.2, ctx=None):
        ctx = ctx or toy.ctx
        change = {"change": "another program", "effort": "Low", "estimated_gain": gain}
        change |= {"code": code} if code else {}
        file = tmp_path / "idea.yaml"
        file.write_text(
            yaml.safe_dump({"title": "Other code", "implementation": change | ({"params": params} if params else {})})
        )
        idea, document = read_idea(file, shown_as="idea.yaml")
        with ctx.sessions.begin() as session:
            return take_in(ctx, session, idea, document, tmp_path)

    return proposed


def holder(ctx):
    with ctx.sessions() as session:
        return production.current(session=session, project=ctx.project)


def status_of(ctx, hypothesis_id):
    with ctx.sessions() as session:
        return hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis_id)


def swept(ctx, hypothesis_id):
    """How the experiment of one hypothesis ends."""
    inline.scrape(ctx)
    for _ in range(3):
        for done in inline.sweep(ctx)["experiments"]:
            if done["hypothesis_id"] == hypothesis_id:
                return done["outcome"]
    raise AssertionError("it was never tried")


def validated(ctx, hypothesis_id):
    """Whether fast validation lets a hypothesis pass."""
    assert claim(ctx, "me", hypothesis_id=hypothesis_id) == hypothesis_id
    run_trials(ctx, plan_validation(ctx, hypothesis_id))
    return validate(ctx, hypothesis_id)


def test_helpful_code_goes_from_a_folder_to_an_approved_promotion(toy, code, propose):
    reconcile(toy.ctx)
    before = holder(toy.ctx)
    assert before.candidate.tree == folder_sha256(toy.files.solution)
    taken = propose({"folder": str(code(READS_ALL, SURE, NO_OFFSET, also=UNTIL_A_DATE))})
    ctx = toy.ctx
    with ctx.sessions() as session:
        (line,) = listed(ctx, session)
    assert (line["kind"], line["status"]) == ("code", "queued")
    assert swept(ctx, taken.hypothesis.id) == "waits_for_approval", toy.said
    with ctx.sessions() as session:
        waiting = records.open_escalations(session=session, project=ctx.project)
        asked = next(each for each in waiting if each.key.startswith("approve-promotion/"))
        told = shown(ctx, session, taken.hypothesis.id)
        sides = session.execute(
            text(
                "SELECT purpose, tree, fingerprint->>'code', count(*) FROM auto_benchmark.trials "
                "WHERE stage = 'full' AND state = 'done' GROUP BY 1, 2, 3"
            )
        ).all()
    assert "it changes code, and automation.code is approve" in asked.brief
    assert '+        seen = item["digits"]\n' in asked.brief
    assert re.search(r"\ntrain\.py:\d+: looks at the clock: datetime\.date\.today\n", asked.brief), asked.brief
    assert told["code"] == {"tree": taken.hypothesis.tree, "files": ["train.py"]}
    trees = {purpose: (tree, ran) for purpose, tree, ran, _ in sides}
    assert trees["candidate"] == (taken.hypothesis.tree,) * 2, "a candidate runs its own tree"
    assert trees["control"] == (before.candidate.tree,) * 2, "beside the control on its own"
    approvals.approve(ctx, taken.hypothesis.id, by="ann")
    now = holder(ctx)
    assert now.candidate.tree == taken.hypothesis.tree and now.candidate.params == before.candidate.params
    assert now.candidate.scores["ToyBoard"] > 0.95
    folder = ctx.home / "experiments" / "promoted" / taken.hypothesis.id
    subprocess.run(["git", "apply", folder / "change.patch"], cwd=toy.files.solution, check=True)
    assert folder_sha256(toy.files.solution) == now.candidate.tree, "the patch leads there"
    reasons = (folder / "reasons.md").read_text()
    assert now.candidate.tree in reasons and "looks at the clock: datetime.date.today" in reasons
    (folder / "reasons.md").unlink()  # as where the process died before it
    reconcile(ctx)
    assert f"{taken.hypothesis.id}: your folder holds this code already" in toy.said
    changed = f"- Changed: code from {before.candidate.tree[:8]} to {now.candidate.tree[:8]}\n"
    assert changed in (ctx.home / "CHANGELOG.md").read_text()


def test_a_challenger_s_code_leaves_its_patch_with_what_is_promoted_on_top_of_it(toy, code, propose):
    subprocess.run(["git", "init", "-q", toy.files.root], check=True)
    ctx = toy.scheduled(automation={"code": Mode.ON})
    reconcile(ctx)
    taken = propose({"folder": str(code(READS_ALL, NO_OFFSET))}, ctx=ctx)
    assert swept(ctx, taken.hypothesis.id) == "challenger", toy.said
    promoted = ctx.home / "experiments" / "promoted"
    assert not (promoted / taken.hypothesis.id / "change.patch").exists()
    sure = propose(None, params={"flip": 0.0}, ctx=ctx)
    assert (sure.hypothesis.implementation.kind, sure.hypothesis.tree) == ("params", taken.hypothesis.tree)
    assert swept(ctx, sure.hypothesis.id) == "promote", toy.said
    folder = promoted / sure.hypothesis.id
    (said,) = [
        line for line in toy.said if line.startswith(f"{sure.hypothesis.id}: to bring your folder up to date: ")
    ]
    told = said.partition("date: ")[2]
    assert f"--directory=solutions/toy/ {folder}/change.patch" in told, "in a checkout git has to be told where"
    reasons = (folder / "reasons.md").read_text()
    assert "- train.py\n" in reasons and f"    {told}\n" in reasons
    subprocess.run(told, shell=True, check=True, cwd="/")
    assert folder_sha256(toy.files.solution) == holder(ctx).candidate.tree == taken.hypothesis.tree


def test_production_s_own_evidence_counts_for_its_own_code_alone(toy, code, propose):
    """After a promotion of code the same knobs are another configuration: what was measured before counts no more."""
    ctx = toy.scheduled(automation={"code": Mode.ON})
    reconcile(ctx)
    old = holder(ctx).candidate.tree
    taken = propose({"folder": str(code(READS_ALL, SURE, NO_OFFSET))}, ctx=ctx)
    assert swept(ctx, taken.hypothesis.id) == "promote", status_of(ctx, taken.hypothesis.id).reason
    with ctx.sessions() as session:
        from auto_benchmark.experiments.gate import evidence

        seeds = {o.seed for o in evidence.control(ctx, session, holder(ctx), items_of=None)}
        of_old = session.scalars(
            text(f"SELECT seed FROM auto_benchmark.trials WHERE tree = '{old}' AND purpose = 'control'")
        ).all()
    assert of_old and not seeds & set(of_old)
    assert len(seeds) == 3, "the fresh seeds of its confirmation"


def test_what_waits_is_brought_onto_promoted_code_and_a_conflict_is_superseded(toy, code, propose):
    ctx = toy.scheduled(automation={"code": Mode.ON})
    reconcile(ctx)
    first = propose({"folder": str(code(READS_ALL, SURE, NO_OFFSET))}, gain=0.9, ctx=ctx)
    other = propose({"folder": str(code(also="# at the end\n", name="other"))}, gain=0.01, ctx=ctx)
    clash = propose({"folder": str(code((SURE[0], "rng.random() < 0.3"), name="clash"))}, gain=0.02, ctx=ctx)
    inline.scrape(ctx)
    assert claim(ctx, "me") == first.hypothesis.id
    for look in range(3):
        from auto_benchmark.experiments.gate.rounds import decide, plan_round
        from auto_benchmark.experiments.outcome.promotion import finish, plan_confirmation

        run_trials(ctx, plan_validation(ctx, first.hypothesis.id) if look == 0 else [])
        run_trials(ctx, plan_round(ctx, first.hypothesis.id, look))
        if decide(ctx, first.hypothesis.id, look)["final"]:
            break
    run_trials(ctx, plan_confirmation(ctx, first.hypothesis.id))
    assert finish(ctx, first.hypothesis.id)["outcome"] == "promote"
    onto, lost = status_of(ctx, other.hypothesis.id), status_of(ctx, clash.hypothesis.id)
    assert onto.status == "queued" and onto.starts_from(first.hypothesis.tree)
    program = (tree_store.find(onto.tree, "toy", ctx.settings.root) / "train.py").read_text()
    assert program.endswith("# at the end\n") and SURE[1] in program and READS_ALL[0] not in program
    assert onto.implementation.code.earlier == [other.hypothesis.tree]
    assert lost.status == "superseded" and "change the same lines of train.py" in lost.reason


def test_harmful_code_is_archived_and_production_stays(toy, code, propose):
    reconcile(toy.ctx)
    before = holder(toy.ctx)
    taken = propose({"folder": str(code((SURE[0], "rng.random() < 0.45")))})
    assert swept(toy.ctx, taken.hypothesis.id) in {"reject", "futile"}
    assert holder(toy.ctx).id == before.id
    assert status_of(toy.ctx, taken.hypothesis.id).status is HypothesisStatus.ARCHIVED


def test_broken_code_costs_its_validation_only(toy, code, propose):
    reconcile(toy.ctx)
    taken = propose({"folder": str(code(also="\nraise SystemExit(3)\n"))})
    assert not validated(toy.ctx, taken.hypothesis.id)
    found = status_of(toy.ctx, taken.hypothesis.id)
    assert found.status is HypothesisStatus.ARCHIVED and "crash" in found.reason


def test_code_that_answers_the_same_at_the_same_cost_changes_nothing(toy, code, propose):
    reconcile(toy.ctx)
    taken = propose({"folder": str(code(also="# nothing but this line\n"))})
    assert not validated(toy.ctx, taken.hypothesis.id)
    assert "the code changes nothing, and costs the same" in status_of(toy.ctx, taken.hypothesis.id).reason
    with toy.ctx.sessions() as session:
        asked = session.execute(
            text(
                "SELECT purpose, count(*), min(subset) FROM auto_benchmark.trials WHERE purpose LIKE 'validation%' "
                "GROUP BY 1 ORDER BY 1"
            )
        ).all()
    assert [tuple(row) for row in asked] == [("validation", 2, 1.0), ("validation-base", 2, 1.0)]


def test_the_same_answers_at_another_cost_are_a_change(toy, code, propose):
    reconcile(toy.ctx)
    slow = "\nimport time\nend = time.process_time() + 3\nwhile time.process_time() < end: pass\n"
    taken = propose({"folder": str(code(also=slow))})
    assert validated(toy.ctx, taken.hypothesis.id)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            ("import json\n", "import jsonn\n"),
            "trial: crash: the command ended with an error.*No module named 'jsonn'",
        ),
        (
            ("""random.Random(f"{config['seed']} {params}")""", "random.Random()"),
            "seed: the same seed gave different",
        ),
    ],
)
def test_the_doctor_refuses_code_before_a_seed_is_spent(toy, code, propose, edit, said):
    reconcile(toy.ctx)
    taken = propose({"folder": str(code(edit))}, params={"reads": 6})
    assert claim(toy.ctx, "me", hypothesis_id=taken.hypothesis.id)
    assert steps.plan_validation(toy.ctx, taken.hypothesis.id) == []
    assert steps.plan_validation(toy.ctx, taken.hypothesis.id) == [], "it may be killed and run again"
    assert not validate(toy.ctx, taken.hypothesis.id)
    found = status_of(toy.ctx, taken.hypothesis.id)
    assert found.status is HypothesisStatus.ARCHIVED
    assert re.search(f"the doctor refuses its code: {said}", found.reason, re.DOTALL), found.reason
    with toy.ctx.sessions() as session:
        assert session.scalar(text("SELECT count(*) FROM auto_benchmark.trials")) == 0
        assert len(records.logged(session=session, project=toy.ctx.project, kind="examined")) == 1


def test_code_and_knobs_together_are_both(toy, code, propose):
    reconcile(toy.ctx)
    taken = propose({"folder": str(code(SURE))}, params={"reads": 6})
    assert taken.hypothesis.implementation.kind == "both"
    assert taken.hypothesis.implementation.patch == {"reads": 6}
    again = propose({"folder": "candidate"}, params={"reads": 6})
    assert (again.is_new, again.hypothesis.id) == (False, taken.hypothesis.id)
    other = propose({"folder": "candidate"})
    assert other.is_new, "the same code with other knobs is another question"


def test_a_patch_applies_to_production_s_code_whatever_the_folder_holds_now(toy, code, propose, tmp_path):
    reconcile(toy.ctx)
    changed = code(SURE)
    patch = subprocess.run(
        ["git", "diff", "--no-index", "--no-prefix", str(toy.files.solution), str(changed)],
        capture_output=True, text=True, check=False,
    ).stdout.replace(str(toy.files.solution)[1:], "a").replace(str(changed)[1:], "b")  # fmt: skip
    (tmp_path / "mine.diff").write_text(patch)
    toy.files.train_also("# the folder goes on\n")
    taken = propose({"diff": "mine.diff"})
    assert taken.hypothesis.tree == folder_sha256_as(changed, toy.files.solution.name, tmp_path)


def folder_sha256_as(folder, name, tmp_path):
    return folder_sha256(shutil.copytree(folder, tmp_path / "as" / name))


def test_a_commit_is_read_without_running_anything_of_its_repository(toy, propose, tmp_path):
    reconcile(toy.ctx)
    repo = tmp_path / "repo"
    home = shutil.copytree(toy.files.solution, repo / "solutions" / "toy")
    git = ["git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    (home / "train.py").write_text((home / "train.py").read_text().replace(*SURE))
    (repo / ".gitattributes").write_text("* filter=evil\n")
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "surer"], check=True)
    ran = tmp_path / "ran"
    subprocess.run([*git, "config", "filter.evil.smudge", f"touch {ran}; cat"], check=True)
    subprocess.run([*git, "config", "core.fsmonitor", f"touch {ran}"], check=True)
    taken = propose({"git": {"repo": "repo", "ref": "HEAD"}})
    assert taken.hypothesis.implementation.code.files == ["train.py"] and not ran.exists()
    with pytest.raises(ConfigError, match=r"implementation\.code\.git: .*has no commit 'nowhere'"):
        propose({"git": {"repo": "repo", "ref": "nowhere"}})
    with pytest.raises(ConfigError, match="nothing is fetched"):
        propose({"git": {"repo": "https://example.org/x.git", "ref": "main"}})


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: (f / "train.py").write_text((f / "train.py").read_text()), "is production's code"),
        (lambda f: (f / "requirements.lock").write_text("numpy==1\n"), "changes requirements.lock, which no hypothesis"),
        (lambda f: (f / "solution.yaml").write_text("name: toy\n"), "solution.yaml:1: command: "),
        (lambda f: (f / "away").symlink_to("/etc"), "away is a link"),
        (lambda f: (f / "train.py").unlink() or (f / "train.py").symlink_to("/etc/passwd"), "train.py is a link"),
        (lambda f: __import__("os").mkfifo(f / "pipe"), "pipe is not a regular file"),
        (lambda f: (f / "a\nb").write_text("x"), "has a name that cannot be shown"),
        (lambda f: (f / "large").write_bytes(bytes(65 * 2**20)), "holds more than 2000 files or 64 MiB"),
    ],
)  # fmt: skip
def test_what_no_hypothesis_may_change_is_refused_with_line_and_field(toy, code, propose, spoil, said):
    reconcile(toy.ctx)
    spoil(code())
    with pytest.raises(ConfigError) as refused:
        propose({"folder": "candidate"})
    assert str(refused.value).startswith("idea.yaml:") and "implementation.code.folder: " in str(refused.value)
    assert said in str(refused.value)
    with toy.ctx.sessions() as session:
        assert hypotheses.listed(session=session, project=toy.ctx.project) == []


def test_a_folder_of_the_kernel_is_no_code_and_nobody_waits_for_it(toy, propose):
    reconcile(toy.ctx)
    with pytest.raises(ConfigError, match=r"implementation\.code\.folder: "):
        propose({"folder": "/proc"})


def test_only_editable_files_may_change(toy, code, propose, tmp_path):
    toy.files.declare(editable=["lib/", "model_*.py"])
    ctx = toy.again()
    reconcile(ctx)
    folder = code()
    (folder / "lib").mkdir()
    (folder / "lib" / "tool.py").write_text("x = 1\n")
    (folder / "model_a.py").write_text("x = 1\n")
    assert propose({"folder": "candidate"}, ctx=ctx).is_new
    (folder / "train.py").write_text("x = 1\n")
    with pytest.raises(
        ConfigError, match=r"changes train\.py, which no hypothesis may change \(editable: lib/, model_"
    ):
        propose({"folder": "candidate"}, ctx=ctx)
    toy.files.declare(editable=["requirements.lock"])
    with pytest.raises(ConfigError, match=r"solution\.yaml:\d+: editable\[0\]: no hypothesis may change"):
        toy.again()


def new_file(name):
    """A patch that makes one."""
    return f"diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"


@pytest.mark.parametrize(
    "named", [{"folder": "x" * 5000}, {"diff": "x" * 5000}, {"git": {"repo": "x" * 5000, "ref": "main"}}]
)
def test_a_path_that_no_file_system_has_is_told_with_line_and_field(toy, propose, named):
    reconcile(toy.ctx)
    with pytest.raises(ConfigError, match=r"idea\.yaml:\d+: implementation\.code\.\w+: "):
        propose(named)


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-nothing like it\n+x\n", "does not apply to production's code"),
        ("--- /dev/null\n+++ b/../out.py\n@@ -0,0 +1 @@\n+x\n", "does not apply"),
        ("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
         "\\ No newline at end of file\n", "l is a link"),
        ("no patch at all\n", "does not apply"),
        ("".join(new_file(f"f{n}") for n in range(2001)), "holds too much: more than 2000 files"),
        (new_file("d/" * 17 + "f"), "holds too much: more than 16 folders"),
        (f"--- a/train.py\n+++ b/train.py\n{'+' * 10_000_000}", "mine.diff is larger than 4 MiB"),
    ],
)  # fmt: skip
def test_a_patch_that_does_not_apply_or_leads_outside_is_refused(toy, propose, tmp_path, patch, said):
    reconcile(toy.ctx)
    (tmp_path / "mine.diff").write_text(patch)
    with pytest.raises(ConfigError, match=r"idea\.yaml:\d+: implementation\.code\.diff: ") as refused:
        propose({"diff": "mine.diff"})
    assert said in str(refused.value)
    assert not (tmp_path / "out.py").exists() and not (toy.ctx.settings.root / "out.py").exists()


def test_an_edit_of_the_folder_is_a_candidate_and_production_goes_on(toy):
    ctx = toy.ctx
    inline.scrape(ctx)
    before = holder(ctx)
    program = (toy.files.solution / "train.py").read_text()
    for old, new in (READS_ALL, SURE, NO_OFFSET):
        program = program.replace(old, new)
    (toy.files.solution / "train.py").write_text(program)
    reconcile(ctx)
    reconcile(ctx)
    with ctx.sessions() as session:
        (line,) = listed(ctx, session)
    assert line["source"] == "folder" and line["title"].endswith("1 file changed") and line["kind"] == "code"
    assert holder(ctx).id == before.id and holder(ctx).candidate.tree == before.candidate.tree
    toy.files.train_also("# once more\n")
    reconcile(ctx)
    with ctx.sessions() as session:
        found = listed(ctx, session)
    assert sorted(each["status"] for each in found) == ["queued", "superseded"]
    newest = next(each["id"] for each in found if each["status"] == "queued")
    ctx = toy.scheduled(automation={"code": Mode.ON})
    assert swept(ctx, newest) == "promote", toy.said
    assert holder(ctx).candidate.tree == folder_sha256(toy.files.solution)
    reconcile(ctx)
    with ctx.sessions() as session:
        assert not [e for e in listed(ctx, session) if e["source"] == "folder" and e["status"] == "queued"]


def test_where_the_folder_is_followed_an_edit_is_live_and_no_code_is_proposed(toy, code, propose):
    ctx = toy.follow()
    inline.scrape(ctx)
    toy.files.train_also("# live\n")
    reconcile(ctx)
    assert holder(ctx).candidate.tree == ""
    with ctx.sessions() as session:
        assert listed(ctx, session) == []
    with pytest.raises(ConfigError, match=r"idea\.yaml:\d+: implementation\.code: schedule\.yaml says code"):
        propose({"folder": str(code(SURE))}, ctx=ctx)


def test_a_declaration_counts_at_once_and_is_no_candidate(toy):
    reconcile(toy.ctx)
    before = holder(toy.ctx).candidate
    toy.files.declare(resources={"memory_mb": 512})
    ctx = toy.again()
    reconcile(ctx)
    with ctx.sessions() as session:
        assert listed(ctx, session) == []
    assert holder(ctx).candidate == before and ctx.bench.solution.solution.resources.memory_mb == 512


def test_changed_code_that_waits_is_fitted_to_another_declaration_of_knobs(toy, code, propose):
    reconcile(toy.ctx)
    taken = propose({"folder": str(code(SURE))})
    file = toy.ctx.settings.solutions / "toy" / "solution.yaml"
    declared = yaml.safe_load(file.read_text())
    declared["knobs"]["depth"] = {"type": "int", "range": [1, 9], "default": 3}
    toy.files.declare(knobs=declared["knobs"])
    ctx = toy.again()
    for _ in range(2):
        reconcile(ctx)
    waits = status_of(ctx, taken.hypothesis.id)
    assert (waits.status, waits.tree) == ("queued", taken.hypothesis.tree), waits.reason
    assert waits.implementation.base["depth"] == 3


def test_stored_code_that_was_damaged_is_never_run(toy, code, propose):
    ctx = toy.ctx
    reconcile(ctx)
    taken = propose({"folder": str(code(SURE))})
    copy = tree_store.find(taken.hypothesis.tree, "toy", ctx.settings.root)
    (copy / "train.py").write_text("raise SystemExit(0)\n")
    assert claim(ctx, "me", hypothesis_id=taken.hypothesis.id)
    ids = plan_validation(ctx, taken.hypothesis.id)
    found = {t.plan.tree: t for t in run_trials(ctx, ids)}
    assert "was damaged" in found[taken.hypothesis.tree].message
    assert found[holder(ctx).candidate.tree].state == "done", "its base runs on"


def test_retention_keeps_every_tree_that_a_row_names(toy, code, propose):
    import os

    from auto_benchmark.project.retention import collect

    ctx = toy.ctx
    reconcile(ctx)
    taken = propose({"folder": str(code(SURE))})
    forgotten = tree_store.keep(code(READS_ALL, name="forgotten/toy"), ctx.settings.root)
    for copy in (ctx.settings.root / "code").iterdir():
        os.utime(copy, (1, 1))
    assert collect(ctx)["code"]["files"] > 0
    left = {copy.name for copy in (ctx.settings.root / "code").iterdir()}
    assert left == {taken.hypothesis.tree, holder(ctx).candidate.tree} and forgotten not in left


def test_a_worker_that_dies_between_two_trees_is_taken_over(toy, code, propose):
    """The trials of one tree are done, those of the other are planned: another worker goes on with what is left."""
    ctx = toy.ctx
    reconcile(ctx)
    taken = propose({"folder": str(code(READS_ALL, SURE, NO_OFFSET))})
    assert claim(ctx, "first", hypothesis_id=taken.hypothesis.id)
    ids = plan_validation(ctx, taken.hypothesis.id)
    run_trials(ctx, ids[:2])
    other = toy.again()
    left = plan_validation(other, taken.hypothesis.id)
    assert set(left) == set(ids[2:])
    run_trials(other, left)
    assert validate(other, taken.hypothesis.id)
    with other.sessions() as session:
        ran = [trials.get(session=session, project=other.project, trial_id=one) for one in ids]
    assert {t.attempts for t in ran} == {1} and len({t.plan.tree for t in ran}) == 2


def test_code_is_shown_by_the_command(toy, code, propose, command):
    reconcile(toy.ctx)
    taken = propose({"folder": str(code(SURE))})
    ended, out = command("hypothesis", "show", taken.hypothesis.id, "--json")
    assert ended == 0 and json.loads(out)["code"] == {"tree": taken.hypothesis.tree, "files": ["train.py"]}
    ended, out = command("hypothesis", "show", taken.hypothesis.id, "--patch")
    assert ended == 0 and out.startswith("diff --git a/train.py b/train.py\n") and f"+        if {SURE[1]}:" in out
    view = toy.ctx.home / "experiments" / "queue" / f"{taken.hypothesis.id}.yaml"
    assert yaml.safe_load(Path(view).read_text())["hypothesis"]["implementation"]["code"]["files"] == ["train.py"]


def test_production_whose_code_is_not_here_runs_nothing_and_says_what_to_do(toy, command):
    """As after an import, or a lost home: nothing else takes its place, and what does not need it goes on."""
    ctx = toy.ctx
    inline.scrape(ctx)
    tree = holder(ctx).candidate.tree
    shutil.rmtree(ctx.settings.root / "code")
    program = (toy.files.solution / "train.py").read_text()
    toy.files.train_also("# other code\n")
    toy.said.clear()
    reconcile(ctx)
    assert any(f"production's code {tree} is not stored" in line for line in toy.said)
    ended, out = command("status", "--json")
    assert ended == 0 and json.loads(out)["code"] == {"tree": tree, "folder": "candidate", "edited": []}
    (toy.files.solution / "train.py").write_text(program)
    toy.said.clear()
    reconcile(ctx)
    assert tree_store.holds(tree, "toy", ctx.settings.root) and not any("not stored" in line for line in toy.said)
