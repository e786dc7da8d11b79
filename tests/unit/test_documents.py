"""Documents name file, line and field of every fault."""

import random
from pathlib import Path
from typing import Any

import pytest

from auto_benchmark import documents
from auto_benchmark.documents import parse_yaml, read, to_yaml, validate
from auto_benchmark.errors import ConfigError
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.settings import INCLUDE

GOOD = """\
domain: memory
target_leaderboards:
  - name: MemoryBench
    url: https://example.org/board
    scrape_method: html_table
    primary_metric: accuracy
    higher_is_better: true
competitors:
  - {name: CompetitorA, latest_score: 0.847, source: MemoryBench, last_updated: 2026-02-01}
our_solution:
  name: OurSystem
  current_scores: {MemoryBench: 0.823}
  promotion_threshold: 0.005
"""


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        validate(CompetitiveRegistry, parse_yaml(text, "r.yaml"))
    return str(caught.value).splitlines()


def test_the_mission_shape_is_accepted():
    registry = validate(CompetitiveRegistry, parse_yaml(GOOD, "r.yaml"))
    assert registry.board("MemoryBench").victory_condition.relative_gap == 0.005
    assert registry.promotion_threshold(registry.board("MemoryBench")) == 0.005


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("accuracy", "[a]", "r.yaml:6: target_leaderboards[0].primary_metric: should be a valid string, is a list"),
        ("    higher_is_better: true\n", "", "target_leaderboards[0].higher_is_better: is required"),
        ("higher_is_better", "higher_is_beter", "unknown key; did you mean 'higher_is_better'?"),
        ("html_table", "html_tabel", "r.yaml:5: target_leaderboards[0].scrape_method: should be 'html_table'"),
        ("domain: memory", "domain: memory\ndomain: x", "r.yaml:2: domain: duplicate key, first given on line 1"),
        ("    url", "\turl", "r.yaml:4: not valid YAML"),
        ("0.823", "yes", "r.yaml:12: our_solution.current_scores.MemoryBench: should be a valid number, is True"),
        ("0.847", '"0.847"', "competitors[0].latest_score: should be a valid number, is '0.847'"),
        ("source: MemoryBench", "source: Nope", "competitors[0].source: no leaderboard is called 'Nope'"),
        ("{MemoryBench: 0.823}", "{Nope: 1}", "r.yaml:12: our_solution.current_scores.Nope: no leaderboard"),
        ("0.847", ".nan", "should be a finite number"),
        ("2026-02-01", "2026-02-31", "a value cannot be read"),
        ("name: OurSystem", "name: No", "r.yaml:11: our_solution.name: should be a valid string, is False; quote it"),
        ("domain: memory", "domain: !!python/object:os.system x", "r.yaml:1: not valid YAML"),
        (
            "https://example.org/board",
            "gopher://x",
            "r.yaml:4: target_leaderboards[0].url: url must be http(s), file:",
        ),
        ("    url: https://example.org/board\n", "", "r.yaml:3: target_leaderboards[0].url: is required unless"),
        (
            "name: OurSystem",
            "name: OurSystem\n  solution: My-Code",
            "our_solution.solution: should be lower-case letters",
        ),
        (
            "name: OurSystem",
            "name: Our/System",
            "r.yaml:11: our_solution.name: should be a name without slashes, backsl",
        ),
        ("name: OurSystem", 'name: ""', "r.yaml:11: our_solution.name: should not be empty"),
        ("name: OurSystem", "name:", "r.yaml:11: our_solution.name: should be a valid string, is empty"),
        ("{MemoryBench: 0.823}", "[0.823]", "our_solution.current_scores: should be a mapping, is a list"),
        ("{MemoryBench: 0.823}", "", "our_solution.current_scores: should be a mapping, is empty"),
        ("2026-02-01", "soon", "competitors[0].last_updated: should be a date, YYYY-MM-DD, is 'soon'"),
    ],
)
def test_each_fault_names_file_line_and_field(old, new, expected):
    assert any(expected in line for line in faults(GOOD.replace(old, new, 1))), faults(GOOD.replace(old, new, 1))


