"""A person's hypothesis: added by command or by file, checked, answered when it was asked before, withdrawn."""

from __future__ import annotations

import pytest
import yaml
from tests.command_line import runner
from tests.toy_project import enter

from auto_benchmark.ideas.steps import reconcile

IDEA = """title: Read everything
implementation:
  change: reads to its end
  params: {reads: 6}
  effort: Low
  estimated_gain: 0.02
"""


@pytest.fixture
def asked(toy, monkeypatch, capsys, tmp_path):
    """Runs ``hypothesis ...``; a text instead of a file is written into one first. Returns (exit code, answer)."""
    enter(monkeypatch, toy.ctx.settings, db_url=toy.url)
    run = runner(monkeypatch, capsys)

    def ask(*words):
        words = list(words)
        if "\n" in words[-1]:
            file = tmp_path / "idea.yaml"
            file.write_text(words[-1])
            words[-1] = str(file)
        ended = run("hypothesis", *words, "--json")
        return ended.code, ended.json if ended.code == 0 else ended.err

    return ask


def test_a_hypothesis_is_queued_once_listed_and_shown(asked):
    code, added = asked("add", IDEA)
    assert code == 0
    assert added.keys() == {"id", "status", "priority_score", "reason"}
    assert (added["status"], added["priority_score"]) == ("queued", 20.0)
    code, again = asked("add", IDEA.replace("Read everything", "Another name"))
    assert (code, again["id"]) == (0, added["id"])
    assert again["reason"].startswith(f"asked before as {added['id']}, which is queued")
    (listed,) = asked("list")[1]["hypotheses"]
    assert listed == {
        "id": added["id"], "title": "Read everything", "source": "person", "kind": "params", "status": "queued",
        "priority_score": 20.0, "urgency": "normal",
    }  # fmt: skip
    shown = asked("show", added["id"])[1]
    assert shown["implementation"]["patch"] == {"reads": 6}
    assert shown["priority_reason"].startswith(
        "priority 20 = 1000 x 0.02 claimed x 1 (what claims of person are worth)"
    )
    assert (shown["trials"], shown["decisions"], shown["code"]) == ([], [], None)


def test_what_a_file_says_of_its_source_does_not_change_whose_level_it_spends(asked):
    posing = IDEA.replace("title:", "source: agent llm:LAB\ntitle:", 1)
    shown = asked("show", asked("add", posing)[1]["id"])[1]
    assert (shown["source"], shown["origin"]) == ("agent llm:LAB", "person")


def test_the_effort_may_be_written_in_any_case(asked):
    assert asked("add", IDEA.replace("effort: Low", "effort: low"))[1]["priority_score"] == 20.0


def test_the_older_form_and_a_copy_of_a_view_are_read(asked, toy):
    older = IDEA.replace("params:", "patch:")
    added = asked("add", older)[1]
    view = (toy.ctx.home / "experiments" / "queue" / f"{added['id']}.yaml").read_text()
    copied = yaml.safe_load(view)
    copied["hypothesis"]["implementation"]["patch"] = {"reads": 5}
    code, other = asked("add", yaml.safe_dump(copied))
    assert (code, other["status"]) == (0, "queued")
    assert other["id"] != added["id"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("reads: 6", "reeds: 6", "idea.yaml:4: implementation.params.reeds: "),
        ("reads: 6", "reads: 7", "idea.yaml:4: implementation.params.reads: should lie in [1, 6]"),
        ("reads: 6", "reads: 2", "idea.yaml:4: implementation.params: production has these values already"),
        ("params: {reads: 6}", "params: {}", "implementation.params: names no knob"),
        ("title: Read everything", r'title: "a\0b"', "idea.yaml:1: title: should be text without NUL"),
        ("effort: Low", "effort: Tiny", "idea.yaml:5: implementation.effort: "),
        ("estimated_gain: 0.02", "estimated_gain: lots", "idea.yaml:6: implementation.estimated_gain: "),
        ("title: Read everything", "target_leaderboards: [ToyBored]\ntitle: x", "did you mean 'ToyBoard'?"),
        ("params: {reads: 6}", "code: {folder: there}", "idea.yaml:4: implementation.code.folder: "),
        ("title: Read everything", "titel: Read everything", "idea.yaml:1: titel: "),
    ],
)
def test_what_is_wrong_is_told_with_line_and_field_and_nothing_is_queued(asked, old, new, said):
    assert old in IDEA
    code, told = asked("add", IDEA.replace(old, new))
    assert code == 2
    assert said in told, told
    assert "Traceback" not in told
    assert asked("list")[1]["hypotheses"] == []


