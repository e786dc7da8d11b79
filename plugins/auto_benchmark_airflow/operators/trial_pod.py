"""A trial in a Kubernetes pod, as an Airflow task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import Context

from auto_benchmark_airflow.operators.task_facts import export_map_index
from auto_benchmark_airflow.xcom_guard import guarded

NAMESPACE, DATA_CLAIM = "auto-benchmark", "auto-benchmark-data"


class TrialPodOperator(KubernetesPodOperator):
    """Runs one planned trial of a project in a pod of the cluster that ``kubernetes_conn_id`` names.

    Of its base it keeps the connection and ``namespace``, ``node_selector``, ``tolerations``, ``runtime_class_name``,
    ``priority_class_name`` and ``image_pull_secrets``. The pod comes from the library's one specification. Instead of
    the base's sidecar, which pulls an image of its own and may wait for ever, a second container of the trial's image
    hands the output over, and every remote read has a deadline.

    Args:
        project: whose trial.
        arguments: ``{"trial_id": …}``; may be mapped.
        data_claim: PersistentVolumeClaim that is ``AUTO_BENCHMARK_HOME``.
        kwargs: of :class:`KubernetesPodOperator` as listed, and of any operator.
    """

    template_fields: Sequence[str] = ("arguments", "namespace", "kubernetes_conn_id")
    template_ext: Sequence[str] = ()
    ui_color = "#e8f1fb"
    _followed: Any = None

    def __init__(
        self,
        *,
        project: str,
        arguments: dict[str, Any],
        data_claim: str = DATA_CLAIM,
        namespace: str = NAMESPACE,
        **kwargs: Any,
    ) -> None:
        super().__init__(name="trial", image="", namespace=namespace, do_xcom_push=True, **kwargs)
        self.project = project
        self.arguments: Any = arguments  # the base's field of this name holds a container's arguments; ours has none
        self.data_claim = data_claim

    def execute(self, context: Context) -> Any:
        """Run the trial, or follow the pod that a former try created."""
        from auto_benchmark.experiments.trials.planned import run_trial
        from auto_benchmark.runners.stoppable import StoppableRunner
        from auto_benchmark_airflow.hooks.project_database import project_context

        export_map_index(context)
        with project_context(self.project) as ctx:
            self._followed = StoppableRunner(self._runner())
            bench = replace(ctx.bench, runner=self._followed)
            result = run_trial(replace(ctx, bench=bench), **self.arguments)
        return guarded(result, task=self.task_id)

    def on_kill(self) -> None:
        """Delete the pod and make no other: a person who kills the task wants the training to end."""
        from auto_benchmark.runners.pod import pod_label
        from auto_benchmark_airflow.hooks.project_database import project_context

        if self._followed is not None:
            self._followed.stop()
        with project_context(self.project) as ctx:
            name = pod_label(ctx.trial_name(int(self.arguments["trial_id"])))
        self._runner().sweep(lambda trial: trial == name)

    def _runner(self) -> Any:
        from auto_benchmark.runners.kubernetes import Cluster, KubernetesRunner

        cluster = Cluster(
            namespace=self.namespace or NAMESPACE,
            data_claim=self.data_claim,
            overrides=self._overrides(),
            startup_s=float(self.startup_timeout_seconds),
        )
        return KubernetesRunner(lambda: self.client, cluster)

    def _overrides(self) -> dict[str, Any]:
        from kubernetes.client import ApiClient

        wanted = {
            "nodeSelector": self.node_selector,
            "tolerations": self.tolerations,
            "runtimeClassName": getattr(self, "runtime_class_name", None),
            "priorityClassName": self.priority_class_name,
            "imagePullSecrets": self.image_pull_secrets,
        }
        plain = ApiClient().sanitize_for_serialization({k: v for k, v in wanted.items() if v})
        return dict(plain)
