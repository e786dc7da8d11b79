"""Items that differ in names and numbers alone, and items that stand in another benchmark already."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from auto_benchmark.construction.item import Item, canonical

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:\n] )(?<!^)\b[A-Z][a-z]+\b", re.MULTILINE)
DRESS = frozenset({"trade", "place", "thing", "opening", "where", "owner"})
"""Fields of evidence that say how a question is dressed: two items that differ in these alone ask the same."""
SHINGLE = 8
"""Words of a run that two texts must share to count as overlapping."""
MOST_OVERLAP = 0.5


def masked(text: str) -> str:
    """The text without its numbers and names, in one case."""
    return " ".join(_NAME.sub("@", _NUMBER.sub("#", text)).casefold().split())


def fingerprint(item: Item) -> str:
    """Equal for items that differ in names and numbers alone; a picture or a sound is its content."""
    media = item.asked.media.sha256 if item.asked.media else ""
    return hashlib.sha256(f"{masked(item.asked.text())}\0{media}".encode()).hexdigest()


def substance(item: Item) -> str:
    """Equal for items that ask the same in another dress."""
    asked = {name: value for name, value in item.evidence.items() if name not in DRESS}
    return hashlib.sha256(f"{item.source}.{item.form}\0{canonical(asked)}".encode()).hexdigest()


def shingles(text: str) -> set[int]:
    """Every run of :data:`SHINGLE` words, as hashes; a shorter text is one run."""
    words = re.findall(r"\w+", text.casefold())
    runs = [words[i : i + SHINGLE] for i in range(max(1, len(words) - SHINGLE + 1))]
    return {int.from_bytes(hashlib.sha256(" ".join(run).encode()).digest()[:8], "big") for run in runs if run}


@dataclass(slots=True)
class Earlier:
    """What earlier benchmarks and training data hold, to find what stands in them already.

    Attributes:
        seen: runs of words.
        media: checksums of pictures and sounds.
    """

    seen: set[int] = field(default_factory=set)
    media: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, texts: Iterable[str], media: Iterable[str] = ()) -> Earlier:
        """Everything that some texts hold, and some media."""
        return cls({run for text in texts for run in shingles(text)}, set(media))

    def overlap(self, item: Item) -> float:
        """Share of the item's runs of words that stood there; what a picture or a sound is about is the picture or sound."""
        if item.asked.media is not None:
            return float(item.asked.media.sha256 in self.media)
        runs = shingles(item.asked.text())
        return len(runs & self.seen) / len(runs) if runs and self.seen else 0.0
