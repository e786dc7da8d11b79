"""Pictures of networks: the drawn links are the key, and they are found again along the straight lines between the nodes."""

from __future__ import annotations

import io
import itertools
import json
import math
import re
from collections import deque
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from auto_benchmark.construction.dressing import THINGS
from auto_benchmark.construction.item import Answer, Asked, Evidence, Media, Params, canonical
from auto_benchmark.construction.source import Between, Card, Form, Parameter, Source

SIDE, RADIUS, DISC = 460, 160, 5
INKS = {"red": (208, 38, 38), "blue": (31, 95, 191), "green": (38, 140, 60)}
SAMPLES = 200
"""Places between two nodes that are looked at."""
LEAST_INKED = 0.9
"""Share of them that show one ink where the nodes are linked; links that cross hide a little of each other."""
REMEMBERED = 64
Links = dict[tuple[str, str], str]


def _draw(random: Random, params: Params) -> dict[str, Any]:
    names = random.sample([name for name in THINGS if len(name) < 8], int(params["nodes"]))
    pairs = list(itertools.combinations(names, 2))
    least = len(names) - 1
    most = min(len(pairs), least + int(params["links"]))
    links = [[a, b, random.choice(list(INKS))] for a, b in random.sample(pairs, random.randint(least, most))]
    return {"names": names, "links": links, "turned": round(random.uniform(0, 1), 3)}


def _places(e: Evidence) -> dict[str, tuple[int, int]]:
    """Nodes on a circle, so that no third one lies between two."""
    n, middle = len(e["names"]), SIDE / 2
    angles = [2 * math.pi * (i + e["turned"]) / n for i in range(n)]
    return {name: (round(middle + RADIUS * math.cos(angle)), round(middle + RADIUS * math.sin(angle)))
            for name, angle in zip(e["names"], angles, strict=True)}  # fmt: skip


def _picture(e: Evidence) -> Media:
    return _drawn(canonical({name: e[name] for name in ("names", "links", "turned")}))


@lru_cache(maxsize=REMEMBERED)
def _drawn(told: str) -> Media:
    from matplotlib import get_data_path
    from PIL import Image, ImageDraw, ImageFont

    e = json.loads(told)
    font = ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), 14)
    image = Image.new("RGB", (SIDE, SIDE), "white")
    pen, at = ImageDraw.Draw(image), _places(e)
    for a, b, ink in e["links"]:
        pen.line((*at[a], *at[b]), INKS[ink], 4)
    for name, (x, y) in at.items():
        pen.ellipse((x - DISC, y - DISC, x + DISC, y + DISC), "black")
        out = 1 + 30 / RADIUS
        place = SIDE / 2 + (x - SIDE / 2) * out, SIDE / 2 + (y - SIDE / 2) * out
        pen.text(place, name, "black", font, anchor="mm")
    file = io.BytesIO()
    image.save(file, "png")
    return Media("png", file.getvalue())


def _seen(e: Evidence, asked: Asked) -> Links:
    """The links in the picture: pairs of nodes between which one ink shows nearly everywhere."""
    import numpy as np
    from PIL import Image

    if asked.media is None:
        raise ValueError("has no picture")
    grid = np.asarray(Image.open(io.BytesIO(asked.media.content)).convert("RGB"), int)
    at, share = _places(e), np.linspace(0.08, 0.92, SAMPLES)
    found: Links = {}
    for a, b in itertools.combinations(e["names"], 2):
        (x, y), (other_x, other_y) = at[a], at[b]
        columns = np.round(x + share * (other_x - x)).astype(int)
        rows = np.round(y + share * (other_y - y)).astype(int)
        shown = np.stack([grid[rows + i, columns + j] for i, j in ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))])
        inked = {
            ink: float((np.abs(shown - np.array(rgb)).max(axis=2) < 30).any(axis=0).mean())
            for ink, rgb in INKS.items()
        }
        best = max(inked, key=inked.__getitem__)
        if inked[best] > LEAST_INKED:
            found[a, b] = best
    return found


def _drawn_links(e: Evidence) -> Links:
    return {(a, b): ink for a, b, ink in e["links"]}


# how many links a node has


def _draw_degree(random: Random, params: Params) -> Evidence:
    diagram = _draw(random, params)
    ink = random.choice(diagram["links"])[2]
    return {**diagram, "name": random.choice(diagram["names"]), "ink": ink if random.random() < 0.5 else "any"}


