"""Writes the names that the source ``languages`` asks about, from the CLDR as Babel packages it."""

from __future__ import annotations

import json
from pathlib import Path

from babel import Locale, __version__

from auto_benchmark.construction.sources.languages import CODES, DATA

LEAST_LETTERS = 4


def names(code: str) -> dict[str, list[str]]:
    """Names of countries and of languages in one language, letters and single spaces only."""
    locale = Locale.parse(code)
    countries = [name for key, name in locale.territories.items() if len(key) == 2 and key not in {"ZZ", "XA", "XB"}]
    tongues = [name for key, name in locale.languages.items() if "_" not in key]
    return {"countries": _plain(countries), "languages": _plain(tongues)}


def _plain(found: list[str]) -> list[str]:
    kept = {name for name in found if len(name) >= LEAST_LETTERS and name.replace(" ", "").isalpha()}
    return sorted(kept)


def write(path: Path = DATA) -> None:
    """All languages in one file."""
    about = f"Names from the Unicode CLDR (Unicode License v3, copyright Unicode, Inc.), by Babel {__version__}"
    table = {"about": about, "names": {code: names(code) for code in CODES}}
    path.write_text(json.dumps(table, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
