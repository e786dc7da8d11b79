"""Tells the labels that a program asks for, a few a round, and judges what it makes of them."""

import random

from harness import Candidate, Limits, Verifier, Wrong, python

PROBLEMS, POINTS, ROUNDS, ASKED = 4, 1_000, 6, 20


class Verify(Verifier):
    build = python("ask.py")
    limits = Limits(seconds=4, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        key = rng.getrandbits(64)
        # What a program sees must not tell the state of the generator that draws what it does not see.
        shown, hidden = random.Random(f"{key} shown"), random.Random(f"{key} hidden")
        points = [
            [(round(shown.random(), 4), round(shown.random(), 4)) for _ in range(POINTS)] for _ in range(PROBLEMS)
        ]
        labels = [labelled(each, hidden) for each in points]
        told: list[dict[int, int]] = [{} for _ in points]
        for turn in range(1, ROUNDS + 2):
            given = [f"round {turn}"]
            for each, known in zip(points, told):
                given += [
                    f"problem {POINTS} {len(known)}",
                    *(f"{x} {y}" for x, y in each),
                    *(f"{at} {c}" for at, c in known.items()),
                ]
            output = candidate.run(self.build, ("\n".join(given) + "\n").encode(), self.limits)
            lines = output.decode("ascii", "replace").splitlines()
            if len(lines) != PROBLEMS:
                raise Wrong(f"round {turn}: printed {len(lines)} lines instead of {PROBLEMS}", "format")
            if turn > ROUNDS:
                break
            for line, known, right in zip(lines, told, labels):
                known |= {at: right[at] for at in asked(line, known, f"round {turn}")}
        said = [line.split() for line in lines]
        if any(len(each) != POINTS or not set(each) <= {"0", "1"} for each in said):
            raise Wrong(f"the last round does not print {POINTS} classes a problem", "format")
        candidate.note("format")
        wrong = sum(
            int(guess) != label for guesses, right in zip(said, labels) for guess, label in zip(guesses, right)
        )
        return max(1, wrong) / PROBLEMS / POINTS


def labelled(points: list[tuple[float, float]], rng: random.Random) -> list[int]:
    """Classes by discs; drawn again until neither class is rare."""
    while True:
        discs = [(rng.random(), rng.random(), rng.uniform(0.05, 0.22)) for _ in range(6)]
        labels = [int(any((x - a) ** 2 + (y - b) ** 2 < r * r for a, b, r in discs)) for x, y in points]
        if 0.25 < sum(labels) / POINTS < 0.5:
            return labels


def asked(line: str, known: dict[int, int], where: str) -> list[int]:
    """Numbers of points that are not known yet."""
    words = line.split()
    if not all(word.isascii() and word.isdigit() and len(word) < 5 for word in words):
        raise Wrong(f"{where}: asks for something that is no number of a point", "format")
    found = [int(word) for word in words]
    if len(found) != ASKED or len(set(found)) != ASKED or max(found) >= POINTS or set(found) & known.keys():
        raise Wrong(f"{where}: does not ask for {ASKED} different new points", "format")
    return found
