"""Hears tones with one installed pitch tracker, named first: JSON lines in and out.

It runs in the panel's own environment, so it imports nothing of this project. A tracker gives frames: a time, and a pitch
or none. One rule for all of them makes notes of frames, and one makes answers of notes; neither knows a key. Models come
with the packages.
"""

from __future__ import annotations

import base64
import ctypes
import io
import itertools
import json
import math
import sys
import tempfile
import wave
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

LOW, HIGH = 60.0, 1300.0
"""Hz: the range that trackers are given, as far as they take one."""
HOP_S = 0.01
SURE = 0.5
"""A tracker that says how sure it is of a pitch, instead of whether there is one, is believed from here on."""
SAME_CENTS = 80.0
"""A frame that differs more from the note so far begins another one."""
PAUSE_S = 0.025
SHORTEST_S = 0.03


class Frame(NamedTuple):
    """What a tracker says of one moment."""

    at: float
    pitch: float


class Note(NamedTuple):
    """A tone that was heard."""

    start: float
    end: float
    pitch: float


Track = Callable[[Any, int], Iterable[tuple[float, float]]]
"""Samples between -1 and 1, and how many of them a second -> seconds and Hz of each frame; 0 or NaN: no pitch."""


def _file(samples: Any, rate: int, folder: str) -> str:
    path = Path(folder) / "sound.wav"
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes((samples * 32768).astype("<i2").tobytes())
    return str(path)


class _Vector(ctypes.Structure):
    """Aubio's ``fvec_t``."""

    _fields_ = (("length", ctypes.c_uint), ("data", ctypes.POINTER(ctypes.c_float)))


def aubio(method: str) -> Track:
    """Aubio's library, as its program ``aubiopitch`` calls it, with one of its methods; frames of 64 ms."""
    library = ctypes.CDLL("libaubio.so.5")
    library.new_aubio_pitch.restype = ctypes.c_void_p

    def track(samples: Any, rate: int) -> Iterable[tuple[float, float]]:
        hop = round(HOP_S * rate)
        detect = ctypes.c_void_p(library.new_aubio_pitch(method.encode(), round(0.064 * rate), hop, rate))
        library.aubio_pitch_set_silence(detect, ctypes.c_float(-90))
        found = []
        for start in range(0, len(samples), hop):
            part = [*samples[start : start + hop], *[0.0] * hop][:hop]
            pitch = ctypes.c_float()
            library.aubio_pitch_do(detect, ctypes.byref(_Vector(hop, (ctypes.c_float * hop)(*part))),
                                   ctypes.byref(_Vector(1, ctypes.pointer(pitch))))  # fmt: skip
            found.append((start / rate, pitch.value))
        library.del_aubio_pitch(detect)
        return found

    return track


def praat(method: str) -> Track:
    """Praat's autocorrelation, cross-correlation, or sum of subharmonics."""
    import parselmouth

    def track(samples: Any, rate: int) -> Iterable[tuple[float, float]]:
        sound = parselmouth.Sound(samples, sampling_frequency=rate)
        if method == "shs":
            found = sound.to_pitch_shs(
                time_step=HOP_S, minimum_pitch=LOW, maximum_frequency_component=rate / 2, ceiling=HIGH
            )
        else:
            ask = {"ac": sound.to_pitch_ac, "cc": sound.to_pitch_cc}[method]
            found = ask(time_step=HOP_S, pitch_floor=LOW, pitch_ceiling=HIGH)
        return list(zip(found.xs(), found.selected_array["frequency"], strict=True))

    return track


def world_dio() -> Track:
    """DIO with StoneMask, of the vocoder WORLD."""
    import pyworld

    def track(samples: Any, rate: int) -> Iterable[tuple[float, float]]:
        pitch, at = pyworld.dio(samples, rate, f0_floor=LOW, f0_ceil=HIGH, frame_period=1000 * HOP_S)
        return list(zip(at, pyworld.stonemask(samples, pitch, at, rate), strict=True))

    return track


def essentia_frames(method: str) -> Track:
    """Essentia's YIN, in time or by spectrum: a pitch and how sure it is."""
    import essentia
    from essentia import standard

    essentia.log.warningActive = False

    def track(samples: Any, rate: int) -> Iterable[tuple[float, float]]:
        size, hop = 2 * round(0.032 * rate), round(HOP_S * rate)
        window, spectrum = standard.Windowing(type="hann"), standard.Spectrum()
        limits = {"minFrequency": LOW, "maxFrequency": HIGH, "frameSize": size, "sampleRate": rate}
        detect = standard.PitchYinFFT(**limits) if method == "yinfft" else standard.PitchYin(**limits)
        found = []
        cut = standard.FrameGenerator(samples.astype("float32"), frameSize=size, hopSize=hop, startFromZero=False)
        for i, frame in enumerate(cut):
            pitch, sure = detect(spectrum(window(frame)) if method == "yinfft" else frame)
            found.append((i * hop / rate, pitch if sure >= SURE else 0.0))
        return found

    return track


