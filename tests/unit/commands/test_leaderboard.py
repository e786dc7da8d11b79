"""``auto-benchmark leaderboard``: the JSON of the design, exit codes, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

INCLUDE = Path(__file__).parents[3] / "include"
SPEC = "name: B\nurl: b.csv\nscrape_method: csv\nprimary_metric: score\nhigher_is_better: true\n"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(INCLUDE)}
    command = [sys.executable, "-m", "auto_benchmark", "leaderboard", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False)


def answer(*arguments: str, cwd: Path) -> dict[str, Any]:
    done = run(*arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "old.csv").write_text("model,score,cost\nCompetitorA,0.847,3\nOurs,0.823,1\n")
    (tmp_path / "new.csv").write_text("model,score,cost\nCompetitorA,0.861,3\nOurs,0.823,1\nStartupX,0.855,2\n")
    (tmp_path / "spec.yaml").write_text(SPEC)
    days = tmp_path / "days"
    days.mkdir()
    (days / "2026-01-01.csv").write_text((tmp_path / "old.csv").read_text())
    (days / "2026-01-02.csv").write_text("<html><title>502 Bad Gateway</title></html>")
    (days / "2026-01-03.csv").write_text((tmp_path / "new.csv").read_text())
    return tmp_path


def test_parse_with_nothing_but_the_metric(place: Path) -> None:
    found = answer("parse", "new.csv", "--metric", "score", cwd=place)
    assert list(found) == ["board", "metric", "higher_is_better", "entries", "warnings", "spec"]
    assert [(e["rank"], e["system"], e["score"], e["metrics"]) for e in found["entries"]] == [
        (1, "CompetitorA", 0.861, {"cost": 3.0}),
        (2, "StartupX", 0.855, {"cost": 2.0}),
        (3, "Ours", 0.823, {"cost": 1.0}),
    ]
    assert found["spec"]["scrape_method"] == "csv"
    assert found["spec"]["columns"] == {"system": "model", "score": "score"}


def test_the_printed_spec_can_be_pasted(place: Path) -> None:
    spec = answer("parse", "new.csv", "--metric", "score", cwd=place)["spec"]
    (place / "pasted.yaml").write_text(yaml.safe_dump(spec))
    again = answer("parse", "new.csv", "--spec", "pasted.yaml", cwd=place)
    assert [e["system"] for e in again["entries"]] == ["CompetitorA", "StartupX", "Ours"]


def test_lower_is_better(place: Path) -> None:
    found = answer("parse", "new.csv", "--metric", "cost", "--lower-is-better", cwd=place)
    assert (found["higher_is_better"], found["entries"][0]["system"]) == (False, "Ours")


def test_diff(place: Path) -> None:
    found = answer("diff", "old.csv", "new.csv", "--spec", "spec.yaml", "--ours", "Ours", cwd=place)
    assert list(found) == ["board", "changes", "alerts"]
    assert found["changes"][0] == {
        "type": "improved",
        "system": "CompetitorA",
        "old": 0.847,
        "new": 0.861,
        "old_rank": 1,
        "new_rank": 1,
    }
    assert found["alerts"] == [
        "[ALERT] CompetitorA improved on B: 0.847 → 0.861 (+0.014)",
        "[ALERT] New entrant: StartupX at 0.855 — now ranked #2, ahead of us",
        "[STATUS] Our rank: #3 | Gap to #1: -0.038",
    ]


def test_replay_refuses_a_day_and_compares_with_the_last_good_one(place: Path) -> None:
    found = answer("replay", "days", "--spec", "spec.yaml", "--ours", "Ours", cwd=place)
    assert [(s["date"], s["status"], s["n_entries"], s["leader"]) for s in found["snapshots"]] == [
        ("2026-01-01", "ok", 2, "CompetitorA"),
        ("2026-01-02", "refused", None, None),
        ("2026-01-03", "ok", 3, "CompetitorA"),
    ]
    assert list(found["snapshots"][0]) == [
        "date",
        "file",
        "status",
        "reason",
        "n_entries",
        "leader",
        "score",
        "changes",
    ]
    assert "502 Bad Gateway" in found["snapshots"][1]["reason"]
    assert {c["type"] for c in found["snapshots"][2]["changes"]} == {"improved", "new_entrant", "rank_shift"}


def test_replay_names_what_it_skips_and_why(place: Path) -> None:
    for name in ("notes.txt", "20260104.csv", "2026-01-045.csv", ".hidden"):
        (place / "days" / name).write_text((place / "new.csv").read_text())
    done = run("replay", "days", "--spec", "spec.yaml", "--json", cwd=place)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["snapshots"]) == 3
    why = "its name does not begin with a date (YYYY-MM-DD)"
    assert done.stderr.splitlines() == [
        f"skipped {name!r}: {why}" for name in ("2026-01-045.csv", "20260104.csv", "notes.txt")
    ]


def test_replay_refuses_days_that_no_calendar_has(place: Path) -> None:
    for name in ("2026-02-30.csv", "2026-13-01.csv", "2028-02-29.csv"):
        (place / "days" / name).write_text((place / "new.csv").read_text())
    done = run("replay", "days", "--spec", "spec.yaml", "--json", cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "days/2026-02-30.csv: there is no day 2026-02-30: day is out of range for month",
        "days/2026-13-01.csv: there is no day 2026-13-01: month must be in 1..12",
    ]


def test_text_for_people(place: Path) -> None:
    shown = run("parse", "new.csv", "--metric", "score", cwd=place)
    assert "   1  0.861        CompetitorA" in shown.stdout
    assert "scrape_method: csv" in shown.stdout
    assert "warning: system column not given" in shown.stderr
    days = run("replay", "days", "--spec", "spec.yaml", cwd=place)
    assert "2026-01-02  refused" in days.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("parse", "none.csv", "--metric", "score"), "is not a file"),
        (("parse", "new.csv", "--metric", "BLEU"), "no column 'BLEU'"),
        (("parse", "new.csv"), "--spec"),
        (("parse", "new.csv", "--metric", "x", "--spec", "spec.yaml"), "either"),
        (("parse", "new.csv", "--spec", "none.yaml"), "cannot be read"),
        (("parse", "days/2026-01-02.csv", "--metric", "score"), "502 Bad Gateway"),
        (("parse", "http://127.0.0.1:9/x", "--metric", "score"), "private address"),
        (("replay", "nowhere", "--spec", "spec.yaml"), "is not a directory"),
        (("diff", "old.csv", "days/2026-01-02.csv", "--spec", "spec.yaml"), "502 Bad Gateway"),
    ],
)
def test_mistakes_are_told_without_a_traceback(place: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments, "--json", cwd=place)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_broken_spec_names_file_line_and_field(place: Path) -> None:
    (place / "bad.yaml").write_text(SPEC + "colums: {system: model}\n")
    done = run("parse", "new.csv", "--spec", "bad.yaml", cwd=place)
    assert done.returncode == 2
    assert "bad.yaml:6: colums: unknown key; did you mean 'columns'?" in done.stderr


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("none.csv", "none.csv is not a file"),
        ("empty.csv", "empty.csv holds no rows"),
        ("header.csv", "no rows below its columns 'model', 'score'"),
        ("binary.html", "binary.html is binary, not text"),
        ("broken.csv", "broken.csv is not well-formed delimited text"),
        ("cut.csv", "every row has 3 cells for 2 columns"),
        ("empty", "empty holds no .json or .yaml file"),
        ("ftp://example.org/b", "url must be http(s), file: or a path"),
        ("http://", "'http://' names no host"),
        ("http://127.0.0.1:9/b", "127.0.0.1 is the private address"),
    ],
)
def test_parse_refuses_bad_sources_in_one_line(source: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "header.csv").write_text("model,score\n")
    (tmp_path / "binary.html").write_bytes(bytes(range(256)))
    (tmp_path / "broken.csv").write_text('model,score\n"a,1\n')
    (tmp_path / "cut.csv").write_text("model,score\na,90,5\nb,80,5\n")
    (tmp_path / "empty").mkdir()
    done = run("parse", source, "--metric", "score", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_parse_reads_a_file_whose_name_looks_like_an_address(tmp_path: Path) -> None:
    (tmp_path / "2026:01.csv").write_text("model,score\na,1\nb,2\n")
    found = answer("parse", "2026:01.csv", "--metric", "score", cwd=tmp_path)
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(found["spec"]))
    assert answer("parse", found["spec"]["url"], "--spec", "spec.yaml", cwd=tmp_path)["entries"] == found["entries"]


def test_a_spec_needs_no_url_where_the_documents_are_arguments(place: Path) -> None:
    for url in ("", "url:\n"):
        (place / "spec.yaml").write_text(SPEC.replace("url: b.csv\n", url))
        assert len(answer("parse", "new.csv", "--spec", "spec.yaml", cwd=place)["entries"]) == 3
    assert answer("diff", "old.csv", "new.csv", "--spec", "spec.yaml", cwd=place)["changes"]
    assert len(answer("replay", "days", "--spec", "spec.yaml", cwd=place)["snapshots"]) == 3


@pytest.mark.parametrize(
    ("words", "where"),
    [(("diff", "old.csv", "new.csv"), "neither document"), (("replay", "days"), "none of the snapshots")],
)
def test_a_name_of_ours_that_is_listed_nowhere_is_told(place: Path, words: tuple[str, ...], where: str) -> None:
    told, keys = {}, ["board", "changes", "alerts"] if words[0] == "diff" else ["board", "snapshots"]
    for names in (("Nobody",), ("Nobody", "Noone"), ("OURS",), ("Nobody", "Ours"), ()):
        flags = [word for name in names for word in ("--ours", name)]
        done = run(*words, "--spec", "spec.yaml", *flags, "--json", cwd=place)
        told[names] = (done.returncode, done.stderr)
        assert list(json.loads(done.stdout)) == keys
    assert told == {
        ("Nobody",): (0, f"warning: 'Nobody' is listed in {where}\n"),
        ("Nobody", "Noone"): (0, f"warning: 'Nobody' and 'Noone' are listed in {where}\n"),
        ("OURS",): (0, ""),
        ("Nobody", "Ours"): (0, ""),
        (): (0, ""),
    }


@pytest.mark.parametrize(
    "words",
    [
        ("parse", "", "--metric", "score"),
        ("parse", "", "--spec", "spec.yaml"),
        ("parse", " ", "--spec", "bare.yaml"),
        ("diff", "", "new.csv", "--spec", "spec.yaml"),
        ("replay", "", "--spec", "spec.yaml"),
    ],
)
def test_no_name_at_all_is_not_the_working_directory(place: Path, words: tuple[str, ...]) -> None:
    (place / "bare.yaml").write_text(SPEC.replace("url: b.csv\n", ""))
    done = run(*words, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert " is named: " in done.stderr and done.stderr.count("\n") == 1


def test_a_registry_is_no_spec(place: Path) -> None:
    (place / "competitive_registry.yaml").write_text("domain: memory\ntarget_leaderboards:\n  - {name: B}\n")
    done = run("parse", "new.csv", "--spec", "competitive_registry.yaml", cwd=place)
    told = "this is a registry; a spec is one entry of its target_leaderboards, in a file of its own"
    assert (done.returncode, done.stderr) == (2, f"competitive_registry.yaml:2: target_leaderboards: {told}\n")
