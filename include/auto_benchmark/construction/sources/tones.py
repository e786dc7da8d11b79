"""Sounds made from a score: the score is the key, and the key is heard again in the samples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from random import Random
from typing import Any

from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Source
from auto_benchmark.construction.sources.heard_again import loud, pitches, strongest
from auto_benchmark.construction.sources.instruments import ECHO_S, TIMBRES, sound

KEYPAD = {
    "1": (697, 1209), "2": (697, 1336), "3": (697, 1477), "4": (770, 1209), "5": (770, 1336), "6": (770, 1477),
    "7": (852, 1209), "8": (852, 1336), "9": (852, 1477), "0": (941, 1336),
}  # fmt: skip
"""Two tones per digit, in Hz (ITU-T Q.23)."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
REGISTERS = {"middle": (180.0, 562.5), "high": (400.0, 1250.0), "low": (80.0, 250.0)}
"""Lowest and highest pitch in Hz."""
LENGTHS_S = ((0.25, 0.35), (0.16, 0.25), (0.09, 0.16), (0.05, 0.09))
"""Shortest and longest note, by brevity."""
USUAL = 2
"""Brevity of notes where nothing is said about it."""


def _score(random: Random, chords: Sequence[Sequence[float]], noise: int, brevity: int = USUAL) -> dict[str, Any]:
    """Notes of irregular length and spacing, in seconds and Hz."""
    notes, at = [], 0.1
    for pitch in chords:
        length = round(random.uniform(*LENGTHS_S[brevity]), 3)
        notes.append({"at": round(at, 3), "length": length, "pitch": list(pitch)})
        at += length + random.uniform(0.08, 0.16)
    return {"notes": notes, "length": round(at + 0.1, 3), "noise": noise, "noise_seed": random.randrange(2**31)}


def _melody(random: Random, melody: Sequence[float], params: Params) -> Evidence:
    """One tone after the other, played as a description says."""
    score = _score(random, [[pitch] for pitch in melody], int(params["noise"]), int(params["brevity"]))
    low, high = REGISTERS[str(params["register"])]
    # a tone beside its key may lie a little outside of the register
    return {**score, "timbre": params["timbre"], "room": int(params["room"]), "register": [low / 1.03, high * 1.03]}


def _apart(random: Random, n: int, cents: float, low: float, high: float) -> list[float]:
    """``n`` pitches between two, each ``cents`` hundredths of a semitone or more from every other."""
    free = 1200 * math.log2(high / low) - (n - 1) * cents
    places = sorted(random.uniform(0, free) for _ in range(n))
    found = [round(low * 2 ** ((place + i * cents) / 1200), 1) for i, place in enumerate(places)]
    random.shuffle(found)
    return found


def _drawn_melody(random: Random, params: Params) -> Evidence:
    cents = 200 - 20 * int(params["closeness"])
    low, high = REGISTERS[str(params["register"])]
    return _melody(random, _apart(random, int(params["tones"]), cents, low, high), params)


def _fundamentals(e: Evidence) -> list[float]:
    return [note["pitch"][0] for note in e["notes"]]


def _ask(e: Evidence, question: str, options: tuple[str, ...] = ()) -> Asked:
    """With what pitch means, where a tone is more than its fundamental."""
    meaning = (
        "" if e.get("timbre", "sine") == "sine" else " A tone's pitch is how often its waveform repeats in a second."
    )
    return Asked(question + meaning, options=options, media=sound(e))


def _draw_count(random: Random, params: Params) -> Evidence:
    n = random.randint(1, int(params["most"]))
    return _score(random, [[p] for p in _apart(random, n, 1, 300, 1250)], int(params["noise"]))


def _ask_count(e: Evidence) -> Asked:
    return _ask(e, "How many tones are in the recording?")


def _ask_highest(e: Evidence) -> Asked:
    return _ask(e, "Which tone of the recording is the highest?", ORDINALS[: len(e["notes"])])


def _highest(melody: list[float]) -> Answer:
    return ORDINALS[melody.index(max(melody))]


def _ask_rises(e: Evidence) -> Asked:
    return _ask(e, "How often is a tone of the recording higher than the one just before it?")


def _rises(melody: list[float]) -> Answer:
    return sum(b > a for a, b in itertools.pairwise(melody))


