"""The page's API: who may ask, what is answered, what may be done."""

import itertools
import json
import shutil

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select
from tests import web_world

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.models import DecisionLog
from auto_benchmark.db.repositories import hypotheses, production, records, submissions, trials
from auto_benchmark_airflow.web.app import STATIC, create_app
from auto_benchmark_airflow.web.world import World

pytestmark = pytest.mark.airflow
HOST = "http://testserver"
_numbers = itertools.count(1)
VALUES = {
    "project": ["default"], "hypothesis_id": ["H-001"], "trial_id": ["1"], "week": ["2026-02-23"],
    "answer": ["approve", "reject", "close"],
}  # fmt: skip
ANSWER = {"reason": "it is right", "key": "competitor/Rival"}
SUBMISSION = "automation: {submission: approve}\nsubmission: {terms_acknowledged: true}\n"


@pytest.fixture(scope="module")
def airflow_users():
    """Tokens of Airflow's own users, by role."""
    from airflow.api_fastapi.app import init_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
    from airflow.utils.db import initdb

    initdb()
    manager = init_auth_manager()
    roles = ("viewer", "user", "admin")
    users = [SimpleAuthManagerUser(username=role, role=role.upper()) for role in roles]
    users.append(SimpleAuthManagerUser(username="nobody", role=None))
    return {user.username: manager.generate_jwt(user) for user in users}


class Site:
    """The application as Airflow serves it, its database and the ids in it."""

    def __init__(self, app, sessions, ids, tokens, settings):
        self.app, self.sessions, self.ids, self.tokens, self.settings = app, sessions, ids, tokens, settings

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

    def answer(self, verb, key, role="user", project="default"):
        """Answer a question that waits for a person."""
        body = {"key": key, "reason": "it is right"}
        return self.client(role).post(f"/api/{project}/escalations/{verb}", json=body, headers={"Origin": HOST})

    @property
    def waiting(self):
        return {e["key"]: e["kind"] for e in self.get("default/escalations")}


def made_site(folder, postgres, template_database, tokens, *, filled):
    from auto_benchmark_airflow.web.airflow_access import airflow_access

    settings = web_world.settings_of(folder)
    bind = engine(postgres.create_database(f"web_{next(_numbers)}", template=template_database))
    world = World(settings, lambda: "")
    world.__dict__["sessions"] = sessions = session_factory(bind)
    ids = {}
    if filled:
        web_world.declare(sessions, settings)
        web_world.lab_runs(settings)
        web_world.constructions(settings)
        ids = web_world.fill(sessions)
    return Site(create_app(airflow_access(), world), sessions, ids, tokens, settings)


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


def add_other_project(site):
    copy = site.settings.config.parent / "copy"
    shutil.copytree(site.settings.config, copy)
    shutil.copytree(copy, site.settings.config / "projects" / "other")


def api_routes(app):
    found = []
    for route in app.routes:
        if route.path == "/static":
            continue
        paths = [route.path]
        for name, values in VALUES.items():
            paths = list(dict.fromkeys(path.replace(f"{{{name}}}", value) for path in paths for value in values))
        assert not [path for path in paths if "{" in path], f"{paths}: the test knows no value for a parameter"
        found += [(method, path) for path in paths for method in sorted(route.methods - {"HEAD"})]
    return found


def test_every_route_is_refused_to_anybody_who_is_not_signed_in(site):
    routes = api_routes(site.app)
    assert len(routes) >= 20
    for method, path in routes:
        answer = site.client().request(method, path, json=ANSWER, headers={"Origin": HOST})
        assert answer.status_code == 401, (method, path, answer.status_code)
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert site.client("admin").get(path).status_code == 404


def test_every_route_is_refused_to_a_user_without_a_role(site):
    for method, path in api_routes(site.app):
        answer = site.client("nobody").request(method, path, json=ANSWER, headers={"Origin": HOST})
        if path == "/api/projects":
            assert answer.json() == []
        else:
            assert answer.status_code == 403, (method, path, answer.text)


