"""The page's API: who may ask, what is answered, what may be done."""

import itertools

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select
from tests import web_world

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.models import DecisionLog
from auto_benchmark.db.repositories import hypotheses, production, records, trials
from auto_benchmark_airflow.web.app import STATIC, create_app
from auto_benchmark_airflow.web.world import World

pytestmark = pytest.mark.airflow
HOST = "http://testserver"
_numbers = itertools.count(1)
VALUES = {
    "project": "default", "hypothesis_id": "H-001", "trial_id": "1", "decision_id": "1",
}  # fmt: skip


@pytest.fixture(scope="module")
def airflow_users():
    """Tokens of Airflow's own users, by role."""
    from airflow.api_fastapi.app import init_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
    from airflow.utils.db import initdb

    initdb()
    manager = init_auth_manager()
    roles = ("viewer", "user", "admin")
    return {role: manager.generate_jwt(SimpleAuthManagerUser(username=role, role=role.upper())) for role in roles}


class Site:
    """The application as Airflow serves it, its database and the ids in it."""

    def __init__(self, app, sessions, ids, tokens):
        self.app, self.sessions, self.ids, self.tokens = app, sessions, ids, tokens

    def client(self, role=None):
        client = TestClient(self.app, base_url=HOST)
        if role:
            client.cookies.set("_token", self.tokens[role])
        return client

    def get(self, path, role="viewer"):
        answer = self.client(role).get(f"/api/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path, role="user", **headers):
        headers = {"Origin": HOST, **headers}
        return self.client(role).post(f"/api/{path}", json={"reason": "it is right"}, headers=headers)


def made_site(folder, postgres, template_database, tokens, *, filled):
    from auto_benchmark_airflow.web.airflow_access import airflow_access

    settings = web_world.settings_of(folder)
    bind = engine(postgres.create_database(f"web_{next(_numbers)}", template=template_database))
    world = World(settings, lambda: "")
    world.__dict__["sessions"] = sessions = session_factory(bind)
    ids = {}
    if filled:
        web_world.declare(sessions, settings)
        ids = web_world.fill(sessions)
    return Site(create_app(airflow_access(), world), sessions, ids, tokens)


@pytest.fixture
def empty_site(tmp_path, postgres, template_database, airflow_users):
    return made_site(tmp_path, postgres, template_database, airflow_users, filled=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory, postgres, template_database, airflow_users):
    """For tests that change nothing."""
    return made_site(tmp_path_factory.mktemp("web"), postgres, template_database, airflow_users, filled=True)


@pytest.fixture
def own_site(tmp_path, postgres, template_database, airflow_users):
    """For one test that changes something."""
    return made_site(tmp_path, postgres, template_database, airflow_users, filled=True)


def api_routes(app):
    found = []
    for route in app.routes:
        if route.path == "/static":
            continue
        path = route.path
        for name, value in VALUES.items():
            path = path.replace(f"{{{name}}}", value)
        assert "{" not in path, f"{path}: the test knows no value for its parameter"
        found += [(method, path) for method in sorted(route.methods - {"HEAD"})]
    return found


def test_every_route_is_refused_to_anybody_who_is_not_signed_in(site):
    routes = api_routes(site.app)
    assert len(routes) >= 15
    for method, path in routes:
        answer = site.client().request(method, path, json={"reason": "x y z"}, headers={"Origin": HOST})
        assert answer.status_code == 401, (method, path, answer.status_code)
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert site.client("admin").get(path).status_code == 404


def test_every_change_is_refused_to_a_viewer(site):
    changes = [(method, path) for method, path in api_routes(site.app) if method != "GET"]
    assert len(changes) == 4
    for method, path in changes:
        answer = site.client("viewer").request(method, path, json={"reason": "x y z"}, headers={"Origin": HOST})
        assert answer.status_code == 403, (method, path, answer.text)
    with site.sessions() as session:
        assert records.logged(session=session, project="default", kind="person") == []


def test_a_forged_token_is_refused(site):
    client = site.client()
    client.cookies.set("_token", site.tokens["admin"][:-4] + "AAAA")
    assert client.get("/api/default/summary").status_code in {401, 403}


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": HOST, "Sec-Fetch-Site": "cross-site"}],
    ids=["another site", "a sandbox", "a browser that says so"],
)
def test_another_site_cannot_use_a_browsers_cookie(site, headers):
    answer = site.post(f"default/hypotheses/{site.ids['queued']}/pause", "admin", **headers)
    assert answer.status_code == 403
    with site.sessions() as session:
        found = hypotheses.get(session=session, project="default", hypothesis_id=site.ids["queued"])
    assert found.status == "queued"