def _ask_degree(e: Evidence) -> Asked:
    ink = "" if e["ink"] == "any" else f"{e['ink']} "
    return Asked(f"How many {ink}lines end at {e['name']} in the diagram?", media=_picture(e))


def _degree(links: Links, name: str, ink: str) -> int:
    return sum(name in pair and ink in {"any", shown} for pair, shown in links.items())


def _degree_again(e: Evidence, asked: Asked) -> Answer:
    ink, name = re.findall(r"many (?:(\w+) )?lines end at (\w+)", asked.question)[0]
    return _degree(_seen(e, asked), name, ink or "any")


# the fewest links on the way


def _draw_way(random: Random, params: Params) -> Evidence:
    while True:
        diagram = _draw(random, params)
        start, end = random.sample(diagram["names"], 2)
        steps = _steps(_drawn_links(diagram), start, end)
        if steps > 1 or (steps == 1 and random.random() < 0.05):
            return {**diagram, "start": start, "end": end}


def _ask_way(e: Evidence) -> Asked:
    question = f"Along how many lines at least does a way in the diagram lead from {e['start']} to {e['end']}?"
    return Asked(question, media=_picture(e))


def _steps(links: Links, start: str, end: str) -> int:
    """Links on a shortest way, breadth first; 0 where there is none."""
    far, left = {start: 0}, deque([start])
    while left:
        here = left.popleft()
        for pair in links:
            for a, b in (pair, pair[::-1]):
                if a == here and b not in far:
                    far[b] = far[here] + 1
                    left.append(b)
    return far.get(end, 0)


def _way_again(e: Evidence, asked: Asked) -> Answer:
    """Powers of the matrix of links seen: the first that joins both ends."""
    import numpy as np

    start, end = re.findall(r"from (\w+) to (\w+)\?", asked.question)[0]
    names = list(e["names"])
    linked = np.zeros((len(names), len(names)), int)
    for a, b in _seen(e, asked):
        linked[names.index(a), names.index(b)] = linked[names.index(b), names.index(a)] = 1
    power = np.eye(len(names), dtype=int)
    for steps in range(1, len(names)):
        power = np.minimum(power @ linked, 1)
        if power[names.index(start), names.index(end)]:
            return steps
    raise ValueError("there is no way")


# circles of three


def _ask_triangles(e: Evidence) -> Asked:
    return Asked(
        "How many groups of three names in the diagram are all joined to each other by lines?", media=_picture(e)
    )


def _triangles(e: Evidence) -> Answer:
    links = {frozenset(pair) for pair in _drawn_links(e)}
    return sum(
        all(frozenset(pair) in links for pair in itertools.combinations(group, 2))
        for group in itertools.combinations(e["names"], 3)
    )


def _triangles_again(e: Evidence, asked: Asked) -> Answer:
    """A sixth of the trace of the third power of the matrix of links seen."""
    import numpy as np

    names = list(e["names"])
    linked = np.zeros((len(names), len(names)), int)
    for a, b in _seen(e, asked):
        linked[names.index(a), names.index(b)] = linked[names.index(b), names.index(a)] = 1
    return int(np.trace(linked @ linked @ linked)) // 6


def _told(e: Evidence) -> str:
    return ", ".join(f"{a}-{b}: {ink}" for a, b, ink in e["links"])


_DIAGRAM: dict[str, Parameter] = {"nodes": Between(4, 10), "links": Between(1, 14)}
SOURCE = Source(
    Card(
        name="diagrams",
        title="Pictures of networks",
        modality="picture",
        domains=("diagram", "diagrams", "network", "graph", "picture", "image", "visual", "multimodal"),
        data="networks of 4 to 10 named nodes and coloured lines drawn at random; no end to them",
        licence="none needed: generated",
        key="the lines that the picture is drawn from",
        second_key="lines found in the pixels between every two nodes; powers of their matrix",
    ),
    (
        Form("degree", "how many lines end at a node", ("line", "count", "degree", "colour"),
             _DIAGRAM, _draw_degree, _ask_degree, lambda e: _degree(_drawn_links(e), e["name"], e["ink"]),
             _degree_again, opened=_told),
        Form("way", "the fewest lines from one node to another", ("path", "way", "route", "multi-step"),
             _DIAGRAM, _draw_way, _ask_way,
             lambda e: _steps(_drawn_links(e), e["start"], e["end"]), _way_again, opened=_told),
        Form("triangles", "groups of three that are all joined", ("triangle", "group", "multi-step"),
             _DIAGRAM, _draw, _ask_triangles, _triangles, _triangles_again, opened=_told),
    ),
)  # fmt: skip