def test_every_change_is_refused_to_a_viewer_and_from_another_site(site):
    changes = [(method, path) for method, path in api_routes(site.app) if method != "GET"]
    assert len(changes) == 7
    before = site.waiting
    for method, path in changes:
        for role, origin in (("viewer", HOST), ("admin", "https://evil.example")):
            answer = site.client(role).request(method, path, json=ANSWER, headers={"Origin": origin})
            assert answer.status_code == 403, (role, method, path, answer.text)
    assert site.waiting == before
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
    assert {e["kind"] for e in site.get("default/log")} == {"promotion", "paper_hypothesis"}
    other, promotion = site.get("default/escalations")
    assert (other["kind"], other["decision"]) == ("other", None)
    assert (promotion["kind"], promotion["decision"]["id"]) == ("promotion", site.ids["waiting_decision"])
    assert [c["name"] for c in promotion["decision"]["criteria"]] == ["improvement", "significance"]
    summary = site.get("default/summary")
    assert summary["alpha_wealth"] == 0.04
    assert summary["spent_day"]["trials"] == 10
    assert summary["budget"]["trials"] == 300
    (person,) = summary["sources"]
    assert (person["source"], person["judged"], person["promoted"]) == ("person", 1, 1)
    assert person["measured"] == pytest.approx(0.012)
    levels = {each["source"]: each for each in summary["levels"]}
    assert levels["search"]["share"] == pytest.approx(0.4)
    assert (levels["person"]["judged"], levels["person"]["promoted"], levels["agent"]["judged"]) == (1, 1, 0)
    assert summary["split_queries"] == {"toy@1/gate": {"candidate": 9}}


def test_runs_of_agents_are_listed_and_read_and_a_damaged_one_hides_no_other(site):
    listed = site.get("default/lab")
    assert [(r["folder"], r["state"], r["made"], r["valid"], r["medal"]) for r in listed["runs"]] == [
        ("first/compress-1", "finished", 3, 2, "silver"), ("second/compress-1", "unfinished", 1, 1, ""),
    ]  # fmt: skip
    assert (listed["found"], [f["folder"] for f in listed["faults"]]) == (3, ["third/compress-1"])
    assert [r["folder"] for r in site.get("default/lab?limit=1&offset=1")["runs"]] == ["second/compress-1"]
    run = site.get("default/lab/run?folder=first/compress-1")
    assert run["curve"] == [0.2, 0.2, 0.6] and run["result"]["interval"] == [1.9, 2.0]
    assert run["made"][1]["reason"] == f"does not compile {web_world.EVIL}"


@pytest.mark.parametrize("folder", ["", "..", "first", "../lab/first/compress-1", "first/compress-1/", "/etc"])
def test_a_run_is_looked_up_by_its_name_and_no_path_is_followed(site, folder):
    answer = site.client("viewer").get("/api/default/lab/run", params={"folder": folder})
    assert (answer.status_code, answer.json()["detail"]) == (404, "no such run of an agent")


def test_a_damaged_run_says_which_file(own_site):
    place = own_site.settings.project_home("default") / "lab" / "first" / "compress-1"
    with (place / "attempts.jsonl").open("a") as file:
        file.write('{"attempt": 4, "seconds": NaN}\n')
    answer = own_site.client("viewer").get("/api/default/lab/run?folder=first/compress-1")
    assert answer.status_code == 409 and answer.json()["detail"].endswith("attempts.jsonl:4: is not an attempt")
    assert len(own_site.get("default/lab")["faults"]) == 2


