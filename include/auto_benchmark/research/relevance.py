"""Whether a paper concerns us: it benchmarks on a target leaderboard, or reports results in our domain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from auto_benchmark.research.text import Sentence

_RESULT = re.compile(
    r"\bstate[ -]of[ -]the[ -]art\b|\bsota\b|\boutperform|\bsurpass|\bnew record\b|\bbest (?:published "
    r"|reported )?results?\b|\bimprov(?:es|ing|ed|ements?)\b|\bachiev(?:es|ing|ed)\b|\bgains?\b"
)
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Relevance:
    """The verdict with its reason, and the target leaderboards that the paper names."""

    relevant: bool
    reason: str
    boards: tuple[str, ...] = ()


class RelevanceScreen:
    """Compiled from the registry once.

    Args:
        boards: names of the target leaderboards.
        domain: the registry's domain.
        terms: further words of the domain.
    """

    def __init__(self, boards: Sequence[str], domain: str, terms: Sequence[str] = ()) -> None:
        self.domain = domain
        self._boards = [(name, _phrase(name), _parts(name)[0].lower()) for name in boards]
        self._terms = _any_of([domain, *terms])
        self._first_words = {
            re.split(r"[\s-]+", term.strip())[0].lower() for term in (domain, *terms) if term.strip()
        }

    def judge(
        self, title: Sentence, text: Sequence[Sentence], *, has_gain: bool, cites_core: bool = False
    ) -> Relevance:
        """Screen one paper.

        Args:
            title: its title.
            text: its sentences.
            has_gain: whether it reports a gain of its own.
            cites_core: whether it builds on our core method, as citation tracking found.
        """
        everything = (title, *text)
        lower = "\n".join([sentence.lower for sentence in everything])
        # looking a word up is much cheaper than a pattern, and most papers are about other things
        met = [one for one in self._boards if one[2] in lower]
        named = {
            name: s for name, pattern, word in met for s in reversed(everything)
            if word in s.lower and pattern.search(s.plain)
        }  # fmt: skip
        if named:
            boards = tuple(name for name, *_ in self._boards if name in named)
            return Relevance(True, f'names {", ".join(boards)}: "{_cut(named[boards[0]].quote)}"', boards)
        about = None
        if self._terms and (words := [word for word in self._first_words if word in lower]):
            about = next(
                (s for s in everything if any(word in s.lower for word in words) and self._terms.search(s.plain)),
                None,
            )
        if about is None and cites_core and has_gain:
            return Relevance(True, "cites our core method and reports a gain")
        if about is None:
            return Relevance(False, f"names no target leaderboard and nothing of the domain {self.domain!r}")
        if has_gain or any(_RESULT.search(s.lower) for s in everything):
            return Relevance(True, f'reports results in the domain {self.domain!r}: "{_cut(about.quote)}"')
        return Relevance(False, f"is about the domain {self.domain!r} but reports no result")


def _phrase(name: str) -> re.Pattern[str]:
    """A name as texts write it: ``MemoryBench``, ``Memory-Bench``, ``Memory Bench``."""
    return re.compile(r"(?<![\w])" + r"[\s_-]?".join(map(re.escape, _parts(name))) + r"(?![a-z])", re.IGNORECASE)


def _parts(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+", name) or [name]


def _any_of(terms: Sequence[str]) -> re.Pattern[str] | None:
    spelt = [r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", term.strip()))) for term in terms if term.strip()]
    return (
        re.compile(
            rf"(?<![\w-])(?:{'|'.join(spelt)})(?:s|es)?(?![\w]|[ -](?:usage|footprint|consumption|costs?"
            rf"|requirements?|overhead|savings?|bandwidth|efficien\w+|allocation|budget|limit\w*|bound"
            rf"|intensive)\b)",
            re.IGNORECASE,
        )
        if spelt
        else None
    )


def _cut(quote: str) -> str:
    flat = " ".join(quote.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1].rstrip() + "…"
