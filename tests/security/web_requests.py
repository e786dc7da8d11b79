"""Random requests over the plugin's OpenAPI, by somebody who may use one of two projects.

Each request is a route with values of its declared types, real ids of both projects, and odd ones. What must hold of
every answer: it is no failure of the server, an error says why and is kept by no cache, and nothing of the other project
shows. In the end, no row of the other project has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from fastapi import HTTPException, Request
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from tests import web_world

from auto_benchmark.db.repositories import records
from auto_benchmark_airflow.web.access import Access
from auto_benchmark_airflow.web.app import create_app
from auto_benchmark_airflow.web.world import World

MARK = "of-the-other-project"
OTHER = "other"
HIDDEN = "competitor/Hidden"
"""A question of the other project alone; a refusal may repeat it."""
HOST = "http://testserver"
BEYOND = 2**63
ODD_NUMBERS = (0, -1, 1, 200, 201, BEYOND - 1, BEYOND, 10**400, "1e3", "0x1", "", "٣", "nan")
ODD_TEXTS = ("", " ", "\0", "\ud83d", "..", "../other", "other", "default", "%", "'; --", "\u202e", "a" * 600)
ODD_BODIES = (b"", b"{", b"null", b"[" * 5000, b"\xff", b'{"reason": 1e999}', b"1" * 5000, b" " * 70_000)
ORIGINS = (HOST, HOST, HOST, HOST, "https://evil.example", "null", "http://[", None)


@dataclass
class Seen:
    """What was answered: how often each status came, and on how many routes something was answered or refused."""

    statuses: Counter[int] = field(default_factory=Counter)
    answered: set[str] = field(default_factory=set)
    routes: int = 0


def ask_at_random(world: World, count: int) -> dict[str, Any]:
    """Send ``count`` requests, the same ones each time.

    Raises:
        AssertionError: an answer is not as it must be; it names the request.
    """
    ids = _two_projects(world)
    before = _digest(world)
    app = create_app(_guest(), world)
    seen, client = Seen(), TestClient(app, base_url=HOST, raise_server_exceptions=False, follow_redirects=False)
    found = [
        (path, method, told) for path, methods in app.openapi()["paths"].items() for method, told in methods.items()
    ]
    seen.routes = len(found)
    bodies = {s: d["properties"] for s, d in app.openapi()["components"]["schemas"].items() if s.startswith("Body_")}

    @settings(max_examples=count, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.data())
    def one(data: st.DataObject) -> None:
        path, method, told = data.draw(st.sampled_from(found))
        _ask(data, client, seen, (path, method, told, bodies), ids)

    one()
    assert _digest(world) == before, "rows of the other project have changed"
    return {
        "requests": seen.statuses.total(), "routes": seen.routes, "routes_answered": len(seen.answered),
        "statuses": {str(status): n for status, n in sorted(seen.statuses.items())},
    }  # fmt: skip


def _ask(
    data: st.DataObject, client: TestClient, seen: Seen, route: tuple[str, str, Any, Any], ids: dict[str, list[Any]]
) -> None:
    path, method, told, bodies = route
    place, query = path, []
    for parameter in told.get("parameters", ()):
        name = parameter["name"]
        value = _encoded(data.draw(_values(name, parameter["schema"], ids)))
        if parameter["in"] == "path":
            place = place.replace(f"{{{name}}}", value)
        elif data.draw(st.booleans()):
            query.append(f"{name}={value}")
    headers = {"Content-Type": "application/json"}
    if origin := data.draw(st.sampled_from(ORIGINS)):
        headers["Origin"] = origin
    content = None
    if method == "post":
        schema = told["requestBody"]["content"]["application/json"]["schema"]
        content = data.draw(_body(bodies[schema["$ref"].rpartition("/")[2]], ids))
    url = place + ("?" + "&".join(query) if query else "")
    answer = client.request(method.upper(), url, content=content, headers=headers)
    what = f"{method} {url[:300]} {(content or b'')[:300]!r}: {answer.status_code} {answer.text[:300]}"
    seen.statuses[answer.status_code] += 1
    assert answer.status_code < 500, what
    assert MARK not in answer.text, what
    assert answer.headers["x-content-type-options"] == "nosniff", what
    if answer.status_code < 400:
        seen.answered.add(f"{method} {path}")
    else:
        assert answer.headers["cache-control"] == "no-store", what
        assert isinstance(answer.json()["detail"], str), what
        assert answer.json()["detail"], what


def _values(name: str, schema: dict[str, Any], ids: dict[str, list[Any]]) -> st.SearchStrategy[Any]:
    """Values of a parameter; most are such that the request is let in."""
    kinds = {kind.get("type") for kind in (schema, *schema.get("anyOf", ()))}
    likely = ids.get(name, []) + list(schema.get("enum", ()))
    if "boolean" in kinds:
        return st.sampled_from(["true", "false", "2", ""])
    if "integer" in kinds:
        odd = [st.integers(0, 40), st.sampled_from(ODD_NUMBERS), st.integers()]
    else:
        odd = [st.sampled_from(ODD_TEXTS), st.text(max_size=40)]
    usual = [st.sampled_from(likely)] * (40 if name == "project" else 6) if likely else []
    # ``one_of`` drops alternatives that it has already, and so their weight.
    return st.sampled_from(range(len(usual) + len(odd))).flatmap(lambda at: [*usual, *odd][at])


def _body(properties: dict[str, Any], ids: dict[str, list[Any]]) -> st.SearchStrategy[bytes]:
    anything = st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.lists(st.text(), max_size=2))
    texts = st.one_of(st.just("why not"), st.sampled_from(ODD_TEXTS), st.text(max_size=40), anything)
    fields = {name: st.one_of(st.sampled_from(ids[name]), texts) if name in ids else texts for name in properties}
    if "idea" in fields:
        fields["idea"] = st.one_of(_ideas(texts, anything), anything)
    likely = st.fixed_dictionaries({**fields, "reason": st.just("why not")})
    dictionaries = st.one_of(
        likely, st.fixed_dictionaries(fields), st.dictionaries(st.sampled_from([*fields]), anything)
    )
    return st.one_of(
        dictionaries.map(lambda d: json.dumps(d).encode()), st.sampled_from(ODD_BODIES), st.binary(max_size=60)
    )


def _ideas(texts: st.SearchStrategy[Any], anything: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    values = st.one_of(st.integers(1, 6), st.sampled_from(ODD_NUMBERS), anything)
    change = st.fixed_dictionaries({
        "change": texts, "effort": st.just("Low"), "estimated_gain": st.one_of(st.just(0.01), anything),
        "params": st.one_of(st.fixed_dictionaries({"reads": values}), st.dictionaries(st.text(max_size=9), values)),
    })  # fmt: skip
    return st.fixed_dictionaries({"title": texts, "implementation": st.one_of(change, change, anything)})


def _encoded(value: Any) -> str:
    """As part of an address; ``..`` stays what it is only in its escaped form."""
    return quote(str(value).encode("utf-8", "surrogatepass"), safe="").replace(".", "%2E")


def _guest() -> Access:
    async def guest(request: Request) -> str:
        if "x-nobody" in request.headers:
            raise HTTPException(401, "nobody")
        return "guest"

    return Access(guest, lambda project, _: project == "default", lambda project, *_: project == "default", str)


def _two_projects(world: World) -> dict[str, list[Any]]:
    """Fill both; values of parameters that name something in either."""
    filled = []
    for project in ("default", OTHER):
        web_world.declare(world.sessions, world.settings, project)
        filled.append(web_world.fill(world.sessions, project))
    with world.sessions.begin() as session:
        hidden = web_world.add_hypothesis(session, OTHER, MARK, {"offset": 2.0}, 0.01)
        records.log(session=session, project=OTHER, key=MARK, kind="promotion", subject=MARK, reason=MARK)
        records.escalate(session=session, project=OTHER, key=HIDDEN, title=MARK, brief=MARK)
        _mark(session)
    questions = [f"approve-promotion/{made['waiting_decision']}" for made in filled]
    return {
        "project": ["default"] * 8 + [OTHER],
        "hypothesis_id": [made[name] for made in filled for name in ("hypothesis", "queued", "waiting")] + [hidden],
        "trial_id": [made[name] for made in filled for name in ("trial", "running")],
        "before": [made["waiting_decision"] for made in filled],
        "board": ["MemoryBench", "LongContextEval"],
        "week": [week.isoformat() for week in web_world.DIGESTS],
        "key": [*questions, "competitor/Rival", HIDDEN, f"approve-promotion/{BEYOND}"],
    }  # fmt: skip


def _mark(session: Any) -> None:
    """What the other project's pages show bears its mark."""
    for table, column in (
        ("hypotheses", "title"), ("escalations", "title"), ("papers", "title"), ("leaderboard_snapshots", "leader"),
        ("leaderboard_entries", "system"),
    ):  # fmt: skip
        statement = f'UPDATE auto_benchmark.{table} SET "{column}" = "{column}" || :mark WHERE project = :project'
        assert session.execute(text(statement), {"mark": MARK, "project": OTHER}).rowcount, table


def _digest(world: World) -> str:
    """Of all rows of the other project."""
    listed = (
        "SELECT table_name FROM information_schema.columns "
        "WHERE table_schema = 'auto_benchmark' AND column_name = 'project' ORDER BY 1"
    )
    found = hashlib.sha256()
    with world.sessions() as session:
        tables = session.scalars(text(listed)).all()
        assert len(tables) > 10
        for table in tables:
            rows = f'SELECT t::text FROM auto_benchmark."{table}" t WHERE project = :project ORDER BY 1'
            for row in session.scalars(text(rows), {"project": OTHER}):
                found.update(row.encode())
    return found.hexdigest()
