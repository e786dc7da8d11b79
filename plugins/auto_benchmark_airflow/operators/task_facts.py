"""Tells the library which task instance it runs in."""

from __future__ import annotations

import os

from airflow.sdk import Context

MAP_INDEX = "AIRFLOW_CTX_MAP_INDEX"


def export_map_index(context: Context) -> None:
    """Put the index of a mapped task into the environment, beside what Airflow itself puts there of the context."""
    instance = context.get("ti")
    index = getattr(instance, "map_index", None)
    if index is not None:
        os.environ[MAP_INDEX] = str(index)
