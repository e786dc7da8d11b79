"""Mistakes in declared files, made by rule: every key of every file misspelt, of another kind, empty, missing, out of range.

The keys come from the model's own schema, so that a new one is covered as soon as the example below has it; a test
says which the examples lack.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.contract.trial_file import TrialFile
from auto_benchmark.documents import Strict
from auto_benchmark.grid.spec import SweepSpec
from auto_benchmark.ideas.idea import Idea
from auto_benchmark.lab.task import Cheat, TaskFile
from auto_benchmark.promotion.scenario import ScenarioFile
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.registry.schedule import ScheduleFile
from auto_benchmark.registry.solution import Solution
from auto_benchmark.registry.technique_catalog import TechniqueCatalog

Place = tuple[str | int, ...]
OF_EACH_KIND: Mapping[str, Any] = {
    "null": None, "string": "banana", "number": 7.25, "boolean": True, "array": [[]], "object": {"banana": {}},
}  # fmt: skip
NUMBERS = (-1, 0, 10**30, 1e308, float("inf"), float("nan"))
TEXTS = ("", " ", "\0", "a\nb", "../up", "x" * 2_000, "2026-02-31", "\N{RIGHT-TO-LEFT OVERRIDE}", "[", "%s{}")


@dataclass(frozen=True)
class Mistake:
    """One value of a file changed.

    Attributes:
        place: of the key that is at fault.
        name: what was done.
        data: the whole file.
        refused: it has to be.
    """

    place: Place
    name: str
    data: dict[str, Any]
    refused: bool


def mistakes(model: type[Strict], example: dict[str, Any]) -> Iterator[Mistake]:
    """Every mistake in a file, one at a time."""
    whole = model.model_json_schema()
    for place, schema, required, closed in _fields(whole, whole, example, ()):
        *parent, key = place
        kinds = _kinds(whole, schema)
        yield Mistake(place, "missing", _changed(example, place, _GONE), required)
        if closed and isinstance(key, str):
            wrong = f"{key}_"
            data = _changed(_changed(example, place, _GONE), (*parent, wrong), _at(example, place))
            yield Mistake((*parent, wrong), "misspelt", data, refused=True)
        for kind, value in OF_EACH_KIND.items():
            if kind not in kinds:
                refused = not (kind == "boolean" and _takes_on_and_off(whole, schema))
                yield Mistake(place, f"of another kind: {kind}", _changed(example, place, value), refused)
        if kinds & {"number", "integer"}:
            for number in NUMBERS:
                yield Mistake(place, f"out of range: {number:g}", _changed(example, place, number), refused=False)
        if "string" in kinds:
            for text in TEXTS:
                yield Mistake(place, f"odd text: {text[:12]!r}", _changed(example, place, text), refused=False)
        if "array" in kinds:
            yield Mistake(place, "empty list", _changed(example, place, []), refused=False)
            yield Mistake(place, "twice", _changed(example, place, 2 * list(_at(example, place))), refused=False)
        if "object" in kinds:
            yield Mistake(place, "empty mapping", _changed(example, place, {}), refused=False)


def lacking(model: type[Strict]) -> list[str]:
    """Keys of the model's schema that no example of it has anywhere."""
    whole = model.model_json_schema()
    examples = [example for of, example in EXAMPLES.values() if of is model]
    met = {
        (_title(whole, example, place[:-1]), str(place[-1]))
        for example in examples
        for place, *_ in _fields(whole, whole, example, ())
    }
    models = {"": whole, **whole.get("$defs", {})}
    titles = {s["title"]: s.get("properties", {}) for s in models.values() if s.get("type") == "object"}
    return [f"{title}.{key}" for title, keys in titles.items() for key in keys if (title, key) not in met]


_GONE = object()


