"""Registers the plugin where the repository is used as it is, from the plugins folder.

Where the wheel is installed its entry point registers the same plugin; then this file stays silent, because Airflow
reports a plugin that comes twice as an import error. The code lies in the package beside this file, which
``.airflowignore`` hides: Airflow would import every module in it a second time, under its bare name.
"""

from importlib.metadata import entry_points

if not any(found.value.startswith("auto_benchmark_airflow.") for found in entry_points(group="airflow.plugins")):
    from auto_benchmark_airflow.plugin import AutoBenchmarkPlugin  # noqa: F401 - Airflow looks for the name
