"""The Docker runner keeps the runner contract on a real engine, and survives what happens to its worker."""

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from tests.contract.runner_contract import BUSY, GOOD, RunnerContract
from tests.docker.base_image import built
from tests.waiting import eventually

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners import docker_follower
from auto_benchmark.runners.container import DEADLINE_LABEL, TRIAL_LABEL
from auto_benchmark.runners.docker import DockerRunner

pytestmark = pytest.mark.docker


class TestDockerRunner(RunnerContract):
    @pytest.fixture
    def runner(self, docker_client):
        yield DockerRunner()
        assert (
            docker_client.containers.list(all=True, filters={"name": f"t-{os.getpid()}-"}, ignore_removed=True) == []
        )

    @pytest.fixture
    def place_for(self, contract_image):
        return lambda code: (["python", "-c", code], contract_image)

    def test_time_and_memory_are_measured_outside(self, runner, request_for):
        result = runner.run(request_for(GOOD + BUSY.format(seconds=3, mb=150)))
        assert result.state is TrialState.DONE
        assert 1.5 <= result.cpu_s <= result.wall_s + 1
        assert 150 <= result.peak_memory_mb < 300

    def test_what_comes_between_two_looks_counts(self, runner, request_for, monkeypatch):
        """The engine is asked once and never again; the entrypoint says in the end what came after that."""
        monkeypatch.setattr(docker_follower, "POLL_SECONDS", (30.0, 30.0))
        busy = "import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nif os.fork() == 0:\n"
        busy += (
            textwrap.indent(BUSY.format(seconds=0.5, mb=0), "    ")
            + "    os._exit(0)\nimport time; time.sleep(1.2)\n"
        )
        result = runner.run(request_for(f"{GOOD}{busy}block = bytearray(b'x') * (150 * 2**20)\ndel block"))
        assert result.state is TrialState.DONE
        assert 0.5 <= result.cpu_s <= 2 * result.wall_s
        assert 150 <= result.peak_memory_mb < 250

    def test_the_container_is_hardened(self, runner, request_for):
        code = GOOD + textwrap.dedent("""
            import socket, subprocess
            found = {"uid": os.getuid(), "interfaces": sorted(os.listdir("/sys/class/net"))}
            for path in ("/x", "/ab/x", "/ab/data/x", "/etc/x"):
                try:
                    open(path, "w"); found[path] = "written"
                except OSError as error:
                    found[path] = error.strerror
            status = dict(l.split(":", 1) for l in open("/proc/self/status").read().splitlines())
            found["capabilities"] = int(status["CapEff"], 16) | int(status["CapBnd"], 16)
            found["no_new_privileges"] = int(status["NoNewPrivs"])
            open("/tmp/scratch", "w").write("x")
            (out / "found.json").write_text(json.dumps(found))
        """)
        request = request_for(code)
        assert runner.run(request).state is TrialState.DONE
        found = json.loads((request.output_dir / "found.json").read_text())
        assert found["uid"] == 65534 and found["interfaces"] == ["lo"]
        assert found["capabilities"] == 0 and found["no_new_privileges"] == 1
        assert {found[p] for p in ("/x", "/ab/x", "/etc/x")} == {"Read-only file system"}
        assert found["/ab/data/x"] == "Permission denied"

    def test_links_and_devices_never_leave_the_container(self, runner, request_for):
        code = GOOD + textwrap.dedent("""
            os.symlink("/etc/passwd", out / "soft"); os.mkfifo(out / "pipe")
            (out / "other").touch(); os.link(out / "other", out / "the_same")
            (out / "deep").mkdir(); (out / "deep" / "checkpoint.bin").write_bytes(bytes(1000))
        """)
        request = request_for(code)
        assert runner.run(request).state is TrialState.DONE
        names = {str(p.relative_to(request.output_dir)) for p in request.output_dir.rglob("*") if p.is_file()}
        assert {"predictions.jsonl", "train.log", "deep/checkpoint.bin"} <= names
        assert (
            not names & {"soft", "pipe"}
            and len(names & {"other", "the_same"}) == 1
            and not any(p.is_symlink() for p in request.output_dir.rglob("*"))
        )

    @pytest.mark.parametrize(
        "trick",
        [
            "(out / 'predictions.jsonl').unlink(); os.symlink('/etc/passwd', out / 'predictions.jsonl')",
            "[(out / f'f{i}').touch() for i in range(2500)]",
            "[(out / f'big{i}').write_bytes(bytes(2**20)) for i in range(30)]",
        ],
    )
    def test_output_that_cannot_be_taken_over_is_bad_output(self, runner, request_for, trick):
        result = runner.run(request_for(GOOD + trick, resources=Resources(output_mb=8)))
        assert (result.state, result.failure) == (TrialState.FAILED, FailureClass.BAD_OUTPUT), result

    def test_a_file_over_the_limit_cannot_be_written(self, runner, request_for):
        result = runner.run(
            request_for("open('/ab/out/x', 'wb').write(bytes(17 * 2**20))", resources=Resources(output_mb=8))
        )
        assert (result.state, result.failure) == (TrialState.FAILED, FailureClass.CRASH), result

    def test_without_its_image_it_is_an_environment_error(self, runner, request_for):
        request = dataclasses.replace(request_for(GOOD), image="auto-benchmark/absent:1")
        result = runner.run(request)
        assert (result.state, result.failure) == (TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR)
        assert "auto-benchmark/absent:1" in result.message

    def test_an_image_of_other_code_is_refused(self, runner, request_for, docker_client):
        request = dataclasses.replace(request_for(GOOD), code_sha256="new")
        image = built(docker_client, f"FROM {request.image}\nLABEL auto-benchmark.code=old")
        result = runner.run(dataclasses.replace(request, image=image))
        assert result.failure is FailureClass.ENVIRONMENT_ERROR and "other code" in result.message

    def test_two_trees_run_in_one_image_each_as_its_own_working_directory(self, runner, request_for, docker_client):
        """First experiment of code: the image brings the packages, the tree enters; the trial cannot write to it."""
        tells = GOOD + textwrap.dedent("""
            import part.tool
            found = {"who": part.tool.WHO, "cwd": os.getcwd(), "files": sorted(os.listdir("."))}
            for path in ("train.py", "part/tool.py", "part/new.py", "new.py"):
                try:
                    open(path, "w"); found[path] = "written"
                except OSError as error:
                    found[path] = error.strerror
            (out / "found.json").write_text(json.dumps(found))
        """)
        image = built(
            docker_client, f"FROM {request_for(GOOD).image}\nLABEL auto-benchmark.code=old auto-benchmark.lock=l1"
        )
        for who in ("one", "two"):
            request = request_for(tells)
            (request.output_dir.parent / "part").mkdir()
            (request.output_dir.parent / "part" / "tool.py").write_text(f"WHO = {who!r}\n")
            tree = request.output_dir.parent.with_name(f"tree-{who}")
            shutil.copytree(request.output_dir.parent, tree, ignore=shutil.ignore_patterns("out"))
            entering = dataclasses.replace(
                request, image=image, command=["python", "train.py"], workdir=tree, code_sha256=f"new-{who}",
                code_enters=True, lock_sha256="l1",
            )  # fmt: skip
            assert runner.run(entering).state is TrialState.DONE
            found = json.loads((request.output_dir / "found.json").read_text())
            assert (found["who"], found["cwd"], found["files"]) == (who, "/ab/code", ["part", "train.py"])
            assert {found[path] for path in ("train.py", "part/tool.py", "part/new.py", "new.py")} == {
                "Permission denied"
            }

    @pytest.mark.parametrize(("label", "lock"), [("auto-benchmark.lock=l1", "l2"), ("auto-benchmark.code=old", "l1")])
    def test_code_enters_no_image_of_another_lock(self, runner, request_for, docker_client, label, lock):
        request = request_for(GOOD)
        image = built(docker_client, f"FROM {request.image}\nLABEL {label}")
        result = runner.run(dataclasses.replace(request, image=image, code_enters=True, lock_sha256=lock))
        assert result.failure is FailureClass.ENVIRONMENT_ERROR and "requirements.lock" in result.message

    def test_a_gpu_that_is_not_there_is_an_environment_error(self, runner, request_for):
        result = runner.run(request_for(GOOD, resources=Resources(gpus=1)))
        assert result.failure is FailureClass.ENVIRONMENT_ERROR, result
        assert "gpu" in result.message

    def test_without_an_engine_it_is_an_environment_error(self, runner, request_for, monkeypatch):
        request = request_for(GOOD)
        monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
        assert DockerRunner().run(request).failure is FailureClass.ENVIRONMENT_ERROR

    def test_a_silent_trial_and_one_that_ends_at_once_do_not_hang(self, runner, request_for):
        for silence_s, code, state in ((0, 3, TrialState.FAILED), (6, 0, TrialState.DONE)):
            request = request_for(
                f"print('first words')\nimport time; time.sleep({silence_s}); raise SystemExit({code})",
                budget_s=600,  # longer than a test may last: a run that hangs until its budget ends would show
            )
            result = runner.run(request, on_progress=print)
            assert (result.state, result.exit_code) == (state, code)
            assert "first words" in (request.output_dir / "train.log").read_text()

    def test_a_killed_worker_is_taken_over_without_training_twice(self, runner, request_for, docker_client, tmp_path):
        code = GOOD + "\nimport time, uuid; (out / 'who').write_text(uuid.uuid4().hex); time.sleep(8)"
        request = request_for(code)
        worker = _start_worker(request)
        container = _wait_for(docker_client, request.trial_id)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        container.reload()
        assert container.status == "running"
        result = runner.run(request)
        assert result.state is TrialState.DONE and result.wall_s > 7.5, "counted from the takeover"
        assert (request.output_dir / "who").exists()

    def test_a_container_that_somebody_kills_is_killed(self, runner, request_for, docker_client):
        request = request_for("import time; time.sleep(300)", budget_s=300)
        killer = threading.Thread(target=lambda: _wait_for(docker_client, request.trial_id).kill())
        killer.start()
        result = runner.run(request)
        killer.join()
        assert (result.state, result.failure) == (TrialState.FAILED, FailureClass.KILLED), result

    def test_a_container_that_somebody_removes_is_killed(self, runner, request_for, docker_client):
        request = request_for("import time; time.sleep(300)", budget_s=300)
        killer = threading.Thread(target=lambda: _wait_for(docker_client, request.trial_id).remove(force=True))
        killer.start()
        result = runner.run(request)
        killer.join()
        assert (result.state, result.failure) == (TrialState.FAILED, FailureClass.KILLED), result

    @pytest.mark.parametrize("away_s", [1, 9], ids=["goes on", "ends meanwhile"])
    def test_a_container_survives_its_engine(self, runner, request_for, docker_client, docker_engine, away_s):
        if docker_engine is None:
            pytest.skip("the engine is not ours to kill")
        code = textwrap.dedent("""
            import time
            for step in range(3, 15):
                print("AB_PROGRESS " + json.dumps({"step": step, "metrics": {}}), flush=True)
                time.sleep(0.5)
        """)
        request, seen = request_for(GOOD + code), []

        def kill_and_restart():
            _wait_for(docker_client, request.trial_id)
            docker_engine.kill()
            time.sleep(away_s)
            docker_engine.start()

        saboteur = threading.Thread(target=kill_and_restart)
        saboteur.start()
        result = runner.run(request, on_progress=seen.append)
        saboteur.join()
        assert result.state is TrialState.DONE, result
        assert [p.step for p in seen] == list(range(15)), "a line was lost or told twice"

    def test_a_trial_that_starts_while_its_engine_restarts_waits_for_it(self, runner, request_for, docker_engine):
        if docker_engine is None:
            pytest.skip("the engine is not ours to kill")
        request = request_for(GOOD)
        docker_engine.kill()
        restart = threading.Timer(3, docker_engine.start)
        restart.start()
        assert set(runner.facts(request.image)) == {"image"}
        assert runner.run(request).state is TrialState.DONE
        restart.join()

    def test_leaked_containers_are_swept_and_others_stay(self, runner, request_for, docker_client):
        request = request_for("import time; time.sleep(600)")
        worker = _start_worker(request)
        _wait_for(docker_client, request.trial_id)
        worker.kill()
        worker.wait()
        assert request.trial_id not in runner.sweep(lambda trial: trial == "another")
        assert runner.sweep(lambda trial: trial == request.trial_id) == [request.trial_id]

    def test_what_outlived_its_deadline_by_far_is_swept_whoever_started_it(
        self, runner, contract_image, docker_client
    ):
        old, young, unlabelled = (f"t-{os.getpid()}-{word}" for word in ("old", "young", "unlabelled"))
        for name, deadline in ((old, "-7200"), (young, "60"), (unlabelled, None)):
            labels = {TRIAL_LABEL: name, **({DEADLINE_LABEL: deadline} if deadline else {})}
            docker_client.containers.create(contract_image, name=name, labels=labels, network_mode="none")
        swept = runner.sweep(lambda trial: False)
        assert old in swept and not {young, unlabelled} & set(swept)
        assert set(runner.sweep(lambda trial: trial in {young, unlabelled})) >= {young, unlabelled}

    def test_an_image_without_the_entrypoint_still_leaves_a_log(self, runner, request_for, docker_client):
        request = request_for(GOOD)
        image = built(docker_client, f"FROM {request.image}\nENTRYPOINT []")
        request = dataclasses.replace(request, image=image)
        assert runner.run(request).state is TrialState.DONE
        assert "warning: to stderr" in (request.output_dir / "train.log").read_text()


def _start_worker(request) -> subprocess.Popen[bytes]:
    program = textwrap.dedent(f"""
        import pathlib
        from auto_benchmark.contract.trial import TrialConfig
        from auto_benchmark.runners.docker import DockerRunner
        from auto_benchmark.runners.runner import TrialRequest
        config = TrialConfig.model_validate_json({request.config.to_json()!r})
        DockerRunner().run(TrialRequest({request.trial_id!r}, {request.command!r}, {request.image!r},
            pathlib.Path({str(request.workdir)!r}), config, pathlib.Path({str(request.data_dir)!r}),
            pathlib.Path({str(request.output_dir)!r})))
    """)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", program], env=environment)


def _wait_for(client, trial_id):
    def running():
        with contextlib.suppress(Exception):
            container = client.containers.get(trial_id)
            return container if container.status == "running" else None

    container = eventually(running, f"the start of {trial_id}")
    time.sleep(0.5)  # so that its program is under way; nothing rests on how far
    return container
