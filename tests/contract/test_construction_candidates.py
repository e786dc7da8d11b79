"""What every bundled candidate must do."""

import subprocess

import pytest

from auto_benchmark.construction.answering import put
from auto_benchmark.construction.candidate import Kind, missing
from auto_benchmark.construction.candidates import PANELS, program
from auto_benchmark.construction.panel import panel_for
from auto_benchmark.construction.source import Description, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.errors import RefusedError
from auto_benchmark.registry.names import folder_name

EVERY = [candidate for panel in PANELS.values() for candidate in panel]
SLOW = {"bundled_solution": 1}
"""Panel -> how many of its candidates are tried here: they differ in a knob, and each starts a process."""
TRIED = [candidate for name, panel in PANELS.items()
         for candidate in panel[: SLOW.get(name)] if missing(candidate) is None]  # fmt: skip
BY_NAME = sources_by_name(SOURCES)
ASKED = {
    "picture": Description("scans", "codes", {"smallness": 1, "turn": 0, "noise": 0, "paleness": 0}),
    "text": Description("memory_world", "latest", {
        "people": 2, "months": 3, "changes": 1, "pronouns": "none", "wording": "plain"}),
    "dialogue": Description("safety_probes", "canary", {
        "carrier": "mail", "placement": "last", "wording": "plain", "writing": "spelled"}),
    "sound": Description("tones", "count", {"most": 4, "noise": 0}),
}  # fmt: skip
ITEMS = {modality: BY_NAME[d.source].generate(d, 24, 5) for modality, d in ASKED.items()}


def test_names_are_unique_and_tell_nothing_else_apart():
    names = [candidate.name for candidate in EVERY]
    assert len(set(names)) == len(names) and not set(names) & set(PANELS)
    assert all(folder_name(name, "candidate") == name for name in names)
    assert {candidate.kind for candidate in EVERY} == set(Kind)
    assert all(candidate.version for candidate in EVERY)


@pytest.mark.parametrize("candidate", TRIED, ids=lambda c: c.name)
def test_it_answers_every_item_and_the_same_again(candidate):
    modality = next(m for m in ("sound", "text", "picture", "dialogue") if m in candidate.modalities)
    items, examples = ITEMS[modality][:12], ITEMS[modality][12:]
    one, again = put([candidate], items, examples), put([candidate], items, examples)
    assert one.failed == {} and one.given == again.given
    assert set(one.given[candidate.name]) == {item.id for item in items} and one.calls == len(items)
    without = put([candidate], items, [])
    assert without.failed == {} and len(without.given[candidate.name]) == len(items)


def test_the_bundled_solution_remembers_what_a_classifier_cannot_know():
    items = BY_NAME["memory_world"].generate(ASKED["text"], 60, 8)
    sheet = put([*PANELS["bundled_solution"][:1], *PANELS["learners"][:1]], items[:30], items[30:])
    shares = {name: sum(right.values()) / 30 for name, right in sheet.right.items()}
    assert shares["bundled_default"] > 0.3 + shares["nearest_neighbour"]


def test_a_candidate_that_fails_is_wrong_and_stops_nobody():
    class Broken(type(PANELS["readers"][0])):
        def answer(self, asked, examples):
            raise RuntimeError("no model")

    class Short(type(PANELS["readers"][0])):
        def answer(self, asked, examples):
            return ["x"]

    sheet = put([Broken("broken"), Short("short"), PANELS["planted"][0]], ITEMS["text"][:8], [])
    assert sheet.failed == {"broken": "RuntimeError: no model", "short": "ValueError: 1 answers to 8 items"}
    assert not any(sheet.right["broken"].values()) and any(sheet.right["planted_0"].values())


def test_a_panel_holds_who_can_answer_and_none_that_is_planted_unless_named():
    able = [c for name in ("learners", "pitch_tracking") for c in PANELS[name]]
    assert panel_for([], {"sound"}, {"tones"}).names == [c.name for c in able if missing(c) is None]
    assert "bundled_default" in panel_for([], {"text"}, {"memory_world"}).names
    assert "bundled_default" not in panel_for([], {"text"}, {"memory_world", "tables"}).names
    assert panel_for(["planted"], {"text"}, {"tables"}).names == [c.name for c in PANELS["planted"]]
    with pytest.raises(RefusedError, match="0 of the candidates can answer"):
        panel_for(["readers"], {"picture"}, {"charts"})


def test_a_panel_whose_environment_is_missing_is_refused_with_the_command(monkeypatch, tmp_path):
    monkeypatch.setattr(program, "ENVIRONMENTS", tmp_path)
    with pytest.raises(RefusedError, match="make panel PANEL=language_identification"):
        panel_for(["language_identification"], {"text"}, {"languages"})
    assert "lingua" not in panel_for([], {"text"}, {"languages"}).names


def test_a_program_that_the_machine_lacks_is_left_out_by_name(monkeypatch, tmp_path):
    monkeypatch.setattr(program, "ENVIRONMENTS", tmp_path)
    for name in ("graded_skill", "optical_recognition"):
        python = tmp_path / name / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.touch()
    monkeypatch.setattr(program, "PLACES_OF_PROGRAMS", (str(tmp_path),))
    panel = panel_for(["optical_recognition"], {"picture"}, {"scans"})
    assert "rapidocr_v6" in panel.names and panel.left_out["gocr"] == "this machine has no program gocr"
    with pytest.raises(RefusedError, match="no program stockfish"):
        panel_for(["graded_skill"], {"text"}, {"chess_endings"})


@pytest.mark.parametrize(
    "name", ["optical_recognition", "graded_skill", "memory_retrieval", "language_identification", "pitch_tracking"]
)
def test_a_headline_panel_has_enough_systems_and_an_environment(name):
    assert len(PANELS[name]) >= 8
    assert len({candidate.version.split(",")[0] for candidate in PANELS[name]}) >= 5
    dashed = name.replace("_", "-")
    assert any((program.WORKERS / f"{kind}-{dashed}.txt").exists() for kind in ("requirements", "debian"))
    assert (program.WORKERS / f"{name}.py").exists()


def test_a_panel_that_nobody_knows_is_not_installed():
    done = subprocess.run(
        [program.WORKERS / "install.sh", "no_such_panel"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and done.stderr == "there is no panel no_such_panel\n"


def test_systems_that_answer_alike_or_get_nothing_right_do_not_count():
    panel = panel_for(["learners"], {"text"}, {"tables"})
    right = {name: {"a": i % 2 == 0, "b": i == 4, "c": False} for i, name in enumerate(panel.names)}
    assert panel.counted(right).names == [panel.names[0], panel.names[4]]
    assert "2 systems that differ" in panel.refusal(right)
    unlike = {name: {str(k): k == i for k in range(len(panel.names))} for i, name in enumerate(panel.names)}
    assert panel.refusal(unlike) is None
