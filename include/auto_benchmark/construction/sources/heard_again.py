"""What is heard in a recording: the second way to the keys of :mod:`tones`, from the samples."""

from __future__ import annotations

import io
import math
import wave
from typing import TYPE_CHECKING

from auto_benchmark.construction.item import Asked, Evidence
from auto_benchmark.construction.sources.instruments import HIGHEST, RATE, TIMBRES, response

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float64]

CENTS = 2.0
"""Between the pitches that are tried."""


def samples_of(asked: Asked) -> Samples:
    """Between -1 and 1. Raises ValueError where there are none."""
    import numpy as np

    if asked.media is None:
        raise ValueError("has no sound")
    with wave.open(io.BytesIO(asked.media.content), "rb") as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2").astype(float) / 32768


def loud(asked: Asked) -> list[Samples]:
    """The stretches that are louder than the noise, from the samples alone."""
    import numpy as np

    samples = samples_of(asked)
    window = 160  # 20 ms
    power = np.sqrt(np.convolve(samples**2, np.ones(window) / window, mode="same"))
    over = np.concatenate([[False], power > 0.5 * np.quantile(power, 0.97), [False]])
    edges = np.flatnonzero(over[1:] != over[:-1]).reshape(-1, 2)
    return [samples[a:b] for a, b in edges if b - a > 300]


def strongest(samples: Samples, low: float, high: float) -> float:
    """The strongest frequency between two, in Hz."""
    frequencies, spectrum = _spectrum(samples, 16 * len(samples))
    inside = (frequencies >= low) & (frequencies <= high)
    return float(frequencies[inside][spectrum[inside].argmax()])


def pitches(e: Evidence, asked: Asked) -> list[float]:
    """The pitch of each tone that explains the samples at its place best; place, timbre, register and room known."""
    samples = _without_echo(samples_of(asked), response(e), 0.01 * e["noise"])
    places = [(round(note["at"] * RATE), round(note["length"] * RATE)) for note in e["notes"]]
    low, high = e.get("register", (250, 2600))
    return [_explaining(samples[start : start + n], e.get("timbre", "sine"), low, high) for start, n in places]


def _without_echo(samples: Samples, room: Samples, noise: float) -> Samples:
    """The tones as if there were no room (Wiener's filter)."""
    import numpy as np

    if len(room) == 1:
        return samples
    size = 2 ** math.ceil(math.log2(len(samples) + len(room)))
    heard, through = np.fft.rfft(samples, size), np.fft.rfft(room, size)
    return np.fft.irfft(heard * through.conj() / (np.abs(through) ** 2 + noise + 0.01), size)[: len(samples)]


def _explaining(samples: Samples, timbre: str, low: float, high: float) -> float:
    """The best of all pitches of a register: its harmonics agree most with the timbre's."""
    import numpy as np

    frequencies, spectrum = _spectrum(samples, 2**15)
    tried = low * 2 ** (np.arange(0, 1200 * np.log2(high / low) + CENTS, CENTS) / 1200)
    agreement = np.zeros(len(tried))
    strength = np.zeros(len(tried))
    for k, amplitude in TIMBRES[timbre].items():
        inside = k * tried <= HIGHEST
        at = np.rint(k * tried[inside] / frequencies[1]).astype(int)
        agreement[inside] += amplitude * spectrum[at]
        strength[inside] += amplitude**2
    return float(tried[int(np.argmax(agreement / np.sqrt(strength)))])


def _spectrum(samples: Samples, size: int) -> tuple[Samples, Samples]:
    import numpy as np

    spectrum: Samples = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), size))
    return np.fft.rfftfreq(size, 1 / RATE).astype(float), spectrum
