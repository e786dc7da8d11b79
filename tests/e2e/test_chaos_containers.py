"""Sweeps of trials in containers while workers, containers and the engine are killed at random moments."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter

import pytest
from sqlalchemy import text
from tests.toy_project import ToyFiles, environment, toy_context, toy_database

from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.repositories import trials
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.runners.container import TRIAL_LABEL

pytestmark = [pytest.mark.docker, pytest.mark.chaos, pytest.mark.timeout(1800)]
SWEEPS = int(os.environ.get("CHAOS_SWEEPS", "24"))
TRIALS = 4
WORKER = """
import sys
from auto_benchmark.project.context import make_context
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.db.engine import engine, session_factory
settings = Settings()
ctx = make_context(settings, session_factory(engine(settings.db_url.get_secret_value())), NamedConnections({}))
run_trials(ctx, [int(word) for word in sys.argv[1:]])
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory, postgres, template_database, contract_image):
    files, url = ToyFiles(tmp_path_factory.mktemp("chaos")), toy_database(postgres, template_database)
    code = files.train_also("import time; time.sleep(1.5)")
    files.declare(command=["python", "-c", code], image=contract_image)
    settings = files.settings(db_url=url, runner="docker")
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment(settings)}
    with toy_context(settings, url) as ctx:
        yield ctx, variables


@pytest.mark.parametrize("number", range(SWEEPS))
def test_a_sweep_survives(number, world, docker_client, docker_engine):
    ctx, variables = world
    rng, mine = random.Random(number), {"label": TRIAL_LABEL, "name": ctx.trial_name_prefix}
    reconcile(ctx)
    plans = [
        TrialPlan(
            solution="toy", params={**ctx.bench.solution.solution.defaults, "reads": 3}, benchmark=ctx.bench.ref,
            stage=Stage.FAST, seed=number * 100 + i, purpose=f"sweep-{number}", subset=0.1,
        )
        for i in range(TRIALS)
    ]  # fmt: skip
    with ctx.sessions.begin() as session:
        ids = [t.id for t in trials.plan(session=session, project=ctx.project, plans=plans)]
    worker = _start(variables, ids)
    kills = Counter()
    for victim in rng.choices(("worker", "container", "engine"), weights=(3, 3, 1), k=2):
        time.sleep(rng.uniform(0.5, 4.0))
        if victim == "worker":
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            worker = _start(variables, ids)
        elif victim == "container":
            running = docker_client.containers.list(filters=mine, ignore_removed=True)
            if running:
                with contextlib.suppress(Exception):
                    rng.choice(running).kill()
        elif docker_engine is not None:
            docker_engine.kill()
            time.sleep(rng.uniform(0, 1))
            docker_engine.start()
        kills[victim] += 1
    worker.wait(240)
    with ctx.sessions() as session:
        ended = [trials.get(session=session, project="default", trial_id=trial) for trial in ids]
        scored = dict(
            session.execute(
                text("SELECT trial_id, count(*) FROM auto_benchmark.metric_values WHERE name = 'accuracy' GROUP BY 1")
            ).all()
        )
        counted = session.execute(
            text("SELECT coalesce(sum(queries), 0) FROM auto_benchmark.split_queries WHERE purpose = :p"),
            {"p": f"sweep-{number}"},
        ).scalar_one()
    assert worker.returncode == 0, kills
    assert [t.state for t in ended] == [TrialState.DONE] * TRIALS, [
        (t.state, t.failure_class, t.message) for t in ended
    ]
    assert [scored[t] for t in ids] == [1] * TRIALS and counted == TRIALS, "a trial was completed twice"
    left = docker_client.containers.list(all=True, filters=mine, ignore_removed=True)
    assert left == [], "a container was leaked"


def _start(variables, ids):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(WORKER), *map(str, ids)], env=variables)
