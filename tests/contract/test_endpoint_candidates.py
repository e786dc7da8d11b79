"""Pictures and sounds as a model behind an endpoint gets them: over a connection, by a server that looks and listens."""

import io
from base64 import b64decode
from dataclasses import replace
from hashlib import sha256

import yaml
from PIL import Image
from tests.command_line import runner
from tests.fakes.llm_server import FakeModel, served

from auto_benchmark.construction.answering import put
from auto_benchmark.construction.candidates.endpoint import EXAMPLES, MOST_MEDIA_BYTES, EndpointCandidate
from auto_benchmark.construction.item import Asked, Item, Media
from auto_benchmark.construction.source import Description, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.llm.chat import Chat
from auto_benchmark.sources.connection import RETRY, HttpConnection

BY_NAME = sources_by_name(SOURCES)
PICTURES = Description("scans", "codes", {"smallness": 1, "turn": 0, "noise": 0, "paleness": 0})
SOUNDS = Description("tones", "count", {"most": 6, "noise": 1})


def drawn(description: Description, n: int = 8) -> list[Item]:
    return BY_NAME[description.source].generate(description, n, 11)


def candidate(model: FakeModel, calls: int = 100) -> EndpointCandidate:
    endpoint = HttpConnection(model.url, retry=replace(RETRY, sleep=lambda _: None))
    return EndpointCandidate("llm:seeing", Chat(endpoint, "seeing-model", calls, 10**6, {}))


def parts_of(question: dict) -> tuple[str, dict]:
    text, media = question["messages"][-1]["content"]
    assert text["type"] == "text"
    return text["text"], media


def test_a_picture_arrives_as_it_was_drawn():
    items = drawn(PICTURES)
    key_of = {item.asked.media.sha256: item.answer for item in items}

    def looks(question: dict) -> str:
        said, part = parts_of(question)
        assert said and set(part) == {"type", "image_url"} and part["type"] == "image_url"
        head, _, encoded = part["image_url"]["url"].partition(",")
        assert head == "data:image/png;base64"
        content = b64decode(encoded, validate=True)
        Image.open(io.BytesIO(content)).verify()
        return f" {key_of[sha256(content).hexdigest()]}\n"

    with served(FakeModel(says=[looks])) as model:
        sheet = put([candidate(model)], items, [])
    assert sheet.failed == {} and all(sheet.right["llm:seeing"].values()) and len(model.asked) == len(items)
    assert model.asked[0]["model"] == "seeing-model"


def hears(question: dict) -> str:
    """Counts tones in the samples that it was sent."""
    said, part = parts_of(question)
    assert set(part) == {"type", "input_audio"} and part["type"] == "input_audio"
    assert set(part["input_audio"]) == {"data", "format"} and part["input_audio"]["format"] == "wav"
    media = Media("wav", b64decode(part["input_audio"]["data"], validate=True))
    return str(BY_NAME["tones"].form("count").key_again({}, Asked(said, media=media)))


def test_a_sound_can_be_heard_from_what_arrives():
    items = drawn(SOUNDS, 12)
    with served(FakeModel(says=[hears])) as model:
        sheet = put([candidate(model)], items, [])
    assert sheet.failed == {} and all(sheet.right["llm:seeing"].values())


def test_solved_items_are_shown_with_their_pictures_as_far_as_they_fit(monkeypatch):
    items = drawn(PICTURES)
    sizes = [len(item.asked.media.content) for item in items]
    for limit, shown in ((MOST_MEDIA_BYTES, EXAMPLES), (sizes[0] + sizes[1] + sizes[2], 2), (sizes[0], 0)):
        monkeypatch.setattr("auto_benchmark.construction.candidates.endpoint.MOST_MEDIA_BYTES", limit)
        with served(FakeModel(says=["x"])) as model:
            put([candidate(model)], items[:1], items[1:])
        messages = model.asked[0]["messages"]
        assert [m["role"] for m in messages] == ["system", *["user", "assistant"] * shown, "user"]
        examples = [m for m in messages[1:-1] if m["role"] == "user"]
        assert all({part["type"] for part in m["content"]} == {"text", "image_url"} for m in examples)


def test_a_picture_that_is_too_large_is_not_sent():
    (item,) = drawn(PICTURES, 1)
    large = replace(item, asked=replace(item.asked, media=Media("png", bytes(MOST_MEDIA_BYTES + 1))))
    with served(FakeModel(says=["x"])) as model:
        sheet = put([candidate(model)], [large], [])
    assert (
        model.asked == []
        and "a picture of 8,388,609 bytes is larger than the 8,388,608" in sheet.failed["llm:seeing"]
    )


def test_a_model_that_takes_no_sound_is_named_and_asked_once():
    with served(FakeModel(says=["no"], status=400)) as model:
        sheet = put([candidate(model)], drawn(SOUNDS), [])
    said = sheet.failed["llm:seeing"]
    assert len(model.asked) == 1 and "the endpoint answers 400 to a question with a sound of" in said
    assert not any(sheet.right["llm:seeing"].values())


def test_a_spent_budget_does_not_read_as_a_deaf_model():
    with served(FakeModel(says=["1"])) as model:
        sheet = put([candidate(model, calls=2)], drawn(SOUNDS), [])
    assert len(model.asked) == 2 and sheet.failed["llm:seeing"].startswith("ChatFailed: budget spent: 2 calls")


def test_an_endpoint_cannot_send_a_picture_on_to_another_address():
    with served(FakeModel(says=["x"])) as elsewhere:
        sends_on = FakeModel(says=["x"], status=307, headers={"Location": f"{elsewhere.url}/chat/completions"})
        with served(sends_on) as model:
            sheet = put([candidate(model)], drawn(PICTURES, 2), [])
    assert elsewhere.asked == [] and "the endpoint answers 307" in sheet.failed["llm:seeing"]


def test_a_construction_of_sounds_measures_a_model_that_hears_and_names_one_that_does_not(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(tmp_path / "home"))
    cli = runner(monkeypatch, capsys)
    request = {"name": "heard", "request": "Count the tones", "sources": ["tones"], "target_size": 20, "rounds": 1,
               "per_round": 1, "pilot_items": 8, "candidates": ["llm:hears", "llm:deaf:text-model"]}  # fmt: skip
    (tmp_path / "request.yaml").write_text(yaml.safe_dump(request))
    with served(FakeModel(says=[hears])) as one, served(FakeModel(says=["no"], status=415)) as other:
        monkeypatch.setenv("AUTO_BENCHMARK_CONN_HEARS", one.url)
        monkeypatch.setenv("AUTO_BENCHMARK_CONN_DEAF", other.url)
        ran = cli("construct", "run", "request.yaml", "--out", "out", "--json")
    assert ran.code == 0, ran.err
    rows = {row["name"]: row for row in read_rows(tmp_path / "out" / "candidates.jsonl")}
    assert rows["llm:hears"]["accuracy_gate"] == 1 and rows["llm:deaf:text-model"]["accuracy_gate"] == 0
