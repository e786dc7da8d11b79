"""Real documents as their owners publish them. Skipped where the corpus is absent; nothing of it is kept here."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from auto_benchmark.documents import load
from auto_benchmark.leaderboards.history import History
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.sources.replay import replay_directory
from auto_benchmark.tables.refusal import ReadRefused

SHARED = Path(__file__).parents[4] / "shared"
CORPUS = SHARED / "corpus" / "leaderboards"
HISTORIES = Path(__file__).parents[2] / "histories"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus at {CORPUS}")
ONLY_WE_READ = {"2016-08-23.html", "2016-10-09.html"}
"""Pages with tables of one and four rows, which the key leaves out as too small."""


def norm(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "", name.lower())


@cache
def replay(series: str) -> History:
    return replay_directory(CORPUS / "history" / series, load(Leaderboard, HISTORIES / f"{series}.yaml"))


@pytest.fixture(scope="module")
def scorer() -> Any:
    module = importlib.util.spec_from_file_location("score", SHARED / "tools" / "score_leaderboards.py")
    assert module
    assert module.loader
    loaded = importlib.util.module_from_spec(module)
    module.loader.exec_module(loaded)
    return loaded


def difference(key: dict[str, Any], spec: Leaderboard) -> str:
    """Empty when the document was read as the key says."""
    try:
        board = read_board((CORPUS / key["file"]).read_bytes(), spec, source=key["file"])
    except ReadRefused as error:
        return str(error)
    top = [(norm(e.system), e.score) for e in board.entries[:3]]
    want = [(norm(t["name"]), t["score"]) for t in key["top3"]]
    names = {n for n, _ in want} | {norm(t["name"]) for t in key.get("tied_with_third", [])}
    if [s for _, s in top] != pytest.approx([s for _, s in want], rel=1e-6):
        return f"scores {top}, want {want}"
    if not all(any(n.startswith(w) or w.startswith(n) for w in names) for n, _ in top):
        return f"names {top}, want {want}"
    return "" if len(board.entries) == key["n_entries"] else f"{len(board.entries)} entries, want {key['n_entries']}"


@pytest.mark.parametrize("mode", ["spec", "auto"])
def test_every_plain_ranking_is_right(scorer: Any, mode: str) -> None:
    keys = yaml.safe_load((CORPUS / "answers.yaml").read_text())
    several = Counter(file for file, _ in {(k["file"], k["selector"]) for k in keys})
    fields = ("selector", "metric", "name_column", "method")
    plain = [k for k in keys if not any(scorer.DERIVED.search(str(k.get(f) or "")) for f in fields)]
    specs = [Leaderboard.model_validate(scorer.spec_of(k, mode, several[k["file"]] > 1)) for k in plain]
    misses = [
        f"{k['file']} / {k['metric']}: {d}" for k, s in zip(plain, specs, strict=True) if (d := difference(k, s))
    ]
    assert len(plain) == 51
    assert misses == []


def test_mean_of_group_means_is_derived() -> None:
    groups = json.loads((CORPUS / "livebench.2026-01-08.categories.json").read_text())
    spec = Leaderboard.model_validate(
        {
            "name": "LiveBench",
            "url": "x",
            "scrape_method": "csv",
            "primary_metric": "average",
            "higher_is_better": True,
            "columns": {"system": "model"},
            "derive": {"mean": groups},
        }
    )
    board = read_board((CORPUS / "livebench.2026-01-08.csv").read_bytes(), spec, source="livebench")
    top = [(e.system, round(e.score or 0, 2)) for e in board.entries[:3]]
    assert top == [("gpt-5.5-xhigh", 80.71), ("gpt-5.4-xhigh", 80.28), ("gemini-3.1-pro-preview-high", 79.93)]
    assert (len(board.entries), len(board.unscored)) == (126, 1)


def test_names_are_cut_out_of_free_text() -> None:
    spec = Leaderboard.model_validate(
        {
            "name": "SQuAD",
            "url": "x",
            "scrape_method": "api",
            "primary_metric": "scores.f1",
            "higher_is_better": True,
            "locate": {"jsonpath": "$.leaderboard[?(@.submission.public==true)]"},
            "columns": {
                "system": {
                    "column": "submission.description",
                    "regex": r"^(.*?\((?:ensemble|single)[^)]*\)|[^(]*[^( ])",
                },
                "score": "scores.f1",
            },
        }
    )
    board = read_board((CORPUS / "squad.codalab-out-v2.0.json").read_bytes(), spec, source="squad")
    assert [e.system for e in board.entries[:3]] == ["IE-Net (ensemble)", "FPNet (ensemble)", "IE-NetV2 (ensemble)"]
    assert len(board.entries) == 189


@pytest.mark.parametrize("series", sorted(p.stem for p in HISTORIES.glob("*.yaml")))
def test_replay_finds_the_leaders_and_counts_of_the_key(series: str) -> None:
    keys = yaml.safe_load((CORPUS / "history_answers.yaml").read_text())
    wanted = next(k for k in keys if k["series"] == series)["snapshots"]
    found = {s.file: s for s in replay(series).snapshots}
    for want in wanted:
        snapshot = found[want["file"]]
        if want["file"] in ONLY_WE_READ and series == "squad-html":
            continue
        if want.get("no_table"):
            assert snapshot.status == "refused", want
            continue
        leaders = {norm(t["name"]) for t in want["top3"] if t["score"] == want["top3"][0]["score"]}
        assert snapshot.status == "ok", (want, snapshot.reason)
        assert (snapshot.n_entries, snapshot.score) == (
            want["n_entries"],
            pytest.approx(want["top3"][0]["score"], rel=1e-6),
        )
        assert any(norm(snapshot.leader or "").startswith(n) for n in leaders), want


@pytest.mark.parametrize(
    ("series", "date", "kinds"),
    [
        ("squad-html", "2018-08-15", {"version_switched"}),
        ("bfcl-overall", "2024-11-18", {"metric_reset"}),
        ("letta-memory", "2025-05-29", {"metric_reset"}),
        ("modded-nanogpt-readme", "2025-02-02", {"new_entrant", "corrected", "rank_shift"}),
        ("aider-polyglot", "2025-04-12", {"renamed"}),
        ("aider-polyglot", "2025-05-09", {"new_entrant", "withdrawn"}),
        ("swe-bench", "2025-05-10", set()),
    ],
)
def test_what_happened_on_real_days(series: str, date: str, kinds: set[str]) -> None:
    assert {c.type.value for s in replay(series).snapshots if s.date == date for c in s.changes} == kinds


@pytest.mark.parametrize("file", sorted(p.name for p in CORPUS.glob("*.html")) if CORPUS.is_dir() else [])
def test_pages_without_the_metric_are_refused(file: str) -> None:
    spec = Leaderboard.model_validate(
        {
            "name": "B",
            "url": file,
            "scrape_method": "auto",
            "primary_metric": "no such metric",
            "higher_is_better": True,
        }
    )
    with pytest.raises(ReadRefused):
        read_board((CORPUS / file).read_bytes(), spec, source=file)
