"""Logs of a service that is drawn anew; what the draws weigh in bits is what no compressor can save."""

import math
import random

from harness import Candidate, Limits, Verifier, Wrong, python

SIZE, SHARE = 16_000, 0.8
"""Bytes of a log; share of the drawn bits below which a compressed size is not plausible: two draws may look alike."""
LEVELS = ["INFO"] * 12 + ["DEBUG"] * 5 + ["WARN"] * 2 + ["ERROR"]
FIELDS = ["{word}", "{path}", "{session}", "{number}", "{small} ms", "{host}", "{number} of {number}"]


class Verify(Verifier):
    build = python("pack.py")
    limits = Limits(seconds=8, memory_mb=1024, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        text, bits = log(rng)
        packed = candidate.run(self.build, text, self.limits, ("compress",))
        if candidate.run(self.build, packed, self.limits, ("decompress",)) != text:
            raise Wrong("the log does not come back as it was")
        candidate.note("correct")
        if 8 * len(packed) < SHARE * bits:
            raise Wrong("is smaller than what chance put into the log", "plausible")
        candidate.note("plausible")
        return 8 * len(packed) / len(text)


def log(rng: random.Random) -> tuple[bytes, float]:
    """A log of SIZE bytes, and how many bits were drawn for its lines once the service is known."""
    drawn = 0.0

    def one(choices: list[str]) -> str:
        nonlocal drawn
        drawn += math.log2(len(choices) / choices.count(found := rng.choice(choices)))
        return found

    def below(bound: int) -> int:
        nonlocal drawn
        drawn += math.log2(bound)
        return rng.randrange(bound)

    def session() -> str:
        if below(4):
            return one(sessions)
        sessions[rng.randrange(len(sessions))] = new = f"{below(1 << 32):08x}"
        return new

    words = [
        "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 3)))
        for _ in range(120)
    ]
    verbs = [f"{word}{rng.choice(['ed', 'ing', 's'])}" for word in rng.sample(words, 40)]
    hosts = [f"{word}-{number}" for word in rng.sample(words, 3) for number in range(1, 4)]
    parts = [f"{word}[{rng.randint(300, 9999)}]" for word in rng.sample(words, 8)]
    sentences = {part: [sentence(rng, words, verbs) for _ in range(rng.randint(2, 5))] for part in parts}
    sessions, clock, lines, size = [f"{rng.getrandbits(32):08x}" for _ in range(6)], rng.randrange(40_000_000), [], 0
    while size < SIZE:
        clock += below(8) if below(2) else below(400)
        part = one(parts)
        said = one(sentences[part])
        for field, draw in (("{word}", lambda: one(words)), ("{path}", lambda: f"{one(words[:20])}/{one(words[20:60])}.dat"),
                            ("{session}", session), ("{number}", lambda: str(below(1000))),
                            ("{small}", lambda: str(below(50))), ("{host}", lambda: one(hosts))):  # fmt: skip
            while field in said:
                said = said.replace(field, draw(), 1)
        second, milli = divmod(clock, 1000)
        at = f"0417-{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{milli:03d}"
        lines.append(f"{at} {one(LEVELS)} {one(hosts)} {part}: {said}\n")
        size += len(lines[-1])
    return "".join(lines).encode()[:SIZE], drawn * SIZE / size


def sentence(rng: random.Random, words: list[str], verbs: list[str]) -> str:
    fields = rng.choices(FIELDS, k=rng.randint(1, 3))
    return " ".join([rng.choice(verbs), *(f"{rng.choice(words)} {field}" for field in fields)])
