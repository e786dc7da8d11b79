"""HTML leaderboards: this reader against ``pandas.read_html``, time and rightness side by side, in one run.

    PYTHONPATH=include:plugins python perf/html_against_pandas.py DIRECTORY [--repeat 5]

DIRECTORY holds ``answers.yaml`` (file, selector ``table N …``, metric, top3, n_entries) and its HTML documents. For
pandas the usual code is run: the N-th table, the header's levels joined, the named columns, numbers coerced, sorted.
"""

from __future__ import annotations

import argparse
import io
import re
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board

Ranking = list[tuple[str, float]]


def spec_of(key: dict[str, Any], table: int) -> Leaderboard:
    """The board as the registry holds it; read once, not with every page."""
    return Leaderboard.model_validate(
        {
            "name": "B",
            "url": "x",
            "scrape_method": "html_table",
            "primary_metric": key["metric"],
            "higher_is_better": key["higher_is_better"],
            "locate": {"table": table},
            "columns": {"system": "Model", "score": key["metric"]},
            "exclude": {"rows": "^Human"},
        }
    )


def ours(content: bytes, spec: Leaderboard) -> Ranking:
    return [(e.system, e.score or 0.0) for e in read_board(content, spec, source="x").entries]


def with_pandas(content: bytes, key: dict[str, Any], table: int) -> Ranking:
    frame = pd.read_html(io.StringIO(content.decode()), flavor="lxml")[table - 1]
    if isinstance(frame.columns, pd.MultiIndex):
        frame.columns = [" / ".join(dict.fromkeys(map(str, levels))) for levels in frame.columns]
    frame[key["metric"]] = pd.to_numeric(frame[key["metric"]], errors="coerce")
    frame = frame.dropna(subset=[key["metric"]]).sort_values(key["metric"], ascending=not key["higher_is_better"])
    frame = frame[~frame["Model"].astype(str).str.startswith("Human")]
    return list(zip(frame["Model"].astype(str), frame[key["metric"]], strict=True))


def right(ranking: Ranking, key: dict[str, Any]) -> bool:
    def norm(name: str) -> str:
        return re.sub(r"\W", "", name.lower())

    want = [(norm(t["name"]), t["score"]) for t in key["top3"]]
    got = [(norm(name), score) for name, score in ranking[:3]]
    return len(ranking) == key["n_entries"] and got == want


def in_turn(calls: list[Callable[[], Ranking]], repeat: int, key: dict[str, Any]) -> list[tuple[float, bool]]:
    """Least processor time of each call, and whether it was right. They take turns, so that a busy machine hits all."""
    best, rankings = [float("inf")] * len(calls), [Ranking()] * len(calls)
    for _ in range(repeat):
        for i, read in enumerate(calls):
            started = time.process_time()
            try:
                rankings[i] = read()
            except Exception as error:  # a reader that raises is wrong, not fast
                print(f"    reader {i + 1}: {type(error).__name__}: {error}"[:160])
                best[i] = float("nan")
                continue
            best[i] = min(best[i], time.process_time() - started)
    return [(seconds, right(ranking, key)) for seconds, ranking in zip(best, rankings, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'document / metric':<44} {'ours ms':>9} {'right':>6} {'pandas ms':>10} {'right':>6} {'faster':>7}")
    for key in yaml.safe_load((given.directory / "answers.yaml").read_text()):
        if key["method"] != "html_table":
            continue
        table = int(re.search(r"table (\d+)", key["selector"]).group(1))
        content = (given.directory / key["file"]).read_bytes()
        spec = spec_of(key, table)
        calls = [partial(ours, content, spec), partial(with_pandas, content, key, table)]
        (mine, ok), (theirs, theirs_ok) = in_turn(calls, given.repeat, key)
        name = f"{key['file']} #{table} / {key['metric']}"
        print(
            f"{name:<44} {mine * 1e3:>9.1f} {ok!s:>6} {theirs * 1e3:>10.1f} {theirs_ok!s:>6} {theirs / mine:>6.1f}x"
        )


if __name__ == "__main__":
    main()