def _fields(
    whole: dict[str, Any], schema: dict[str, Any], data: Any, place: Place
) -> Iterator[tuple[Place, dict[str, Any], bool, bool]]:
    """Every key that the data have: place, schema, whether it is required, whether unknown keys beside it are refused."""
    for one in _alternatives(whole, schema):
        if (
            isinstance(data, dict)
            and "properties" in one
            and data.keys() <= one["properties"].keys() | set(data if one.get("additionalProperties", True) else ())
        ):
            closed = one.get("additionalProperties") is False
            for key, inner in one["properties"].items():
                if key in data:
                    yield (*place, key), inner, key in one.get("required", ()), closed
                    yield from _fields(whole, inner, data[key], (*place, key))
            return
        if isinstance(data, dict) and (values := _of_values(one)) is not None:
            for key, value in data.items():
                yield (*place, key), values, False, False
                yield from _fields(whole, values, value, (*place, key))
            return
        if isinstance(data, list) and isinstance(one.get("items"), dict):
            for i, value in enumerate(data):
                yield from _fields(whole, one["items"], value, (*place, i))


def _of_values(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Schema of the values of a mapping whose keys are free."""
    if "properties" in schema:
        return None
    inner = next(iter(schema.get("patternProperties", {}).values()), schema.get("additionalProperties"))
    return inner if isinstance(inner, dict) else None


def _alternatives(whole: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    if "$ref" in schema:
        return _alternatives(whole, whole["$defs"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return [one for part in schema["anyOf"] for one in _alternatives(whole, part)]
    return [schema]


def _kinds(whole: dict[str, Any], schema: dict[str, Any]) -> set[str]:
    """Kinds of value that the schema takes, in JSON's words."""
    found: set[str] = set()
    for one in _alternatives(whole, schema):
        values = one.get("enum", [one["const"]] if "const" in one else [])
        names = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}
        found |= (
            {names[type(value)] for value in values} or {one["type"]} if "type" in one or values else {*OF_EACH_KIND}
        )
    return found


def _takes_on_and_off(whole: dict[str, Any], schema: dict[str, Any]) -> bool:
    """YAML reads a bare ``on`` as true, and these switches take it."""
    return any("on" in one.get("enum", ()) for one in _alternatives(whole, schema))


def _title(whole: dict[str, Any], example: dict[str, Any], place: Place) -> str:
    schema, data = whole, example
    for part in place:
        data = data[part]  # type: ignore[index]
        for one in _alternatives(whole, schema):
            inner = one.get("properties", {}).get(part)
            inner = inner or (one.get("items") if isinstance(part, int) else None)
            inner = inner or _of_values(one)
            if isinstance(inner, dict):
                schema = inner
                break
    every = _alternatives(whole, schema)
    fitting = [one for one in every if isinstance(data, dict) and data.keys() <= one.get("properties", {}).keys()]
    return str((fitting or every)[0].get("title", ""))


def _at(data: Any, place: Place) -> Any:
    for part in place:
        data = data[part]
    return data