def test_constructions_are_listed_and_read_and_a_damaged_one_hides_no_other(site):
    listed = site.get("default/constructions")
    assert [(c["folder"], c["state"], c["kept"], c["progress"]) for c in listed["constructions"]] == [
        ("ended", "finished", 20, {"tried": 2, "planned": 2}), ("going", "searching", None, {"tried": 2, "planned": 8}),
    ]  # fmt: skip
    assert (listed["found"], [f["folder"] for f in listed["faults"]]) == (3, ["damaged"])
    assert "quality.json" in listed["faults"][0]["fault"]
    assert [c["folder"] for c in site.get("default/constructions?limit=1&offset=1")["constructions"]] == ["going"]
    found = site.get("default/constructions/one?folder=ended")
    assert found["quality"]["panel"]["note"].startswith("no real panel") and found["quality"]["objective"] == {}
    assert "difficulty" in found["quality"]["instrument"] and found["quality"]["wrong_keys"] == 0
    assert [row["best"] for row in found["rounds"]] == listed["constructions"][0]["best"]
    assert len(found["candidates"]) == 10 and found["report"].startswith("# brackets")
    assert web_world.EVIL in found["request"]
    going = site.get("default/constructions/one?folder=going")
    assert (going["quality"], going["report"], going["candidates"], len(going["rounds"])) == (None, None, [], 1)


@pytest.mark.parametrize("folder", ["", "..", "../lab", "ended/", "ended/stages", "/etc"])
def test_a_construction_is_looked_up_by_its_name_and_no_path_is_followed(site, folder):
    answer = site.client("viewer").get("/api/default/constructions/one", params={"folder": folder})
    assert (answer.status_code, answer.json()["detail"]) == (404, "no such construction")


@pytest.mark.parametrize("what", ["summary", "boards", "queue", "lab", "constructions"])
def test_a_project_that_is_not_there_is_not_found(site, what):
    answer = site.client("admin").get(f"/api/nope/{what}")
    assert (answer.status_code, answer.json()["detail"]) == (404, "no such project")


def test_a_damaged_construction_says_which_file(own_site):
    place = own_site.settings.project_home("default") / "constructions" / "going"
    with (place / "stages" / "trajectory.jsonl").open("a") as file:
        file.write('{"round": NaN}\n')
    answer = own_site.client("viewer").get("/api/default/constructions/one?folder=going")
    assert answer.status_code == 409 and "trajectory.jsonl:3" in answer.json()["detail"]
    assert len(own_site.get("default/constructions")["faults"]) == 2


def test_past_digests_can_be_read(site):
    weeks = [d["week"] for d in site.get("default/digests")]
    assert weeks == ["2026-02-23", "2026-02-16"]
    assert site.get("default/digests")[0]["promoted"] == 1
    assert site.get(f"default/digests/{weeks[0]}")["facts"]["changes"] == [f"Rival {web_world.EVIL} moved"]
    assert site.client("viewer").get("/api/default/digests/2020-01-06").status_code == 404
    assert site.client("viewer").get("/api/default/digests/yesterday").status_code == 422


def test_a_hypothesis_names_its_paper_and_the_sentence(site):
    (paper,) = site.get(f"default/hypotheses/{site.ids['hypothesis']}")["papers"]
    assert (paper["title"], paper["sentences"]) == ("Reading more helps", ["We read more."])


MLFLOW = {
    "/api/2.0/mlflow/experiments/get-by-name": {"experiment": {"experiment_id": "7"}},
    "/api/2.0/mlflow/runs/search": {"runs": [{"info": {"run_id": "abc"}}]},
}


def test_a_hypothesis_leads_to_its_run_in_mlflow(own_site, server):
    path = f"/api/default/hypotheses/{own_site.ids['hypothesis']}/mlflow"
    client = own_site.client("viewer")
    assert client.get(path, follow_redirects=False).status_code == 404
    own_site.settings.mlflow_url = "sqlite:///runs.db"
    assert own_site.get(f"default/hypotheses/{own_site.ids['hypothesis']}")["mlflow"] is False
    assert client.get(path, follow_redirects=False).status_code == 404
    own_site.settings.mlflow_url = f"http://127.0.0.1:{server.port}"
    own_site.settings.mlflow_link = "https://mlflow.example"
    server.answers = {name: json.dumps(body).encode() for name, body in MLFLOW.items()}
    found = client.get(path, follow_redirects=False)
    assert (found.status_code, found.headers["location"]) == (307, "https://mlflow.example/#/experiments/7/runs/abc")
    assert f"tags.`auto_benchmark.experiment` = '{own_site.ids['hypothesis']}'" in server.asked[-1][3].decode()
    server.answers = {}
    server.status = 404
    assert client.get(path, follow_redirects=False).headers["location"] == "https://mlflow.example/"
    server.status = 500
    assert client.get(path, follow_redirects=False).status_code == 502
    assert client.get("/api/default/hypotheses/H-999/mlflow", follow_redirects=False).status_code == 404


