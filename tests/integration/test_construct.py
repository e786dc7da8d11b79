"""The command ``construct`` on small requests: what it builds, what it refuses, and that it may be killed anywhere."""

import csv
import json
import shutil
from pathlib import Path

import pytest
import yaml
from tests.command_line import Run, runner

from auto_benchmark import atomic
from auto_benchmark.artifacts.item_files import ItemFiles
from auto_benchmark.construction.belonging import working_in
from auto_benchmark.construction.run import run as construct
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.documents import load
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.settings import Settings

REQUEST = {
    "name": "small", "request": "Find primes, compare numbers and check balanced brackets",
    "sources": ["arithmetic", "algorithms"], "target_size": 120, "rounds": 2, "per_round": 3, "pilot_items": 12,
    "objective": {"difficulty": {"target": 0.4}, "separability": 1}, "seed": 3,
}  # fmt: skip
PLANTED = {**REQUEST, "candidates": ["planted"], "target_size": 60}
FIXED = ["benchmark/train.jsonl", "benchmark/search.jsonl", "benchmark/gate.jsonl", "benchmark/benchmark.yaml",
         "quality.json", "card.yaml", "candidates.jsonl", "privileged.jsonl"]  # fmt: skip


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys) -> Run:
    monkeypatch.setenv("AUTO_BENCHMARK_BENCHMARKS", str(tmp_path / "benchmarks"))
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def written(folder: Path, request: dict, name: str = "REQUEST.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(yaml.safe_dump(request, sort_keys=False))
    return folder / name


@pytest.fixture(scope="module")
def real(tmp_path_factory) -> Path:
    """A finished construction with every candidate that is not planted."""
    folder = tmp_path_factory.mktemp("real")
    told = construct(Settings(), written(folder, REQUEST), folder / "out", say=lambda _: None)
    (folder / "told.json").write_text(json.dumps(told))
    return folder / "out"


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    construct(Settings(), written(folder, PLANTED), folder / "out", say=lambda _: None)
    return folder / "out"


@pytest.fixture
def copy(real, tmp_path) -> Path:
    shutil.copytree(real, tmp_path / "copy")
    return tmp_path / "copy"


def test_it_builds_what_the_benchmark_loader_accepts(real):
    told = json.loads((real.parent / "told.json").read_text())
    assert (told["name"], told["kept"], told["requested"], told["rounds"]) == ("small", 120, 120, 2)
    benchmark = load(Benchmark, real / "benchmark" / "benchmark.yaml")
    files = ItemFiles(real / "benchmark", benchmark)
    sizes = {split: len(files.data(split).items) for split in ("train", "search", "gate")}
    assert sizes == {"train": 24, "search": 48, "gate": 48} and files.repeated() == []
    quality = json.loads((real / "quality.json").read_text())
    assert quality["objective"] == told["objective"] and set(told["objective"]) == {"difficulty", "separability"}
    for objective in told["objective"].values():
        low, high = objective["interval"]
        assert low <= objective["value"] <= high and "paper_form" in objective
    assert 0 < quality["wrong_keys_upper"] < 0.06 and quality["duplicates"]["exact"] == 0
    assert quality["privileged"]["author_without_source"]["wrong_keys"] > 0
    assert (real / "plots" / "rounds.png").read_bytes()[:4] == b"\x89PNG"
    assert told["calls"] == sum(r["calls"] for r in read_rows(real / "trajectory.jsonl")) + _later_calls(real)


def _later_calls(folder: Path) -> int:
    candidates = read_rows(folder / "candidates.jsonl")
    choice = yaml.safe_load((folder / "stages" / "choice.yaml").read_text())
    return choice["calls"] + sum(row["items"] for row in candidates)


def test_the_scorer_of_the_benchmark_grades_as_the_construction_did(real):
    from auto_benchmark.artifacts.benchmark_module import scorer_of

    rows = read_rows(real / "benchmark" / "gate.jsonl")
    answers = {row["id"]: {"answer": row["answer"], "slice": row["slice"]} for row in rows}
    given = {name: f" {one['answer']} " for name, one in answers.items()}
    scores = scorer_of(real / "benchmark", "scorer.py").score(given, answers)
    assert scores.metrics == {"accuracy": 1.0} and len(scores.slices) == 3
    assert scorer_of(real / "benchmark", "scorer.py").score({}, answers).metrics == {"accuracy": 0.0}


def test_planted_programs_alone_are_no_panel(planted, cli, tmp_path):
    quality = json.loads((planted / "quality.json").read_text())
    assert quality["objective"] == {} and "no real panel" in quality["panel"]["note"]
    assert set(quality["instrument"]) == {"difficulty", "separability"}
    assert "no real panel" in (planted / "REPORT.md").read_text()
    ended = cli("construct", "run", written(tmp_path, PLANTED), "--out", tmp_path / "again")
    assert ended.code == 0 and "no real panel" in ended.out and "\ndifficulty " not in ended.out


class Killed(BaseException):
    """Nothing that runs sees it coming."""


def test_killed_at_any_write_it_goes_on_and_ends_alike(planted, tmp_path, monkeypatch):
    writes, limit = 0, None
    real_write = atomic.write_bytes

    def write(path, content, **more):
        nonlocal writes
        writes += 1
        if limit is not None and writes >= limit:
            raise Killed
        real_write(path, content, **more)

    monkeypatch.setattr(atomic, "write_bytes", write)
    request = written(tmp_path, PLANTED)
    construct(Settings(), request, tmp_path / "whole", say=lambda _: None)
    total = writes
    assert total > 25
    for killed_at in range(1, total, max(1, total // 9)):
        out, writes, limit = tmp_path / f"killed-{killed_at}", 0, killed_at
        with pytest.raises(Killed):
            construct(Settings(), request, out, say=lambda _: None)
        limit = None
        construct(Settings(), request, out, say=lambda _: None)
        for name in FIXED:
            assert (out / name).read_bytes() == (planted / name).read_bytes(), (killed_at, name)
        assert [row["description"] for row in read_rows(out / "trajectory.jsonl")] == [
            row["description"] for row in read_rows(planted / "trajectory.jsonl")
        ]


def test_an_edited_stage_is_kept_and_what_follows_is_made_anew(tmp_path):
    request = written(tmp_path, PLANTED)
    construct(Settings(), request, tmp_path / "out", say=lambda _: None)
    quotas = tmp_path / "out" / "stages" / "quotas.yaml"
    quotas.write_text(yaml.safe_dump({"quotas": {"algorithms.brackets": 40, "arithmetic.prime": 20}}))
    told = construct(Settings(), request, tmp_path / "out", say=lambda _: None)
    assert told["kept"] == 60
    slices = [
        row["slice"]
        for name in ("train", "search", "gate")
        for row in read_rows(tmp_path / f"out/benchmark/{name}.jsonl")
    ]
    assert (slices.count("algorithms_brackets"), slices.count("arithmetic_prime")) == (40, 20)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sources": ["arithmetics"]}, "REQUEST.yaml:4: sources[0]: no source 'arithmetics'; did you mean 'arithmetic'?"),
        ({"target_size": "many"}, "target_size: should be a valid integer"),
        ({"candidates": ["plantd"]}, "candidates[0]: no candidate 'plantd'; did you mean 'planted'?"),
        ({"objective": {"novelty": 1}}, "objective.novelty: needs earlier boards"),
        ({"objective": {"safety": 1}}, "objective.safety: none of these sources attacks anything"),
        ({"objective": {"difficulty": "hard"}}, "objective.difficulty: should be 'max'"),
        ({"compare_with": ["nowhere"]}, "compare_with: 'nowhere' is not a folder"),
        ({"documents": "texts"}, "documents: stands beside sources"),
        ({"sources": [], "documents": "texts"}, "documents: 'texts' is not a folder"),
        ({"budget": {"calls": 100}}, "budget.calls: 100 calls do not reach"),
        ({"sources": [], "request": "The taste of medieval soups"}, "nothing here knows about"),
        ({"objective": {"salience": {"min": 0.2}}}, "no source can answer this request"),
        ({"rond": 3}, "rond: unknown key"),
        ({"proposer": "oracle"}, "REQUEST.yaml:15: proposer: should be 'estimator' or 'random'"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_or_unanswerable_request_is_refused_with_what_is_wrong(cli, tmp_path, change, words):
    ended = cli("construct", "run", written(tmp_path, {**REQUEST, **change}), "--out", tmp_path / "out")
    assert ended.code == 2 and words in ended.err, ended.err
    assert not (tmp_path / "out" / "benchmark").exists()


def test_a_folder_of_another_construction_is_refused(cli, planted, tmp_path):
    ended = cli("construct", "run", written(tmp_path, {**PLANTED, "rounds": 5}), "--out", planted)
    assert ended.code == 2 and "another rounds" in ended.err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("words")
    ended = cli("construct", "run", written(tmp_path, PLANTED), "--out", tmp_path / "mine")
    assert ended.code == 2 and "is not a construction" in ended.err
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_folder_belongs_to_one_construction_at_a_time(cli, planted, tmp_path):
    with working_in(planted):
        ended = cli("construct", "run", written(tmp_path, PLANTED), "--out", planted)
        assert ended.code == 2 and "another construction works in this folder" in ended.err
    assert cli("construct", "run", tmp_path / "REQUEST.yaml", "--out", planted).code == 0


def test_a_request_that_was_refused_may_be_corrected_in_its_folder(cli, tmp_path):
    poor = written(tmp_path, {**PLANTED, "budget": {"calls": 100}})
    assert cli("construct", "run", poor, "--out", tmp_path / "out").code == 2
    ended = cli("construct", "run", written(tmp_path, PLANTED), "--out", tmp_path / "out", "--json")
    assert ended.code == 0 and ended.json["kept"] == 60


@pytest.mark.parametrize(
    ("stage", "text", "words"),
    [
        ("choice", "chosen: {}", "choice.yaml:1: calls: is required"),
        ("choice", "calls: 0\nchosen: {}", "choice.yaml:2: chosen: has no description for algorithms."),
        ("quotas", "quotas:\n  algorithms.brackets: 40\n  foo.bar: 3", "quotas.yaml:3: quotas.foo.bar: no source has"),
        ("quotas", "quotas: {algorithms.brackets: 0}", "quotas.yaml:1: quotas.algorithms.brackets: should be 1 or more"),
        ("subtasks", "subtasks: [{source: algorithms}]", "subtasks.yaml:1: subtasks[0].form: is required"),
    ],
)  # fmt: skip
def test_a_stage_that_was_edited_wrongly_is_refused_by_line(cli, planted, tmp_path, stage, text, words):
    shutil.copytree(planted, tmp_path / "out")
    (tmp_path / "out" / "stages" / f"{stage}.yaml").write_text(text)
    ended = cli("construct", "run", written(tmp_path, PLANTED), "--out", tmp_path / "out")
    assert ended.code == 2 and words in ended.err, ended.err


def test_a_row_of_the_trajectory_that_lost_a_field_is_refused_by_line(cli, planted, tmp_path):
    shutil.copytree(planted, tmp_path / "out")
    file = tmp_path / "out" / "stages" / "trajectory.jsonl"
    first, second, *rest = file.read_text().splitlines()
    damaged = {key: value for key, value in json.loads(second).items() if key != "calls"}
    file.write_text("\n".join([first, json.dumps(damaged), *rest]) + "\n")
    ended = cli("construct", "run", written(tmp_path, PLANTED), "--out", tmp_path / "out")
    assert ended.code == 2 and "trajectory.jsonl:2: calls: is required" in ended.err, ended.err


LINE = '{"no": "such thing"}'


@pytest.mark.parametrize(
    ("command", "name", "text", "words"),
    [
        ("evolve", "card.yaml", "name: x", "card.yaml:1: version: is required"),
        ("evolve", "card.yaml", "{name: x, purpose: y, version: [1]}", "card.yaml:1: version: should be"),
        ("evolve", "stages/quotas.yaml", "x", "quotas.yaml"),
        ("evolve", "stages/choice.yaml", "chosen: {}", "choice.yaml:1: calls: is required"),
        ("evolve", "privileged.jsonl", LINE, "privileged.jsonl:1: id: is required"),
        ("evolve", "trajectory.jsonl", LINE, "trajectory.jsonl:1: round: is required"),
        ("run", "stages/answers_arithmetic_prime.jsonl", LINE, "answers_arithmetic_prime.jsonl:1: candidate: is required"),
        ("run", "stages/answers_arithmetic_prime.jsonl", "", "no answer of planted_0 to item"),
        ("run", "stages/items_arithmetic.prime.jsonl", '{"kept": {"id": 3}}', "items_arithmetic.prime.jsonl:1: kept.id"),
        ("run", "stages/privileged.yaml", "x: 1", "privileged.yaml:1: author_without_source: is required"),
        ("publish", "candidates.jsonl", '{"name": "planted_0"}', "candidates.jsonl:1: accuracy: is required"),
        ("publish", "card.yaml", "{}", "card.yaml"),
        ("publish", "quality.json", "[]", "quality.json: should be a mapping"),
    ],
)  # fmt: skip
def test_a_file_that_no_construction_writes_is_refused_by_line_and_field(
    cli, planted, tmp_path, command, name, text, words
):
    shutil.copytree(planted, tmp_path / "out")
    (tmp_path / "out" / name).write_text(text)
    more = {"run": [written(tmp_path, PLANTED), "--out", tmp_path / "out"],
            "evolve": [tmp_path / "out", "--out", tmp_path / "next"], "publish": [tmp_path / "out"]}[command]  # fmt: skip
    ended = cli("construct", command, *more)
    assert ended.code == 2 and words in ended.err, ended.err


def test_stages_whose_list_is_damaged_are_made_anew(cli, planted, tmp_path):
    shutil.copytree(planted, tmp_path / "out")
    (tmp_path / "out" / "stages" / ".rests_on.json").write_text("[1]")
    assert cli("construct", "run", written(tmp_path, PLANTED), "--out", tmp_path / "out").code == 0
    assert (tmp_path / "out" / "candidates.jsonl").read_bytes() == (planted / "candidates.jsonl").read_bytes()


def test_a_sheet_that_cannot_be_written_is_refused(cli, copy):
    (copy / "review").write_text("a file")
    ended = cli("construct", "review", copy)
    assert ended.code == 2 and "cannot be written" in ended.err


@pytest.mark.parametrize("difficulty", ["max", {"target": 0.4}], ids=str)
def test_subtasks_that_no_round_reached_are_built_all_the_same(cli, tmp_path, difficulty):
    short = {**PLANTED, "rounds": 1, "per_round": 1, "pilot_items": 8, "objective": {"difficulty": difficulty}}
    ended = cli("construct", "run", written(tmp_path, short), "--out", tmp_path / "out", "--json")
    assert ended.code == 0, ended.err
    assert (ended.json["kept"], ended.json["rounds"]) == (60, 1)
    plan = yaml.safe_load((tmp_path / "out/stages/quotas.yaml").read_text())["quotas"]
    choice = yaml.safe_load((tmp_path / "out/stages/choice.yaml").read_text())["chosen"]
    assert len(plan) > 1 and choice.keys() == plan.keys()


def test_documents_of_ones_own_are_asked_about(cli, tmp_path):
    from tests.contract.test_construction_sources import TEXT

    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "mill.txt").write_text(TEXT)
    request = {**PLANTED, "name": "mill", "request": "Numbers in our documents", "sources": [],
               "documents": "texts", "target_size": 20,
               "pilot_items": 8, "objective": {}}  # fmt: skip
    told = cli("construct", "run", written(tmp_path, request), "--out", tmp_path / "out", "--json").json
    assert told["kept"] >= 10
    shutil.rmtree(tmp_path / "texts")
    assert cli("construct", "check", tmp_path / "out", "--json").json["wrong_keys"] == 0


def edited(path: Path, line: int, **changes) -> None:
    rows = read_rows(path)
    rows[line] = {**rows[line], **changes}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_board_cannot_have_a_name_that_no_registry_takes(cli, real, tmp_path):
    ended = cli("construct", "publish", real, "--board", "two\nlines")
    assert ended.code == 2 and "cannot be the name of a board" in ended.err
    assert not (tmp_path / "benchmarks").exists()


def test_check_passes_what_run_has_built(cli, real):
    ended = cli("construct", "check", real, "--json")
    assert ended.json == {"ok": True, "problems": [], "items": 120, "wrong_keys": 0} and ended.code == 0


def test_check_finds_a_wrong_key_by_file_and_line(cli, copy):
    row = read_rows(copy / "benchmark" / "gate.jsonl")[4]
    options = row["input"].get("options")
    wrong = next(o for o in options if o != row["answer"]) if options else row["answer"] + 1
    edited(copy / "benchmark" / "gate.jsonl", 4, answer=wrong)
    ended = cli("construct", "check", copy, "--json")
    assert ended.code == 1 and ended.json["wrong_keys"] == 1 and not ended.json["ok"]
    assert any("gate.jsonl:5: answer: wrong key" in problem for problem in ended.json["problems"])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda d: edited(d / "benchmark" / "gate.jsonl", 0, input={"question": "What is it?"}), "id: is not the one"),
        (lambda d: edited(d / "benchmark" / "gate.jsonl", 0, id="new"), "has no evidence"),
        (lambda d: (d / "quality.json").unlink(), "quality.json: is missing"),
        (lambda d: (d / "benchmark" / "gate.jsonl").write_text("{\n"), "gate.jsonl"),
        (lambda d: (d / "privileged.jsonl").write_text(""), "has no evidence"),
        (lambda d: (d / "privileged.jsonl").write_text("{}\n"), "privileged.jsonl: id: is missing"),
        (lambda d: (d / "privileged.jsonl").write_text('{"id": []}\n'), "privileged.jsonl: id: is missing"),
        (lambda d: (d / "trajectory.jsonl").write_text("no json\n"), "trajectory.jsonl:1: is not a JSON object"),
        (lambda d: (d / "benchmark" / "benchmark.yaml").write_text("name: 3\n"), "benchmark.yaml"),
    ],
)  # fmt: skip
def test_check_finds_what_else_was_changed(cli, copy, spoil, words):
    spoil(copy)
    ended = cli("construct", "check", copy, "--json")
    assert ended.code == 1 and any(words in problem for problem in ended.json["problems"]), ended.json


