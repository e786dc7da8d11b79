"""The GPU solution's image builds from the Dockerfile that lies beside it, and its container obeys the contract."""

import pytest
from tests.docker.base_image import SITE_PACKAGES, built

from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
from auto_benchmark.project.configuration import load_solution
from auto_benchmark.project.images import build_image
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners.container import CODE_LABEL
from auto_benchmark.runners.docker import DockerRunner
from auto_benchmark.runners.runner import TrialRequest
from auto_benchmark.settings import Settings

pytestmark = pytest.mark.docker


@pytest.fixture
def image(docker_client, base_image):
    """Built without a network. An empty module stands in for PyTorch (1 GB), a link for the compiler."""
    stand_ins = f"open('/{SITE_PACKAGES}/torch.py', 'w'); os.symlink('/bin/true', '/usr/local/bin/gcc')"
    base = built(docker_client, f'FROM {base_image}\nRUN ["python", "-c", "import os; {stand_ins}"]\n')
    return build_image(load_solution(Settings(), "associative_recall"), base_image=base, network="none")


def test_the_image_holds_the_folders_code_and_starts_it_through_the_entrypoint(docker_client, image, tmp_path):
    solution = load_solution(Settings(), "associative_recall")
    config = docker_client.images.get(image).attrs["Config"]
    assert config["Labels"][CODE_LABEL] == folder_sha256(solution.path)
    assert config["User"] == "65534:65534" and set(config["Volumes"]) == {"/ab/out", "/ab/data"}
    for name in ("data", "out"):
        (tmp_path / name).mkdir(mode=0o777)
    request = TrialRequest(
        trial_id="t-recall-image",
        command=solution.solution.command,
        image=image,
        workdir=solution.path,
        config=TrialConfig(
            params={"mixer": "lstm"}, seeds=[1, 2], benchmark=BenchmarkRef(name="recall", version="1")
        ),
        data_dir=tmp_path / "data",
        output_dir=tmp_path / "out",
        resources=Resources(cpus=1.0, memory_mb=512),
        code_sha256=folder_sha256(solution.path),
    )
    result = DockerRunner().run(request)
    assert (result.exit_code, result.failure) == (2, FailureClass.CRASH)
    assert "bad configuration: mixer" in (tmp_path / "out" / "train.log").read_text()
