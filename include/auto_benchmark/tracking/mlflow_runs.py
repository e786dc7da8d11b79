"""Trials as MLflow runs: one parent per experiment, one child per trial, both found by tag; and ``@champion``.

A short trial's run is created complete and closed in one go. That of a long one is opened while it trains, grows by
its curve, and is completed or abandoned by whoever finds the trial ended. Every value has a timestamp and step of its
own, so that telling it twice changes nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from auto_benchmark.tracking.trial_run import Champion, TrialRun

log = logging.getLogger(__name__)
TRIAL_TAG, EXPERIMENT_TAG = "auto_benchmark.trial", "auto_benchmark.experiment"
COMPLETE_TAG, ATTEMPT_TAG = "auto_benchmark.complete", "auto_benchmark.attempt"
PARENT_TAG = "mlflow.parentRunId"
PRODUCTION_TAG = "auto_benchmark.production_id"
CHAMPION = "champion"
LONGEST_PARAM, LONGEST_TAG = 500, 4_000
BATCH = 900
ARTIFACTS = ("config.yaml", "metrics.json", "eval_on_leaderboard.json", "train.log", "checkpoint.bin")
ANSWER_SECONDS = 3.0


class TrackerAwayError(Exception):
    """The tracking server does not answer or refuses; what was to be written should be kept and written later."""


def load_client() -> None:
    """Import MLflow, which takes seconds: where a lock is held, that should be over."""
    import mlflow.tracking  # noqa: F401


class MlflowRuns:
    """Writes to one tracking server.

    Args:
        url: of the server, or any MLflow tracking URI.

    Raises:
        TrackerAwayError: on construction, within seconds, when a server does not answer.
    """

    def __init__(self, url: str) -> None:
        if url.startswith("http"):
            _ping(url)
        from mlflow.environment_variables import MLFLOW_HTTP_REQUEST_MAX_RETRIES, MLFLOW_HTTP_REQUEST_TIMEOUT
        from mlflow.tracking import MlflowClient

        MLFLOW_HTTP_REQUEST_MAX_RETRIES.set(1)  # type: ignore[no-untyped-call]  # our own journal repeats; waiting minutes here would help nobody
        MLFLOW_HTTP_REQUEST_TIMEOUT.set(20)  # type: ignore[no-untyped-call]
        with _reaching("MLflow"):
            self._client = MlflowClient(tracking_uri=url)
        self._experiments: dict[str, str] = {}
        self._parents: dict[tuple[str, str], str] = {}

    def write(self, trial: TrialRun) -> str:
        """Write one trial unless it is there already; returns the run's id.

        Raises:
            TrackerAwayError: when the server fails meanwhile; the same call later completes the run.
        """
        with _reaching(trial.name):
            return self._write(trial)

    def begin(self, trial: TrialRun) -> str | None:
        """Open the run of a trial that trains now; None when the trial was told completely before.

        Raises:
            TrackerAwayError: as :meth:`write`.
        """
        with _reaching(trial.name):
            experiment = self._experiment(trial.project)
            run = self._own(experiment, trial)
            if run is None:
                return self._create(experiment, trial, self._parent(experiment, trial))
            return None if _is_complete(run) else str(run.info.run_id)

    def extend(self, run_id: str, trial: TrialRun) -> None:
        """Add the points of ``trial.curve`` to an open run. Raises TrackerAwayError."""
        with _reaching(trial.name):
            for batch in _batches(_curve(trial)):
                self._client.log_batch(run_id, metrics=batch)

    def abandon(self, project: str, name: str) -> None:
        """Close the open run of a trial that nobody works on. Raises TrackerAwayError."""
        with _reaching(name):
            run = self._find(self._experiment(project), TRIAL_TAG, name)
            if run is not None and not _is_complete(run):
                self._client.set_terminated(run.info.run_id, status="KILLED")

    def crown(self, champion: Champion) -> bool:
        """Give ``@champion`` to the configuration in production; False when no run of it was written yet.

        Raises:
            TrackerAwayError: as :meth:`write`.
        """
        with _reaching("champion"):
            return self._crown(champion)

    def _write(self, trial: TrialRun) -> str:
        experiment = self._experiment(trial.project)
        parent = self._parent(experiment, trial)
        run = self._own(experiment, trial)
        if run is not None and _is_complete(run):
            return str(run.info.run_id)
        run_id = run.info.run_id if run is not None else self._create(experiment, trial, parent)
        self._log(run_id, trial)
        for name in ARTIFACTS:
            path = Path(trial.folder) / name
            if path.is_file() and not path.is_symlink():
                self._client.log_artifact(run_id, str(path))
        self._client.set_tag(run_id, COMPLETE_TAG, "true")
        status = {"done": "FINISHED", "failed": "FAILED"}.get(trial.state, "KILLED")
        self._client.set_terminated(run_id, status=status, end_time=trial.finished_ms)
        return str(run_id)

    def _own(self, experiment: str, trial: TrialRun) -> Any:
        """The run of this attempt, or of a complete one; what another attempt left half told is removed."""
        run = self._find(experiment, TRIAL_TAG, trial.name)
        if run is None or _is_complete(run) or run.data.tags.get(ATTEMPT_TAG) == str(trial.attempt):
            return run
        self._client.set_terminated(run.info.run_id, status="KILLED")
        self._client.delete_run(run.info.run_id)
        return None

    def _create(self, experiment: str, trial: TrialRun, parent: str) -> str:
        tags = {
            PARENT_TAG: parent, TRIAL_TAG: trial.name, EXPERIMENT_TAG: trial.experiment,
            ATTEMPT_TAG: str(trial.attempt),
        }  # fmt: skip
        name = f"{trial.experiment} seed {trial.seed}"
        created = self._client.create_run(experiment, start_time=trial.started_ms, tags=tags, run_name=name)
        return str(created.info.run_id)

    def _log(self, run_id: str, trial: TrialRun) -> None:
        from mlflow.entities import Metric, Param, RunTag

        params = {**trial.params, "seed": trial.seed, "stage": trial.stage, "purpose": trial.purpose}
        tags = {
            "config_hash": trial.config_hash, "failure": trial.failure or "", "message": trial.message,
            **{f"fingerprint.{name}": value for name, value in trial.fingerprint.items()},
        }  # fmt: skip
        metrics = [Metric(_key(k), v, trial.finished_ms, 0) for k, v in trial.metrics.items()]
        metrics += [Metric("cost", trial.cost, trial.finished_ms, 0), *_curve(trial)]
        self._client.log_batch(
            run_id,
            params=[Param(_key(k), shortened(str(v), LONGEST_PARAM)) for k, v in params.items()][:BATCH],
            tags=[RunTag(_key(k), shortened(v, LONGEST_TAG)) for k, v in tags.items() if v],
        )
        for batch in _batches(metrics):
            self._client.log_batch(run_id, metrics=batch)

    def _experiment(self, project: str) -> str:
        if project not in self._experiments:
            name = f"auto-benchmark/{project}"
            found = self._client.get_experiment_by_name(name)
            created = found.experiment_id if found else self._client.create_experiment(name)
            self._experiments[project] = str(created)
        return self._experiments[project]

    def _parent(self, experiment: str, trial: TrialRun) -> str:
        key = (experiment, trial.experiment)
        if key not in self._parents:
            run = self._find(experiment, EXPERIMENT_TAG, trial.experiment, f"tags.`{TRIAL_TAG}` = 'parent'")
            if run is None:
                tags = {EXPERIMENT_TAG: trial.experiment, TRIAL_TAG: "parent"}
                run = self._client.create_run(
                    experiment, start_time=trial.started_ms, tags=tags, run_name=trial.experiment
                )
            ended = trial.finished_ms or trial.started_ms
            self._client.set_terminated(run.info.run_id, status="FINISHED", end_time=ended)
            self._parents[key] = str(run.info.run_id)
        return self._parents[key]

    def _find(self, experiment: str, tag: str, value: str, more: str = "") -> Any:
        condition = f"tags.`{tag}` = '{value}'" + (f" and {more}" if more else "")
        found = self._client.search_runs([experiment], condition, max_results=1)
        return found[0] if found else None

    def _crown(self, champion: Champion) -> bool:
        from mlflow.exceptions import MlflowException

        experiment = self._experiment(champion.project)
        condition = f"tags.config_hash = '{champion.config_hash}' and tags.`{COMPLETE_TAG}` = 'true'"
        runs = self._client.search_runs(
            [experiment], f"{condition} and attributes.status = 'FINISHED'", max_results=1,
            order_by=["attributes.end_time DESC"],
        )  # fmt: skip
        if not runs:
            return False
        name = f"{champion.project}-{champion.solution}"
        try:
            self._client.get_registered_model(name)
        except MlflowException:
            self._client.create_registered_model(name)
        mine = f"{champion.origin}{champion.production_id}"
        versions = self._client.search_model_versions(f"name = '{name}'")
        version = next((v for v in versions if v.tags.get(PRODUCTION_TAG) == mine), None)
        if version is None:
            hypothesis = champion.hypothesis_id or ""
            tags = {PRODUCTION_TAG: mine, "config_hash": champion.config_hash, "hypothesis": hypothesis}
            version = self._client.create_model_version(
                name, source=runs[0].info.artifact_uri, run_id=runs[0].info.run_id, tags=tags,
                description=champion.reason[:LONGEST_TAG],
            )  # fmt: skip
        self._client.set_registered_model_alias(name, CHAMPION, version.version)
        return True


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and a digest of the whole where it is too long for the tracker."""
    if len(text) <= longest:
        return text
    return f"{text[: longest - 24]}… sha256:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def without_password(text: str) -> str:
    """The text with user and password taken out of the addresses in it."""
    return re.sub(r"//[^/\s]*@", "//", text)