def test_an_empty_database_answers_everywhere(empty_site):
    assert [project["name"] for project in empty_site.get("projects")] == ["default"]
    for path in (
        "boards",
        "matrix",
        "queue",
        "running",
        "decisions",
        "papers",
        "escalations",
        "log",
        "summary",
        "digests",
        "lab",
    ):
        assert empty_site.get(f"default/{path}") is not None
    assert empty_site.get("default/history?board=x")["points"] == []


def test_projects_come_with_what_the_user_may_do(site):
    (viewer,), (user,) = site.get("projects"), site.get("projects", "user")
    assert viewer == {"name": "default", "may": dict.fromkeys(viewer["may"], False)}
    assert set(user["may"].values()) == {True}


def test_another_project_changes_nothing_that_this_one_shows(own_site):
    paths = [
        "boards", "boards?sort=gap", "history?board=MemoryBench", "matrix", "queue", "decisions", "log", "papers",
        "digests", "escalations", f"hypotheses/{own_site.ids['hypothesis']}",
    ]  # fmt: skip

    def shown():
        summary, running = own_site.get("default/summary"), own_site.get("default/running")
        numbers = {name: value for name, value in summary.items() if name != "now"}
        return [own_site.get(f"default/{path}") for path in paths], numbers, [trial["id"] for trial in running]

    before = shown()
    add_other_project(own_site)
    web_world.declare(own_site.sessions, own_site.settings, "other")
    web_world.fill(own_site.sessions, "other")
    assert shown() == before
    assert [p["name"] for p in own_site.get("projects")] == ["default", "other"]


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


IDEA = {
    "title": "Read five",
    "implementation": {"change": "more reads", "params": {"reads": 5}, "effort": "Low", "estimated_gain": 0.02},
}
PATCH = """--- a/train.py
+++ b/train.py
@@ -1,2 +1,3 @@
 {0}
+import os; os.getenv("HOME")  # <b>one more line</b> \u202e
 {1}
"""


def propose(site, idea, patch="", role="user", origin=HOST):
    """Send an idea as the page's form does."""
    body = json.dumps({"idea": idea, "patch": patch})
    headers = {"Origin": origin, "Content-Type": "application/json"}
    return site.client(role).post("/api/default/hypotheses", content=body, headers=headers)


def test_an_idea_is_queued_once_and_bears_the_name_of_who_sent_it(own_site):
    answer = propose(own_site, IDEA | {"source": "agent gpt"})
    assert answer.status_code == 200, answer.text
    made = answer.json()
    # 20 by its claim, times 1.36: the one claim of a person that was judged has kept more than it promised
    assert (made["status"], made["priority_score"], made["is_new"]) == ("queued", 27.2, True)
    again = propose(own_site, IDEA | {"title": "Another name"}, role="admin").json()
    assert (again["id"], again["is_new"]) == (made["id"], False)
    assert again["reason"].startswith(f"asked before as {made['id']}, which is queued")
    found = own_site.get(f"default/hypotheses/{made['id']}")
    assert found["hypothesis"]["source"] == "user"
    assert found["priority_reason"].startswith("priority 27.2 = 1000 x 0.02 claimed x 1.36 ")
    assert (found["hypothesis"]["implementation"]["patch"]["reads"], found["diff"]) == (5, "")


def test_an_idea_brings_knobs_and_a_patch_and_the_patch_is_shown(own_site):
    program = own_site.settings.solutions / "toy" / "train.py"
    patch = PATCH.format(*program.read_text().splitlines())
    made = propose(own_site, IDEA, patch)
    assert made.status_code == 200, made.text
    found = own_site.get(f"default/hypotheses/{made.json()['id']}")
    assert found["hypothesis"]["implementation"]["code"]["files"] == ["train.py"]
    assert "  # <b>one more line</b> \\u202e\n" in found["diff"], "text; the page puts it into no markup"
    assert found["remarks"] == ["train.py:2: looks at the machine or its user: os.getenv"]
    assert "one more line" not in program.read_text(), "the folder stays as it is"


