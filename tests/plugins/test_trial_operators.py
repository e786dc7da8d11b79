"""The trial operators on a real Docker engine and the wire-level Kubernetes API: one row, no leak, taken over."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress

import psutil
import pytest
import yaml
from tests.fakes.kubernetes_api import KubernetesApi
from tests.toy_project import ToyFiles, enter_through_airflow, toy_database
from tests.waiting import eventually


@pytest.fixture
def project(tmp_path, postgres, template_database, monkeypatch):
    """The toy project with a slow solution whose code is its command, so that any image can run it."""
    files = ToyFiles(tmp_path)
    enter_through_airflow(monkeypatch, files.settings(), toy_database(postgres, template_database))
    return files


def prepare(project: ToyFiles, image: str, *, more: str = "") -> tuple[int, str]:
    """Plan one trial; returns its id and the name of its container."""
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.contract.trial import Stage
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.project.reconcile import reconcile
    from auto_benchmark_airflow.hooks.project_database import project_context

    project.declare(command=["python", "-c", project.train_also(more)], image=image)
    with project_context("default") as ctx:
        reconcile(ctx)
        plan = TrialPlan(
            solution="toy", params=ctx.bench.solution.solution.defaults, benchmark=ctx.bench.ref, stage=Stage.FAST,
            seed=1, purpose="search",
        )  # fmt: skip
        with ctx.sessions.begin() as session:
            (trial,) = trials.plan(session=session, project="default", plans=[plan])
        return trial.id, ctx.trial_name(trial.id)


def outcome(trial_id: int):
    from auto_benchmark.db.repositories import observations, trials
    from auto_benchmark_airflow.hooks.project_database import project_context

    with project_context("default") as ctx, ctx.sessions() as session:
        metrics = observations.metrics_of(session=session, trial_ids=[trial_id]).get(trial_id, {})
        return trials.get(session=session, project="default", trial_id=trial_id), metrics


def killed(operator, trains) -> str:
    """How a task ends that is killed on purpose once its trial trains: the trial's state, or the name of the error."""
    ended: list[str] = []

    def task():
        try:
            ended.append(operator.execute({})["state"])
        except Exception as error:
            ended.append(type(error).__name__)

    thread = threading.Thread(target=task, daemon=True)
    thread.start()
    eventually(trains, "the start of the trial")
    operator.on_kill()  # what Airflow calls when the task gets SIGTERM
    thread.join(60)
    (how,) = ended
    return how


class TestPipelineOperator:
    """A trial that is a child process of its task."""

    def test_a_task_that_is_killed_on_purpose_begins_no_other_attempt(self, project):
        from auto_benchmark.experiments.steps import run_trial
        from auto_benchmark.flows.step import Step
        from auto_benchmark_airflow.operators.pipeline import PipelineOperator

        trial_id, _ = prepare(
            project, "none", more="import time; print('AB_PROGRESS {}', flush=True); time.sleep(60)"
        )
        step = Step(id="trial", run=run_trial)
        operator = PipelineOperator(task_id="trial", step=step, project="default", arguments={"trial_id": trial_id})
        assert killed(operator, training) == "StoppedError"
        assert not training()
        assert outcome(trial_id)[0].state != "done"


def training() -> bool:
    """Whether a trial of this process trains."""
    words = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it ended in between, or its end has not been asked for yet
            words += child.cmdline()
    return any("AB_PROGRESS" in word for word in words)


