"""The arena's endpoints on a really created hidden world."""

from __future__ import annotations

import json
import stat
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from fastapi.testclient import TestClient
from tests.waiting import eventually

from arena.app import make_app
from arena.arena_state import Arena
from arena.declaration import Declaration

URL = "/api/boards/MemoryBench/submissions"
HOSTILE = '<script>alert("x")</script> & co'


class Clock:
    """A day that passes when told to."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC) + timedelta(days=1)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(declaration: Declaration, home: Path, clock: Clock) -> Iterator[TestClient]:
    arena = Arena(declaration, home, clock)
    with TestClient(make_app(arena)) as client:
        eventually(lambda: client.get("/healthz").status_code == 200, "the arena's answer")
        yield client
    arena.store.close()


def items(client: TestClient) -> list[str]:
    answer = client.get("/api/boards/MemoryBench/inputs", headers=bearer(client))
    return [row["id"] for row in map(json.loads, answer.text.splitlines()) if "id" in row]


def bearer(client: TestClient) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.app.state.arena.token}"}  # type: ignore[attr-defined]


def submit(client: TestClient, system: str, answers: dict[str, str], key: str) -> Any:
    body = {"system": system, "predictions": [{"id": i, "answer": a} for i, a in answers.items()]}
    return client.post(URL, json=body, headers={**bearer(client), "Idempotency-Key": key})


def truth(client: TestClient, share: float = 1.0) -> dict[str, str]:
    """Right answers to the first items, which only a test inside the arena's process can know."""
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]
    answers = arena.worlds["memory"].answers
    ids = items(client)
    return {i: answers[i]["answer"] for i in ids[: round(len(ids) * share)]}


def entries(client: TestClient, board: str = "MemoryBench") -> list[dict[str, Any]]:
    return client.get(f"/api/boards/{board}").json()["entries"]


def news(client: TestClient) -> list[str]:
    feed = ET.fromstring(client.get("/boards/MemoryBench/changes.rss").text)
    return [item.findtext("title") or "" for item in feed.iter("item")]


def test_the_board_lists_competitors_best_first_in_every_form(client: TestClient) -> None:
    board = client.get("/api/boards/MemoryBench").json()
    assert (board["board"], board["metric"], board["higher_is_better"]) == ("MemoryBench", "accuracy", True)
    scores = [e["score"] for e in board["entries"]]
    assert scores == sorted(scores, reverse=True)
    assert {e["system"] for e in board["entries"]} == {"CompetitorA", "CompetitorB", "CompetitorC"}
    assert all(e["items"] == 4 * 48 and 0 < e["stderr"] < 0.05 for e in board["entries"])
    table = BeautifulSoup(client.get("/boards/MemoryBench").text, "html.parser").select("table#results tbody tr")
    shown = [[cell.text for cell in row.select("td")][1:3] for row in table]
    assert shown == [[e["system"], f"{e['score']:.4f}"] for e in board["entries"]]


def test_inputs_need_the_token_and_hold_no_answer(client: TestClient) -> None:
    assert client.get("/api/boards/MemoryBench/inputs").status_code == 401
    rows = [
        json.loads(line)
        for line in client.get("/api/boards/MemoryBench/inputs", headers=bearer(client)).text.splitlines()
    ]
    assert {frozenset(r) for r in rows if "id" in r} == {frozenset({"id", "context", "question"})}


def test_a_submission_is_scored_entered_and_repeatable(client: TestClient) -> None:
    answers = truth(client, 0.75)
    first = submit(client, "OurSystem", answers, "k1")
    assert first.status_code == 201
    assert first.json()["scores"]["accuracy"] == 0.75
    again = submit(client, "OurSystem", answers, "k1")
    assert (again.status_code, again.json()) == (200, first.json())
    ours = [e for e in entries(client) if e["system"] == "OurSystem"]
    assert [e["score"] for e in ours] == [0.75]
    assert submit(client, "OurSystem", truth(client, 0.5), "k1").status_code == 409


def test_the_same_request_many_times_at_once_is_one_submission(client: TestClient) -> None:
    answers = truth(client, 0.5)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: submit(client, "OurSystem", answers, "k"), range(6)))
    assert sorted(r.status_code for r in found) == [200] * 5 + [201]
    assert len({r.text for r in found}) == 1
    assert len(client.app.state.arena.store.submissions("MemoryBench")) == 1  # type: ignore[attr-defined]


def test_the_best_submission_stands(client: TestClient) -> None:
    submit(client, "OurSystem", truth(client, 0.5), "k1")
    submit(client, "OurSystem", truth(client, 0.75), "k2")
    assert submit(client, "OurSystem", truth(client, 0.25), "k3").status_code == 201
    assert [e["score"] for e in entries(client) if e["system"] == "OurSystem"] == [0.75]