@contextlib.contextmanager
def _reaching(what: str) -> Iterator[None]:
    """Whatever MLflow and its transports raise becomes a TrackerAwayError: a trial never depends on it."""
    try:
        yield
    except Exception as error:
        raise TrackerAwayError(f"{what}: {type(error).__name__}: {without_password(str(error))[:300]}") from error


def _is_complete(run: Any) -> bool:
    return bool(run.data.tags.get(COMPLETE_TAG) == "true")


def _curve(trial: TrialRun) -> list[Any]:
    """The curve as metrics; the trial's start is their time, so that a point told twice is the same point."""
    from mlflow.entities import Metric

    return [
        Metric(f"curve/{_key(name)}", value, trial.started_ms, point.step)
        for point in trial.curve
        for name, value in point.metrics.items()
    ]


def _key(name: str) -> str:
    """A name that MLflow accepts: letters, digits, and ``_-. /`` only."""
    return "".join(c if c.isalnum() or c in "_-./ " else "_" for c in name)[:250] or "_"


def _batches(metrics: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(metrics), BATCH):
        yield metrics[start : start + BATCH]


def _ping(url: str) -> None:
    import httpx

    try:
        httpx.get(f"{url.rstrip('/')}/health", timeout=ANSWER_SECONDS).raise_for_status()
    except httpx.HTTPError as error:
        reason = without_password(f"{url} does not answer: {error or type(error).__name__}")
        raise TrackerAwayError(reason) from error