@pytest.mark.docker
class TestTrialDockerOperator:
    def operator(self, trial_id, **options):
        from auto_benchmark_airflow.operators.trial_docker import TrialDockerOperator

        return TrialDockerOperator(task_id="trial", project="default", arguments={"trial_id": trial_id}, **options)

    def test_a_trial_is_run_scored_and_recorded(self, project, contract_image, docker_client):
        trial_id, name = prepare(project, contract_image)
        told = self.operator(trial_id).execute({})
        assert told == {"trial_id": trial_id, "state": "done", "failure": None}
        trial, metrics = outcome(trial_id)
        assert trial.state == "done" and 0.5 < metrics["accuracy"] < 1
        assert docker_client.containers.list(all=True, filters={"name": name}) == []

    def test_a_killed_task_is_taken_over_by_the_next_try(self, project, contract_image, docker_client):
        trial_id, name = prepare(project, contract_image, more="import time; time.sleep(8)")
        program = textwrap.dedent(f"""
            from auto_benchmark_airflow.operators.trial_docker import TrialDockerOperator
            arguments = {{"trial_id": {trial_id}}}
            TrialDockerOperator(task_id="trial", project="default", arguments=arguments).execute({{}})
        """)
        since = int(time.time())
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        first = subprocess.Popen([sys.executable, "-c", program], env=environment)
        eventually(lambda: docker_client.containers.list(filters={"name": name}), "the start of the container")
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        assert [c.name for c in docker_client.containers.list(filters={"name": name})] == [name]
        told = self.operator(trial_id).execute({})
        assert told["state"] == "done"
        created = docker_client.events(
            since=since, until=int(time.time()) + 1, decode=True, filters={"event": "create", "type": "container"}
        )
        names = [e["Actor"]["Attributes"]["name"] for e in created]
        assert names.count(name) == 1, "a trial that ended in the same second may be among them"
        assert outcome(trial_id)[0].attempts == 2

    def test_killing_the_task_on_purpose_ends_the_training(self, project, contract_image, docker_client):
        trial_id, name = prepare(project, contract_image)
        from auto_benchmark.runners.container import TRIAL_LABEL

        docker_client.containers.run(
            contract_image, entrypoint=["sleep", "60"], name=name, labels={TRIAL_LABEL: name}, detach=True,
            network_mode="none",
        )  # fmt: skip
        self.operator(trial_id).on_kill()
        assert docker_client.containers.list(all=True, filters={"name": name}) == []

    def test_reconcile_removes_what_dead_workers_left_and_nothing_else(
        self, project, contract_image, docker_client, monkeypatch
    ):
        from auto_benchmark.project.reconcile import reconcile
        from auto_benchmark.runners.container import TRIAL_LABEL
        from auto_benchmark_airflow.hooks.project_database import project_context

        monkeypatch.setenv("AUTO_BENCHMARK_RUNNER", "docker")
        planned, name = prepare(project, contract_image)
        leaked = name.removesuffix(str(planned)) + "99999"
        another = name.replace("ab-", "ab-another", 1)
        for each in (name, leaked, another):
            docker_client.containers.run(
                contract_image, entrypoint=["sleep", "60"], name=each, labels={TRIAL_LABEL: each}, detach=True,
                network_mode="none",
            )  # fmt: skip
        with project_context("default") as ctx:
            reconcile(ctx)
        ours = docker_client.containers.list(filters={"label": TRIAL_LABEL}, ignore_removed=True)
        left = [container for container in ours if container.name in {name, leaked, another}]
        assert {container.name for container in left} == {name, another}
        for container in left:
            container.remove(force=True)

    def test_nothing_of_it_is_unpickled_or_read_from_a_log(self):
        operator = self.operator(1)
        assert operator.retrieve_output is False and operator.mount_tmp_dir is False and operator.mounts == []
        assert operator.template_fields == ("arguments", "docker_conn_id")


