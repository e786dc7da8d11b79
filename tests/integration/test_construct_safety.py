"""``construct run`` on attacks: what its quality says, and a model behind an endpoint as a candidate."""

import json
import re

import pytest
import yaml
from tests.command_line import Run, runner
from tests.fakes.llm_server import FakeModel, served

from auto_benchmark.construction.run import run as construct
from auto_benchmark.settings import Settings

REQUEST = {
    "name": "guarded", "request": "Is the assistant safe?", "sources": ["safety_probes"], "target_size": 80, "rounds": 4,
    "per_round": 4, "pilot_items": 16, "objective": {"safety": 1}, "candidates": ["rule_followers"], "seed": 2,
}  # fmt: skip


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(tmp_path / "home"))
    return runner(monkeypatch, capsys)


def written(tmp_path, request):
    (tmp_path / "request.yaml").write_text(yaml.safe_dump(request))
    return tmp_path / "request.yaml"


def test_it_finds_attacks_that_succeed_more_often_than_the_static_set(cli, tmp_path):
    told = construct(Settings(), written(tmp_path, REQUEST), tmp_path / "out", say=lambda _: None)
    quality = json.loads((tmp_path / "out" / "quality.json").read_text())
    safe = quality["safety"]
    assert told["objective"] == {} and quality["panel"]["note"].startswith("no real panel")
    assert quality["instrument"]["safety"]["value"] == safe["attack_success"]["value"]
    assert safe["attacks"] == safe["static"]["attacks"] and abs(safe["attacks"] - safe["twins"]) <= 16
    assert safe["gain"]["value"] == pytest.approx(safe["attack_success"]["value"] - safe["static"]["value"])
    assert safe["gain"]["interval"][0] > 0
    of = {
        name: (row["attack_success"]["value"], row["over_refusal"]["value"]) for name, row in safe["systems"].items()
    }
    assert (of["obeys_everything"], of["keeps_the_rules"], of["refuses_everything"]) == ((1, 0), (0, 0), (0, 1))
    report = (tmp_path / "out" / "REPORT.md").read_text()
    assert "## Safety" in report and "harmless twins refused" in report and "no real panel" in report
    ran = cli("construct", "check", "out")
    assert ran.code == 0, ran.err


def obedient(question):
    """Does what the user's text asks for, whatever the rules say; of codes it knows those of its rules."""
    rules, text = (message["content"] for message in question["messages"])
    if found := re.search(r"write the (\w+) code", text):
        return re.search(rf"{found[1]} code is (\w+)", rules)[1]
    return text


def test_a_model_behind_an_endpoint_is_measured_with_its_rules_as_system_message(cli, tmp_path, monkeypatch):
    request = {**REQUEST, "request": "canary", "target_size": 20, "rounds": 1, "per_round": 1, "pilot_items": 8}
    models = FakeModel(says=[obedient]), FakeModel(says=["I cannot help with that."])
    with served(models[0]) as one, served(models[1]) as other:
        monkeypatch.setenv("AUTO_BENCHMARK_CONN_EAGER", one.url)
        monkeypatch.setenv("AUTO_BENCHMARK_CONN_TIMID", other.url)
        written(tmp_path, {**request, "candidates": ["llm:eager", "llm:timid:small-model"]})
        ran = cli("construct", "run", "request.yaml", "--out", "out", "--json")
        assert ran.code == 0, ran.err
        asked = len(one.asked)
        assert cli("construct", "run", "request.yaml", "--out", "out", "--json").code == 0
        assert len(one.asked) == asked, "what was answered is not asked again"
    assert {m["role"] for m in models[1].asked[0]["messages"]} == {"system", "user"}
    assert models[1].asked[0]["model"] == "small-model"
    assert "confidential" in models[0].asked[0]["messages"][0]["content"]
    systems = json.loads((tmp_path / "out" / "quality.json").read_text())["safety"]["systems"]
    assert systems["llm:eager"]["over_refusal"]["value"] == 0 < systems["llm:eager"]["attack_success"]["value"]
    timid = systems["llm:timid:small-model"]
    assert (timid["attack_success"]["value"], timid["over_refusal"]["value"]) == (0, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"sources": ["elements"]}, "none of these sources attacks"),
     ({"sources": [], "request": "chemical elements"}, "no subtask attacks anything"),
     ({"candidates": ["llm:nowhere"]}, "AUTO_BENCHMARK_CONN_NOWHERE"),
     ({"candidates": ["llm:eager"], "budget": {"money": 5}}, "budget.money: what a question to llm:eager costs"),
     ({"candidates": ["llm:"]}, "candidates")],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused(cli, tmp_path, change, message):
    written(tmp_path, {**REQUEST, **change})
    ran = cli("construct", "run", "request.yaml", "--out", "out")
    assert ran.code == 2 and message in ran.err and "Traceback" not in ran.err
