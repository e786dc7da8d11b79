"""Pictures of printed tables, turned, faint, blurred and noisy: their cells are the key, read again by their glyphs."""

from __future__ import annotations

import io
import json
import math
import re
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from auto_benchmark.construction.dressing import THINGS
from auto_benchmark.construction.item import Answer, Asked, Evidence, Media, Params, canonical
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Parameter, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.ImageFont import FreeTypeFont

    Grid = NDArray[np.float64]

FONTS = {
    "plain": "DejaVuSansMono.ttf", "bold": "DejaVuSansMono-Bold.ttf", "oblique": "DejaVuSansMono-Oblique.ttf",
    "slanted bold": "DejaVuSansMono-BoldOblique.ttf",
}  # fmt: skip
"""Fonts of one width, which matplotlib ships."""
SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 "
MARGIN, PAPER = 24, 240
COLUMNS = ("thing", "price", "stock", "sold")
WIDE = 11
"""Characters of a column of a table, the gap included."""
REMEMBERED = 64
"""Pictures kept, since an item's is asked for when it is made and again when it is verified."""


def _look(random: Random, params: Params) -> dict[str, Any]:
    """How a page is printed and what became of it."""
    return {
        "font": str(params["font"]), "size": 26 - 2 * int(params["smallness"]),
        "turn": random.choice((-1, 1)) * int(params["turn"]),
        "ink": 20 + 18 * int(params["faintness"]), "blur": round(0.22 * int(params["blur"]), 2),
        "noise": 6 * int(params["noise"]), "noise_seed": random.randrange(2**31),
    }  # fmt: skip


@lru_cache(maxsize=REMEMBERED)
def _font(name: str, size: int) -> FreeTypeFont:
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / FONTS[name]), size)


def _cell(font: str, size: int) -> tuple[int, int]:
    """Width and height of the place of one character, in pixels."""
    return round(_font(font, size).getlength("0")) + 1, round(1.5 * size)


def _slack(turn: int, width: int) -> int:
    """Pixels above and below the lines, so that a turned one does not leave the page."""
    return round(abs(math.sin(math.radians(turn))) * width / 2) + 4


def _picture(e: Evidence) -> Media:
    return _drawn(
        canonical({k: e[k] for k in ("lines", "font", "size", "turn", "ink", "blur", "noise", "noise_seed")})
    )


