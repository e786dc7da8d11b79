"""Sounds made from a score: the score is the key, and the key is heard again in the samples."""

from __future__ import annotations

import io
import itertools
import wave
from random import Random
from typing import TYPE_CHECKING, Any

from auto_benchmark.construction.item import Answer, Asked, Evidence, Media, Params
from auto_benchmark.construction.source import Between, Card, Form, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float64]

RATE = 8000
"""Samples per second, 16 bits each, one channel."""
KEYPAD = {
    "1": (697, 1209), "2": (697, 1336), "3": (697, 1477), "4": (770, 1209), "5": (770, 1336), "6": (770, 1477),
    "7": (852, 1209), "8": (852, 1336), "9": (852, 1477), "0": (941, 1336),
}  # fmt: skip
"""Two tones per digit, in Hz (ITU-T Q.23)."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _score(random: Random, pitches: list[list[float]], noise: int) -> dict[str, Any]:
    """Notes of irregular length and spacing, in seconds and Hz."""
    notes, at = [], 0.1
    for pitch in pitches:
        length = round(random.uniform(0.09, 0.16), 3)
        notes.append({"at": round(at, 3), "length": length, "pitch": pitch})
        at += length + random.uniform(0.08, 0.16)
    return {"notes": notes, "length": round(at + 0.1, 3), "noise": noise, "noise_seed": random.randrange(2**31)}


def _sound(e: Evidence) -> Media:
    import numpy as np

    samples = np.zeros(round(e["length"] * RATE))
    for note in e["notes"]:
        n = round(note["length"] * RATE)
        time = np.arange(n) / RATE
        swell = np.minimum(1, np.minimum(np.arange(n), np.arange(n)[::-1]) / 80)  # no clicks at the ends
        tone = sum(np.sin(2 * np.pi * pitch * time) for pitch in note["pitch"]) / len(note["pitch"])
        start = round(note["at"] * RATE)
        samples[start : start + n] += 0.5 * swell * tone
    noise = np.random.default_rng(e["noise_seed"]).normal(0, 0.01 * e["noise"], len(samples))
    whole = np.clip(np.round((samples + noise) * 32767), -32768, 32767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(whole.tobytes())
    return Media("wav", file.getvalue())


def _heard(asked: Asked) -> list[Samples]:
    """The stretches that are louder than the noise, from the samples alone."""
    import numpy as np

    if asked.media is None:
        raise ValueError("has no sound")
    with wave.open(io.BytesIO(asked.media.content), "rb") as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2").astype(float) / 32768
    window = 160  # 20 ms
    power = np.sqrt(np.convolve(samples**2, np.ones(window) / window, mode="same"))
    loud = np.concatenate([[False], power > 0.5 * np.quantile(power, 0.97), [False]])
    edges = np.flatnonzero(loud[1:] != loud[:-1]).reshape(-1, 2)
    return [samples[a:b] for a, b in edges if b - a > 300]


def _pitch(samples: Samples, low: float, high: float) -> float:
    """The strongest frequency between two, in Hz."""
    import numpy as np

    size = 16 * len(samples)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), size))
    frequencies = np.fft.rfftfreq(size, 1 / RATE)
    inside = (frequencies >= low) & (frequencies <= high)
    return float(frequencies[inside][spectrum[inside].argmax()])


def _pitches(random: Random, n: int, cents: int) -> list[float]:
    """``n`` pitches between 300 and 2500 Hz, each ``cents`` hundredths of a semitone or more from every other."""
    while True:
        found = [round(random.uniform(300, 2500), 1) for _ in range(n)]
        ordered = sorted(found)
        if all(b / a >= 2 ** (cents / 1200) for a, b in itertools.pairwise(ordered)):
            return found


def _draw_count(random: Random, params: Params) -> Evidence:
    n = random.randint(1, int(params["most"]))
    return _score(random, [[p] for p in _pitches(random, n, 1)], int(params["noise"]))


def _ask_count(e: Evidence) -> Asked:
    return Asked("How many tones are in the recording?", media=_sound(e))


def _draw_highest(random: Random, params: Params) -> Evidence:
    pitches = _pitches(random, int(params["tones"]), 260 - 30 * int(params["closeness"]))
    return _score(random, [[p] for p in pitches], int(params["noise"]))


def _ask_highest(e: Evidence) -> Asked:
    return Asked("Which tone of the recording is the highest?", options=ORDINALS[: len(e["notes"])], media=_sound(e))


def _highest(pitches: list[float]) -> Answer:
    return ORDINALS[pitches.index(max(pitches))]


def _draw_rises(random: Random, params: Params) -> Evidence:
    pitches = _pitches(random, int(params["tones"]), 260 - 30 * int(params["closeness"]))
    return _score(random, [[p] for p in pitches], int(params["noise"]))


def _ask_rises(e: Evidence) -> Asked:
    return Asked("How often is a tone of the recording higher than the one just before it?", media=_sound(e))


def _rises(pitches: list[float]) -> Answer:
    return sum(b > a for a, b in itertools.pairwise(pitches))


def _heard_pitches(_: Evidence, asked: Asked) -> list[float]:
    return [_pitch(samples, 250, 2600) for samples in _heard(asked)]


def _draw_digits(random: Random, params: Params) -> Evidence:
    digits = "".join(random.choice("123456789") for _ in range(int(params["digits"])))
    return {**_score(random, [list(KEYPAD[d]) for d in digits], int(params["noise"])), "digits": digits}


def _ask_digits(e: Evidence) -> Asked:
    return Asked("Which number is dialled on the keypad in the recording?", media=_sound(e))


def _digits_again(_: Evidence, asked: Asked) -> Answer:
    found = ""
    for samples in _heard(asked):
        low, high = _pitch(samples, 650, 1000), _pitch(samples, 1150, 1550)
        found += min(KEYPAD, key=lambda d: abs(KEYPAD[d][0] - low) + abs(KEYPAD[d][1] - high))
    return int(found)


_NOISE = Between(0, 6)
SOURCE = Source(
    Card(
        name="tones",
        title="Sounds made from a score",
        modality="sound",
        domains=("sound", "audio", "music", "tone", "tones", "pitch", "recording", "hearing", "multimodal"),
        data="scores of up to eight notes drawn at random, 8 kHz, 16 bits; no end to them",
        licence="none needed: generated",
        key="the score",
        second_key="loud stretches and their strongest frequencies, found in the samples",
    ),
    (
        Form("count", "how many tones there are", ("count", "event", "events"),
             {"most": Between(3, 8), "noise": _NOISE}, _draw_count, _ask_count,
             lambda e: len(e["notes"]), lambda _, a: len(_heard(a)),
             opened=lambda e: f"{len(e['notes'])} notes"),
        Form("highest", "which tone is the highest", ("pitch", "highest", "compare"),
             {"tones": Between(2, 7), "closeness": Between(0, 6), "noise": _NOISE}, _draw_highest, _ask_highest,
             lambda e: _highest([n["pitch"][0] for n in e["notes"]]), lambda e, a: _highest(_heard_pitches(e, a))),
        Form("rises", "how often the pitch rises", ("melody", "contour", "rise"),
             {"tones": Between(2, 8), "closeness": Between(0, 6), "noise": _NOISE}, _draw_rises, _ask_rises,
             lambda e: _rises([n["pitch"][0] for n in e["notes"]]), lambda e, a: _rises(_heard_pitches(e, a))),
        Form("digits", "the number that is dialled", ("digits", "dial", "keypad", "telephone"),
             {"digits": Between(1, 7), "noise": _NOISE}, _draw_digits, _ask_digits,
             lambda e: int(e["digits"]), _digits_again),
    ),
)  # fmt: skip
