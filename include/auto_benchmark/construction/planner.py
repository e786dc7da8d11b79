"""From a request to a plan: subtasks with reasons, grounding on sources, quotas. Rules alone; every result is a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.near_duplicates import fingerprint, substance
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.source import Description, Form, Source
from auto_benchmark.construction.verification import Defect, Verifier
from auto_benchmark.errors import RefusedError

TRIALS = {"text": 60, "dialogue": 60, "picture": 16, "sound": 16}
"""Items drawn of a form to see whether it can be grounded, by modality: pictures take longer."""
LEAST_TRANSFORMABLE = 0.9
"""Share of drawn items whose key must be found again; the others would be rejected."""
SMALLEST_QUOTA = 5
_WORDS_OF_ANY_REQUEST = """
a an and any are as at be by can could do does for from give how i in is it its make me need of on or please
should that the their them then these they this those to want we what which who with would you benchmark
benchmarks test tests question questions item items ask asks about model models system systems measure measures
hard easy
"""
_STOP = frozenset(_WORDS_OF_ANY_REQUEST.split())


def words_of(text: str) -> set[str]:
    """Words of a request that may say what it is about, in the singular."""
    return {_singular(word) for word in re.findall(r"[a-z][a-z-]*", text.casefold()) if word not in _STOP}


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith(("ss", "us", "is")) else word


def subtasks(request: ConstructionRequest, sources: Sequence[Source]) -> dict[str, Any]:
    """Which forms of which sources the request asks for, how much each counts, and why.

    Raises:
        RefusedError: no source has anything to do with it; says which words it found and what there is.
    """
    asked = words_of(f"{request.request} {request.domain}")
    fits = {source.card.name: asked & {_singular(w) for w in source.card.domains} for source in sources}
    chosen = request.sources or (["documents"] if request.documents else _named(fits))
    found = []
    for source in sources:
        if source.card.name in chosen:
            found += _of_source(source, asked, fits[source.card.name])
    if not chosen:  # a word may name a form alone
        for source in sources:
            found += [row for row in _of_source(source, asked, set()) if row["topics"]]
    if not found:
        known = ", ".join(f"{source.card.name} ({source.card.title.lower()})" for source in sources)
        raise RefusedError(
            f"no source can answer this request: nothing here knows about {', '.join(sorted(asked)) or 'it'}. "
            f"There are {known}; or name documents: DIR with texts of your own"
        )
    return {"subtasks": found}


def _named(fits: Mapping[str, set[str]]) -> list[str]:
    """Sources that the request's words fit: those named by a word of their own, where there are any.

    "Charts in pictures" asks for charts, although other sources make pictures, too.
    """
    names = Counter(word for fit in fits.values() for word in fit)
    own = [name for name, fit in fits.items() if any(names[word] == 1 for word in fit)]
    return own or [name for name, fit in fits.items() if fit]


def _of_source(source: Source, asked: set[str], fit: set[str]) -> list[dict[str, Any]]:
    rows = []
    for form in source.forms:
        topics = sorted(asked & {_singular(word) for word in form.topics})
        reason = f"the request names {', '.join(topics)}" if topics else (
            f"the request is about {', '.join(sorted(fit))}" if fit else "the request names the source")  # fmt: skip
        rows.append({"source": source.card.name, "form": form.name, "about": form.about, "topics": topics,
                     "importance": 1.0 + 2.0 * len(topics), "reason": reason})  # fmt: skip
    return [row for row in rows if row["topics"]] or rows


def grounding(
    rows: Sequence[Mapping[str, Any]], sources: Mapping[str, Source], request: ConstructionRequest
) -> dict[str, Any]:
    """What each subtask's source gives: keys that are found again, and how many unlike items.

    Raises:
        RefusedError: nothing can be grounded; each reason is named.
    """
    grounded = []
    for row in rows:
        source = sources.get(row["source"])
        form = next((f for f in source.forms if f.name == row["form"]), None) if source else None
        if source is None or form is None:
            grounded.append({**row, "grounded": False, "why": "there is no such source or form"})
            continue
        grounded.append({**row, **_tried(source, form, request)})
    if not any(row["grounded"] for row in grounded):
        reasons = "; ".join(f"{row['source']}.{row['form']}: {row['why']}" for row in grounded)
        raise RefusedError(f"no source can answer this request: {reasons}")
    return {"subtasks": grounded}


def _tried(source: Source, form: Form, request: ConstructionRequest) -> dict[str, Any]:
    """Draw some items at random parameters; what fails for the item's own sake counts against the source."""
    n = TRIALS[source.card.modality]
    least = request.objective.salience.min if request.objective.salience else None
    verifier = Verifier({source.card.name: source}, least_salience=least, size=10**9)
    defects, prints, asked = list[Defect](), set[str](), set[str]()
    drawn = 0
    for i in range(n):
        params = {
            name: p.draw(dice(request.seed, "ground", form.name, i, name)) for name, p in form.parameters.items()
        }
        for item in source.generate(
            Description(source.card.name, form.name, params), 1, f"{request.seed}/ground/{i}"
        ):
            drawn += 1
            prints.add(fingerprint(item))
            asked.add(substance(item))
            if (defect := verifier.defect(item)) is not None:
                defects.append(defect)
    broken = sum(
        defect not in {Defect.DUPLICATE, Defect.NEAR_DUPLICATE, Defect.ECHO, Defect.LOW_SALIENCE}
        for defect in defects
    )
    kept = drawn - len(defects)
    share = 1 - broken / drawn if drawn else 0.0
    unlike = min(len(prints), len(asked))
    alike = drawn - unlike
    capacity = None if alike == 0 else int(unlike * unlike / (2 * alike))
    found = {"drawn": drawn, "transformable": round(share, 3), "kept": kept, "capacity": capacity}
    if share < LEAST_TRANSFORMABLE:
        return {**found, "grounded": False, "why": f"keys of {broken} of {drawn} items are not found again"}
    if not kept:
        why = "no item is salient enough" if least is not None and form.salience else (
            "its subject has no measure of salience" if least is not None else "no item passes verification")  # fmt: skip
        return {**found, "grounded": False, "why": why}
    return {**found, "grounded": True, "why": ""}


