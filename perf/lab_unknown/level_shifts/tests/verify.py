"""Noisy series whose level shifts once; the error is how far the answers lie from where it does."""

from statistics import fmean

from harness import Limits, Verifier, Wrong, python

SERIES, LENGTH, EDGE, SHIFT = 120, 200, 20, 1.5


class Verify(Verifier):
    build = python("shifts.py")
    limits = Limits(seconds=10, output_mb=1)

    def score(self, candidate, rng):
        candidate.build(self.build)
        truth, lines = [], []
        for _ in range(SERIES):
            at, up = rng.randrange(EDGE, LENGTH - EDGE), rng.choice((-SHIFT, SHIFT))
            truth.append(at)
            lines.append(" ".join(f"{rng.gauss(up * (n >= at), 1):.4f}" for n in range(LENGTH)))
        output = candidate.run(self.build, ("\n".join(lines) + "\n").encode(), self.limits)
        candidate.note("runs")
        words = output.split()
        if len(words) != SERIES or not all(word.isdigit() and int(word) < LENGTH for word in words):
            raise Wrong("not one position for each series", "format")
        candidate.note("correct")
        return fmean(abs(int(word) - at) for word, at in zip(words, truth, strict=True)) or 0.01
