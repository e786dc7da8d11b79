"""Pictures of printed lines, turned, noisy, small or pale: the text is the key, and it is read again from the pixels.

The second reading knows typeface, size, angle and place of the line, which no recogniser is given, and finds the text whose
letters differ least from the picture, by dynamic programming over columns (Kopec & Chou 1994).
"""

from __future__ import annotations

import io
import json
import string
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from auto_benchmark.construction.dressing import COLOURS, scene
from auto_benchmark.construction.item import Answer, Asked, Evidence, Media, Params, canonical
from auto_benchmark.construction.source import Between, Card, Form, Parameter, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import ImageFont

    Picture = NDArray[np.float64]

FACES = {"sans": "DejaVuSans.ttf", "serif": "DejaVuSerif.ttf", "mono": "DejaVuSansMono.ttf"}
"""The typefaces that Matplotlib ships, so that a picture is the same on every machine."""
HEIGHTS = (32, 24, 18, 14)
"""Height of the letters in pixels, by ``smallness``."""
ANGLES = (0, 3, 7, 12)
"""Degrees by which the line is turned to one side or the other, by ``turn``."""
GRAINS = (0.0, 0.1, 0.2, 0.3)
"""Standard deviation of the noise as a share of the distance between ink and paper, by ``noise``."""
INKS = (200, 100, 40)
"""Distance between ink and paper, of 255, by ``paleness``."""
PAPER = 225
"""Below white, so that noise is cut off on neither side."""
MARGIN = 12
UNLIKE = "ABCDEFGHJKMNPQRTUVWXYZ2346789"
"""Letters and digits that a careful reader tells apart in every one of the typefaces."""
ALPHABETS = {
    "sentence": string.ascii_letters + " .,", "code": UNLIKE + "-", "entry": string.ascii_lowercase + string.digits + " ./:",
}  # fmt: skip
QUESTION = "What is printed in the picture? Write down the whole line, letter by letter."
REMEMBERED = 64
TRIES = 10
"""Prints of one line until one can be read by who knows its geometry; noise hides a letter for good now and then."""


@cache
def _font(face: str, height: int) -> ImageFont.FreeTypeFont:
    import matplotlib
    from PIL import ImageFont as Fonts

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return Fonts.truetype(folder / FACES[face], height, layout_engine=Fonts.Layout.BASIC)


@cache
def _glyph(face: str, height: int, letter: str) -> Picture:
    """How much of each pixel the letter covers, in a cell as wide as it takes up in a line."""
    import numpy as np
    from PIL import Image, ImageDraw

    font = _font(face, height)
    cell = Image.new("L", (max(1, round(font.getlength(letter))), _line_height(height)))
    ImageDraw.Draw(cell).text((0, 0), letter, fill=255, font=font)
    return np.asarray(cell, float) / 255


def _line_height(height: int) -> int:
    return round(1.3 * height)


def _line(face: str, height: int, text: str) -> Picture:
    import numpy as np

    return np.concatenate([_glyph(face, height, letter) for letter in text], axis=1)


def _turned(cover: Picture, angle: float) -> Picture:
    import numpy as np
    from PIL import Image

    whole = Image.fromarray(np.round(255 * cover).astype("uint8"))
    return np.asarray(whole.rotate(angle, Image.Resampling.BICUBIC, expand=True), float) / 255


def _printed(e: Evidence) -> Media:
    shown = ("text", "face", "height", "angle", "noise", "ink", "grain_seed")
    return _drawn(canonical({name: e[name] for name in shown}))


@lru_cache(maxsize=REMEMBERED)
def _drawn(told: str) -> Media:
    import numpy as np
    from PIL import Image

    e = json.loads(told)
    cover = np.pad(_line(e["face"], e["height"], e["text"]), MARGIN)
    cover = _turned(cover, e["angle"]) if e["angle"] else cover
    grain = np.random.default_rng(e["grain_seed"]).normal(0, e["noise"], cover.shape)
    pixels = np.clip(np.round(PAPER - e["ink"] * (cover + grain)), 0, 255).astype("uint8")
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="png")
    return Media("png", file.getvalue())


def _upright(e: Evidence, asked: Asked) -> Picture:
    """The line alone, turned back, as how much of each pixel is covered."""
    import numpy as np
    from PIL import Image

    if asked.media is None:
        raise ValueError("has no picture")
    with Image.open(io.BytesIO(asked.media.content)) as picture:
        cover = (PAPER - np.asarray(picture.convert("L"), float)) / e["ink"]
    if e["angle"]:
        grey = Image.fromarray(cover.astype("float32"))
        cover = np.asarray(grey.rotate(-e["angle"], Image.Resampling.BICUBIC, expand=False), float)
    top = (cover.shape[0] - _line_height(e["height"])) // 2
    return np.asarray(cover[top : top + _line_height(e["height"])])


