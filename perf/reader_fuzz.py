"""Odd documents for the readers of boards, each with a budget of work: no crash, no hang.

    PYTHONPATH=include:plugins python perf/reader_fuzz.py [--documents 10000] [--first 0]

A document is a healthy one of some format with endless beginnings, rubbish and cuts strewn in, all drawn from its seed. A
reader may read it or refuse it; anything else is a fault. So is CPU time beyond the budget, which grows with the document
only linearly.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board

FREE_S, S_PER_KB = 0.5, 0.01
"""Work that any document may take, and what each kilobyte adds."""
LONGEST_RUN = 4000
DOCUMENTS_IN_ACCEPTANCE = 10_000
HEALTHY = {
    "html_table": "<html><body><table><tr><th>system<th>accuracy</tr><tr><td>a<td>0.5</tr><tr><td>b<td>0.4</tr></table>",
    "markdown": "# Board\n\n| system | accuracy |\n|---|---|\n| a | 0.5 |\n| b | 0.4 |\n",
    "csv": "system,accuracy\na,0.5\nb,0.4\n",
    "api": '[{"system": "a", "accuracy": 0.5}, {"system": "b", "accuracy": 0.4}]',
    "yaml": "- system: a\n  accuracy: 0.5\n- system: b\n  accuracy: 0.4\n",
    "rss": '<rss version="2.0"><channel><title>x</title><item><title>a</title>'
    "<accuracy>0.5</accuracy></item></channel></rss>",
}
RUNS = (
    "[a](", "[", "](", "![", "~~a ", "<s>", "<sup>", "a<sup>", "<!--", "&lt;!--", "**a ", "__a ", "`", "`a``",
    " ", "\t", "\n", "|", "|-", "\\", "(", "{", "}", '"', "'", "0.5 (", "1,", "a.", "/*", "//", "[]", "{}",
    "[[],", "&a ", "*a ", "†", "*", "é*", "^(1)", "[1]", "🥇", "<td colspan=1000>", "<td rowspan=9>", "<table>",
    "<tr>", "<td>", "<div>", "<b x=1>", "<p>", "</p>", "<ul><li>", "# ", "- ", "x=[", "x=[/*", "f(", "\u2028",
    "\0", "\ufffd", "&#9", "9", "±", "\\ud83e", "<a href=", "- - ",
)  # fmt: skip


def document(seed: int) -> tuple[str, str]:
    """How to read the document of a seed, and its text."""
    draw = random.Random(seed)
    method = draw.choice(sorted(HEALTHY))
    text = HEALTHY[method]
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(text) + 1)
        kind = draw.random()
        if kind < 0.7:
            run = draw.choice(RUNS) * draw.randint(1, LONGEST_RUN)
            text = text[:at] + run[:LONGEST_RUN] + text[at:]
        elif kind < 0.85:
            text = (
                text[:at] + "".join(chr(draw.randrange(1, 0x3000)) for _ in range(draw.randint(1, 200))) + text[at:]
            )
        else:
            text = text[:at] + text[draw.randrange(len(text) + 1) :]
    return draw.choice((method, method, "auto")), text


def fault_of(seed: int) -> str | None:
    """What is wrong with reading the document of a seed; None where it was read or refused in time."""
    method, text = document(seed)
    declared = {"name": "B", "scrape_method": method, "primary_metric": "accuracy", "url": "http://x/"}
    spec = Leaderboard.model_validate({**declared, "higher_is_better": True})
    content = text.encode("utf-8", "replace")
    began = time.process_time()
    try:
        read_board(content, spec, source="document")
    except AutoBenchmarkError:
        pass
    except Exception as error:  # the fault that is looked for
        return f"seed {seed} ({method}): {type(error).__name__}: {str(error)[:120]}"
    took, allowed = time.process_time() - began, FREE_S + S_PER_KB * len(content) / 1024
    return f"seed {seed} ({method}): {took:.2f} s for {len(content)} bytes" if took > allowed else None


def faults(seeds: Iterable[int]) -> dict[str, Any]:
    """How many documents were tried, and every fault."""
    tried: Counter[str] = Counter()
    found = []
    for seed in seeds:
        tried["documents"] += 1
        fault = fault_of(seed)
        if fault is not None:
            found.append(fault)
    return {"documents": tried["documents"], "faults": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=DOCUMENTS_IN_ACCEPTANCE)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    told = faults(range(given.first, given.first + given.documents))
    print(json.dumps(told, indent=1))
    raise SystemExit(bool(told["faults"]))


if __name__ == "__main__":
    main()
