"""Pictures of charts: the data behind a picture are the key, and the key is read again from its pixels."""

from __future__ import annotations

import io
import itertools
import json
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from auto_benchmark.construction.dressing import PLACES, THINGS, TRADES
from auto_benchmark.construction.item import Answer, Asked, Evidence, Media, Params, canonical
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Parameter, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INK = {"blue": "#1f5fbf", "green": "#2f9e44", "red": "#d62828", "purple": "#7b2cbf"}
WIDTH, HEIGHT, DPI = 4.8, 4.0, 100
LEFT, BOTTOM, WIDE, HIGH = 0.12, 0.24, 0.85, 0.66
"""Place of the axes as shares of the picture, so that a pixel stands for a value."""
REMEMBERED = 64
"""Pictures kept, since an item's is asked for when it is made and again when it is verified."""
TOP = 100
"""Largest value of the vertical axis."""


def _draw(random: Random, params: Params) -> dict[str, Any]:
    names = random.sample(THINGS, int(params["bars"]))
    apart = int(params.get("apart", 1))
    while True:
        values = [random.randint(3, 92) for _ in names]
        ordered = sorted(values)
        if all(b - a >= apart for a, b in itertools.pairwise(ordered)):
            break
    return {
        "names": names, "values": values, "ink": random.choice(list(INK)),
        "title": f"Counted in the {random.choice(PLACES)} by the {random.choice(TRADES)}",
        "numbers": params.get("numbers", "hidden"), "kind": params.get("kind", "bars"),
    }  # fmt: skip


def _picture(e: Evidence) -> Media:
    return _drawn(canonical({name: e[name] for name in ("names", "values", "ink", "title", "numbers", "kind")}))


@lru_cache(maxsize=REMEMBERED)
def _drawn(told: str) -> Media:
    from matplotlib.figure import Figure

    e = json.loads(told)
    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI)
    axes = figure.add_axes((LEFT, BOTTOM, WIDE, HIGH))
    places, values, ink = range(len(e["names"])), e["values"], INK[e["ink"]]
    if e["kind"] == "bars":
        axes.bar(places, values, width=0.6, color=ink, antialiased=False)
    else:
        axes.plot(places, values, color="0.6", linewidth=1, zorder=1)
        axes.plot(places, values, "s", color=ink, markersize=7, markeredgewidth=0, zorder=2, antialiased=False)
    if e["numbers"] == "shown":
        for x, value in zip(places, values, strict=True):
            axes.annotate(str(value), (x, value), (0, 6), textcoords="offset points", ha="center", fontsize=8)
    axes.set_xlim(-0.6, len(values) - 0.4)
    axes.set_ylim(0, TOP)
    axes.set_xticks(list(places), e["names"], rotation=35, ha="right", fontsize=8)
    axes.set_title(e["title"], fontsize=9)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
    return Media("png", file.getvalue())


def _inked(asked: Asked, ink: str) -> NDArray[np.bool_]:
    """Which pixels have the colour; rows from the top."""
    import numpy as np
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    if asked.media is None:
        raise ValueError("has no picture")
    picture = imread(io.BytesIO(asked.media.content))[..., :3]
    return np.asarray(np.abs(picture - np.array(to_rgb(INK[ink]))).max(axis=-1) < 0.02)


def _values_seen(e: Evidence, asked: Asked) -> list[int]:
    """Heights of the bars or marks in the picture, in units of its vertical axis."""
    import numpy as np

    inked, n = _inked(asked, e["ink"]), len(e["names"])
    found = []
    for i in range(n):
        x = (LEFT + WIDE * (i + 0.6) / (n + 0.2)) * WIDTH * DPI
        rows = np.flatnonzero(inked[:, round(x)])
        if not len(rows):
            raise ValueError("a bar cannot be seen")
        edge = rows[0] if e["kind"] == "bars" else (rows[0] + rows[-1] + 1) / 2
        found.append(round(((1 - BOTTOM) * HEIGHT * DPI - edge) / (HIGH * HEIGHT * DPI) * TOP))
    return found


def _draw_value(random: Random, params: Params) -> Evidence:
    chart = _draw(random, params)
    return {**chart, "of": random.randrange(len(chart["names"]))}


def _ask_value(e: Evidence) -> Asked:
    question = f"What number does the chart show for {e['names'][e['of']]}? All of its numbers are whole."
    return Asked(question, media=_picture(e))


def _draw_extreme(random: Random, params: Params) -> Evidence:
    return {**_draw(random, params), "extreme": random.choice(("most", "fewest"))}


def _ask_extreme(e: Evidence) -> Asked:
    question = f"Of what were the {e['extreme']} counted, by the chart?"
    return Asked(question, options=tuple(sorted(e["names"])), media=_picture(e))


def _extreme(values: list[int], e: Evidence) -> Answer:
    wanted = max(values) if e["extreme"] == "most" else min(values)
    return str(e["names"][values.index(wanted)])


def _draw_above(random: Random, params: Params) -> Evidence:
    chart = _draw(random, params)
    apart = int(params.get("apart", 1))
    free = [t for t in range(10, 90, 5) if all(abs(t - v) >= apart for v in chart["values"])]
    return {**chart, "threshold": random.choice(free or [50])}


def _ask_above(e: Evidence) -> Asked:
    question = (
        f"How many kinds of things does the chart show more than {e['threshold']} of? All of its numbers are whole."
    )
    return Asked(question, media=_picture(e))


def _above(values: list[int], e: Evidence) -> Answer:
    return sum(value > int(e["threshold"]) for value in values)


_CHART: dict[str, Parameter] = {
    "bars": Between(3, 9),
    "kind": OneOf(("bars", "marks")),
    "numbers": OneOf(("shown", "hidden")),
}
SOURCE = Source(
    Card(
        name="charts",
        title="Pictures of charts",
        modality="picture",
        domains=("chart", "charts", "picture", "image", "visual", "plot", "graph", "multimodal", "figure"),
        data="bar and mark charts of 3 to 9 values drawn at random; no end to them",
        licence="none needed: generated",
        key="the data that the picture is drawn from",
        second_key="the heights of bars and marks measured in the picture's pixels",
    ),
    (
        Form("value", "the number shown for one name", ("value", "read", "number"),
             _CHART, _draw_value, _ask_value, lambda e: e["values"][e["of"]],
             lambda e, a: _values_seen(e, a)[e["of"]],
             opened=lambda e: ", ".join(f"{n}: {v}" for n, v in zip(e["names"], e["values"], strict=True))),
        Form("extreme", "the largest or smallest of all", ("largest", "smallest", "extreme", "compare", "most"),
             {**_CHART, "apart": Between(1, 6)}, _draw_extreme, _ask_extreme,
             lambda e: _extreme(e["values"], e), lambda e, a: _extreme(_values_seen(e, a), e),
             opened=lambda e: ", ".join(f"{n}: {v}" for n, v in zip(e["names"], e["values"], strict=True))),
        Form("above", "how many lie above a value", ("count", "threshold", "above"),
             {**_CHART, "apart": Between(1, 4)}, _draw_above, _ask_above,
             lambda e: _above(e["values"], e), lambda e, a: _above(_values_seen(e, a), e),
             opened=lambda e: ", ".join(f"{n}: {v}" for n, v in zip(e["names"], e["values"], strict=True))),
    ),
)  # fmt: skip