def test_a_hypothesis_is_withdrawn_and_can_be_withdrawn_again(asked):
    added = asked("add", IDEA)[1]["id"]
    for _ in range(2):
        code, left = asked("withdraw", added, "--reason", "not worth it")
        assert (code, left["status"]) == (0, "archived")
        assert left["reason"].endswith("not worth it")
    code, again = asked("add", IDEA)
    assert (code, again["status"]) == (0, "archived")
    assert asked("withdraw", "H-999", "--reason", "x")[0] == 2


class TestQueueFolder:
    """What people put beside the views is taken in or refused, and nothing of it is lost."""

    def queue(self, toy):
        folder = toy.ctx.home / "experiments" / "queue"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def names(self, toy):
        return sorted(file.name for file in self.queue(toy).iterdir())

    def test_any_file_is_taken_in_under_a_new_id(self, toy):
        (self.queue(toy) / "H-900.yaml").write_text(f"hypothesis:\n{IDEA}".replace("\n", "\n  ").rstrip())
        (self.queue(toy) / "mine.yml").write_text(IDEA.replace("reads: 6", "reads: 5"))
        reconcile(toy.ctx)
        assert self.names(toy) == ["H-001.yaml", "H-002.yaml"]
        reconcile(toy.ctx)
        assert self.names(toy) == ["H-001.yaml", "H-002.yaml"]

    def test_a_wrong_one_is_set_aside_with_the_reason_and_stops_no_other(self, toy):
        (self.queue(toy) / "a.yaml").write_text("title: [")
        (self.queue(toy) / "b.yaml").write_text(IDEA)
        (self.queue(toy) / "notes.txt").write_text("mine")
        reconcile(toy.ctx)
        assert self.names(toy) == ["H-001.yaml", "a.yaml.refused", "a.yaml.refused.txt", "notes.txt"]
        assert (self.queue(toy) / "a.yaml.refused").read_text() == "title: ["
        assert (self.queue(toy) / "a.yaml.refused.txt").read_text().startswith("a.yaml:1:")
        (self.queue(toy) / "a.yaml").write_text("title: ]")
        reconcile(toy.ctx)
        assert (self.queue(toy) / "a.yaml.refused").read_text() == "title: ["
        assert (self.queue(toy) / "a.yaml.2.refused").read_text() == "title: ]"

    def test_an_edited_view_is_set_aside_and_the_view_written_anew(self, toy):
        (self.queue(toy) / "mine.yaml").write_text(IDEA)
        reconcile(toy.ctx)
        view = self.queue(toy) / "H-001.yaml"
        before = view.read_text()
        view.write_text(before.replace("Read everything", "Read nothing"))
        reconcile(toy.ctx)
        assert view.read_text() == before
        assert "Read nothing" in (self.queue(toy) / "H-001.yaml.refused").read_text()
        assert "the database is what counts" in (self.queue(toy) / "H-001.yaml.refused.txt").read_text()

    def test_what_was_decided_is_answered_with_its_result(self, toy, asked):
        added = asked("add", IDEA)[1]["id"]
        asked("withdraw", added, "--reason", "tried elsewhere")
        (self.queue(toy) / "again.yaml").write_text(IDEA)
        reconcile(toy.ctx)
        assert "tried elsewhere" in (self.queue(toy) / "again.yaml.refused.txt").read_text()

    def test_links_and_folders_are_left_alone(self, toy, tmp_path):
        (tmp_path / "secret.yaml").write_text("password: hunter2")
        (self.queue(toy) / "link.yaml").symlink_to(tmp_path / "secret.yaml")
        (self.queue(toy) / "folder.yaml").mkdir()
        reconcile(toy.ctx)
        assert self.names(toy) == ["folder.yaml", "link.yaml"]