def swift_f0() -> Track:
    """A small network; ships with its package."""
    from swift_f0 import SwiftF0

    program = SwiftF0()

    def track(samples: Any, rate: int) -> Iterable[tuple[float, float]]:
        found = program.detect(samples.astype("float32"), rate, fmin=LOW, fmax=HIGH)
        return [(float(at), float(pitch) if sure >= SURE else 0.0)
                for at, pitch, sure in zip(found.timestamps, found.pitch_hz, found.confidence, strict=True)]  # fmt: skip

    return track


def swipe() -> Track:
    """SWIPE, as libf0 has it: a pitch and its strength."""
    import libf0

    def track(samples: Any, rate: int) -> Iterable[tuple[float, float]]:
        pitch, at, sure = libf0.swipe_slim(samples, Fs=rate, H=round(HOP_S * rate), F_min=LOW, F_max=HIGH)
        return list(zip(at, pitch * (sure >= SURE), strict=True))

    return track


def basic_pitch() -> Callable[[Any, int], list[Note]]:
    """A network that writes down notes by itself; ships with its package."""
    from basic_pitch import FilenameSuffix, build_icassp_2022_model_path
    from basic_pitch.inference import Model, predict

    model = Model(build_icassp_2022_model_path(FilenameSuffix.onnx))

    def notes(samples: Any, rate: int) -> list[Note]:
        with tempfile.TemporaryDirectory() as folder:
            _, _, found = predict(_file(samples, rate, folder), model, minimum_frequency=LOW, maximum_frequency=HIGH,
                                  minimum_note_length=1000 * SHORTEST_S)  # fmt: skip
        return [Note(float(start), float(end), 440 * 2 ** ((int(key) - 69) / 12)) for start, end, key, *_ in found]

    return notes


Hear = Callable[[Any, int], list[Note]]


def heard(track: Track) -> Hear:
    """A tracker of frames, as one that hears notes."""
    return lambda samples, rate: notes_of(Frame(float(at), float(pitch)) for at, pitch in track(samples, rate))


def notes_of(frames: Iterable[Frame]) -> list[Note]:
    """Frames that follow each other with one pitch are a note; those of a moment are none, and do not divide one."""
    groups: list[list[Frame]] = []
    for frame in frames:
        if not (math.isfinite(frame.pitch) and frame.pitch > 0):
            continue
        if groups and frame.at - groups[-1][-1].at <= PAUSE_S and _same(frame.pitch, _pitch(groups[-1])):
            groups[-1].append(frame)
        else:
            groups.append([frame])
    whole: list[list[Frame]] = []
    for group in (g for g in groups if g[-1].at - g[0].at >= SHORTEST_S):
        if whole and group[0].at - whole[-1][-1].at <= 2 * PAUSE_S and _same(_pitch(group), _pitch(whole[-1])):
            whole[-1] += group
        else:
            whole.append(group)
    return [Note(group[0].at, group[-1].at, _pitch(group)) for group in whole]


def _pitch(group: list[Frame]) -> float:
    return median(frame.pitch for frame in group)


def _same(one: float, other: float) -> bool:
    return abs(1200 * math.log2(one / other)) <= SAME_CENTS


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def answered(question: str, notes: list[Note]) -> str | int | None:
    """What notes say about a question; nothing about one that a pitch does not answer."""
    notes = sorted(notes)
    pitches = [note.pitch for note in notes]
    if "How many tones" in question:
        return len(notes)
    if not notes:
        return None
    if "key of a piano" in question:
        return round(49 + 12 * math.log2(pitches[-1] / 440))
    if "How often is a tone" in question:
        return sum(b > a for a, b in itertools.pairwise(pitches))
    if "the highest" in question:
        highest = pitches.index(max(pitches))
        return ORDINALS[highest] if highest < len(ORDINALS) else None
    return None


SYSTEMS: dict[str, Callable[[], Hear]] = {
    "basic_pitch": basic_pitch,
    **{
        name: partial(lambda load: heard(load()), load)
        for name, load in {
            "aubio_yinfft": partial(aubio, "yinfft"),
            "aubio_mcomb": partial(aubio, "mcomb"),
            "aubio_schmitt": partial(aubio, "schmitt"),
            "praat_ac": partial(praat, "ac"),
            "praat_cc": partial(praat, "cc"),
            "praat_shs": partial(praat, "shs"),
            "world_dio": world_dio,
            "essentia_yin": partial(essentia_frames, "yin"),
            "essentia_yinfft": partial(essentia_frames, "yinfft"),
            "swift_f0": swift_f0,
            "swipe": swipe,
        }.items()
    },
}


def _decoded(media: str) -> tuple[Any, int]:
    import numpy

    with wave.open(io.BytesIO(base64.b64decode(media)), "rb") as sound:
        return numpy.frombuffer(sound.readframes(sound.getnframes()), "<i2") / 32768, sound.getframerate()


def _or_none(hear: Hear, item: dict[str, Any]) -> str | int | None:
    try:
        return answered(item["question"], hear(*_decoded(item["media"])))
    except Exception:  # whatever a program raises on a sound without pitch
        return None


def main() -> None:
    """A line of items in, a line of answers out, until the input ends; a sound that a program cannot hear has none."""
    out, sys.stdout = sys.stdout, sys.stderr  # some programs report progress
    hear = SYSTEMS[sys.argv[1]]()
    for line in sys.stdin:
        out.write(json.dumps([_or_none(hear, item) for item in json.loads(line)]) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
