"""Find the column that names the systems where none is declared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from auto_benchmark.tables.columns import levels, loosest
from auto_benchmark.tables.naming import name_of
from auto_benchmark.tables.score_cell import read_score_cell
from auto_benchmark.tables.table import KEY_COLUMN, Table

_STRONG = """
    model models modelname modelid modelkey system systems systemname method methods methodname agent agents agentname
    submission submissionname entry competitor algorithm approach solution
"""
_FAIR = """
    name team teamname participant user username description title architecture network detector displayname
    fullname bot player program contestant author baseline run technique variant
"""
_WEAK = "id policy label key uid uuid slug"
STRONG = frozenset(_STRONG.split())
FAIR = frozenset(_FAIR.split())
WEAK = frozenset(_WEAK.split())
NEVER = re.compile(
    r"(?i)\b(url|uri|link|links|paper|code|github|repo|date|time|license|licence|organi[sz]ation|org|affiliation|"
    r"institution|company|venue|source|logo|site|website|homepage|rank|ranking|#|no|position|year|notes?|comments?|"
    r"size|params|parameters|hash|commit|contributors?|authors?|dirname|folder|command|logs?|trajs?|type|category)\b"
)
_URL = re.compile(r"(?i)^(https?://|www\.|s3://|/|\.{1,2}/)")
_DATE = re.compile(r"^\d{4}-\d{1,2}(-\d{1,2})?|^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}$")
_SAMPLE = 400
LONGEST_NAME = 150
"""Characters; longer texts are descriptions."""


def guess_system_column(table: Table, score_column: int) -> tuple[int | None, float]:
    """The most name-like column and how clearly it won (0 to 1); None when nothing looks like names.

    Names are texts, mostly distinct, seldom numbers, dates or addresses, under a header such as *Model*, and rather
    left than right.
    """
    marks = sorted(((_likeness(table, i), -i) for i in range(len(table.columns)) if i != score_column), reverse=True)
    marks = [m for m in marks if m[0] > 0]
    if not marks:
        return None, 0.0
    best, index = marks[0]
    if _header_weight(table.columns[-index]) < 3 and any(
        _numbered(table, i) for i in range(len(table.columns)) if i not in (score_column, -index)
    ):
        return None, 0.0
    second = marks[1][0] if len(marks) > 1 else 0.0
    return -index, round(min(1.0, best / 4.0) * (1.0 - 0.5 * second / best), 2)


def _numbered(table: Table, index: int) -> bool:
    """A column called *Model* whose names are numbers: nothing else may take its place unasked."""
    if _header_weight(table.columns[index]) < 3:
        return False
    names = [name_of(cell) for cell in table.column(index)[:_SAMPLE]]
    return all(names) and len(set(names)) == len(names)


def _likeness(table: Table, index: int) -> float:
    cells = table.column(index)[:_SAMPLE]
    names = [name_of(cell) for cell in cells]
    filled = [n for n in names if n]
    if len(filled) < 0.8 * len(names) or not filled:
        return 0.0
    texts = _share(filled, _like_a_name)
    if texts < 0.5 or any(isinstance(c, list | dict) for c in cells):
        return 0.0
    distinct = len(set(filled)) / len(filled)
    header = table.columns[index]
    return _header_weight(header) + 1.5 * distinct + texts + 0.4 * (1 - index / max(1, len(table.columns)))


def _like_a_name(text: str) -> bool:
    if len(text) > LONGEST_NAME or text[0] in "{[":
        return False
    return not (_is_number(text) or _URL.match(text) or _DATE.match(text))


def _header_weight(header: str) -> float:
    if header == KEY_COLUMN:
        return 3.0
    parts = levels(header) or ("",)
    word = loosest(parts[-1].rsplit(".", 1)[-1])
    if word in STRONG:
        return 3.0
    if word in FAIR:
        return 1.8
    if word in WEAK:
        return 1.2
    if NEVER.search(header.replace("_", " ").replace(".", " ")):
        return -1.5
    if any(w.rstrip("s") in {"model", "method", "system", "agent"} for w in re.split(r"[\W_]+", header.lower())):
        return 1.5
    return 0.4 if not header.strip() else 0.0


def _share(values: Sequence[str], test: Any) -> float:
    return sum(1 for v in values if test(v)) / len(values)


def _is_number(text: str) -> bool:
    cell = read_score_cell(text)
    return bool(cell.parts) and not cell.problem and not (cell.unit and cell.unit != "%")
