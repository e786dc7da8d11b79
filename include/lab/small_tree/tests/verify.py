"""Tries trees on fresh rows of hidden trees; only accurate ones are counted."""

import random

from harness import Candidate, Limits, Verifier, Wrong, python

SETS, ROWS, FRESH, NUMBERS, RANGE, FLIPPED = 6, 1_500, 4_000, 8, 100, 0.04
NEEDED, MOST, DEPTH = 0.92, 2_000, 3
Row = list[int]
NUMBER = {str(number): number for number in range(RANGE + 1)}


class Verify(Verifier):
    build = python("grow.py")
    limits = Limits(seconds=10, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        key = rng.getrandbits(64)
        # What a program sees must not tell the state of the generator that draws what it does not see.
        shown, sealed = random.Random(f"{key} shown"), random.Random(f"{key} hidden")
        concepts = [concept(sealed, [(0, RANGE)] * NUMBERS, 0, sealed.sample(range(NUMBERS), 5)) for _ in range(SETS)]
        lines = []
        for hidden in concepts:
            lines.append(f"data {ROWS}")
            for row in rows(shown, ROWS):
                lines.append(" ".join(map(str, [*row, leaf(hidden, row) ^ (sealed.random() < FLIPPED)])))
        output = candidate.run(self.build, ("\n".join(lines) + "\n").encode(), self.limits)
        printed = output.decode("ascii", "replace").splitlines()
        if len(printed) != SETS:
            raise Wrong(f"printed {len(printed)} lines instead of {SETS}", "format")
        trees = [read(line.split(), f"tree {number}") for number, line in enumerate(printed, 1)]
        candidate.note("format")
        pairs = [(hidden, tree, row) for hidden, (tree, _) in zip(concepts, trees) for row in rows(sealed, FRESH)]
        right = sum(leaf(hidden, row) == leaf(tree, row) for hidden, tree, row in pairs)
        if right < NEEDED * SETS * FRESH:
            raise Wrong(f"is right on {right / SETS / FRESH:.1%} of fresh rows; at least {NEEDED:.0%} are needed")
        candidate.note("correct", f"right on {right / SETS / FRESH:.1%}")
        return float(max(1, sum(nodes for _, nodes in trees)))


def rows(rng: random.Random, size: int) -> list[Row]:
    return [[rng.randrange(RANGE) for _ in range(NUMBERS)] for _ in range(size)]


def concept(
    rng: random.Random, box: list[tuple[int, int]], depth: int, numbers: list[int], side: int = 0
) -> tuple | int:
    """A random tree of full depth: threshold splits within what is left of the box, classes that differ between sisters."""
    if depth == DEPTH:
        return side
    number = rng.choice([n for n in numbers if box[n][1] - box[n][0] >= 30])
    low, high = box[number]
    threshold = rng.randint(low + (high - low) * 2 // 5, low + (high - low) * 3 // 5)
    sides, flip = [], rng.randrange(2)
    for at, part in enumerate([(low, threshold), (threshold, high)]):
        sides.append(concept(rng, [*box[:number], part, *box[number + 1 :]], depth + 1, numbers, at ^ flip))
    return number, threshold, *sides


def leaf(tree: tuple | int, row: Row) -> int:
    while isinstance(tree, tuple):
        tree = tree[2] if row[tree[0]] < tree[1] else tree[3]
    return tree


def read(words: list[str], where: str) -> tuple[tuple | int, int]:
    """A tree in prefix form and how many inner nodes it has."""
    stack: list[tuple | int] = []
    inner = 0
    for at in range(len(words) - 2, -2, -2):  # pairs from the end: what a node needs lies on the stack
        first, second = (words[at], words[at + 1]) if at >= 0 else ("", "")
        if first == "=" and second in ("0", "1"):
            stack.append(int(second))
        elif NUMBER.get(first, NUMBERS) < NUMBERS and second in NUMBER and len(stack) > 1:
            stack.append((NUMBER[first], NUMBER[second], stack.pop(), stack.pop()))
            inner += 1
        else:
            raise Wrong(f"{where}: word {max(at, 0) + 1} cannot be read", "format")
    if len(stack) != 1 or inner > MOST:
        raise Wrong(f"{where} is not one tree of at most {MOST} nodes", "format")
    return stack[0], inner