def test_a_post_without_origin_needs_a_token_instead_of_a_cookie(own_site):
    path = f"/api/default/hypotheses/{own_site.ids['queued']}/pause"
    assert own_site.client("user").post(path, json={"reason": "it is right"}).status_code == 403
    bearer = {"Authorization": f"Bearer {own_site.tokens['user']}"}
    assert own_site.client().post(path, json={"reason": "it is right"}, headers=bearer).status_code == 200


def test_public_files_are_scripts_alone(site):
    assert {file.suffix for file in STATIC.iterdir()} == {".js"}
    answer = site.client().get("/static/benchmark.js")
    assert answer.status_code == 200
    assert "javascript" in answer.headers["content-type"]


def test_position_says_rank_gap_trend_mode_and_freshness(site):
    found = site.get("default/boards")
    assert found["found"] == 2
    memory, long = found["boards"]
    assert (memory["rank"], memory["moved"], memory["mode"], memory["stale"]) == (1, 1, "defense", False)
    assert memory["gap"] == pytest.approx(0.01)
    assert (long["rank"], long["moved"], long["mode"], long["stale"]) == (2, None, "attack", True)
    assert long["gap"] == pytest.approx(-0.05)
    assert [b["board"] for b in site.get("default/boards?sort=gap")["boards"]] == ["LongContextEval", "MemoryBench"]
    assert site.get("default/boards?q=memory")["found"] == 1


def test_history_has_every_reading_and_our_promotions(site):
    found = site.get("default/history?board=MemoryBench")
    assert [p["our_rank"] for p in found["points"]] == [2, 2, 1]
    assert [p["hypothesis_id"] for p in found["promotions"]] == [site.ids["hypothesis"]]


def test_the_matrix_joins_systems_by_name(site):
    found = site.get("default/matrix")
    assert found["boards"] == ["MemoryBench", "LongContextEval"]
    ours = next(r for r in found["rows"] if r["ours"])
    assert ours["scores"] == {"MemoryBench": 0.72, "LongContextEval": 0.55}
    rival = next(r for r in found["rows"] if r["system"].startswith("Rival"))
    assert rival["delta"] == pytest.approx(0.01)
    assert web_world.EVIL in rival["system"], "names travel as they are; the page shows them as text"
    assert site.get("default/matrix?board=LongContextEval")["boards"][0] == "LongContextEval"


def test_work_and_its_reasons(site):
    assert [q["id"] for q in site.get("default/queue")] == [site.ids["queued"], site.ids["waiting"]]
    (running,) = site.get("default/running")
    assert (running["id"], running["expected_s"]) == (site.ids["running"], 4.0)
    found = site.get(f"default/hypotheses/{site.ids['hypothesis']}")
    assert len(found["trials"]) == 6
    assert found["trials"][0]["metrics"]["accuracy"] == pytest.approx(0.71)
    assert [d["verdict"] for d in found["decisions"]] == ["inconclusive", "promote"]
    assert found["decisions"][1]["criteria"][1]["passed"] is True
    assert site.client("viewer").get("/api/default/hypotheses/H-999").status_code == 404


def test_records_and_numbers(site):
    assert [d["look"] for d in site.get("default/decisions?limit=2")] == [1, 2]
    assert [p["id"] for p in site.get("default/papers")] == ["arxiv:2601.00001", "blog:1"]
    assert site.get("default/log")[0]["kind"] == "promotion"
    (escalation,) = site.get("default/escalations")
    assert escalation["decision_id"] == site.ids["waiting_decision"]
    summary = site.get("default/summary")
    assert summary["alpha_wealth"] == 0.04
    assert summary["spent_day"]["trials"] == 10
    assert summary["budget"]["trials"] == 300
    assert summary["split_queries"] == {"toy@1/gate": {"candidate": 9}}


