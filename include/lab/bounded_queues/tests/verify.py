"""90,000 operations on 16 queues: some are full most of the time, some nearly empty, and in some the numbers only grow."""

import random
from collections import deque

from harness import Counted, Wrong, go

LINES, QUEUES, MOST, LARGEST = 90_000, 16, 512, 1_000_000
SHORT, GROWING = 4, 4  # queues that are asked more often than told, and queues of growing numbers

Operation = tuple[str, int, int]


class Verify(Counted):
    build = go("queues.go")

    def draw(self, rng: random.Random) -> list[Operation]:
        order = rng.sample(range(QUEUES), QUEUES)
        short, growing = set(order[:SHORT]), order[SHORT : SHORT + GROWING]
        largest = dict.fromkeys(growing, -LARGEST)
        kinds = rng.sample("+" * (LINES // 2) + "-" * (LINES // 5) + "<" * (3 * LINES // 10), LINES)
        operations = []
        for kind in kinds:
            queue = rng.choice(order[SHORT:] if kind == "+" and rng.random() < 0.8 else order)
            if kind == "-" and queue not in short and rng.random() < 0.6:
                queue = rng.choice(order[:SHORT])
            value = rng.randint(-LARGEST, LARGEST)
            if queue in largest:
                value = largest[queue] = min(largest[queue] + rng.randint(0, 500), LARGEST)
            operations.append((kind, queue, value))
        return operations

    def encode(self, inputs: list[Operation]) -> bytes:
        lines = (f"{kind} {queue} {value}\n" if kind == "+" else f"{kind} {queue}\n" for kind, queue, value in inputs)
        return "".join(lines).encode()

    def check(self, inputs: list[Operation], output: bytes) -> None:
        right = answers(inputs)
        lines = output.decode("ascii").split("\n")
        if len(lines) != len(right) + 1 or lines[-1]:
            raise Wrong(f"printed {len(lines) - 1} lines instead of {len(right)}")
        for number, (line, wanted) in enumerate(zip(lines[:-1], right, strict=True), 1):
            if line != wanted:
                raise Wrong(f"line {number} is wrong")

    def floor(self, inputs: list[Operation]) -> float:
        return 3.0 * LINES


def answers(operations: list[Operation]) -> list[str]:
    """By the plain way, for C walks through a deque quickly."""
    queues: list[deque[int]] = [deque(maxlen=MOST) for _ in range(QUEUES)]
    found = []
    for kind, number, value in operations:
        queue = queues[number]
        if kind == "+":
            queue.append(value)
        elif not queue:
            found.append("none")
        else:
            found.append(str(queue.popleft() if kind == "-" else min(queue)))
    return found