def test_check_names_only_the_file_that_cannot_be_read(cli, copy):
    (copy / "trajectory.jsonl").write_text("no json\n")
    problems = cli("construct", "check", copy, "--json").json["problems"]
    assert problems == [f"{copy / 'trajectory.jsonl'}:1: is not a JSON object"]


def test_check_of_no_construction_is_an_input_error(cli, tmp_path):
    assert cli("construct", "check", tmp_path).code == 2


def test_the_next_generation_repeats_no_item_but_the_anchors(cli, planted, tmp_path):
    made = cli("construct", "evolve", planted, "--out", tmp_path / "second", "--json").json
    ids = [{row["id"] for row in read_rows(folder / "privileged.jsonl")} for folder in (planted, tmp_path / "second")]
    assert made["kept"] == 60 and len(ids[0] & ids[1]) == made["link"]["items"] > 0
    assert yaml.safe_load((tmp_path / "second" / "card.yaml").read_text())["version"] == "2"
    assert cli("construct", "check", tmp_path / "second", "--json").json["ok"]
    third = cli("construct", "evolve", tmp_path / "second", "--out", tmp_path / "third", "--json").json
    assert third["kept"] == 60 and cli("construct", "check", tmp_path / "third").code == 0


def test_a_build_is_made_again_with_another_seed_and_proposer_and_compared(cli, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    request = written(tmp_path, {**PLANTED, "rounds": 6})
    again = ["construct", "run", request, "--out", second, "--seed", "4", "--proposer", "random"]
    assert cli("construct", "run", request, "--out", first).code == 0 and cli(*again).code == 0
    tried = [[row["random"] for row in read_rows(folder / "trajectory.jsonl")] for folder in (first, second)]
    assert not all(tried[0]) and all(tried[1])
    stored = yaml.safe_load((second / "request.yaml").read_text())
    assert (stored["seed"], stored["proposer"]) == (4, "random")
    assert cli(*again).code == 0  # goes on with the same options, and is another construction without them
    assert "another proposer, seed" in cli(*again[:5]).err
    told = cli("construct", "consistency", first, second, "--json").json
    assert -1 <= told["interval"][0] <= told["tau"] <= told["interval"][1] <= 1
    assert told["ceiling"] == pytest.approx(told["tau"] + told["below_ceiling"])
    assert any("no real panel" in warning for warning in told["warnings"])
    ended = cli("construct", "consistency", first, second)
    assert ended.code == 0 and told["verdict"] in ended.out
    ended = cli("construct", "consistency", first, tmp_path)
    assert ended.code == 2 and "no finished construction" in ended.err
    assert cli("construct", "run", request, "--out", tmp_path / "third", "--proposer", "oracle").code == 2


def test_a_review_tells_a_careful_rater_from_one_who_accepts_everything(cli, copy):
    told = cli("construct", "review", copy, "--json").json
    assert told["planted"] == 8
    planted = {row["number"]: row["planted"] for row in read_rows(copy / "review" / "planted.jsonl")}
    with (Path(told["sheet"])).open() as file:
        rows = list(csv.DictReader(file))
    for name, accepts in (("careful", lambda n: not planted[n]), ("careless", lambda n: True)):
        with (copy / f"{name}.csv").open("w") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows({**row, "accept": "yes" if accepts(int(row["number"])) else "no"} for row in rows)
    sheets = ["--import", copy / "careful.csv", "--import", copy / "careless.csv"]
    both = cli("construct", "review", copy, *sheets, "--json").json
    assert both["caught"]["value"] == 0.5 and both["accepted"]["value"] == 1.0 and len(both["disputed"]) == 8
    assert both["alpha"] < 0.1
    (copy / "bad.csv").write_text("number,accept\n1,perhaps\n")
    ended = cli("construct", "review", copy, "--import", copy / "bad.csv")
    assert ended.code == 2 and "bad.csv:2: accept: should be yes, no or empty" in ended.err


def test_publishing_gives_a_benchmark_and_a_board_and_twice_is_once(cli, real, copy, tmp_path):
    told = cli("construct", "publish", real, "--board", "Small Board", "--json").json
    folder = tmp_path / "benchmarks" / "small"
    first = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    assert cli("construct", "publish", real, "--board", "Small Board").code == 0
    assert first == {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    assert load(Benchmark, folder / "benchmark.yaml").boards["Small Board"].metric == "accuracy"
    assert [e["score"] for e in told["entries"]] == sorted((e["score"] for e in told["entries"]), reverse=True)
    assert "privileged.jsonl" not in first and yaml.safe_load(told["to_paste"])[0]["benchmark"] == "small"
    (copy / "quality.json").unlink()
    ended = cli("construct", "publish", copy)
    assert ended.code == 2 and "the check finds 1 problems" in ended.err


def test_an_earlier_construction_is_compared_with_and_its_items_are_not_built_again(planted, tmp_path):
    request = {**PLANTED, "name": "later", "compare_with": [str(planted)], "objective": {"novelty": 1}}
    construct(Settings(), written(tmp_path, request), tmp_path / "out", say=lambda _: None)
    quality = json.loads((tmp_path / "out" / "quality.json").read_text())
    unmeasured = [w for w in quality["warnings"] if w.startswith("not measured: novelty")]
    assert ("novelty" in quality["instrument"]) is not bool(unmeasured)
    old = {row["id"] for row in read_rows(planted / "privileged.jsonl")}
    assert not old & {row["id"] for row in read_rows(tmp_path / "out" / "privileged.jsonl")}
