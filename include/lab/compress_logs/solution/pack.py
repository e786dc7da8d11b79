"""Compresses a log by predicting each bit of it from several contexts, mixed, and coding it arithmetically.

Contexts: the last one to six bytes, the word so far with the one before or with its place, and the place in the line with
the byte that stood there in the line before. Their estimates are mixed in the logistic domain by weights that are learnt
as it goes (Mahoney 2005, "Adaptive weighing of context models for lossless data compression").
"""

import math
import sys

RATE, START, LAST = 0.02, 0.35, 60
"""How fast weights are learnt, where they start, and the count at which an estimate stops to slow down."""
STEP = [1 / (count + 1.3) for count in range(LAST + 1)]
CONFIDENCE = [min(1.0, 0.4 + 0.2 * count) for count in range(LAST + 1)]
TOP = 1 << 32


class Model:
    """Probability that the next bit is a one, given all bits before."""

    def __init__(self) -> None:
        self.seen: dict[tuple, dict[int, list[float]]] = {}
        self.history = bytearray(8)
        self.word = self.previous_word = self.line_start = self.previous_start = self.field = 0
        self.weights: dict[int, list[float]] = {}
        self.node = 1
        self.begin_byte()

    def begin_byte(self) -> None:
        """Look up the contexts of the next byte."""
        h, at = self.history, len(self.history) - self.line_start
        above = h[self.previous_start + at] if self.previous_start + at < self.line_start else 0
        contexts = [
            (1, h[-1], h[-2]), (2, bytes(h[-3:])), (3, bytes(h[-4:])), (4, bytes(h[-6:])), (5, h[-1]),
            (6, self.word, self.previous_word), (7, at if at < 30 else self.field + 30, above, h[-1]),
            (8, self.field, self.word),
        ]  # fmt: skip
        self.tables = [self.seen.setdefault(context, {}) for context in contexts]

    def predict(self) -> float:
        node, known, log = self.node, 0, math.log
        self.slots, self.inputs = slots, inputs = [], []
        for table in self.tables:
            slot = table.get(node)
            if slot is None:
                slot = table[node] = [0.5, 0]
                inputs.append(0.0)
            else:
                p, count = slot
                known += 1
                inputs.append(log(p / (1 - p)) * CONFIDENCE[count])
            slots.append(slot)
        weights = self.weights.get(known)
        if weights is None:
            weights = self.weights[known] = [START] * len(inputs)
        self.active = weights
        dot = min(max(sum([w * x for w, x in zip(weights, inputs)]), -9.0), 9.0)
        self.p = 1 / (1 + math.exp(-dot))
        return self.p

    def update(self, bit: int) -> None:
        error = (bit - self.p) * RATE
        self.active[:] = [w + error * x for w, x in zip(self.active, self.inputs)]
        for slot in self.slots:
            p, count = slot
            p += (bit - p) * STEP[count]
            slot[0] = 0.9998 if p > 0.9998 else 0.0002 if p < 0.0002 else p
            if count < LAST:
                slot[1] = count + 1
        self.node = self.node * 2 + bit
        if self.node >= 256:
            self.end_byte(self.node - 256)
            self.node = 1

    def end_byte(self, byte: int) -> None:
        self.history.append(byte)
        if chr(byte).isalnum():
            self.word = hash((self.word, byte))
        else:
            self.previous_word, self.word = hash((self.word, byte)), 0
            self.field += byte == 32
        if byte == 10:
            self.previous_start, self.line_start, self.field = self.line_start, len(self.history), 0
        self.begin_byte()


def split(low: int, high: int, p: float) -> int:
    return low + int((high - low) * p)


def compress(text: bytes) -> bytes:
    model, low, high, out = Model(), 0, TOP - 1, bytearray()
    for byte in text:
        for shift in range(7, -1, -1):
            bit = byte >> shift & 1
            middle = split(low, high, model.predict())
            low, high = (low, middle) if bit else (middle + 1, high)
            model.update(bit)
            while not (low ^ high) >> 24:
                out.append(high >> 24)
                low, high = low << 8 & (TOP - 1), (high << 8 & (TOP - 1)) | 255
    out += (high).to_bytes(4, "big")[:2]
    return len(text).to_bytes(3, "big") + bytes(out)


def decompress(packed: bytes) -> bytes:
    size, packed = int.from_bytes(packed[:3], "big"), packed[3:] + b"\0\0\0\0"
    model, low, high, at, text = Model(), 0, TOP - 1, 4, bytearray()
    code = int.from_bytes(packed[:4], "big")
    for _ in range(size):
        byte = 0
        for _ in range(8):
            middle = split(low, high, model.predict())
            bit = int(code <= middle)
            low, high = (low, middle) if bit else (middle + 1, high)
            model.update(bit)
            byte = byte * 2 + bit
            while not (low ^ high) >> 24:
                low, high = low << 8 & (TOP - 1), (high << 8 & (TOP - 1)) | 255
                code = code << 8 & (TOP - 1) | (packed[at] if at < len(packed) else 0)
                at += 1
        text.append(byte)
    return bytes(text)


if __name__ == "__main__":
    work = {"compress": compress, "decompress": decompress}[sys.argv[1]]
    sys.stdout.buffer.write(work(sys.stdin.buffer.read()))
