"""Cheats that were written without knowing the suite, through the same door as the hundred; the escape rate, exact.

    python perf/acceptance.py unseen_cheats

Production is never left changed: after an escape the next cheat meets a new project. Every result is written to
perf/results/unseen_cheats.json as soon as it is there; what has ended on the same code is not tried again.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from cheats import MIGRATED, place_for_projects
from measured import RESULTS, keep
from scipy.stats import beta
from tests.security.unseen_arena import unseen_arena
from tests.security.unseen_cheats import CHEATS, Unseen

from auto_benchmark.promotion.schema import Verdict

NAME, HONEST = "unseen_cheats", "an honest improvement"
STEADY = (*(cheat for cheat in CHEATS if cheat.kind != "seeds"), None)
PROJECTS: Sequence[Sequence[Unseen | None]] = (STEADY, [cheat for cheat in CHEATS if cheat.kind == "seeds"])
"""Those that gamble have a project of their own: their scatter would count as the noise of the others."""
KNOWN = {
    "time_bomb": "its code is as good as it says while it is judged; the defense sees what follows",
    "rare_catastrophe": "six seeds miss what befalls one in eight with a probability of 0.45",
}
"""Cheats that no gate of this kind can refuse each time, with the reason."""
Told = Callable[[Sequence[Unseen]], Iterable[Unseen]]


def try_all(code: str, told: Told = lambda cheats: cheats) -> dict[str, Any]:
    """Try every cheat that has not been tried on this code, and an honest improvement.

    Returns:
        Facts: how many were promoted or held for a person, the exact upper bound, and which showed nothing.
    """
    known: dict[str, Any] = {}
    file = RESULTS / f"{NAME}.json"
    if file.exists() and (kept := json.loads(file.read_text()))["code"] == code:
        known = kept["tried"]
    ahead = iter(told(CHEATS))
    with place_for_projects() as (folder, server):
        for cheats in PROJECTS:
            while any(_name(cheat) not in known for cheat in cheats):
                part = folder / f"project-{len(known)}"
                part.mkdir()
                with unseen_arena(part, server, MIGRATED, CHEATS) as door:
                    _until_one_escapes(door, cheats, known, code, ahead)
    return facts(known)


def _name(cheat: Unseen | None) -> str:
    return cheat.name if cheat else HONEST


def _until_one_escapes(
    door: Any, cheats: Sequence[Unseen | None], known: dict[str, Any], code: str, ahead: Any
) -> None:
    for cheat in cheats:
        name = _name(cheat)
        if name in known:
            continue
        next(ahead, None)
        seen = door.see(cheat)
        known[name] = {
            **({"kind": cheat.kind, "carried_out": seen.was_carried_out(cheat)} if cheat else {}),
            **asdict(seen.tried), "logged": list(seen.logged)[:4],
        }  # fmt: skip
        keep(NAME, {"code": code, **facts(known), "tried": known})
        if seen.tried.promoted:
            return


def _upper(count: int, of: int) -> float:
    return round(float(beta.ppf(0.95, count + 1, of - count)), 3) if count < of else 1.0


def facts(known: dict[str, Any]) -> dict[str, Any]:
    """The rate of escapes over the cheats that were carried out; its bound after Clopper & Pearson (1934)."""
    cheats = {name: row for name, row in known.items() if name != HONEST}
    shown = {name: row for name, row in cheats.items() if row["carried_out"]}
    escaped = [name for name, row in shown.items() if row["promoted"]]
    challengers = [name for name, row in shown.items() if row["outcome"] == Verdict.CHALLENGER]
    return {
        "cheats": len(cheats),
        "carried_out": len(shown),
        "promoted": escaped,
        "became_challenger": challengers,
        "held_for_a_person": [name for name, row in shown.items() if row["outcome"] == "waits_for_approval"],
        "escape_rate_upper_95": _upper(len(escaped), len(shown)),
        "upper_95_with_challengers": _upper(len(escaped) + len(challengers), len(shown)),
        "not_carried_out": sorted(set(cheats) - set(shown)),
        "honest_passed_the_gate": known.get(HONEST, {}).get("verdict") == Verdict.PROMOTE,
    }
