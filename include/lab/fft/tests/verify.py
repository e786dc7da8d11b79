"""16 complex signals of 1,024 numbers, some of them noise and some with few lines in their spectrum."""

import cmath
import random
import sys
from array import array

from harness import Counted, Wrong, c

SIGNALS, SIZE = 16, 1_024
LARGEST_ERROR = 1e-9
TURNS = [cmath.exp(-2j * cmath.pi * at / SIZE) for at in range(SIZE)]

Signal = list[complex]


def numbers(packed: bytes) -> list[Signal]:
    """Signals of complex numbers of two 64-bit floats."""
    flat = array("d")
    flat.frombytes(packed)
    if sys.byteorder == "big":
        flat.byteswap()
    parts = list(map(complex, flat[::2], flat[1::2]))
    return [parts[at : at + SIZE] for at in range(0, len(parts), SIZE)]


def packed(signals: list[Signal]) -> bytes:
    flat = array("d", (part for signal in signals for x in signal for part in (x.real, x.imag)))
    if sys.byteorder == "big":
        flat.byteswap()
    return flat.tobytes()


def transform(signal: Signal) -> Signal:
    """Radix 2, by halves (Cooley and Tukey 1965)."""
    if len(signal) == 1:
        return signal
    even, odd = transform(signal[::2]), transform(signal[1::2])
    turned = [x * turn for x, turn in zip(odd, TURNS[: SIZE // 2 : SIZE // len(signal)], strict=True)]
    pairs = list(zip(even, turned, strict=True))
    return [x + y for x, y in pairs] + [x - y for x, y in pairs]


def near(x: complex, y: complex) -> bool:
    """Part by part, for the absolute value of a large number may overflow; NaN is not near."""
    return abs(x.real - y.real) <= LARGEST_ERROR and abs(x.imag - y.imag) <= LARGEST_ERROR


class Verify(Counted):
    build = c("fft.c", flags=("-static",))

    def draw(self, rng: random.Random) -> list[Signal]:
        def noise() -> Signal:
            return [complex(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(SIZE)]

        def lines() -> Signal:
            waves = [(rng.randrange(SIZE), cmath.rect(0.2, rng.uniform(0, 6))) for _ in range(4)]
            return [sum(wave * TURNS[at * k % SIZE] for k, wave in waves) for at in range(SIZE)]

        return [noise() if rng.random() < 0.5 else lines() for _ in range(SIGNALS)]

    def encode(self, inputs: list[Signal]) -> bytes:
        return packed(inputs)

    def check(self, inputs: list[Signal], output: bytes) -> None:
        if len(output) != 16 * SIGNALS * SIZE:
            raise Wrong(f"wrote {len(output)} bytes instead of {16 * SIGNALS * SIZE}")
        for number, (got, signal) in enumerate(zip(numbers(output), inputs, strict=True)):
            if not all(map(near, got, transform(signal))):
                raise Wrong(f"transform {number} is wrong by more than {LARGEST_ERROR}")

    def floor(self, inputs: list[Signal]) -> float:
        return SIGNALS * 34 / 9 * SIZE * 10 / 8  # of the tangent FFT (Johnson and Frigo 2007)
