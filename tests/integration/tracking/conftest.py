"""One real MLflow server for all tests of this folder, and a toy project with a slow, talkative solution."""

import itertools
import shutil
from pathlib import Path

import pytest
import yaml
from tests.integration.tracking.mlflow_server import MlflowServer

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.pipelines.context import make_context
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections

TOY = Path(__file__).parents[2] / "toy"
POINTS, PAUSE_S = 200, 0.01
TALK = f"""
import time
for step in range({POINTS}):
    print("AB_PROGRESS " + json.dumps({{"step": step, "metrics": {{"loss": 1 / (step + 1)}}}}), flush=True)
    time.sleep(PAUSE)
"""
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def mlflow_server(tmp_path_factory):
    server = MlflowServer(tmp_path_factory.mktemp("mlflow-server")).start()
    yield server
    server.kill()


@pytest.fixture
def talkative(tmp_path, postgres, template_database):
    """Settings and a context by (mlflow_url, pause between points)."""
    bound = []

    def make(mlflow_url, pause=PAUSE_S):
        shutil.copytree(TOY, tmp_path / "toy")
        (tmp_path / "toy/config/board.csv").write_text("system,accuracy\nLeader,0.90\nOurs,0.61\n")
        train = tmp_path / "toy/solutions/toy/train.py"
        train.write_text(train.read_text() + TALK.replace("PAUSE", str(pause)))
        file = tmp_path / "toy/solutions/toy/solution.yaml"
        declared = yaml.safe_load(file.read_text())
        file.write_text(yaml.safe_dump(declared | {"resources": {"fast_budget_s": 300}}))
        url = postgres.create_database(f"tracking_{next(_numbers)}", template=template_database)
        settings = Settings(
            home=tmp_path / "home", db_url=url, mlflow_url=mlflow_url, config=tmp_path / "toy/config",
            benchmarks=tmp_path / "toy/benchmarks", solutions=tmp_path / "toy/solutions",
        )  # fmt: skip
        bind = engine(url)
        bound.append(bind)
        return make_context(settings, session_factory(bind), NamedConnections({}))

    yield make
    for bind in bound:
        bind.dispose()