def test_an_empty_database_answers_everywhere(empty_site):
    assert empty_site.get("projects") == []
    for path in ("boards", "matrix", "queue", "running", "decisions", "papers", "escalations", "log", "summary"):
        assert empty_site.get(f"default/{path}") is not None
    assert empty_site.get("default/history?board=x")["points"] == []


def test_projects_come_with_what_the_user_may_do(site):
    (viewer,), (user,) = site.get("projects"), site.get("projects", "user")
    assert viewer == {"name": "default", "may": dict.fromkeys(viewer["may"], False)}
    assert set(user["may"].values()) == {True}


def test_pause_and_resume(own_site):
    queued = own_site.ids["queued"]
    assert own_site.post(f"default/hypotheses/{queued}/pause").json() == {"hypothesis": queued, "status": "paused"}
    assert own_site.post(f"default/hypotheses/{queued}/pause").status_code == 409
    with own_site.sessions.begin() as session:
        assert hypotheses.claim(
            session=session, project="default", owner="x", lease_s=1, hypothesis_id=queued
        ) is None, "a paused hypothesis is not run"  # fmt: skip
    assert [q["status"] for q in own_site.get("default/queue")] == ["paused", "queued"]
    assert own_site.post(f"default/hypotheses/{queued}/resume").json()["status"] == "queued"
    with own_site.sessions() as session:
        told = session.scalars(select(DecisionLog.reason).where(DecisionLog.kind == "person")).all()
    assert sorted(told) == ["paused by user: it is right", "resumed by user: it is right"]


def test_invalidate_takes_a_trial_out_of_later_decisions(own_site):
    assert own_site.post(f"default/trials/{own_site.ids['trial']}/invalidate").status_code == 200
    assert own_site.post(f"default/trials/{own_site.ids['trial']}/invalidate").status_code == 409
    with own_site.sessions() as session:
        trial = trials.get(session=session, trial_id=own_site.ids["trial"])
    assert (trial.state, trial.message) == ("cancelled", "invalid: user: it is right")
    other = own_site.post(f"other/trials/{own_site.ids['running']}/invalidate")
    assert other.status_code == 409, "a trial of another project is out of reach"


def test_an_approved_promotion_is_carried_out_once(own_site):
    decision = own_site.ids["waiting_decision"]
    assert own_site.post(f"default/decisions/{decision}/approve").json() == {
        "decision": decision,
        "approved_by": "user",
    }
    assert own_site.post(f"default/decisions/{decision}/approve").status_code == 409
    with own_site.sessions() as session:
        current = production.current(session=session, project="default")
        assert records.open_escalations(session=session, project="default") == []
    assert current.candidate.params == {"colour": "green"}
    assert current.candidate.decision_id == decision
    refused = own_site.post(f"default/decisions/{own_site.ids['first_decision']}/approve")
    assert refused.status_code == 409
    assert "waits for approval" in refused.json()["detail"]


def test_a_database_that_is_away_is_said_without_its_address(empty_site, tmp_path):
    from auto_benchmark_airflow.web.airflow_access import airflow_access

    address = "postgresql+psycopg://someone:secret@127.0.0.1:1/nowhere"
    app = create_app(airflow_access(), World(web_world.settings_of(tmp_path / "b"), lambda: address))
    client = TestClient(app, base_url=HOST, cookies={"_token": empty_site.tokens["viewer"]})
    answer = client.get("/api/default/summary")
    assert answer.status_code == 503
    assert "secret" not in answer.text
    assert "127.0.0.1" not in answer.text


def test_the_number_of_statements_does_not_grow_with_the_boards(site):
    statements = []
    event.listen(site.sessions.kw["bind"], "before_cursor_execute", lambda *args: statements.append(args[2]))
    site.get("default/boards")
    assert 1 <= len([s for s in statements if s.lstrip().upper().startswith("SELECT")]) <= 4