def _changed(example: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    data = copy.deepcopy(example)
    inner = _at(data, place[:-1])
    if value is _GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return data


def _read(text: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(text)
    return data


EXAMPLES: Mapping[str, tuple[type[Strict], dict[str, Any]]] = {
    "competitive_registry.yaml": (CompetitiveRegistry, _read("""
domain: toys
target_leaderboards:
  - name: ToyBoard
    url: board.csv
    scrape_method: csv
    primary_metric: accuracy
    higher_is_better: true
    columns:
      system: system
      score: {column: accuracy, regex: "([0-9.]+)", attribute: data-sort}
      stderr: error
      interval: ci
      date: when
      url: link
      metrics: {speed: speed}
    exclude: {rows: human, where: {column: system, in: [random]}}
    aliases: {Leader: [The leader]}
    unit: percent
    decimal: "."
    part: 1
    may_be_empty: false
    items: 400
    stderr: 0.01
    victory: {absolute_rank: 1, relative_gap: 0.005, sustained_cycles: 3}
    promotion_threshold: 0.03
    submission: {api: "http://127.0.0.1:9/submit", conn_id: arena, token_env: TOKEN, max_per_day: 1}
    benchmark: toy
    saturation: {request: next.yaml, key_errors: 0.01, submissions: 5}
  - name: Other
    url: "https://example.org/board"
    conn_id: other
    token_env: OTHER_TOKEN
    scrape_method: html_table
    primary_metric: accuracy
    higher_is_better: true
    locate: {heading: Results, table: 1}
    derive: {mean: [a, b], best_per: system, transpose: false}
  - name: Third
    scrape_method: manual
    primary_metric: accuracy
    higher_is_better: true
    locate: {css: table}
    derive: {mean_by: {group: g, of: o}}
  - name: Fourth
    url: "https://example.org/board.json"
    scrape_method: api
    primary_metric: accuracy
    higher_is_better: true
    locate: {jsonpath: "$.rows"}
competitors:
  - {name: Leader, latest_score: 0.9, source: ToyBoard, last_updated: 2026-01-02}
our_solution:
  name: Ours
  aliases: [Ours v2]
  solution: toy
  benchmark: toy
  current_scores: {ToyBoard: 0.61}
  promotion_threshold: 0.005
""")),
    "schedule.yaml": (ScheduleFile, _read("""
schedule:
  leaderboard_scrape: "0 6 * * *"
  research_ingest: "0 7 * * 1"
  experiment_sweep: "0 8 * * *"
  production_defense: "30 6 * * *"
  report_digest: "0 9 * * 1"
timezone: UTC
automation: {experiments: "on", promotion: "on", submission: "on", code: approve, construction: approve}
code: {folder: candidate, on_promotion: patch}
proposals:
  {agent: "llm:CONN", start: production, rounds: 3, minutes: 30, measures: 6, calls: 40, tokens: 1000, price: 0.1, money: 1,
   network: false}
gate: {shares: {agent: 0.15, competitor: 0.05, paper: 0.2, person: 0.2, search: 0.4, agents: {"llm:CONN": 0.1}}}
budget: {trials: 300, hours: 5, money: 5}
submission: {max_per_day: 1, terms_acknowledged: true}
rate_card: {currency: USD, cpu_hour: 0.04, gpu_hour: 2.5}
notifications: {slack_conn_id: slack, channel: "#news", routes: {ToyBoard: "#toys"}, quiet_hours: [22, 6]}
retention: {raw_pages: 365, predictions: 90, checkpoints: 30, logs: 90, code: 30}
freshness: {max_age_hours: 36, gap_widened: 0.01}
""")),
    "research_config.yaml": (ResearchConfig, _read("""
research_sources:
  {arxiv_queries: [memory], venues: ["ICLR.cc/2026/Conference"], competitor_blogs: ["https://example.org/feed"],
   citation_tracking: ["2401.01234"]}
competitor_reports: {Leader: "https://example.org/report"}
relevance: {terms: [recall]}
second_reader: {conn_id: model, model: small, max_calls: 10, max_tokens: 1000}
""")),
    "technique_catalog.yaml": (TechniqueCatalog, _read("""
techniques:
  - {id: read_more, name: Read more, kind: inference, effort: Low, aliases: [repeated reads]}
""")),
    "solution.yaml": (Solution, _read("""
name: toy
command: [python, train.py]
image: toy
benchmark: toy
knobs:
  reads: {type: int, range: [1, 6], default: 2, log: true, memory_down: 1}
  offset: {type: float, range: [-9, 9], default: 4}
  flip: {type: float, range: [0, 0.5], default: 0.2, when: {colour: [red]}}
  colour: {type: choice, choices: [red, green], default: red}
  quick: {type: bool, default: true}
metrics: {guards: [latency_ms, {name: memory_mb, within: 0.1, absolute: 1.0, higher_is_better: false}]}
techniques: {read_more: {reads: 6}}
seeds_per_process: 1
pruning: {metric: loss, higher_is_better: false, warmup: 3}
resources:
  {cpus: 1, memory_mb: 512, output_mb: 64, gpus: 0, pids: 64, budget_s: 60, fast_budget_s: 20, readable: [], writable: []}
architecture: {kind: coin}
editable: ["*.py"]
""")),
    "benchmark.yaml": (Benchmark, _read("""
name: toy
version: "1"
task: Say whether a hidden coin shows heads
generator: generator.py
scorer: scorer.py
fields: {id: id, input: input, answer: answer, slice: slice, media: media}
boards: {ToyBoard: {metric: accuracy, higher_is_better: true, unit: share}}
secondary: [latency_ms, {name: words, higher_is_better: false}]
slices: [colour]
splits:
  train: {seed: 1, worlds: 50}
  search: {seed: 2, worlds: 400}
  gate: {seed: 3, worlds: 1500, sha256: "0000000000000000000000000000000000000000000000000000000000000000"}
  hidden: {worlds: 400}
""")),
    "benchmark.yaml of files": (Benchmark, _read("""
name: toy
version: "1"
task: Say whether a hidden coin shows heads
scorer: accuracy
boards: {ToyBoard: {metric: accuracy, higher_is_better: true}}
splits: {train: {items: train.jsonl}, search: {items: search.csv}, gate: {items: gate.tsv}}
""")),
    "sweep.yaml": (SweepSpec, _read("""
name: s
description: a sweep
solution: toy
datasets: [{name: toy, version: "1", split: search,
  sha256: "0000000000000000000000000000000000000000000000000000000000000000"}]
metrics: {primary: accuracy, secondary: [latency_ms], higher_is_better: true, meaningful_difference: 0.01}
aggregation: macro
configurations: [{name: a, params: {reads: 3}}]
baseline: a
seeds: [1, 2]
budget: {trials: 10, hours: 1, money: 1, trial_s: 60}
hardware: a laptop
max_reruns: 2
runner: local
""")),
    "trial.yaml": (TrialFile, _read("{solution: toy, params: {reads: 3}, stage: fast, subset: 0.5, budget_s: 60}")),
    "hypothesis.yaml": (Idea, _read("""
title: Read more
claim: it helps
source: person
target_leaderboards: [ToyBoard]
urgency: normal
implementation:
  change: read six times
  params: {reads: 6}
  base: {offset: 4}
  patch: {flip: 0.1}
  code: {git: {repo: ".", ref: main}}
  effort: Low
  estimated_gain: 0.02
""")),
    "hypothesis.yaml with a folder": (Idea, _read("""
title: Read more
implementation: {change: read six times, code: {folder: changed}, effort: Low, estimated_gain: 0.02}
""")),
    "hypothesis.yaml with a patch": (Idea, _read("""
title: Read more
implementation: {change: read six times, code: {diff: change.patch}, effort: Low, estimated_gain: 0.02}
""")),
    "request.yaml of documents": (ConstructionRequest, _read("""
name: manuals
request: questions about our manuals
documents: manuals
""")),
    "request.yaml": (ConstructionRequest, _read("""
name: sums
request: mental arithmetic
domain: numbers
sources: [arithmetic]
target_size: 100
objective: {difficulty: {target: 0.4}, separability: 0.1, novelty: 0.2, salience: {min: 0.1}, safety: 0.0}
candidates: []
compare_with: [earlier]
rounds: 2
per_round: 2
proposer: random
pilot_items: 20
budget: {calls: 1000, minutes: 5, money: 0}
seed: 1
""")),
    "scenario.yaml": (ScenarioFile, _read("""
hypotheses: 60
repetitions: 20
effects: [{share: 0.5, delta: 0.0}, {share: 0.5, uniform: [0.1, 0.2]}]
noise: {distribution: normal, sd: 1.0, assumed_sd: 1.0, candidate_sd: 1.0}
items: {n: 100, discordance: 0.1}
control_runs: 10
defense_runs_per_hypothesis: 1
policies: [greedy]
""")),
    "task.toml": (TaskFile, _read("""
schema_version: "1.4"
metadata:
  optimization:
    axis: faster
    language: c
    metric: instructions
    unit: instructions
    direction: minimize
    transform: log
    editable: [main.c]
    baseline: 100.0
    reference: 50.0
    stretch: 20.0
    best_known: {value: 10.0, source: a paper}
    check_seeds: [1]
    spread: 0.0
    toolchain: {c: "12"}
    optional: false
verifier: {timeout_sec: 60.0}
agent: {timeout_sec: 60.0}
environment: {cpus: 1}
""")),
    "cheat.toml": (Cheat, _read("{does: it looks at the answers, refused_by: files}")),
}  # fmt: skip
"""Name of a file -> its shape, and a sound one with every key that there is."""
