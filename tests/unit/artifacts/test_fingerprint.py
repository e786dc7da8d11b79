"""What makes two trials comparable, and what is only told."""

import subprocess

import pytest

from auto_benchmark.artifacts.fingerprint import environment_fingerprint, folder_sha256, git_commit, gpus

NVIDIA_SMI = """#!/bin/sh
[ "$1" = -q ] || exit 9
cat <<'END'
==============NVSMI LOG==============

Driver Version                                         : 580.159.04
CUDA Version                                           : 13.0

Attached GPUs                                          : 2
GPU 00000000:00:06.0
    Product Name                                       : NVIDIA H200
GPU 00000000:00:07.0
    Product Name                                       : NVIDIA H100 80GB HBM3
END
"""


def fingerprint(folder, **changes):
    facts = {"runner": "local", "data_sha256": "d", "runner_facts": {}, **changes}
    return environment_fingerprint(folder, **facts)


def test_code_lock_data_runner_and_image_change_the_key(tmp_path):
    (tmp_path / "train.py").write_text("1")
    first = fingerprint(tmp_path)
    assert fingerprint(tmp_path) == first
    keys = {
        first["key"],
        fingerprint(tmp_path, data_sha256="e")["key"],
        fingerprint(tmp_path, runner="docker")["key"],
    }
    keys |= {fingerprint(tmp_path, runner_facts={"image": i})["key"] for i in ("sha1", "sha2")}
    (tmp_path / "requirements.lock").write_text("numpy==1")
    keys.add(fingerprint(tmp_path)["key"])
    (tmp_path / "train.py").write_text("2")
    keys.add(fingerprint(tmp_path)["key"])
    assert len(keys) == 7


def test_caches_do_not_count_as_code(tmp_path):
    (tmp_path / "train.py").write_text("1")
    before = folder_sha256(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "train.pyc").write_bytes(b"x")
    assert folder_sha256(tmp_path) == before


def test_the_commit_is_told_as_git_does_and_changes_no_key(tmp_path):
    assert git_commit(tmp_path) == "none"
    (tmp_path / "solution").mkdir()
    (tmp_path / "solution" / "train.py").write_text("1")

    def git(*words):
        options = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(tmp_path)]
        return subprocess.run(["git", *options, *words], check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    first = fingerprint(tmp_path / "solution")
    assert first["git"] == git("rev-parse", "HEAD")[:16]
    (tmp_path / "other").write_text("x")
    git("add", ".")
    git("commit", "-qm", "two")
    git("pack-refs", "--all")
    second = fingerprint(tmp_path / "solution")
    assert second["git"] == git("rev-parse", "HEAD")[:16] != first["git"] and second["key"] == first["key"]
    git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    assert git_commit(tmp_path / "tree" / "solution") == second["git"]


@pytest.fixture
def nvidia_smi(tmp_path, monkeypatch):
    """Puts a program of this text where ``nvidia-smi`` is looked for."""
    gpus.cache_clear()
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")

    def put(text):
        program = tmp_path / "bin" / "nvidia-smi"
        program.write_text(text)
        program.chmod(0o755)

    yield put
    gpus.cache_clear()


def test_the_gpu_is_named_with_its_driver_and_cuda_version(tmp_path, nvidia_smi):
    nvidia_smi(NVIDIA_SMI)
    named = fingerprint(tmp_path)
    assert named["gpu"] == "NVIDIA H200, NVIDIA H100 80GB HBM3; driver 580.159.04, CUDA 13.0"
    gpus.cache_clear()
    nvidia_smi(NVIDIA_SMI.replace("580.159.04", "590.1"))
    assert fingerprint(tmp_path)["key"] != named["key"], "another driver, other numbers"


@pytest.mark.parametrize("text", [None, "#!/bin/sh\necho 'no devices were found'\nexit 6\n", "#!/bin/sh\n"])
def test_no_driver_no_devices_no_gpu(tmp_path, nvidia_smi, text):
    if text:
        nvidia_smi(text)
    assert fingerprint(tmp_path)["gpu"] == "none"