@pytest.mark.parametrize(
    ("change", "patch", "said"),
    [
        ({"params": {"reeds": 5}}, "", "implementation.params.reeds: "),
        ({"params": {"reads": 7}}, "", "implementation.params.reads: should lie in [1, 6]"),
        ({"params": {}}, "", "implementation.params: names no knob"),
        ({"estimated_gain": -1}, "", "implementation.estimated_gain: "),
        ({"code": {"folder": "/etc"}}, "", "implementation.code: is sent as text"),
        ({}, "no patch", "implementation.code.diff: change.diff does not apply"),
        ({}, "--- a/../evil\n+++ b/../evil\n@@ -0,0 +1 @@\n+x\n", "implementation.code.diff: "),
        ({"params": {"\ud83d": 1}}, "", "implementation.params"),
        ({"change": "a\0b"}, "", "implementation.change: should be text without NUL"),
    ],
)
def test_what_is_wrong_with_an_idea_is_told_with_its_field(site, change, patch, said):
    before = site.get("default/queue")
    answer = propose(site, IDEA | {"implementation": IDEA["implementation"] | change}, patch)
    assert answer.status_code == 422, answer.text
    assert said in answer.json()["detail"]
    assert site.get("default/queue") == before


def test_an_idea_is_bounded_and_taken_from_those_alone_who_may_start_a_sweep(site):
    assert propose(site, IDEA, "x" * 60_001).status_code == 422
    assert propose(site, IDEA, "x" * 70_000).status_code == 413
    assert propose(site, IDEA, role="viewer").status_code == 403
    assert propose(site, IDEA, origin="https://evil.example").status_code == 403
    assert "Read five" not in {q["title"] for q in site.get("default/queue")}


def test_invalidate_takes_a_trial_out_of_later_decisions(own_site):
    assert own_site.post(f"default/trials/{own_site.ids['trial']}/invalidate").status_code == 200
    assert own_site.post(f"default/trials/{own_site.ids['trial']}/invalidate").status_code == 409
    with own_site.sessions() as session:
        trial = trials.get(session=session, project="default", trial_id=own_site.ids["trial"])
    assert (trial.state, trial.message) == ("cancelled", "invalid: user: it is right")
    add_other_project(own_site)
    other = own_site.post(f"other/trials/{own_site.ids['running']}/invalidate")
    assert other.status_code == 409, "a trial of another project is out of reach"


def test_an_approved_promotion_is_carried_out_once(own_site):
    key = f"approve-promotion/{own_site.ids['waiting_decision']}"
    told = {"kind": "promotion", "subject": own_site.ids["waiting"], "approved": True}
    assert own_site.answer("approve", key).json() == told
    assert own_site.answer("approve", key).status_code == 409
    with own_site.sessions() as session:
        current = production.current(session=session, project="default")
        (entry,) = records.logged(session=session, project="default", kind="approval")
    assert own_site.waiting == {"competitor/Rival": "other"}
    assert current.candidate.params == {"colour": "green"}
    assert current.candidate.decision_id == own_site.ids["waiting_decision"]
    assert entry.reason == "promotion approved by user: it is right"
    refused = own_site.answer("approve", f"approve-promotion/{own_site.ids['first_decision']}")
    assert refused.status_code == 409
    assert "waits for a person" in refused.json()["detail"]


def test_a_rejected_promotion_leaves_production_alone(own_site):
    with own_site.sessions() as session:
        before = production.current(session=session, project="default")
    answer = own_site.answer("reject", f"approve-promotion/{own_site.ids['waiting_decision']}")
    assert answer.json() == {"kind": "promotion", "subject": own_site.ids["waiting"], "approved": False}
    with own_site.sessions() as session:
        assert production.current(session=session, project="default") == before
        found = hypotheses.get(session=session, project="default", hypothesis_id=own_site.ids["waiting"])
    assert (found.status, found.reason) == ("archived", "rejected by user: it is right")
    assert own_site.waiting == {"competitor/Rival": "other"}


