"""One real MLflow server for all tests of this folder, and a toy project with a slow, talkative solution."""

import itertools
import shutil
from pathlib import Path

import pytest
import yaml
from tests.integration.tracking.mlflow_server import MlflowServer

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.project.context import make_context
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections

TOY = Path(__file__).parents[2] / "toy"
POINTS, PAUSE_S = 200, 0.01
TALK = f"""
import pathlib, time
for step in range({POINTS}):
    print("AB_PROGRESS " + json.dumps({{"step": step, "metrics": {{"loss": 1 / (step + 1)}}}}), flush=True)
    time.sleep({PAUSE_S})
    while step == {POINTS // 2} and not pathlib.Path(GO_ON).exists():
        time.sleep(0.02)
"""
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def mlflow_server(tmp_path_factory):
    server = MlflowServer(tmp_path_factory.mktemp("mlflow-server")).start()
    yield server
    server.kill()


class Halfway:
    """Trials that stop in the middle of their curve until they are let go on: a test sees them training."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def go_on(self) -> None:
        """Let every trial end, those that start later too."""
        self.file.touch()


@pytest.fixture
def halfway(tmp_path):
    (tmp_path / "told").mkdir()
    held = Halfway(tmp_path / "told" / "go_on")
    yield held
    held.go_on()


@pytest.fixture
def talkative(tmp_path, postgres, template_database, halfway):
    """Settings and a context by mlflow_url; trials end without a stop unless ``holds``."""
    bound = []

    def make(mlflow_url, holds=False):
        if not holds:
            halfway.go_on()
        shutil.copytree(TOY, tmp_path / "toy")
        (tmp_path / "toy/config/board.csv").write_text("system,accuracy\nLeader,0.90\nOurs,0.61\n")
        train = tmp_path / "toy/solutions/toy/train.py"
        train.write_text(train.read_text() + TALK.replace("GO_ON", repr(str(halfway.file))))
        file = tmp_path / "toy/solutions/toy/solution.yaml"
        declared = yaml.safe_load(file.read_text())
        resources = {"fast_budget_s": 300, "writable": [str(halfway.file.parent)]}
        file.write_text(yaml.safe_dump(declared | {"resources": resources}))
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
