"""Reads pictures of text with one installed program, named first: JSON lines in and out.

It runs in the panel's own environment, so it imports nothing of this project. No model is loaded from elsewhere: all of
them come with the packages.
"""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

Read = Callable[[bytes], str]
ReadAll = Callable[[list[bytes]], list[str | None]]
LIMIT_S = 30
LONG_LIMIT_S = 240


def _grey(picture: bytes, folder: str, name: str = "picture") -> Path:
    """The picture as a file of a kind that every program reads."""
    from PIL import Image

    path = Path(folder) / f"{name}.pgm"
    Image.open(io.BytesIO(picture)).convert("L").save(path)
    return path


def _said(command: list[str], limit_s: float = LIMIT_S) -> str:
    done = subprocess.run(command, capture_output=True, timeout=limit_s, check=True)  # noqa: S603
    return done.stdout.decode("utf-8", "replace")


def _program(command: list[str], picture: bytes) -> str:
    """A program of the operating system that is given a file and prints what it reads; PICTURE stands for the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = _grey(picture, folder)
        return _said([str(path) if part == "PICTURE" else part for part in command])


def tesseract(mode: str) -> ReadAll:
    """Tesseract's network for English, with one mode of page segmentation; loaded once for all pictures."""
    command = ["tesseract", "LIST", "-", "--psm", mode, "--dpi", "150", "-l", "eng", "-c", "page_separator=\f"]

    def read(pictures: list[bytes]) -> list[str | None]:
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(_grey(picture, folder, str(i))) for i, picture in enumerate(pictures)]
            names = Path(folder) / "list.txt"
            names.write_text("\n".join(paths) + "\n")
            said = _said([str(names) if part == "LIST" else part for part in command], LONG_LIMIT_S)
        pages = said.split("\f")[: len(pictures)]
        if len(pages) != len(pictures):
            raise RuntimeError(f"{len(pages)} pages of {len(pictures)}")
        return [" ".join(page.split()) for page in pages]

    return read


def gocr() -> Read:
    """GOCR, which compares shapes by rules."""
    return partial(_program, ["gocr", "-i", "PICTURE"])


def ocrad() -> Read:
    """GNU Ocrad, which extracts features of shapes."""
    return partial(_program, ["ocrad", "--charset=ascii", "PICTURE"])


def _pixels(picture: bytes) -> Any:
    import numpy
    from PIL import Image

    return numpy.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))[:, :, ::-1].copy()


def rapidocr_v4(*, line: bool = False) -> Read:
    """PP-OCRv4; ``line`` leaves out the search for text and takes the whole picture as one line."""
    from rapidocr_onnxruntime import RapidOCR

    program = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1, det_limit_type="max", det_limit_side_len=960)

    def read(picture: bytes) -> str:
        if line:
            found, _ = program(_pixels(picture), use_det=False, use_cls=False, use_rec=True)
            return " ".join(row[0] for row in found or [])
        found, _ = program(_pixels(picture))
        return " ".join(row[1] for row in found or [])

    return read


def rapidocr_v6(*, line: bool = False) -> Read:
    """PP-OCRv6, small; ``line`` as above."""
    from rapidocr import RapidOCR

    program = RapidOCR(params={
        "EngineConfig.onnxruntime.intra_op_num_threads": 1, "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "Det.limit_type": "max", "Det.limit_side_len": 960, "Global.log_level": "critical",
    })  # fmt: skip

    def read(picture: bytes) -> str:
        how = {"use_det": False, "use_cls": False, "use_rec": True} if line else {}
        return " ".join(program(_pixels(picture), **how).txts or ())

    return read


def ddddocr() -> Read:
    """A reader of short codes."""
    from ddddocr import DdddOcr

    program = DdddOcr(show_ad=False)
    return lambda picture: str(program.classification(picture))


ALL_AT_ONCE: dict[str, Callable[[], ReadAll]] = {
    f"tesseract_{mode}": partial(tesseract, mode) for mode in ("6", "7", "11")
}
SYSTEMS: dict[str, Callable[[], Read]] = {
    "gocr": gocr,
    "ocrad": ocrad,
    "rapidocr_v4": rapidocr_v4,
    "rapidocr_v4_line": partial(rapidocr_v4, line=True),
    "rapidocr_v6": rapidocr_v6,
    "rapidocr_v6_line": partial(rapidocr_v6, line=True),
    "ddddocr": ddddocr,
}


def main() -> None:
    """A line of items in, a line of answers out, until the input ends; a picture that a program cannot read has none."""
    out, sys.stdout = sys.stdout, sys.stderr  # some programs greet
    name = sys.argv[1]
    read_all = ALL_AT_ONCE[name]() if name in ALL_AT_ONCE else partial(_one_by_one, SYSTEMS[name]())
    for line in sys.stdin:
        out.write(json.dumps(read_all([base64.b64decode(item["media"]) for item in json.loads(line)])) + "\n")
        out.flush()


def _one_by_one(read: Read, pictures: list[bytes]) -> list[str | None]:
    return [_or_none(read, picture) for picture in pictures]


def _or_none(read: Read, picture: bytes) -> str | None:
    try:
        return " ".join(read(picture).split())
    except Exception:  # whatever a program raises on a picture without text
        return None


if __name__ == "__main__":
    main()
