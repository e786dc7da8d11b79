"""Where MLflow shows an experiment's runs, asked over its REST interface: importing MLflow takes seconds."""

from __future__ import annotations

from typing import Any

from auto_benchmark.tracking.mlflow_errors import TrackerAwayError
from auto_benchmark.tracking.mlflow_runs import ANSWER_SECONDS, EXPERIMENT_TAG, TRIAL_TAG


def is_web(url: str | None) -> bool:
    """Whether a browser can follow the address: MLflow's tracking URI may as well be a file or a database."""
    return url is not None and url.lower().startswith(("http://", "https://"))


def page_of(url: str, project: str, experiment: str) -> str | None:
    """Path and fragment of the parent run of an experiment, to be put behind the address of MLflow.

    Args:
        url: of the server, with http or https.
        project: the project that the experiment belongs to.
        experiment: the experiment's key, a hypothesis id for example.

    Returns:
        ``/#/experiments/<id>/runs/<id>``; None when MLflow has not heard of it yet.

    Raises:
        TrackerAwayError: the server does not answer within seconds, or refuses.
    """
    import httpx

    try:
        with httpx.Client(base_url=f"{url.rstrip('/')}/api/2.0/mlflow", timeout=ANSWER_SECONDS) as client:
            found = client.get("/experiments/get-by-name", params={"experiment_name": f"auto-benchmark/{project}"})
            if found.status_code == 404:
                return None
            group = str(found.raise_for_status().json()["experiment"]["experiment_id"])
            condition = f"tags.`{EXPERIMENT_TAG}` = '{experiment}' and tags.`{TRIAL_TAG}` = 'parent'"
            asked: dict[str, Any] = {"experiment_ids": [group], "filter": condition, "max_results": 1}
            runs = client.post("/runs/search", json=asked).raise_for_status().json().get("runs", [])
    except (httpx.HTTPError, KeyError, ValueError) as error:
        raise TrackerAwayError(f"MLflow does not answer: {type(error).__name__}") from error
    return f"/#/experiments/{group}/runs/{runs[0]['info']['run_id']}" if runs else None