def test_an_outdated_question_says_why_and_is_closed(own_site):
    keys = {
        f"approve-promotion/{own_site.ids['first_decision']}": "no longer waits for an answer",
        "approve-submission/MemoryBench/999": "production has changed",
    }
    with own_site.sessions.begin() as session:
        for key in keys:
            records.escalate(session=session, project="default", key=key, title="Old", brief="Old.")
    told = {e["key"]: e["outdated"] for e in own_site.get("default/escalations")}
    assert {key for key, why in told.items() if why is None} == {
        f"approve-promotion/{own_site.ids['waiting_decision']}", "competitor/Rival",
    }  # fmt: skip
    for key, why in keys.items():
        assert why in told[key]
        assert own_site.answer("close", key, role="viewer").status_code == 403
        assert own_site.answer("close", key).json() == {"key": key, "closed": True}
    assert not keys.keys() & own_site.waiting.keys()


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_whether_an_entry_is_ours_is_answered(own_site, verb):
    key = "our-name/MemoryBench/0.9"
    with own_site.sessions.begin() as session:
        records.escalate(
            session=session, project="default", key=key, title="MemoryBench shows 0.9 under our name", brief="Ours?",
            inputs={"board": "MemoryBench", "score": 0.9, "name": "Ours"},
        )  # fmt: skip
    assert own_site.waiting[key] == "our_name"
    assert own_site.answer(verb, key, role="viewer").status_code == 403
    assert own_site.answer("close", key).status_code == 409, "it is approved or rejected"
    told = own_site.answer(verb, key).json()
    assert told == {"kind": "our_name", "subject": "MemoryBench/0.9", "approved": verb == "approve"}
    assert key not in own_site.waiting and own_site.answer(verb, key).status_code == 409
    with own_site.sessions() as session:
        ((inputs, said),) = records.answered(session=session, project="default", prefix="our-name/MemoryBench/")
    assert (inputs["score"], said) == (0.9, "approved" if verb == "approve" else "rejected")


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_a_submission_is_approved_or_rejected(own_site, verb):
    (own_site.settings.config / "schedule.yaml").write_text(SUBMISSION)
    with own_site.sessions.begin() as session:
        current = production.current(session=session, project="default")
        for config in (current.id, current.id + 1):
            records.escalate(
                session=session, project="default", key=f"approve-submission/MemoryBench/{config}", title="Hand it in?",
                brief="Expected there: 0.72.",
            )  # fmt: skip
    key = f"approve-submission/MemoryBench/{current.id}"
    outdated = own_site.answer(verb, f"approve-submission/MemoryBench/{current.id + 1}")
    assert outdated.status_code == 409
    assert "production has changed" in outdated.json()["detail"]
    told = {"kind": "submission", "subject": "MemoryBench", "approved": verb == "approve"}
    assert own_site.answer(verb, key).json() == told
    assert own_site.answer(verb, key).status_code == 409
    with own_site.sessions() as session:
        sent = submissions.listed(session=session, project="default", board="MemoryBench")
    assert len(sent) == (verb == "approve")


def test_any_other_question_is_closed_with_what_was_done(own_site):
    assert own_site.answer("approve", "competitor/Rival").status_code == 409
    promotion = f"approve-promotion/{own_site.ids['waiting_decision']}"
    assert own_site.answer("close", promotion).status_code == 409
    add_other_project(own_site)
    assert own_site.answer("close", "competitor/Rival", project="other").status_code == 409
    assert own_site.answer("close", "competitor/Rival").json() == {"key": "competitor/Rival", "closed": True}
    assert own_site.answer("close", "competitor/Rival").status_code == 409
    assert own_site.waiting == {promotion: "promotion"}
    with own_site.sessions() as session:
        (entry,) = records.logged(session=session, project="default", kind="escalation")
    assert entry.reason == "closed by user: it is right"


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
    assert 1 <= len([s for s in statements if s.lstrip().upper().startswith("SELECT")]) <= 5
