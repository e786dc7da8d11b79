"""A collection with Zipf's frequencies; queries mix common and rare words."""

import math
import random
from collections import Counter, defaultdict
from itertools import accumulate
from typing import NamedTuple

from harness import Counted, Wrong, go

DOCUMENTS, QUERIES, DIFFERENT, SHOWN = 800, 60, 3_000, 10
SHORTEST, LONGEST = 20, 100  # words of a document
K, B = 1.2, 0.75
EQUAL = 1e-9
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Words = list[str]


class Collection(NamedTuple):
    documents: list[Words]
    queries: list[Words]


class Verify(Counted):
    build = go("search.go")

    def draw(self, rng: random.Random) -> Collection:
        known = sorted({"".join(rng.choices(LETTERS, k=rng.randint(2, 12))) for _ in range(2 * DIFFERENT)})
        known = rng.sample(known, DIFFERENT)
        weights = list(accumulate(1 / rank for rank in range(1, DIFFERENT + 1)))
        lengths = [SHORTEST + (LONGEST - SHORTEST) * number // DOCUMENTS for number in range(DOCUMENTS)]
        documents = [rng.choices(known, cum_weights=weights, k=length) for length in rng.sample(lengths, DOCUMENTS)]
        queries = [rng.sample(known[:60], 1) + rng.sample(known[60:600], 3) for _ in range(QUERIES)]
        return Collection(documents, queries)

    def encode(self, inputs: Collection) -> bytes:
        lines = [f"{DOCUMENTS} {QUERIES}", *map(" ".join, inputs.documents), *map(" ".join, inputs.queries)]
        return "\n".join(lines).encode() + b"\n"

    def check(self, inputs: Collection, output: bytes) -> None:
        lines = output.decode("ascii").split("\n")
        if len(lines) != QUERIES + 1 or lines[-1]:
            raise Wrong(f"printed {len(lines) - 1} lines instead of {QUERIES}")
        score_all = Index(inputs.documents).scores
        for number, (line, query) in enumerate(zip(lines[:-1], inputs.queries, strict=True), 1):
            found, scores = [int(each) for each in line.split(" ")], score_all(query)
            if len(found) != SHOWN or len(set(found)) != SHOWN or not all(0 <= each < DOCUMENTS for each in found):
                raise Wrong(f"line {number} does not hold {SHOWN} different documents")
            for document, right in zip(found, sorted(scores, reverse=True), strict=False):
                if abs(scores[document] - right) > EQUAL:
                    raise Wrong(f"line {number} is wrong")

    def floor(self, inputs: Collection) -> float:
        return len(self.encode(inputs)) / 4  # 32 bytes an instruction, and eight to tell words apart


class Index:
    """Which document holds a word how often."""

    def __init__(self, documents: list[Words]) -> None:
        self.postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, document in enumerate(documents):
            for word, times in Counter(document).items():
                self.postings[word].append((number, times))
        mean = sum(map(len, documents)) / len(documents)
        self.norms = [K * (1 - B + B * len(document) / mean) for document in documents]

    def scores(self, query: Words) -> list[float]:
        scores = [0.0] * DOCUMENTS
        for word in query:
            n = len(self.postings[word])
            rare = math.log(1 + (DOCUMENTS - n + 0.5) / (n + 0.5))
            for number, f in self.postings[word]:
                scores[number] += rare * f * (K + 1) / (f + self.norms[number])
        return scores
