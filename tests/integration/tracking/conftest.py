"""One real MLflow server for all tests of this folder, and a toy project with a slow, talkative solution."""

import contextlib
from pathlib import Path

import pytest
from tests.integration.tracking.mlflow_server import MlflowServer
from tests.toy_project import ToyFiles, toy_context, toy_database

POINTS, PAUSE_S = 200, 0.01
TALK = f"""
import pathlib, time
for step in range({POINTS}):
    print("AB_PROGRESS " + json.dumps({{"step": step, "metrics": {{"loss": 1 / (step + 1)}}}}), flush=True)
    time.sleep({PAUSE_S})
    while step == {POINTS // 2} and not pathlib.Path(GO_ON).exists():
        time.sleep(0.02)
"""


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

    def make(mlflow_url, holds=False):
        if not holds:
            halfway.go_on()
        files, url = ToyFiles(tmp_path), toy_database(postgres, template_database)
        files.train_also(TALK.replace("GO_ON", repr(str(halfway.file))))
        files.declare(resources={"fast_budget_s": 300, "writable": [str(halfway.file.parent)]})
        return opened.enter_context(toy_context(files.settings(db_url=url, mlflow_url=mlflow_url), url))

    with contextlib.ExitStack() as opened:
        yield make
