"""Who answers: the candidates of a request, and whether they make a panel that says anything about real systems."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auto_benchmark.construction.candidate import Candidate, Kind, Learning, learning, missing
from auto_benchmark.construction.candidates import PANELS
from auto_benchmark.construction.patience import Patience
from auto_benchmark.errors import RefusedError

REAL_SYSTEMS, EXTERNAL_SYSTEMS = 8, 5
NO_REAL_PANEL = "no real panel"
LEARNED_OTHERWISE = "answered before it learned as a trial does; run the construction again, which asks it anew"


@dataclass(frozen=True, slots=True)
class Panel:
    """The candidates that can answer items of some modalities; all of them in one order.

    Attributes:
        candidates: that take part.
        left_out: candidate -> what has to be installed before it could.
        patience: with those that hang.
    """

    candidates: tuple[Candidate, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    patience: Patience = field(default_factory=Patience)

    @property
    def names(self) -> list[str]:
        """In order."""
        return [candidate.name for candidate in self.candidates]

    @property
    def versions(self) -> list[list[str]]:
        """Name and version of each."""
        return [[candidate.name, candidate.version] for candidate in self.candidates]

    def learning(self, how: Learning) -> Panel:
        """Those that learn so."""
        those = tuple(candidate for candidate in self.candidates if learning(candidate) is how)
        return Panel(those, patience=self.patience)

    def count(self, *kinds: Kind) -> int:
        """Candidates of these kinds."""
        return sum(candidate.kind in kinds for candidate in self.candidates)

    def counted(self, right: Mapping[str, Mapping[str, bool]]) -> Panel:
        """The systems that count: each gets something right, and no two answer alike on all items."""
        seen, found = set[tuple[bool, ...]](), []
        for candidate in self.candidates:
            given = right[candidate.name]
            answers = tuple(given[item] for item in sorted(given))
            if any(answers) and answers not in seen:
                seen.add(answers)
                found.append(candidate)
        return Panel(tuple(found))

    def refusal(self, right: Mapping[str, Mapping[str, bool]]) -> str | None:
        """Why objectives over it say nothing about real systems; None where they do.

        Args:
            right: candidate -> item -> whether its answer is right.
        """
        if self.count(Kind.PLANTED):
            return f"{NO_REAL_PANEL}: {self.count(Kind.PLANTED)} planted programs take part"
        counted = self.counted(right)
        real, external = counted.count(Kind.EXTERNAL, Kind.OWN), counted.count(Kind.EXTERNAL)
        if real < REAL_SYSTEMS or external < EXTERNAL_SYSTEMS:
            return (
                f"{NO_REAL_PANEL}: {real} systems that differ and get something right, {external} of them not written here; "
                f"{REAL_SYSTEMS} and {EXTERNAL_SYSTEMS} are needed"
            )
        return None


def panel_for(
    wanted: Sequence[str], modalities: Collection[str], sources: Collection[str],
    endpoints: Mapping[str, Candidate] | None = None,
) -> Panel:  # fmt: skip
    """The candidates of a request that can answer every item.

    Args:
        wanted: panels or candidates; without any, all that are not planted.
        modalities: of the items.
        sources: that the items come from.
        endpoints: models that the request names, by name.

    Raises:
        RefusedError: fewer than two of them can.
    """
    every = [*(candidate for panel in PANELS.values() for candidate in panel), *(endpoints or {}).values()]
    named = {c.name for c in every if c.kind is not Kind.PLANTED} if not wanted else set(wanted)
    for name, members in PANELS.items():
        if name in named:
            named |= {member.name for member in members}
    able = [
        c for c in every
        if c.name in named and set(modalities) <= c.modalities and (not c.sources or set(sources) <= c.sources)
    ]  # fmt: skip
    left_out = {c.name: why for c in able if (why := missing(c)) is not None}
    here = tuple(c for c in able if c.name not in left_out)
    if len(here) < 2:
        what = f"{', '.join(sorted(sources))} ({', '.join(sorted(modalities))})"
        absent = "".join(f"; {why}: {', '.join(n for n in left_out if left_out[n] == why)}"
                         for why in dict.fromkeys(left_out.values()))  # fmt: skip
        raise RefusedError(f"{len(here)} of the candidates can answer items of {what}: two are needed{absent}")
    return Panel(here, left_out)


def learned_otherwise(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Names in a ``candidates.jsonl`` whose answers an earlier version made in another way of learning.

    Such rows compare with nothing that is measured now: a trainable candidate used to learn each subtask apart.
    """
    trained = {c.name for members in PANELS.values() for c in members if learning(c) is Learning.TOGETHER}
    return [row["name"] for row in rows if row.get("name") in trained and row.get("learned") != Learning.TOGETHER]