def test_an_entrant_appears_above_us_once_we_have_submitted(client: TestClient) -> None:
    """At which rank is the world's to say, and each arena draws its own."""
    assert "StartupX" not in {e["system"] for e in entries(client)}
    submit(client, "OurSystem", truth(client, 0.25), "k1")
    scores = {e["system"]: e["score"] for e in entries(client)}
    assert scores["StartupX"] > scores["OurSystem"]
    assert "StartupX" not in {e["system"] for e in entries(client, "LongContextEval")}
    rank = 1 + sum(score > scores["StartupX"] for score in scores.values())
    told = f"StartupX enters at #{rank} with accuracy {scores['StartupX']:.4f}"
    assert told in [title.removeprefix("MemoryBench: ") for title in news(client)]


def test_a_quota_ends_with_the_day_and_repetitions_are_free(client: TestClient, clock: Clock) -> None:
    answers = truth(client, 0.1)
    clock.now = clock.now.replace(hour=10)
    for i in range(20):
        assert submit(client, "OurSystem", answers, f"k{i}").status_code == 201
    refused = submit(client, "OurSystem", answers, "k20")
    assert refused.status_code == 429
    assert 13 * 3600 < int(refused.headers["Retry-After"]) <= 14 * 3600
    assert submit(client, "OurSystem", answers, "k3").status_code == 200
    assert submit(client, "OtherSystem", answers, "k21").status_code == 201
    clock.now += timedelta(days=1)
    assert submit(client, "OurSystem", answers, "k20").status_code == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{", "body"),
        (b"[]", "body"),
        (b'{"system": "S"}', "predictions"),
        (b'{"system": "S", "predictions": []}', "predictions"),
        (b'{"system": "", "predictions": [{"id": "q00000", "answer": "x"}]}', "system"),
        (b'{"system": "CompetitorA", "predictions": [{"id": "q00000", "answer": "x"}]}', "system"),
        (b'{"system": "S", "predictions": [{"id": "q00000"}]}', "predictions[0].answer"),
        (b'{"system": "S", "predictions": [{"id": "q00000", "answer": 7}]}', "predictions[0].answer"),
        (b'{"system": "S", "predictions": [{"id": "nowhere", "answer": "x"}]}', "predictions[0].id"),
        (
            b'{"system": "S", "predictions": [{"id": "q00000", "answer": "x"}, {"id": "q00000", "answer": "y"}]}',
            "predictions[1].id",
        ),
        (b'{"system": "S", "score": 1, "predictions": [{"id": "q00000", "answer": "x"}]}', "score"),
    ],
)
def test_a_faulty_body_is_refused_by_field(client: TestClient, body: bytes, field: str) -> None:
    answer = client.post(URL, content=body, headers={**bearer(client), "Idempotency-Key": "k"})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["field"] == field
    assert len(entries(client)) == 3


def test_tokens_keys_sizes_and_names_are_checked(client: TestClient) -> None:
    assert client.post(URL, json={}).status_code == 401
    assert client.post(URL, json={}, headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert client.post(URL, json={}, headers=bearer(client)).json()["detail"][0]["field"] == "Idempotency-Key"
    headers = {**bearer(client), "Idempotency-Key": "k"}
    assert client.post(URL, content=b" " * (9 * 2**20), headers=headers).status_code == 413
    assert client.get("/api/boards/Nowhere").status_code == 404


def test_hostile_names_stay_text(client: TestClient) -> None:
    name = HOSTILE.replace("/", "")
    assert submit(client, name, truth(client, 0.5), "k").status_code == 201
    page = client.get("/boards/MemoryBench").text
    assert "<script>" not in page
    assert name in BeautifulSoup(page, "html.parser").select_one("table#results").text  # type: ignore[union-attr]
    assert any(title.startswith(name) for title in news(client))


def test_secrets_are_readable_by_their_owner_only(client: TestClient, home: Path) -> None:
    assert stat.S_IMODE((home / "token").stat().st_mode) == 0o600
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]
    seed = str(arena.store.seed("memory", 0, arena.clock()))
    pages = [
        client.get(p, headers=bearer(client)).text
        for p in ("/healthz", "/boards/MemoryBench", "/api/boards/MemoryBench", "/api/boards/MemoryBench/inputs")
    ]
    assert all(seed not in page and arena.token not in page for page in pages)


def test_until_created_boards_say_when_to_come_back(declaration: Declaration, tmp_path: Path) -> None:
    arena = Arena(declaration, tmp_path)
    hold = threading.Event()
    arena.create = hold.wait  # type: ignore[method-assign,assignment]
    with TestClient(make_app(arena)) as client:
        assert client.get("/healthz").status_code == 503
        answer = client.get("/api/boards/MemoryBench")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
        hold.set()
    arena.store.close()