def quotas(rows: Sequence[Mapping[str, Any]], size: int) -> dict[str, Any]:
    """Items per subtask by importance, no subtask above its capacity; largest remainders round.

    Raises:
        RefusedError: the sources together cannot give as many unlike items.
    """
    open_rows = [row for row in rows if row["grounded"]]
    limit = {_key(row): row["capacity"] if row["capacity"] is not None else size for row in open_rows}
    if sum(limit.values()) < size:
        raise RefusedError(f"the sources give about {sum(limit.values())} unlike items, {size} are asked for")
    given = dict.fromkeys(limit, 0)
    weights = {_key(row): float(row["importance"]) for row in open_rows}
    left = size
    while left:
        free = {key: w for key, w in weights.items() if given[key] < limit[key]}
        shares = {key: left * w / sum(free.values()) for key, w in free.items()}
        whole = {key: min(int(share), limit[key] - given[key]) for key, share in shares.items()}
        if not sum(whole.values()):
            for key in sorted(shares, key=lambda k: (-(shares[k] % 1), k))[:left]:
                whole[key] = 1
        for key, n in whole.items():
            given[key] += n
        left = size - sum(given.values())
    few = {key for key, n in given.items() if n < SMALLEST_QUOTA} if len(given) > 1 and size >= 50 else set()
    if few and few != set(given):
        return quotas([row for row in open_rows if _key(row) not in few], size)
    return {"quotas": given}


def _key(row: Mapping[str, Any]) -> str:
    return f"{row['source']}.{row['form']}"