def _read(e: Evidence, asked: Asked) -> Answer:
    """The text that explains the pixels best; raises ValueError where there is none."""
    import numpy as np

    line = _upright(e, asked)
    wide = e["wide"]
    left = (line.shape[1] - wide) // 2
    line = line[:, left : left + wide]
    least = np.full(wide + 1, np.inf)
    least[0] = 0.0
    came: list[tuple[int, str]] = [(-1, "")] * (wide + 1)
    glyphs = {letter: _glyph(e["face"], e["height"], letter) for letter in ALPHABETS[e["alphabet"]]}
    error = {letter: _differences(line, glyph) for letter, glyph in glyphs.items()}
    for x in range(wide):
        if not np.isfinite(least[x]):
            continue
        for letter, glyph in glyphs.items():
            end = x + glyph.shape[1]
            if end <= wide and (cost := least[x] + error[letter][x]) < least[end]:
                least[end], came[end] = cost, (x, letter)
    if not np.isfinite(least[wide]):
        raise ValueError("no text is as wide as the line")
    found, x = "", wide
    while x:
        x, letter = came[x]
        found = letter + found
    return found.strip()


def _differences(line: Picture, glyph: Picture) -> Picture:
    """Sum of squared differences to the letter at every column where it fits."""
    import numpy as np

    if glyph.shape[1] > line.shape[1]:
        return np.full(line.shape[1], np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(line, glyph.shape[1], axis=1)
    return np.asarray(((windows - glyph[:, None, :]) ** 2).sum(axis=(0, 2)))


def _draw(random: Random, params: Params, alphabet: str, text: str) -> Evidence:
    face, height = random.choice(list(FACES)), HEIGHTS[int(params["smallness"])]
    evidence = {
        "text": text, "alphabet": alphabet, "face": face, "height": height,
        "wide": sum(_glyph(face, height, letter).shape[1] for letter in text),
        "angle": random.choice((-1, 1)) * ANGLES[int(params["turn"])], "noise": GRAINS[int(params["noise"])],
        "ink": INKS[int(params["paleness"])], "grain_seed": random.randrange(2**31),
    }  # fmt: skip
    for _ in range(TRIES):
        if _read(evidence, Asked(QUESTION, media=_printed(evidence))) == text:
            break
        evidence["grain_seed"] = random.randrange(2**31)
    return evidence


def _draw_sentence(random: Random, params: Params) -> Evidence:
    said = scene(random)
    other = scene(random)
    text = random.choice((
        f"The {said['trade']} left {random.choice(COLOURS)} {said['thing']} at the {said['place']}.",
        f"The {said['trade']} and the {other['trade']} met in the {said['place']}.",
        f"No {said['thing']} were in the {said['place']}, only {other['thing']}.",
    ))  # fmt: skip
    return _draw(random, params, "sentence", text)


def _draw_code(random: Random, params: Params) -> Evidence:
    groups = ("".join(random.choice(UNLIKE) for _ in range(random.randint(3, 5))) for _ in range(3))
    return _draw(random, params, "code", "-".join(groups))


def _draw_entry(random: Random, params: Params) -> Evidence:
    said = scene(random)
    text = (
        f"{random.randint(1, 28):02d}/{random.randint(1, 12):02d}/{random.randint(1900, 2030)} "
        f"{said['thing']}: {random.randint(1, 999)} x {random.randint(1, 99)}.{random.randint(0, 99):02d}"
    )
    return _draw(random, params, "entry", text)


def _ask(e: Evidence) -> Asked:
    return Asked(QUESTION, media=_printed(e))


def _key(e: Evidence) -> Answer:
    return str(e["text"])


_PARAMETERS: dict[str, Parameter] = {
    "smallness": Between(0, len(HEIGHTS) - 1), "turn": Between(0, len(ANGLES) - 1),
    "noise": Between(0, len(GRAINS) - 1), "paleness": Between(0, len(INKS) - 1),
}  # fmt: skip


def _form(name: str, about: str, topics: tuple[str, ...], draw: Any) -> Form:
    return Form(name, about, topics, _PARAMETERS, draw, _ask, _key, _read)


SOURCE = Source(
    Card(
        name="scans",
        title="Pictures of printed lines",
        modality="picture",
        domains=("scan", "scans", "ocr", "optical", "recognition"),
        data="sentences, codes and entries of a ledger, in three typefaces; no end to them",
        licence="as this project; typefaces are DejaVu, under their own free licence",
        key="the text that was printed",
        second_key="the text whose letters explain the picture's pixels best, with typeface, size and place known",
    ),
    (
        _form("sentences", "the words of a printed sentence", ("sentence", "word", "text", "prose"), _draw_sentence),
        _form("codes", "a printed code of letters and digits", ("code", "serial", "label", "plate"), _draw_code),
        _form(
            "entries", "date, thing and amounts of an entry", ("entry", "ledger", "invoice", "receipt"), _draw_entry
        ),
    ),
)
