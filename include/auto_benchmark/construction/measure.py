"""What the finished benchmark measures: objectives on its own items, which no choice has seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from auto_benchmark.construction.answering import AnswerSheet, merged, put
from auto_benchmark.construction.answers import is_right
from auto_benchmark.construction.build import Built
from auto_benchmark.construction.candidate import Kind
from auto_benchmark.construction.earlier_boards import EarlierBoards
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.panel import Panel
from auto_benchmark.construction.safety import answered, attacked, is_attack, share
from auto_benchmark.construction.source import Source
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import wilson_interval
from auto_benchmark.stats.objectives import (
    Objective,
    Separability,
    difficulty,
    novelty,
    separability,
)

AGREE_AGAINST_KEY = 3
"""Systems that must give one and the same other answer before an item is suspect."""


@dataclass(frozen=True, slots=True)
class PanelMeasurement:
    """Everything that the panel's answers say.

    Attributes:
        sheet: answers to the items of ``search`` and ``gate``.
        objectives: name -> value; an objective that does not apply is missing, with its reason in ``not_measured``.
        suspects: ids of items on which systems agree against the key.
        negative: ids of items that weaker candidates get right more often than stronger ones, beyond chance.
    """

    sheet: AnswerSheet
    objectives: Mapping[str, Objective]
    not_measured: Mapping[str, str]
    suspects: Sequence[str]
    negative: Sequence[str]


def measured(sheet: AnswerSheet, built: Built, panel: Panel, earlier: EarlierBoards) -> PanelMeasurement:
    """Choose on ``search``, report on ``gate``; separability and novelty use both, since no candidate is chosen there."""
    ids = {split: [item.id for item in built.splits[split]] for split in ("search", "gate")}
    one, other = (sheet.matrix(panel.names, ids[split]) for split in ("search", "gate"))
    both = np.concatenate([one, other], axis=1)
    common, boards, items = earlier.matrix(panel.names)
    rows = np.array([panel.names.index(name) for name in common], int)
    wanted: dict[str, Callable[[], Objective]] = {
        "difficulty": lambda: difficulty(one, other),
        "separability": lambda: separability(both),
    }
    if earlier.scores:
        wanted["novelty"] = lambda: novelty(one[rows], other[rows], boards, items)
    if any(map(is_attack, built.splits["gate"])):
        wanted["safety"] = lambda: share(attacked(sheet, answered(built), panel.names))
    salience = [item.salience for item in built.splits["gate"] if item.salience is not None]
    if salience:
        wanted["salience"] = lambda: _mean(salience)
    found, missing = dict[str, Objective](), dict[str, str]()
    for name, compute in wanted.items():
        try:
            found[name] = compute()
        except NotApplicableError as error:
            missing[name] = str(error)
    every = [*built.splits["search"], *built.splits["gate"]]
    return PanelMeasurement(
        sheet, found, missing, _suspects(sheet, every, panel), _negative(both, [*ids["search"], *ids["gate"]])
    )


def _mean(values: Sequence[float]) -> Objective:
    from auto_benchmark.stats.intervals import t_interval

    return Objective(float(np.mean(values)), t_interval(values))


def _suspects(sheet: AnswerSheet, items: Sequence[Item], panel: Panel) -> list[str]:
    """Items on which the strongest third of the systems, three at least, give one and the same other answer."""
    systems = [c.name for c in panel.candidates if c.kind is not Kind.PLANTED]
    accuracy = {name: sum(sheet.right[name].values()) for name in systems}
    strong = sorted(systems, key=lambda n: (-accuracy[n], n))[: max(AGREE_AGAINST_KEY, len(systems) // 3)]
    if len(strong) < AGREE_AGAINST_KEY:
        return []
    found = []
    for item in items:
        given = {str(sheet.given[name][item.id]) for name in strong}
        if len(given) == 1 and given != {"None"} and not is_right(given.pop(), item.answer):
            found.append(item.id)
    return found


def _negative(right: np.ndarray[Any, np.dtype[np.bool_]], ids: Sequence[str]) -> list[str]:
    """Items whose correlation with the rest of the test is negative beyond a chance of one in the number of items."""
    m, n = right.shape
    if m < AGREE_AGAINST_KEY or n < 2:
        return []
    from scipy.stats import t

    x = right.astype(float)
    rest = x.sum(axis=1, keepdims=True) - x
    a, b = x - x.mean(axis=0), rest - rest.mean(axis=0)
    scale = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    r = np.where(scale > 0, (a * b).sum(axis=0) / np.where(scale > 0, scale, 1), 0.0)
    limit = t.ppf(1 / n, m - 2)
    least = limit / np.sqrt(m - 2 + limit**2)
    return [item for item, value in zip(ids, r, strict=True) if value < least]


def privileged(sheet: AnswerSheet, built: Built, panel: Panel, sources: Mapping[str, Source]) -> dict[str, Any]:
    """Both ablations: the author without the source, and candidates with it.

    The author without the source is the best candidate on ``search``, who writes the keys of ``gate``. What can be
    looked up is measured on the forms that have an open-book version: the same items, the evidence in words beside them.
    """
    ids = {split: [item.id for item in built.splits[split]] for split in ("search", "gate")}
    one, other = (sheet.matrix(panel.names, ids[split]) for split in ("search", "gate"))
    author = int(one.mean(axis=1).argmax())
    wrong = int((~other[author]).sum())
    names = [name for name in panel.names if name != panel.names[author]]
    agree = [
        np.mean([is_right(sheet.given[name][i], sheet.given[panel.names[author]][i]) for i in ids["gate"]])
        for name in names
    ]
    found: dict[str, Any] = {
        "author_without_source": {
            "author": panel.names[author], "wrong_keys": wrong / other.shape[1],
            "interval": list(wilson_interval(wrong, other.shape[1])), "difficulty": 1 - float(max(agree, default=0.0)),
        }
    }  # fmt: skip
    opened = {
        split: [(item, o) for item in built.splits[split] if (o := _opened(item, sources))]
        for split in ("train", "gate")
    }
    if len(opened["gate"]) >= 10:
        found["asymmetry"] = _asymmetry(sheet, opened, panel)
    return found


def _opened(item: Item, sources: Mapping[str, Source]) -> Item | None:
    text = sources[item.source].form(item.form).opened
    if text is None:
        return None
    context = "\n".join(part for part in (item.asked.context, text(item.evidence)) if part)
    return replace(item, asked=replace(item.asked, context=context))


def _asymmetry(sheet: AnswerSheet, opened: Mapping[str, Sequence[tuple[Item, Item]]], panel: Panel) -> dict[str, Any]:
    """Accuracy with the source less without it, paired by item and averaged over candidates."""
    from auto_benchmark.stats.intervals import t_interval

    forms = sorted({(o.source, o.form) for _, o in opened["gate"]})
    again = merged([
        put(panel.candidates, _of_form(opened["gate"], form), _of_form(opened["train"], form), panel.patience)
        for form in forms
    ])  # fmt: skip
    gains = np.array([
        np.mean([float(again.right[n][o.id]) - float(sheet.right[n][closed.id]) for n in panel.names])
        for closed, o in opened["gate"]
    ])  # fmt: skip
    failed = sum(not any(again.right[n][o.id] for n in panel.names) for _, o in opened["gate"])
    try:
        interval: list[float] | None = list(t_interval(gains))
    except NotApplicableError:
        interval = None
    return {"value": float(gains.mean()), "interval": interval, "items": len(gains), "calls": again.calls,
            "failed_by_all_open": failed}  # fmt: skip


def _of_form(opened: Sequence[tuple[Item, Item]], form: tuple[str, str]) -> list[Item]:
    return [item for _, item in opened if (item.source, item.form) == form]


def link(sheet: AnswerSheet, built: Built, panel: Panel, anchors: Sequence[str]) -> dict[str, Any]:
    """How much harder the new items of ``gate`` are than those of the generation before that stand there again.

    The difference of accuracies, averaged over candidates, with Welch's interval over items; on one scale thereby.
    """
    from auto_benchmark.stats.intervals import welch_interval

    old = set(anchors)
    new = [item.id for item in built.splits["gate"] if item.id not in old]
    again = sheet.matrix(panel.names, sorted(old)).mean(axis=0)
    fresh = sheet.matrix(panel.names, new).mean(axis=0)
    try:
        interval: list[float] | None = list(welch_interval(again, fresh))
    except NotApplicableError:
        interval = None
    return {"items": len(old), "accuracy_on_old": float(again.mean()), "accuracy_on_new": float(fresh.mean()),
            "harder_by": float(again.mean() - fresh.mean()), "interval": interval}  # fmt: skip


def as_json(objective: Objective) -> dict[str, Any]:
    """As ``quality.json`` has it."""
    found = {k: v for k, v in asdict(objective).items() if v is not None}
    found["interval"] = list(found["interval"])
    if isinstance(objective, Separability):
        found["separable"] = objective.is_separable
    return found
