"""The plugin class. Every Airflow process imports this module, so it imports nothing heavy."""

from __future__ import annotations

from typing import Any

from airflow.plugins_manager import AirflowPlugin

from auto_benchmark_airflow.web.lazy import LazyASGI

APP = "auto_benchmark_airflow.web.app:airflow_app"
SCRIPT = {"bundle_url": "auto-benchmark/static/benchmark.js"}
"""Relative, so that the browser finds it below whatever path Airflow is served."""


class AutoBenchmarkPlugin(AirflowPlugin):
    """Keeps an ML solution at #1 of its leaderboards."""

    name = "auto_benchmark"
    listeners: list[Any] = []
    fastapi_apps: list[dict[str, Any]] = [
        {
            "app": LazyASGI(APP),
            "url_prefix": "/auto-benchmark",
            "name": "Auto Benchmark",
        }
    ]
    react_apps: list[dict[str, Any]] = [
        {"name": "Benchmark", "destination": "nav", "url_route": "benchmark", "nav_top_level": True, **SCRIPT},
        {"name": "Benchmark rank", "destination": "dashboard", **SCRIPT},
        {"name": "Benchmark sweep", "destination": "dag", "url_route": "benchmark-sweep", **SCRIPT},
    ]
