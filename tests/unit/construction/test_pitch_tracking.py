"""What a tracker's frames become, by one rule for all: notes, and answers that follow from the notes alone."""

import base64
import math

import numpy as np
import pytest

from auto_benchmark.construction.answering import put
from auto_benchmark.construction.answers import is_right
from auto_benchmark.construction.candidate import missing
from auto_benchmark.construction.candidates import program
from auto_benchmark.construction.candidates.elsewhere import pitch_tracking
from auto_benchmark.construction.candidates.elsewhere.pitch_tracking import Frame, Note, answered, notes_of
from auto_benchmark.construction.candidates.pitch_tracking import PITCH_TRACKING
from auto_benchmark.construction.source import Description
from auto_benchmark.construction.sources.instruments import RATE, TIMBRES, harmonics, recording, sound
from auto_benchmark.construction.sources.tones import REGISTERS, SOURCE

PLAIN = {"timbre": "rich", "register": "middle", "brevity": 0, "room": 0, "noise": 0}
FORMS = {
    "count": {"most": 6, "noise": 0},
    "highest": {"tones": 5, "closeness": 3, **PLAIN},
    "rises": {"tones": 5, "closeness": 3, **PLAIN},
    "key": {"tones": 3, "mistuning": 6, **PLAIN},
}
LEAST = 0.4
"""Every tracker is right on this share of clean, long tones of a string."""


def frames(*stretches, hop=0.01):
    """Frames of (start, end, pitch); nothing between them."""
    return [
        Frame(start + i * hop, pitch) for start, end, pitch in stretches for i in range(round((end - start) / hop))
    ]


def perfect(evidence, hop=0.01):
    """What a tracker without faults would say of a score."""
    notes = evidence["notes"]
    found = []
    for i in range(round(evidence["length"] / hop)):
        inside = [n["pitch"][0] for n in notes if n["at"] <= i * hop < n["at"] + n["length"]]
        found.append(Frame(i * hop, inside[0] if inside else math.nan if i % 2 else 0.0))
    return found


def test_frames_of_one_pitch_are_a_note_until_they_pause_or_jump():
    found = notes_of(frames((0.1, 0.3, 440), (0.4, 0.5, 440), (0.5, 0.6, 660)))
    assert [round(note.pitch) for note in found] == [440, 440, 660]
    assert found[0] == pytest.approx((0.1, 0.29, 440))


def test_a_moment_of_another_octave_neither_is_a_note_nor_divides_one():
    assert [note.pitch for note in notes_of(frames((0.1, 0.2, 440), (0.2, 0.22, 880), (0.22, 0.35, 440)))] == [440]
    assert notes_of(frames((0.1, 0.12, 440))) == []


def test_a_trembling_pitch_is_one_note_and_a_lost_frame_no_pause():
    trembling = [Frame(0.01 * i, 440 * 2 ** (50 * math.sin(i) / 1200)) for i in range(30) if i != 12]
    assert len(notes_of(trembling)) == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_tracker_without_faults_is_right_on_every_item(form):
    items = SOURCE.generate(Description("tones", form, FORMS[form]), 20, 7)
    wrong = [item.evidence for item in items
             if not is_right(answered(item.asked.question, notes_of(perfect(item.evidence))), item.answer)]  # fmt: skip
    assert len(items) == 20 and wrong == []


def test_a_tracker_an_octave_too_high_names_another_key_and_the_same_highest():
    notes = [Note(0.1, 0.3, 220.0), Note(0.4, 0.6, 330.0), Note(0.7, 0.9, 262.0)]
    octave = [note._replace(pitch=2 * note.pitch) for note in notes]
    key, highest = "Which key of a piano comes closest …", "Which tone of the recording is the highest?"
    assert (answered(key, notes), answered(key, octave)) == (40, 52)
    assert answered(highest, notes) == answered(highest, octave) == "second"


def test_what_pitch_does_not_answer_and_what_was_not_heard_has_no_answer():
    assert answered("Which number is dialled on the keypad in the recording?", [Note(0.1, 0.2, 697.0)]) is None
    assert answered("How often is a tone of the recording higher than the one just before it?", []) is None
    assert answered("How many tones are in the recording?", []) == 0
    many = [Note(i / 5, i / 5 + 0.1, 200.0 + i) for i in range(9)]
    assert answered("Which tone of the recording is the highest?", many) is None