class TestTrialPodOperator:
    @pytest.fixture
    def cluster(self, project, monkeypatch):
        with KubernetesApi(project.home).running() as server:
            file = project.folder / "kubeconfig"
            file.write_text(
                yaml.safe_dump(
                    {
                        "apiVersion": "v1", "kind": "Config", "current-context": "c",
                        "clusters": [{"name": "c", "cluster": {"server": server.url}}],
                        "users": [{"name": "u", "user": {"token": "t"}}],
                        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                    }
                )
            )  # fmt: skip
            extra = {"extra__kubernetes__kube_config_path": str(file), "kube_config_path": str(file)}
            connection = {"conn_type": "kubernetes", "extra": extra}
            monkeypatch.setenv("AIRFLOW_CONN_KUBERNETES_DEFAULT", json.dumps(connection))
            yield server
            assert server.pods == {}

    def operator(self, trial_id, **options):
        from auto_benchmark_airflow.operators.trial_pod import TrialPodOperator

        return TrialPodOperator(task_id="trial", project="default", arguments={"trial_id": trial_id}, **options)

    def test_a_trial_is_run_scored_and_recorded(self, project, cluster):
        trial_id, _ = prepare(project, "registry.example/toy@sha256:1")
        operator = self.operator(trial_id, node_selector={"gpu": "h100"}, priority_class_name="low")
        assert operator.execute({}) == {"trial_id": trial_id, "state": "done", "failure": None}
        trial, metrics = outcome(trial_id)
        assert trial.state == "done" and 0.5 < metrics["accuracy"] < 1
        (manifest,) = cluster.created
        assert manifest["spec"]["nodeSelector"] == {"gpu": "h100"}
        assert manifest["spec"]["priorityClassName"] == "low"
        assert not re.search("xcom|alpine", json.dumps(manifest))

    @pytest.mark.parametrize(
        ("fault", "failure"),
        [("image_pull", "environment_error"), ("oom_exit_0", "oom_host"), ("node_lost", "killed")],
    )
    def test_a_failure_of_the_cluster_is_a_classed_result(self, project, cluster, fault, failure):
        from auto_benchmark.runners.pod import pod_label

        slow = (
            """print('AB_PROGRESS {"step": 1, "metrics": {}}', flush=True); import time; time.sleep(20)"""
            if fault == "node_lost"
            else ""
        )
        trial_id, name = prepare(project, "registry.example/toy@sha256:1", more=slow)
        cluster.faults[pod_label(name)] = fault
        told = self.operator(trial_id).execute({})
        assert (told["state"], told["failure"]) == ("failed", failure)
        assert outcome(trial_id)[0].failure_class == failure

    def test_a_killed_task_is_taken_over_by_the_next_try(self, project, cluster, monkeypatch):
        from auto_benchmark.experiments.trials import planned as trials
        from auto_benchmark.runners.container import container_spec
        from auto_benchmark.runners.pod import pod

        trial_id, _ = prepare(project, "registry.example/toy@sha256:1", more="import time; time.sleep(2)")
        made = []

        def dies(self, request, **_):
            manifest = pod(container_spec(request), data_claim="c", data_path=f"data/{request.data_dir.name}")
            cluster.core_v1().create_namespaced_pod("auto-benchmark", manifest)
            made.append(manifest["metadata"]["name"])
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("auto_benchmark.runners.kubernetes.KubernetesRunner.run", dies)
            patch.setattr(trials, "LEASE_S", 1.0)
            with pytest.raises(KeyboardInterrupt):
                self.operator(trial_id).execute({})
        assert self.operator(trial_id).execute({})["state"] == "done"
        assert [m["metadata"]["name"] for m in cluster.created] == made, "a second pod was made"
        assert outcome(trial_id)[0].attempts == 2

    def test_killing_the_task_on_purpose_deletes_its_pod_and_reconcile_what_nobody_waits_for(self, project, cluster):
        from dataclasses import replace

        from auto_benchmark.project.leaked import sweep_leaked
        from auto_benchmark.runners.container import TRIAL_LABEL
        from auto_benchmark.runners.kubernetes import KubernetesRunner
        from auto_benchmark.runners.pod import pod_label
        from auto_benchmark_airflow.hooks.project_database import project_context

        trial_id, name = prepare(project, "registry.example/toy@sha256:1")
        mine, leaked = pod_label(name), pod_label(name.removesuffix(str(trial_id)) + "99999")
        for each in (mine, leaked, "ab-another-99999"):
            cluster.faults[each] = "unschedulable"
            manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": each, "labels": {TRIAL_LABEL: each}}}
            cluster.core_v1().create_namespaced_pod("auto-benchmark", manifest)
        with project_context("default") as ctx:
            runner = KubernetesRunner(cluster.core_v1)
            assert sweep_leaked(replace(ctx, bench=replace(ctx.bench, runner=runner))) == [leaked]
        self.operator(trial_id).on_kill()
        assert set(cluster.pods) == {"ab-another-99999"}
        cluster.core_v1().delete_namespaced_pod("ab-another-99999", "auto-benchmark")

    def test_a_task_that_is_killed_on_purpose_makes_no_second_pod_and_never_succeeds(self, project, cluster):
        code = """print('AB_PROGRESS {"step": 1, "metrics": {}}', flush=True); import time; time.sleep(1.5)"""
        trial_id, _ = prepare(project, "registry.example/toy@sha256:1", more=code)
        assert (
            killed(self.operator(trial_id), lambda: any(pod.lines for pod in list(cluster.pods.values()))) != "done"
        )
        assert len(cluster.created) == 1