def _draw_key(random: Random, params: Params) -> Evidence:
    low, high = REGISTERS[str(params["register"])]
    keys = random.sample(range(math.ceil(_key_of(low)), math.floor(_key_of(high)) + 1), int(params["tones"]))
    beside = [random.choice((-1, 1)) * random.uniform(0.7, 1) * 0.05 * int(params["mistuning"]) for _ in keys]
    return _melody(
        random, [round(440 * 2 ** ((k + b - 49) / 12), 2) for k, b in zip(keys, beside, strict=True)], params
    )


def _ask_key(e: Evidence) -> Asked:
    return _ask(e, "Which key of a piano comes closest to the last tone of the recording? "
                   "Keys are counted in semitones from the left; the 49th gives 440 Hz.")  # fmt: skip


def _key_of(pitch: float) -> float:
    return 49 + 12 * math.log2(pitch / 440)


def _last_key(melody: list[float]) -> Answer:
    return round(_key_of(melody[-1]))


def _draw_digits(random: Random, params: Params) -> Evidence:
    digits = "".join(random.choice("123456789") for _ in range(int(params["digits"])))
    return {**_score(random, [list(KEYPAD[d]) for d in digits], int(params["noise"])), "digits": digits}


def _ask_digits(e: Evidence) -> Asked:
    return _ask(e, "Which number is dialled on the keypad in the recording?")


def _digits_again(_: Evidence, asked: Asked) -> Answer:
    found = ""
    for samples in loud(asked):
        low, high = strongest(samples, 650, 1000), strongest(samples, 1150, 1550)
        found += min(KEYPAD, key=lambda d: abs(KEYPAD[d][0] - low) + abs(KEYPAD[d][1] - high))
    return int(found)


_NOISE = Between(0, 6)
_PLAYED: dict[str, Between | OneOf] = {
    "timbre": OneOf(tuple(TIMBRES)), "register": OneOf(tuple(REGISTERS)), "brevity": Between(0, len(LENGTHS_S) - 1),
    "room": Between(0, len(ECHO_S) - 1), "noise": Between(0, 36),
}  # fmt: skip
SOURCE = Source(
    Card(
        name="tones",
        title="Sounds made from a score",
        modality="sound",
        domains=("sound", "audio", "music", "tone", "tones", "pitch", "recording", "hearing", "multimodal"),
        data="scores of up to eight notes drawn at random, 8 kHz, 16 bits; no end to them",
        licence="none needed: generated",
        key="the score",
        second_key="loud stretches and their strongest frequencies, found in the samples; of melodies, the pitches that "
                   "explain the samples best, where each tone and its timbre are known",
    ),
    (
        Form("count", "how many tones there are", ("count", "event", "events"),
             {"most": Between(3, 8), "noise": _NOISE}, _draw_count, _ask_count,
             lambda e: len(e["notes"]), lambda _, a: len(loud(a)),
             opened=lambda e: f"{len(e['notes'])} notes"),
        Form("highest", "which tone is the highest", ("pitch", "highest", "compare"),
             {"tones": Between(2, 7), "closeness": Between(0, 6), **_PLAYED}, _drawn_melody, _ask_highest,
             lambda e: _highest(_fundamentals(e)), lambda e, a: _highest(pitches(e, a))),
        Form("rises", "how often the pitch rises", ("pitch", "melody", "contour", "rise"),
             {"tones": Between(2, 8), "closeness": Between(0, 6), **_PLAYED}, _drawn_melody, _ask_rises,
             lambda e: _rises(_fundamentals(e)), lambda e, a: _rises(pitches(e, a))),
        Form("key", "which key of a piano a tone is", ("pitch", "note", "key", "transcribe"),
             {"tones": Between(1, 5), "mistuning": Between(0, 6), **_PLAYED}, _draw_key, _ask_key,
             lambda e: _last_key(_fundamentals(e)), lambda e, a: _last_key(pitches(e, a))),
        Form("digits", "the number that is dialled", ("digits", "dial", "keypad", "telephone"),
             {"digits": Between(1, 7), "noise": _NOISE}, _draw_digits, _ask_digits,
             lambda e: int(e["digits"]), _digits_again),
    ),
)  # fmt: skip
