"""How the tones of a score sound: harmonics, room and noise, as samples."""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auto_benchmark.construction.item import Evidence, Media

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float64]

RATE = 8000
"""Samples per second, 16 bits each, one channel."""
HIGHEST = 3900.0
"""Harmonics above it, in Hz, would not fit into the samples."""
TIMBRES: Mapping[str, Mapping[int, float]] = {
    "sine": {1: 1.0},
    "rich": {k: 1 / k for k in range(1, 11)},
    "hollow": {k: 1 / k for k in range(1, 11, 2)},
    "bright": {1: 0.2, 2: 1.0, **{k: 1 / (k - 1) for k in range(3, 9)}},
    "missing": dict.fromkeys(range(2, 9), 1.0),
}
"""Timbre -> harmonic -> amplitude: a tuning fork, a string, a clarinet, an organ whose octave is louder than its
fundamental, a telephone's voice without any fundamental."""
ECHO_S = (0.0, 0.1, 0.2, 0.4)
"""Seconds in which the echo of a room dies away by 60 dB."""
ECHO = 0.7
"""How loud all echo of a click is beside the click."""


def harmonics(timbre: str, pitch: float) -> dict[int, float]:
    """Harmonic -> amplitude of a tone that is as loud as any other."""
    inside = {k: a for k, a in TIMBRES[timbre].items() if k * pitch <= HIGHEST}
    loud = sum(a * a for a in inside.values()) ** 0.5
    return {k: a / loud for k, a in inside.items()}


def sound(e: Evidence) -> Media:
    """A recording of the score."""
    import numpy as np

    samples = np.zeros(round(e["length"] * RATE))
    for note in e["notes"]:
        n = round(note["length"] * RATE)
        start = round(note["at"] * RATE)
        samples[start : start + n] += 0.5 * _swell(n) * _tone(note["pitch"], e.get("timbre", "sine"), n)
    samples = np.convolve(samples, response(e))[: len(samples)]
    samples *= min(1.0, 0.9 / max(np.abs(samples).max(), 1e-9))
    noise = np.random.default_rng(e["noise_seed"]).normal(0, 0.01 * e["noise"], len(samples))
    return recording(samples + noise)


def _swell(n: int) -> Samples:
    """No clicks at the ends."""
    import numpy as np

    return np.minimum(1, np.minimum(np.arange(n), np.arange(n)[::-1]) / 80)


def _tone(pitches: Sequence[float], timbre: str, n: int) -> Any:
    import numpy as np

    time = np.arange(n) / RATE
    return sum(
        amplitude * np.sin(2 * np.pi * k * pitch * time)
        for pitch in pitches
        for k, amplitude in harmonics(timbre, pitch).items()
    ) / len(pitches)


def response(e: Evidence) -> Samples:
    """What a click sounds like where the score is played: the click, and an echo that is noise dying away."""
    import numpy as np

    n = round(ECHO_S[e.get("room", 0)] * RATE)
    if not n:
        return np.ones(1)
    echo = np.random.default_rng([e["noise_seed"], 1]).normal(0, 1, n) * 10 ** (-3 * np.arange(n) / n)
    return np.concatenate([[1.0], ECHO * echo / np.sqrt((echo**2).sum())])


def recording(samples: Samples) -> Media:
    """Samples between -1 and 1 as a file."""
    import numpy as np

    whole = np.clip(np.round(samples * 32767), -32768, 32767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(whole.tobytes())
    return Media("wav", file.getvalue())