def test_a_union_reports_one_fault_for_the_deepest_place():
    text = GOOD.replace("higher_is_better: true", "higher_is_better: true\n    columns: {score: [a, 3]}")
    assert len(faults(text)) == 1


def test_a_list_that_is_empty_or_absent_is_told_in_plain_words():
    head, rest = GOOD.split("target_leaderboards:")
    _, ours = rest.split("our_solution:")
    for boards, told in (("[]", "should not be empty"), ("", "should be a valid list, is empty")):
        assert faults(f"{head}target_leaderboards: {boards}\nour_solution:{ours}")[0] == (
            f"r.yaml:2: target_leaderboards: {told}"
        )


def test_several_faults_are_all_reported():
    text = GOOD.replace("domain: memory", "domain: 3").replace("0.005", "-1")
    assert len(faults(text)) == 2


@pytest.mark.parametrize(("sign", "name"), [("\0", "U+0000"), ("\x1b", "U+001B")])
def test_a_character_that_yaml_does_not_allow_is_a_fault_of_its_line(sign, name):
    found = faults(GOOD.replace("domain: memory", f"domain: mem{sign}ory"))
    assert found == [f"r.yaml:1: not valid YAML: the character {name} is not allowed"]


def test_a_file_in_another_encoding_is_a_fault_of_its_line(tmp_path):
    file = tmp_path / "r.yaml"
    file.write_bytes(b"a: 1\nb: caf\xe9\n")
    with pytest.raises(ConfigError) as refused:
        read(file, shown_as="r.yaml")
    assert str(refused.value) == "r.yaml:2: not UTF-8 (byte 11)"


@pytest.mark.parametrize("text", ["", "- a", "just text", "[" * 3000])
def test_a_document_that_is_no_mapping_is_refused(text):
    assert faults(text)[0].startswith("r.yaml")


@pytest.mark.parametrize("text", ["1e-4", "-2E5", "+1.5e3", ".5e-2", "1.e4"])
def test_a_number_with_an_exponent_is_a_number_however_it_is_written(text):
    assert parse_yaml(f"a: {text}", "f.yaml").data == {"a": float(text)}


@pytest.mark.parametrize("value", ["1e-4", "3E8", 1e-4, 1e300, "e4", "1e"])
def test_what_is_written_is_read_back_as_it_was(value):
    assert parse_yaml(to_yaml({"a": value}), "f.yaml").data == {"a": value}


ODD_SIGNS = list("{}[]:,-#&*!|>'\"%@`\t\n  abc01?~.\u00e9\u2028\x85\ufeff\x07\ud800<=yn")


def changed_files(count: int) -> list[str]:
    """Shipped YAML files with one to three places overwritten."""
    small = sorted(INCLUDE.rglob("*.y*ml"), key=str)
    texts = [text for text in map(Path.read_text, small) if len(text) < 6000]
    draw, made = random.Random(7), []
    for _ in range(count):
        text = draw.choice(texts)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(text))
            text = text[:at] + draw.choice(ODD_SIGNS) * draw.randint(0, 2) + text[at + draw.randint(0, 2) :]
        made.append(text)
    return made


def read_or_refused(text: str) -> Any:
    try:
        document = parse_yaml(text, "f.yaml")
    except ConfigError as error:
        return str(error)
    return repr(document.data), document.lines


def test_both_parsers_read_alike_and_explain_alike(monkeypatch):
    texts = changed_files(400)
    fast = [read_or_refused(text) for text in texts]
    monkeypatch.setattr(documents, "_FastLoader", documents._Loader)
    plain = [read_or_refused(text) for text in texts]
    differ = [(a, b) for a, b in zip(fast, plain, strict=True) if a != b]
    # YAML allows a tab or a question mark inside a plain value; PyYAML's own parser alone refuses them.
    assert all("character '\\t'" in str(b) or "but got '?'" in str(b) for _, b in differ), differ[:3]
    assert not any(isinstance(a, str) for a, _ in differ)
    assert len(differ) < 0.03 * len(texts) < sum(isinstance(a, str) for a in fast)
