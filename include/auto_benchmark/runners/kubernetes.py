"""Runs a trial in a pod of a Kubernetes cluster, with the same failure classes as every other place.

The pod is named after the trial, so a restarted worker finds it again. Every request has a deadline: an API server, a
kubelet or an exec that never answers costs at most that. State comes from the pod's status, results from an archive
that the pod's collector writes, never from a log.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from urllib3.exceptions import HTTPError

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners.archive import UnfitOutputError, unpack
from auto_benchmark.runners.container import SPEC_LABEL, TRIAL_LABEL, container_spec
from auto_benchmark.runners.exit_code import verdict
from auto_benchmark.runners.image_lock import require_lock
from auto_benchmark.runners.pod import COLLECT, COLLECTOR, TRIAL, pod, pod_name
from auto_benchmark.runners.pod_status import (
    age,
    between,
    container_of,
    failure_of,
    has_expired,
    pull_fault,
    why_waiting,
)
from auto_benchmark.runners.progress import ProgressLines
from auto_benchmark.runners.runner import EnvironmentFaultError, OnProgress, RunResult, TrialRequest

log = logging.getLogger(__name__)
T = TypeVar("T")
REQUEST_SECONDS = (5, 30)
LOG_BYTES = 4 * 2**20
NOT_FOUND, CONFLICT = 404, 409
CODE = "code"
"""Folder of the claim under which each tree lies, as everywhere."""
READS = 3
"""How often a result whose transfer breaks off is read."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where pods are made.

    Attributes:
        data_claim: PersistentVolumeClaim with the benchmark data and stored code, which is ``AUTO_BENCHMARK_HOME``.
        overrides: more keys of each pod's ``spec``.
        startup_s: how long a pod may wait for a node and its image, s.
        collect_s: deadline of one archive, s.
        lost_s: how long the API server may be away, s.
        poll_s: pause between two looks, s.
    """

    namespace: str = "auto-benchmark"
    data_claim: str = "auto-benchmark-data"
    overrides: dict[str, Any] | None = None
    startup_s: float = 600.0
    collect_s: float = 120.0
    lost_s: float = 120.0
    poll_s: float = 1.0


class SilentError(EnvironmentFaultError):
    """Something accepted a request and never answered."""


def cluster_api() -> Any:
    """A client of the surrounding cluster, or of the one that kubeconfig names. Raises EnvironmentFaultError."""
    from kubernetes import client, config

    try:
        try:
            config.load_incluster_config()
        except config.ConfigException:
            config.load_kube_config()
    except (config.ConfigException, OSError) as error:
        raise EnvironmentFaultError(f"no Kubernetes cluster is configured: {error}") from None
    return client.CoreV1Api()


class KubernetesRunner:
    """A trial as a pod.

    Args:
        connect: makes a ``CoreV1Api``.
        cluster: where and how patiently.
    """

    name = "kubernetes"
    isolated_by: tuple[str, ...] = ("a pod of its own", "an unprivileged user without powers")
    not_isolated: tuple[str, ...] = (
        "process count, unless the kubelet's podPidsLimit is set",
        "network, unless the cluster enforces NetworkPolicy",
        "disk space between two looks of the kubelet",
    )

    def __init__(self, connect: Callable[[], Any] = cluster_api, cluster: Cluster | None = None) -> None:
        self._connect, self._cluster = connect, cluster or Cluster()

    def facts(self, image: str) -> dict[str, str]:
        """The image's name, and that a node of the cluster was used, whose hardware is not this process' own.

        The image's digest is the registry's to know, so name images by digest or by a fixed tag. Which kind of node
        it is decides whoever pins the trials to one.
        """
        return {"image": image, **dict.fromkeys(("cpu", "gpu", "machine"), "a node of the cluster")}

    def run(
        self, request: TrialRequest, *, on_progress: OnProgress | None = None, cancel: threading.Event | None = None
    ) -> RunResult:
        """Run one attempt to its end, or follow the pod of the same attempt that already exists."""
        from kubernetes.client import ApiException

        started = time.monotonic()
        try:
            require_lock(request)
            watch = _Watch(self._connect(), self._cluster, request, cancel or threading.Event())
            try:
                watch.start()
                return watch.result(on_progress)
            finally:
                watch.delete()
        except EnvironmentFaultError as error:
            return RunResult(TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR, str(error), None, 0.0)
        except (ApiException, HTTPError) as error:
            gone = getattr(error, "status", None) == NOT_FOUND
            failure = FailureClass.KILLED if gone or isinstance(error, HTTPError) else FailureClass.ENVIRONMENT_ERROR
            words = "its pod vanished (node lost or deleted)" if gone else f"the cluster refused: {_words(error)}"
            return RunResult(TrialState.FAILED, failure, words, None, time.monotonic() - started)

    def sweep(self, is_leaked: Callable[[str], bool]) -> list[str]:
        """Delete our pods whose trial nothing waits for any more, and those that outlived their deadline by far.

        Args:
            is_leaked: whether the trial, given by :func:`pod_name`, has ended or never existed.

        Returns:
            Names of the deleted pods.

        Raises:
            EnvironmentFaultError: when the cluster cannot be reached.
        """
        from kubernetes.client import ApiException

        api = self._connect()
        try:
            listed = api.list_namespaced_pod(
                self._cluster.namespace, label_selector=TRIAL_LABEL, _request_timeout=REQUEST_SECONDS
            )
        except (ApiException, HTTPError) as error:
            raise EnvironmentFaultError(f"the cluster refused: {_words(error)}") from error
        leaked = [
            p.metadata.name for p in listed.items if is_leaked(p.metadata.labels[TRIAL_LABEL]) or has_expired(p)
        ]
        for name in leaked:
            _delete(api, self._cluster.namespace, name)
        return leaked


class _Watch:
    """One pod from creation to deletion."""

    def __init__(self, api: Any, cluster: Cluster, request: TrialRequest, cancel: threading.Event) -> None:
        self.api, self.cluster, self.request, self.cancel = api, cluster, request, cancel
        self.spec = container_spec(request)
        self.name = pod_name(self.spec)
        self.lines = ProgressLines(None)
        self.relayed_at: float | None = None

    def start(self) -> None:
        """Create the pod, unless it is there already."""
        from kubernetes.client import ApiException

        manifest = pod(
            self.spec, data_claim=self.cluster.data_claim, data_path=f"data/{self.request.data_dir.name}",
            code_path=f"{CODE}/{self.request.code_sha256}/{self.request.workdir.name}",
            overrides=self.cluster.overrides,
        )  # fmt: skip
        for _ in range(3):
            try:
                self._ask(self.api.create_namespaced_pod, self.cluster.namespace, manifest)
                return
            except ApiException as error:
                if error.status != CONFLICT:
                    raise EnvironmentFaultError(f"the cluster refused the pod: {_words(error)}") from error
            with contextlib.suppress(ApiException):
                found = self._pod()
                if found.metadata.labels.get(SPEC_LABEL) == self.spec.key and not found.metadata.deletion_timestamp:
                    log.info("found the pod of trial %s again", self.name)
                    return
                _delete(self.api, self.cluster.namespace, self.name)
            time.sleep(self.cluster.poll_s)
        raise EnvironmentFaultError(f"another pod is called {self.name!r} and does not go away")

    def result(self, on_progress: OnProgress | None) -> RunResult:
        """Wait until the trial's container ends, collect, judge."""
        self.lines = ProgressLines(on_progress)
        waiting_until = time.monotonic() + self.cluster.startup_s
        running_since: float | None = None
        while True:
            if self.cancel.is_set():
                return self._ended(TrialState.CANCELLED, None, "cancelled", running_since)
            found = self._pod()
            status = container_of(found, TRIAL)
            state = status.state if status else None
            if failed := failure_of(found, state):
                return self._ended(TrialState.FAILED, *failed, running_since)
            if state and state.terminated:
                judged = self._judge(state.terminated)
                self.lines.complete(self.request.output_dir / "train.log")
                return judged
            if state and state.running:
                running_since = running_since or time.monotonic() - age(state.running.started_at)
                if time.monotonic() - running_since > self.spec.deadline_s:
                    late = f"did not end within {self.spec.deadline_s:g} s"
                    with contextlib.suppress(EnvironmentFaultError, UnfitOutputError):
                        self._collect()
                    return self._ended(TrialState.FAILED, FailureClass.TIMEOUT, late, running_since)
                if on_progress is not None:
                    self._relay()
            elif time.monotonic() > waiting_until:
                why = pull_fault(state) or why_waiting(found)
                raise EnvironmentFaultError(f"no node started the pod in {self.cluster.startup_s:g} s: {why}")
            self.cancel.wait(self.cluster.poll_s)

    def delete(self) -> None:
        """Remove the pod; what cannot be removed now is left for the sweeper."""
        _delete(self.api, self.cluster.namespace, self.name)

    def _judge(self, ended: Any) -> RunResult:
        wall_s = between(ended.started_at, ended.finished_at)
        unfit, lost = None, None
        try:
            self._collect()
        except UnfitOutputError as error:
            unfit = str(error)
        except EnvironmentFaultError as error:
            lost = error
            self._keep_log()
        oom = ended.reason == "OOMKilled"
        judged = verdict(ended.exit_code, self.request.output_dir, wall_s, None, oom_killed=oom)
        if lost is not None and ended.exit_code == 0 and not oom:
            failure = FailureClass.KILLED if isinstance(lost, SilentError) else FailureClass.NO_RESULT
            return replace(judged, state=TrialState.FAILED, failure=failure, message=f"its result was lost: {lost}")
        if unfit and judged.failure is None:
            return replace(judged, state=TrialState.FAILED, failure=FailureClass.BAD_OUTPUT, message=unfit)
        return judged

    def _collect(self) -> None:
        """Copy the output out; a transfer that breaks off is begun again while the pod is there.

        Raises:
            UnfitOutputError: the output cannot be taken over.
            SilentError: the collector does not answer.
            EnvironmentFaultError: every transfer broke off.
            ApiException: the pod has vanished.
        """
        target, limit = self.request.output_dir, self.spec.output_mb
        for read in range(1, READS + 1):
            try:
                within(
                    self.cluster.collect_s, lambda: unpack(self._archive(), target, limit_mb=limit), "the collector"
                )
                return
            except SilentError:
                raise
            except EnvironmentFaultError as error:
                self._pod()
                if read == READS:
                    raise
                log.warning("the result of %s broke off (%s); reading it again", self.name, error)
                time.sleep(self.cluster.poll_s)

    def _keep_log(self) -> None:
        """Write what the API server has of the trial's words, where its own log could not be had."""
        from kubernetes.client import ApiException

        with contextlib.suppress(ApiException, HTTPError):
            answer = self.api.read_namespaced_pod_log(
                self.name, self.cluster.namespace, container=TRIAL, limit_bytes=LOG_BYTES,
                _request_timeout=REQUEST_SECONDS, _preload_content=False,
            )  # fmt: skip
            (self.request.output_dir / "train.log").write_bytes(answer.data)

    def _archive(self) -> Iterator[bytes]:
        from kubernetes.client import ApiClient, CoreV1Api
        from kubernetes.stream import stream

        # A client of its own: the call changes its client for as long as it lasts, and it may last for ever.
        api = CoreV1Api(ApiClient(self.api.api_client.configuration))
        socket = stream(
            api.connect_get_namespaced_pod_exec, self.name, self.cluster.namespace, container=COLLECTOR,
            command=COLLECT, stdin=False, stdout=True, stderr=False, tty=False, binary=True, _preload_content=False,
        )  # fmt: skip
        try:
            while socket.is_open():
                socket.update(timeout=1)
                if block := socket.read_channel(1):
                    yield block
            if block := socket.read_channel(1):
                yield block
        finally:
            socket.close()

    def _relay(self) -> None:
        """Hand on what the log holds by now."""
        from kubernetes.client import ApiException

        asked_at = time.monotonic()
        since = {} if self.relayed_at is None else {"since_seconds": int(asked_at - self.relayed_at) + 5}
        with contextlib.suppress(ApiException, HTTPError):
            answer = self.api.read_namespaced_pod_log(
                self.name, self.cluster.namespace, container=TRIAL, timestamps=True, limit_bytes=LOG_BYTES,
                _request_timeout=REQUEST_SECONDS, _preload_content=False, **since,
            )  # fmt: skip
            self.relayed_at = asked_at
            for row in answer.data.splitlines():
                self.lines.take(row.partition(b" ")[2])

    def _pod(self) -> Any:
        return self._ask(self.api.read_namespaced_pod, self.name, self.cluster.namespace)

    def _ask(self, call: Callable[..., T], *arguments: Any) -> T:
        """One request, again while the server is away or overloaded. Raises what it last raised."""
        from kubernetes.client import ApiException

        deadline = time.monotonic() + self.cluster.lost_s
        while True:
            try:
                return call(*arguments, _request_timeout=REQUEST_SECONDS)
            except (ApiException, HTTPError) as error:
                status = getattr(error, "status", 0) or 0
                passing = isinstance(error, HTTPError) or status == 429 or status >= 500
                if not passing or time.monotonic() > deadline:
                    raise
                log.warning("the cluster does not answer (%s); trying again", _words(error))
                time.sleep(self.cluster.poll_s)

    @staticmethod
    def _ended(
        state: TrialState, failure: FailureClass | None, message: str, running_since: float | None
    ) -> RunResult:
        wall_s = 0.0 if running_since is None else time.monotonic() - running_since
        return RunResult(state, failure, message, None, wall_s)


def within(seconds: float, call: Callable[[], T], what: str) -> T:
    """Call with a deadline that holds even where the other side accepts and never speaks.

    Raises:
        SilentError: it did not return in time.
        EnvironmentFaultError: it failed other than by UnfitOutputError.
    """
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append((call(), None))
        except Exception as error:
            outcome.append((None, error))

    thread = threading.Thread(target=work, daemon=True, name=what)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise SilentError(f"{what} did not answer in {seconds:g} s")
    value, error = outcome[0]
    if isinstance(error, UnfitOutputError):
        raise error
    if error is not None:
        raise EnvironmentFaultError(f"{what} failed: {_words(error)}") from error
    return value  # type: ignore[no-any-return]


def _delete(api: Any, namespace: str, name: str) -> None:
    from kubernetes.client import ApiException

    try:
        api.delete_namespaced_pod(name, namespace, grace_period_seconds=0, _request_timeout=REQUEST_SECONDS)
    except (ApiException, HTTPError) as error:
        if getattr(error, "status", None) != NOT_FOUND:
            log.warning("pod %s is left for the sweeper: %s", name, _words(error))


def _words(error: BaseException) -> str:
    return str(getattr(error, "body", None) or getattr(error, "reason", None) or error)[:300]
