"""Trials as MLflow runs: one parent per experiment, one child per attempt at a trial, found by tag; and ``@champion``.

A short trial's run is created complete and closed in one go. That of a long one is opened while it trains, grows by
its curve, and is completed or abandoned by the process that finds the trial ended. Every value has a timestamp and
step of its own, so that sending it twice changes nothing. What MLflow refuses of a run is left out, with a note in a tag.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from auto_benchmark.tracking import mlflow_values as values
from auto_benchmark.tracking.mlflow_errors import TrackerAwayError, is_refusal, reaching, without_password
from auto_benchmark.tracking.trial_run import Champion, TrialRun

log = logging.getLogger(__name__)
TRIAL_TAG, EXPERIMENT_TAG = "auto_benchmark.trial", "auto_benchmark.experiment"
COMPLETE_TAG, ATTEMPT_TAG = "auto_benchmark.complete", "auto_benchmark.attempt"
LEFT_OUT_TAG, REAPED_TAG = "auto_benchmark.left_out", "reaped"
PARENT_TAG = "mlflow.parentRunId"
PRODUCTION_TAG = "auto_benchmark.production_id"
CHAMPION = "champion"
MOST_ATTEMPTS_SHOWN = 50
ARTIFACTS = ("config.yaml", "metrics.json", "eval_on_leaderboard.json", "train.log", "checkpoint.bin")
ANSWER_SECONDS = 3.0


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

        MLFLOW_HTTP_REQUEST_MAX_RETRIES.set(1)  # type: ignore[no-untyped-call]  # our own journal repeats; waiting minutes here would be of no use
        MLFLOW_HTTP_REQUEST_TIMEOUT.set(20)  # type: ignore[no-untyped-call]
        with reaching("MLflow", whole=True):
            self._client = MlflowClient(tracking_uri=url)
        self._experiments: dict[str, str] = {}
        self._parents: dict[tuple[str, str], str] = {}

    def write(self, trial: TrialRun) -> str:
        """Write one trial unless it is there already; returns the run's id.

        Raises:
            TrackerAwayError: when the server fails meanwhile; the same call later completes the run.
            RunRefusedError: when it refuses more than single values of it.
        """
        with reaching(trial.name):
            return self._write(trial)

    def begin(self, trial: TrialRun) -> str | None:
        """Open the run of a trial that trains now; None when the trial was already sent completely.

        Raises:
            TrackerAwayError: as :meth:`write`.
        """
        with reaching(trial.name):
            experiment = self._experiment(trial.project)
            run = self._own(experiment, trial)
            if run is None:
                return self._create(experiment, trial, self._parent(experiment, trial))
            return None if _is_complete(run) else str(run.info.run_id)

    def extend(self, run_id: str, trial: TrialRun) -> None:
        """Add the points of ``trial.curve`` to an open run. Raises TrackerAwayError."""
        with reaching(trial.name):
            self._log_metrics(run_id, values.curve(trial))

    def abandon(self, project: str, name: str) -> None:
        """Close the open runs of a trial that no worker holds. Raises TrackerAwayError."""
        with reaching(name):
            for run in self._attempts(self._experiment(project), name):
                if _is_open(run):
                    self._reap(run)

    def crown(self, champion: Champion) -> bool:
        """Give ``@champion`` to the configuration in production; False when no run of it was written yet.

        Raises:
            TrackerAwayError: as :meth:`write`.
        """
        with reaching("champion"):
            return self._crown(champion)

    def _write(self, trial: TrialRun) -> str:
        experiment = self._experiment(trial.project)
        parent = self._parent(experiment, trial)
        run = self._own(experiment, trial)
        if run is not None and _is_complete(run):
            return str(run.info.run_id)
        run_id = run.info.run_id if run is not None else self._create(experiment, trial, parent)
        self._log(run_id, trial)
        self._log_files(run_id, Path(trial.folder))
        self._client.set_tag(run_id, COMPLETE_TAG, "true")
        status = {"done": "FINISHED", "failed": "FAILED"}.get(trial.state, "KILLED")
        self._client.set_terminated(run_id, status=status, end_time=trial.finished_ms)
        return str(run_id)

    def _own(self, experiment: str, trial: TrialRun) -> Any:
        """The run of this attempt; those that a dead worker left open are closed, and stay."""
        found = self._attempts(experiment, trial.name)
        for run in found:
            if _is_open(run) and run.data.tags.get(ATTEMPT_TAG, "").partition(".")[0] != str(trial.attempt):
                self._reap(run)
        return next((run for run in found if run.data.tags.get(ATTEMPT_TAG) == trial.attempt_tag), None)

    def _attempts(self, experiment: str, name: str) -> list[Any]:
        condition = f"tags.`{TRIAL_TAG}` = {values.quoted(name)}"
        return list(self._client.search_runs([experiment], condition, max_results=MOST_ATTEMPTS_SHOWN))

    def _reap(self, run: Any) -> None:
        """Say of a run that its worker died, not that it ended."""
        self._client.set_tag(run.info.run_id, REAPED_TAG, "true")
        self._client.set_terminated(run.info.run_id, status="KILLED")

    def _create(self, experiment: str, trial: TrialRun, parent: str) -> str:
        tags = {
            PARENT_TAG: parent, TRIAL_TAG: trial.name, EXPERIMENT_TAG: trial.experiment,
            ATTEMPT_TAG: trial.attempt_tag, **{name: value for name, value in trial.task.items() if value},
        }  # fmt: skip
        name = f"{trial.experiment} seed {trial.seed}"
        created = self._client.create_run(experiment, start_time=trial.started_ms, tags=tags, run_name=name)
        return str(created.info.run_id)

    def _log(self, run_id: str, trial: TrialRun) -> None:
        told = {
            "config_hash": trial.config_hash, "failure": trial.failure or "", "message": trial.message,
            **{f"fingerprint.{name}": value for name, value in trial.fingerprint.items()},
        }  # fmt: skip
        for batch in values.batches(values.tags(told), values.SETTINGS_A_CALL):
            self._client.log_batch(run_id, tags=batch)
        left_out: list[str] = []
        for batch in values.batches(values.params(trial), values.SETTINGS_A_CALL):
            left_out += _taken(batch, lambda part: self._client.log_batch(run_id, params=part))
        left_out += self._log_metrics(run_id, values.metrics(trial))
        if left_out:
            note = ", ".join(dict.fromkeys(left_out))
            self._client.set_tag(run_id, LEFT_OUT_TAG, values.shortened(note, values.LONGEST_TAG))

    def _log_metrics(self, run_id: str, metrics: Sequence[Any]) -> list[str]:
        """Names of what was refused."""
        left_out: list[str] = []
        for batch in values.batches(metrics, values.METRICS_A_CALL):
            left_out += _taken(batch, lambda part: self._client.log_batch(run_id, metrics=part))
        return left_out

    def _log_files(self, run_id: str, folder: Path) -> None:
        for name in ARTIFACTS:
            path = folder / name
            if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK):
                self._client.log_artifact(run_id, str(path))

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
        condition = f"tags.`{tag}` = {values.quoted(value)}" + (f" and {more}" if more else "")
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
                description=champion.reason[: values.LONGEST_TAG],
            )  # fmt: skip
        self._client.set_registered_model_alias(name, CHAMPION, version.version)
        return True


def _taken(told: Sequence[Any], tell: Callable[[Sequence[Any]], Any]) -> list[str]:
    """Tell MLflow all that it takes: a part that it refuses is halved until the one that it refuses is found.

    Returns:
        Names of what was refused. Raises what means that MLflow is away.
    """
    try:
        tell(told)
    except Exception as error:
        if not is_refusal(error):
            raise
        if len(told) == 1:
            log.warning("MLflow refuses %r: %s", told[0].key[:80], without_password(str(error))[:300])
            return [told[0].key]
        middle = len(told) // 2
        return [*_taken(told[:middle], tell), *_taken(told[middle:], tell)]
    return []


def _is_complete(run: Any) -> bool:
    return bool(run.data.tags.get(COMPLETE_TAG) == "true")


def _is_open(run: Any) -> bool:
    return run.info.status == "RUNNING" and not _is_complete(run)


def _ping(url: str) -> None:
    import httpx

    try:
        httpx.get(f"{url.rstrip('/')}/health", timeout=ANSWER_SECONDS).raise_for_status()
    except httpx.HTTPError as error:
        reason = without_password(f"{url} does not answer: {error or type(error).__name__}")
        raise TrackerAwayError(reason) from error
