"""Odd input to the page's API is the client's fault and says so; errors are kept by no cache."""

from __future__ import annotations

import json

import pytest
from tests.airflow_home import HOME
from tests.plugins.test_web import HOST, airflow_users, own_site, site

assert HOME
__all__ = ["airflow_users", "own_site", "site"]
pytestmark = [pytest.mark.airflow, pytest.mark.timeout(120)]
BEYOND = 2**63


def client(site, role):
    """A browser of this user: whatever falls over on the server is a status, as for a real one."""
    found = site.client(role)
    found._transport.raise_server_exceptions = False
    return found


@pytest.mark.parametrize(
    "path",
    [
        "default/boards?q=%00", "default/history?board=%00", "default/matrix?board=%00", "default/hypotheses/%00",
        "default%00/summary", f"default/matrix?offset={BEYOND}",
        f"default/matrix?offset={2**31}", f"default/decisions?before={BEYOND}",
    ],
)  # fmt: skip
def test_an_odd_question_is_refused_as_such(site, path):
    assert client(site, "viewer").get(f"/api/{path}").status_code in {400, 404, 422}


def test_other_odd_questions_are_refused_as_such(site):
    for path in ("default/boards?limit=0", "default/log?limit=201", "default/digests/99999-01-01"):
        assert client(site, "viewer").get(f"/api/{path}").status_code == 422


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("escalations/close", {"key": "approve-promotion/abc", "reason": "why not"}),
        ("escalations/close", {"key": f"approve-promotion/{BEYOND}", "reason": "why not"}),
        ("escalations/close", {"key": "x\0", "reason": "why not"}),
        ("escalations/close", {"key": "competitor/Rival", "reason": "\ud83d is half a sign"}),
        (f"trials/{BEYOND}/invalidate", {"reason": "why not"}),
        ("hypotheses/%00/pause", {"reason": "why not"}),
    ],
    ids=[
        "a key without a number",
        "a key beyond",
        "a NUL in a key",
        "half a sign",
        "a trial beyond",
        "a NUL in a path",
    ],
)
def test_an_odd_action_is_refused_as_such(site, path, body):
    headers = {"Origin": HOST, "Content-Type": "application/json"}
    answer = client(site, "user").post(f"/api/default/{path}", content=json.dumps(body), headers=headers)
    assert answer.status_code in {400, 404, 409, 422}, answer.text[:200]


def test_a_blank_reason_is_none(own_site):
    path = f"/api/default/hypotheses/{own_site.ids['queued']}/pause"
    user = client(own_site, "user")
    blanks = ("   ", "\n\t\n", "\u200b\u200b\u200b")
    answers = [user.post(path, json={"reason": blank}, headers={"Origin": HOST}) for blank in blanks]
    assert [answer.status_code for answer in answers] == [422, 422, 422]


def test_a_body_beyond_all_need_is_refused_by_its_size(site):
    body = b'{"key": "x", "reason": "' + b"a" * 2**21 + b'"}'
    headers = {"Origin": HOST, "Content-Type": "application/json"}
    answer = client(site, "user").post("/api/default/escalations/close", content=body, headers=headers)
    assert answer.status_code == 413, answer.text[:200]


@pytest.mark.parametrize(
    ("role", "path"),
    [(None, "default/summary"), ("nobody", "default/summary"), ("viewer", "default/nope"),
     ("viewer", "default/digests/2026-13-01"), ("viewer", "default/hypotheses/H-999")],
    ids=["401", "403", "404 without a route", "422", "404"],
)  # fmt: skip
def test_errors_are_kept_by_no_cache(site, role, path):
    answer = client(site, role).get(f"/api/{path}")
    assert answer.status_code >= 400
    assert (answer.headers.get("cache-control"), answer.headers.get("x-content-type-options")) == (
        "no-store",
        "nosniff",
    )


@pytest.mark.parametrize("junk", ["junk", "Basic dXNlcjp1c2Vy", "Bearer", "Bearer "])
def test_junk_beside_a_cookie_is_no_token(own_site, junk):
    """A form or a fetch of another site that sends no Origin still sends the cookie."""
    path = f"/api/default/hypotheses/{own_site.ids['queued']}/pause"
    answer = client(own_site, "user").post(path, json={"reason": "why not"}, headers={"Authorization": junk})
    assert answer.status_code in {401, 403}


@pytest.mark.parametrize("origin", ["http://[", "null", "", "//", "http://testserver.evil.example"])
def test_what_is_no_origin_of_ours_is_another_site(own_site, origin):
    path = f"/api/default/hypotheses/{own_site.ids['queued']}/pause"
    answer = client(own_site, "user").post(path, json={"reason": "why not"}, headers={"Origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"[" * 60_000, b'{"reason": 1e999}', b'{"reason": NaN}', b'{"reason": ' + b"9" * 5000 + b"}",
     b"\xff\xfe", b'{"reason": ["a"]}', b'{"reason"'],
    ids=["nothing", "a list", "deep", "infinity", "NaN", "long", "no UTF-8", "a list in it", "half"],
)  # fmt: skip
def test_a_body_that_is_none_is_refused_with_a_reason(own_site, body):
    path = f"/api/default/hypotheses/{own_site.ids['queued']}/pause"
    headers = {"Origin": HOST, "Content-Type": "application/json"}
    answer = client(own_site, "user").post(path, content=body, headers=headers)
    assert answer.status_code in {400, 422}
    assert isinstance(answer.json()["detail"], str)
    assert answer.headers["cache-control"] == "no-store"


def test_a_body_that_does_not_say_its_size_is_counted(site):
    def pieces():
        for _ in range(100):
            yield b" " * 2**12

    headers = {"Origin": HOST, "Content-Type": "application/json"}
    answer = client(site, "user").post("/api/default/escalations/close", content=pieces(), headers=headers)
    assert answer.status_code == 413


def test_what_falls_over_on_the_server_is_kept_by_no_cache_and_told_without_its_inside(site, monkeypatch):
    def fall_over(**_):
        raise RuntimeError("postgresql://me:hunter2@db")

    monkeypatch.setattr("auto_benchmark.db.repositories.records.logged", fall_over)
    answer = client(site, "viewer").get("/api/default/log")
    assert answer.status_code == 500
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert "hunter2" not in answer.text