@lru_cache(maxsize=REMEMBERED)
def _drawn(told: str) -> Media:
    import numpy as np
    from PIL import Image, ImageDraw, ImageFilter

    e = json.loads(told)
    wide, high = _cell(e["font"], e["size"])
    lines = e["lines"]
    longest = max(map(len, lines))
    slack = _slack(e["turn"], wide * longest)
    size = 2 * MARGIN + wide * longest, 2 * (MARGIN + slack) + high * len(lines)
    page = Image.new("L", size, PAPER)
    pen, font = ImageDraw.Draw(page), _font(e["font"], e["size"])
    for row, line in enumerate(lines):
        for at, sign in enumerate(line):
            pen.text((MARGIN + at * wide, MARGIN + slack + row * high), sign, e["ink"], font)
    page = page.rotate(e["turn"], Image.Resampling.BICUBIC, fillcolor=PAPER)
    page = page.filter(ImageFilter.GaussianBlur(e["blur"]))
    noise = np.random.default_rng(e["noise_seed"]).normal(0, e["noise"], (size[1], size[0]))
    grey = np.clip(np.round(np.asarray(page, np.float64) + noise), 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(grey).save(file, "png")
    return Media("png", file.getvalue())


@lru_cache(maxsize=REMEMBERED)
def _glyphs(font: str, size: int, turn: int, blur: float, ink: int) -> Grid:
    """(signs, height, width) as they look on paper that was turned, blurred and turned back."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFilter

    wide, high = _cell(font, size)
    found = []
    for sign in SIGNS:
        tile = Image.new("L", (3 * wide, 3 * high), PAPER)
        ImageDraw.Draw(tile).text((wide, high), sign, ink, _font(font, size))
        tile = tile.rotate(turn, Image.Resampling.BICUBIC, fillcolor=PAPER).filter(ImageFilter.GaussianBlur(blur))
        back = tile.rotate(-turn, Image.Resampling.BICUBIC, fillcolor=PAPER)
        found.append(np.asarray(back, np.float64)[high : 2 * high, wide : 2 * wide])
    return np.array(found)


def _read(e: Evidence, asked: Asked) -> list[str]:
    """The lines in the picture: turned back, each place is the sign whose glyph is nearest in least squares."""
    import numpy as np
    from PIL import Image

    if asked.media is None:
        raise ValueError("has no picture")
    page = Image.open(io.BytesIO(asked.media.content))
    grey = np.asarray(page.rotate(-e["turn"], Image.Resampling.BICUBIC, fillcolor=PAPER), np.float64)
    wide, high = _cell(e["font"], e["size"])
    glyphs = _glyphs(e["font"], e["size"], e["turn"], e["blur"], e["ink"])
    columns = (grey.shape[1] - 2 * MARGIN) // wide
    slack = _slack(e["turn"], grey.shape[1] - 2 * MARGIN)
    rows = (grey.shape[0] - 2 * (MARGIN + slack)) // high
    found = []
    for row in range(rows):
        top, line = MARGIN + slack + row * high, ""
        for at in range(columns):
            left = MARGIN + at * wide
            tile = grey[top : top + high, left : left + wide]
            line += SIGNS[int(((glyphs - tile) ** 2).sum(axis=(1, 2)).argmin())]
        found.append(line.rstrip())
    return found


# a table to be read


def _draw_table(random: Random, params: Params) -> dict[str, Any]:
    names = random.sample([name for name in THINGS if len(name) < WIDE - 1], int(params["rows"]))
    rows = [[name, *(str(random.randint(2, 399)) for _ in COLUMNS[1:])] for name in names]
    lines = ["".join(cell.ljust(WIDE) for cell in row).rstrip() for row in [list(COLUMNS), *rows]]
    return {**_look(random, params), "lines": lines, "column": random.choice(COLUMNS[1:])}


def _cells(lines: list[str]) -> dict[str, dict[str, int]]:
    head, *rows = (line.split() for line in lines)
    return {row[0]: {name: int(cell) for name, cell in zip(head[1:], row[1:], strict=True)} for row in rows}


def _draw_cell(random: Random, params: Params) -> Evidence:
    table = _draw_table(random, params)
    return {**table, "name": random.choice(table["lines"][1:]).split()[0]}


def _ask_cell(e: Evidence) -> Asked:
    return Asked(
        f"In the table in the picture, what number stands under {e['column']} for {e['name']}?", media=_picture(e)
    )


def _cell_again(e: Evidence, asked: Asked) -> Answer:
    column, name = re.findall(r"under (\w+) for (\w+)\?", asked.question)[0]
    return _cells(_read(e, asked))[name][column]


def _ask_total(e: Evidence) -> Asked:
    return Asked(f"What do the numbers under {e['column']} in the table in the picture add up to?", media=_picture(e))


def _total(lines: list[str], column: str) -> Answer:
    return sum(row[column] for row in _cells(lines).values())


def _ask_most(e: Evidence) -> Asked:
    names = tuple(line.split()[0] for line in e["lines"][1:])
    question = f"For which thing in the table in the picture is the number under {e['column']} the largest?"
    return Asked(question, options=names, media=_picture(e))


def _most(lines: list[str], column: str) -> Answer:
    rows = _cells(lines)
    return max(rows, key=lambda name: rows[name][column])


def _draw_most(random: Random, params: Params) -> Evidence:
    while True:
        table = _draw_table(random, params)
        values = [row[table["column"]] for row in _cells(table["lines"]).values()]
        if values.count(max(values)) == 1:
            return table


def _plain(e: Evidence) -> str:
    return "\n".join(e["lines"])


_LOOK: dict[str, Parameter] = {
    "smallness": Between(0, 4), "turn": Between(0, 8), "blur": Between(0, 4), "noise": Between(0, 6),
    "faintness": Between(0, 5), "font": OneOf(tuple(FONTS)),
}  # fmt: skip
SOURCE = Source(
    Card(
        name="sheets",
        title="Pictures of degraded tables",
        modality="picture",
        domains=("sheet", "sheets", "table", "tables", "picture", "image", "multimodal", "ledger"),
        data="tables of two to eight things with three numbers each drawn at random, in four fonts; no end to them",
        licence="none needed: generated (DejaVu fonts, drawn only)",
        key="the table that the picture is drawn from",
        second_key="the picture turned back, each place read as the nearest glyph in least squares",
    ),
    (
        Form("cell", "a number looked up in a table", ("table", "cell", "lookup", "number"),
             {"rows": Between(2, 8), **_LOOK}, _draw_cell, _ask_cell,
             lambda e: _cells(e["lines"])[e["name"]][e["column"]], _cell_again, opened=_plain),
        Form("most", "the row with the largest number of a column", ("table", "largest", "most", "compare"),
             {"rows": Between(2, 8), **_LOOK}, _draw_most, _ask_most,
             lambda e: _most(e["lines"], e["column"]), lambda e, a: _most(_read(e, a), e["column"]), opened=_plain),
        Form("total", "the sum of a column of a table", ("table", "sum", "total", "multi-step"),
             {"rows": Between(2, 8), **_LOOK}, _draw_table, _ask_total,
             lambda e: _total(e["lines"], e["column"]), lambda e, a: _total(_read(e, a), e["column"]), opened=_plain),
    ),
)  # fmt: skip
