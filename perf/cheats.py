"""A hundred cheats by class through the real door: how many of each class there are, and that none is promoted.

    python perf/acceptance.py hundred_cheats
    PYTHONPATH=include:plugins:. python perf/cheats.py [--out perf/results/later_cheats.json]    (those of later_cheats.py)

Each class has a project of its own, in which the gate has to promote one honest improvement as well (which may still be held
for a person: a leap that no earlier pair of search and gate scores lets expect). Every result is written
to perf/results/cheats.json as soon as it is there; what has ended on the same code is not tried again.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scipy.stats import beta
from tests.security.cheat_arena import Tried, arena
from tests.security.hundred_cheats import CASES, LATER, ONE_OF_EACH, Case, Kind, of_kind

from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
from auto_benchmark.db.migrate import upgrade
from auto_benchmark.promotion.schema import Verdict

RESULT = Path(__file__).resolve().parent / "results" / "cheats.json"
HONEST = "an honest improvement"
__all__ = ["CASES", "ONE_OF_EACH", "Kind"]
MIGRATED = "migrated"
"""Database that each project's is a copy of."""
Told = Callable[[Sequence[Case]], Iterable[Case]]


@contextmanager
def place_for_projects() -> Iterator[tuple[Path, EmbeddedPostgres]]:
    """A folder that trials of another user may enter, and a server with an empty database of today's tables."""
    with tempfile.TemporaryDirectory(prefix="ab-cheats-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        folder.chmod(0o755)
        with EmbeddedPostgres(folder / "postgres", settings=FAST_AND_UNSAFE) as server:
            upgrade(server.create_database(MIGRATED))
            yield folder, server


def try_all(code: str, told: Told = lambda cases: cases) -> dict[str, Any]:
    """Try every cheat that has not been tried on this code.

    Args:
        code: fingerprint of the code.
        told: tells how far it is.

    Returns:
        Facts: cheats by class, how many were promoted, seconds, and under ``wrong`` each that did not end as it has to.
    """
    known: dict[str, dict[str, Any]] = {}
    if RESULT.exists():
        kept = json.loads(RESULT.read_text())
        known = kept["tried"] if kept["code"] == code else {}
    ahead = iter(told(CASES))
    for name, row in tried_but(tuple(known)):
        next(ahead, None)
        _keep(known, name, row, code)
    return facts_of(known)


def tried_but(known: Collection[str], base_image: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Try every cheat that is not ``known``, and an honest improvement in each class: name and what became of it.

    Args:
        known: names of those that are left out.
        base_image: of the containers in which trials run; on this machine itself where it is empty.
    """
    with place_for_projects() as (folder, server):
        for kind in Kind:
            cases, honest = of_kind(kind), f"{HONEST} among {kind}"
            if all(name in known for name in (*(case.name for case in cases), honest)):
                continue
            place = folder / kind.replace(" ", "-")
            place.mkdir()
            with arena(place, server, MIGRATED, cases, base_image) as door:
                for case in cases:
                    if case.name not in known:
                        tried = door.try_(case)
                        yield case.name, _row(kind, tried, tried.wrong(case))
                tried = door.try_(None)
                wrong = None if tried.verdict == Verdict.PROMOTE else f"the gate refuses {honest}: {tried.reason}"
                yield honest, _row(kind, tried, wrong)


def _row(kind: Kind, tried: Tried, wrong: str | None) -> dict[str, Any]:
    row = {k: v for k, v in asdict(tried).items() if k != "reason" and v not in ((), None, False)}
    return {"kind": str(kind), **row, **({"wrong": wrong} if wrong else {})}


def _keep(known: dict[str, dict[str, Any]], name: str, row: dict[str, Any], code: str) -> None:
    """Write down how one came out; the file is whole at any time."""
    known[name] = row
    told = {"date": datetime.now(UTC).date().isoformat(), "command": "python perf/acceptance.py hundred_cheats",
            "code": code, **facts_of(known), "tried": known}  # fmt: skip
    draft = RESULT.with_suffix(".draft")
    draft.write_text(json.dumps(told, indent=1) + "\n")
    draft.replace(RESULT)
    if wrong := row.get("wrong"):
        print(f"[hundred_cheats] {time.strftime('%H:%M:%S')} {wrong}", flush=True)


def facts_of(known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows of :func:`tried_but` say together."""
    cheats = {name: row for name, row in known.items() if not name.startswith(HONEST)}
    return {
        "cheats": len(cheats),
        "by_class": dict(Counter(row["kind"] for row in cheats.values())),
        "promoted": sum(bool(row.get("promoted")) for row in cheats.values()),
        "honest_passed_the_gate": sum(
            row.get("verdict") == Verdict.PROMOTE for n, row in known.items() if n not in cheats
        ),
        "seconds_in_trials": round(sum(row["seconds"] for row in known.values())),
        "wrong": [row["wrong"] for row in known.values() if "wrong" in row],
    }


def try_later() -> dict[str, Any]:
    """Try the later cheats alone, in one project, and an honest improvement beside them.

    Returns:
        How each ended and why; the escape rate's upper 95 % bound is exact (Clopper & Pearson 1934).
    """
    with place_for_projects() as (folder, server):
        (folder / "later").mkdir()
        with arena(folder / "later", server, MIGRATED, LATER) as door:
            ended = {case.name: (case, door.try_(case)) for case in LATER}
            honest = door.try_(None)
    escaped = sum(tried.promoted for _, tried in ended.values())
    return {
        "cheats": len(ended),
        "promoted": escaped,
        "escape_rate_upper_95": round(float(beta.ppf(0.95, escaped + 1, len(ended) - escaped)), 3),
        "wrong": [told for case, tried in ended.values() if (told := tried.wrong(case))],
        HONEST: {"verdict": honest.verdict, "outcome": honest.outcome},
        "tried": {name: {"kind": str(case.kind), **asdict(tried)} for name, (case, tried) in ended.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="the later cheats through the real door")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    told = {"date": datetime.now(UTC).date().isoformat(), "command": "python perf/cheats.py", **try_later()}
    print(json.dumps(told, indent=1))
    if given.out:
        given.out.write_text(json.dumps(told, indent=1) + "\n")
    raise SystemExit(bool(told["wrong"]))


if __name__ == "__main__":
    main()