def test_a_program_that_fails_on_a_sound_has_no_answer_to_it():
    item = {"question": "How many tones are in the recording?",
            "media": base64.b64encode(recording(np.zeros(RATE)).content).decode()}  # fmt: skip

    def broken(samples, rate):
        raise ValueError(f"{len(samples)} samples at {rate}")

    assert pitch_tracking._or_none(pitch_tracking.heard(broken), item) is None
    assert pitch_tracking._or_none(pitch_tracking.heard(lambda s, r: [(0.1, 0.0)]), item) == 0


@pytest.mark.parametrize("timbre", TIMBRES)
def test_every_timbre_is_as_loud_and_repeats_as_often_as_its_pitch_says(timbre):
    for low, high in REGISTERS.values():
        for pitch in (low, high):
            assert sum(a * a for a in harmonics(timbre, pitch).values()) == pytest.approx(1)
    note = {"at": 0.1, "length": 0.4, "pitch": [250.0]}
    media = sound({"notes": [note], "length": 0.6, "noise": 0, "noise_seed": 1, "timbre": timbre, "room": 0})
    samples = np.frombuffer(media.content[44:], "<i2").astype(float)[1200:3600]
    period = RATE // 250
    assert np.abs(samples[period:] - samples[:-period]).max() <= 2
    for shorter in range(2, period - 1):
        assert np.abs(samples[shorter:] - samples[:-shorter]).max() > 0.02 * np.abs(samples).max()


def test_every_system_has_its_worker_and_its_package_is_pinned():
    assert {c.system for c in PITCH_TRACKING} == set(pitch_tracking.SYSTEMS)
    folder = pitch_tracking.Path(pitch_tracking.__file__).parent
    pinned = (folder / "requirements-pitch-tracking.txt").read_text()
    for candidate in PITCH_TRACKING:
        package = candidate.version.split(",")[0]
        assert package == "aubio" or package.replace(" ", "==") in pinned, candidate


@pytest.mark.parametrize("candidate", PITCH_TRACKING, ids=lambda c: c.name)
def test_a_tracker_hears_clean_tones(candidate):
    if (how := missing(candidate)) is not None:
        pytest.skip(f"not installed: {how}")
    items = [
        item for form, params in FORMS.items() for item in SOURCE.generate(Description("tones", form, params), 3, 3)
    ]
    sheet = put([candidate], items, [])
    assert sheet.failed == {}
    assert sum(sheet.right[candidate.name].values()) >= LEAST * len(items), sheet.given


def test_a_panel_that_is_not_installed_says_how_it_is(monkeypatch, tmp_path):
    monkeypatch.setattr(program, "ENVIRONMENTS", tmp_path)
    assert {missing(c) for c in PITCH_TRACKING} == {"make panel PANEL=pitch_tracking"}


def test_a_score_without_timbre_is_asked_and_heard_again_as_before_there_were_any():
    notes = [{"at": 0.1, "length": 0.1, "pitch": [2400.0]}, {"at": 0.3, "length": 0.12, "pitch": [350.5]}]
    item = SOURCE.form("highest").item("tones", {"tones": 2, "closeness": 0, "noise": 6}, {
        "notes": notes, "length": 0.6, "noise": 6, "noise_seed": 5})  # fmt: skip
    assert item.asked.question == "Which tone of the recording is the highest?"
    assert SOURCE.key_again(item) == item.answer == "first"


@pytest.mark.parametrize(("form", "end"), [("highest", "closeness"), ("rises", "closeness"), ("key", "mistuning")])
def test_the_second_way_hears_short_tones_in_a_room_louder_than_they_are(form, end):
    hard = {"brevity": 3, "room": 3, "noise": 36, "tones": 5, end: 6}
    items = [item for register in REGISTERS for timbre in TIMBRES for item in SOURCE.generate(
        Description("tones", form, {**hard, "register": register, "timbre": timbre}), 2, 11)]  # fmt: skip
    wrong = sum(SOURCE.key_again(item) != item.answer for item in items)
    assert len(items) == 30 and wrong <= 1
