"""Where things lie and how the process runs; the only reader of the environment."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from auto_benchmark.private_hosts import ALL_PRIVATE, PrivateHosts

INCLUDE = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """Process settings, each read from ``AUTO_BENCHMARK_<NAME>``.

    Attributes:
        home: everything the system writes, per project.
        db_url: SQLAlchemy URL of the project database; without it commands start the embedded Postgres of ``home``.
        config: directory of the YAML files that a user edits.
        benchmarks: directory of benchmark folders.
        solutions: directory of solution folders.
        arena: directory of the bundled arena's boards.
        lab: directory of the laboratory's tasks.
        runner: where trials run.
        parallel_trials: trials that run at the same time on this machine.
        allow_private_hosts: hosts, addresses and networks, separated by commas, that documents are fetched from although
            they are private (a self-hosted board): ``board.internal,10.2.0.0/16``.
        allow_private_addresses: fetch from every private address; kept for those who have it set.
        contact: address or URL that board owners find in our User-Agent.
        mlflow_url: MLflow server; without it runs are buffered under ``home``.
        mlflow_link: where people's browsers find it; ``mlflow_url`` by default.
        seeds: of the search and the gate split: ``drawn`` from the installation's secret, or ``published``, for tests
            and measurements that anybody can repeat; with published ones a trial may know the answers.
        gate_questions: hypotheses that the gate judges on one draw of its items; then they are drawn anew.
        import_members: most files and tables in an archive that is imported.
        import_member_mb: largest of them, unpacked.
        import_total_mb: all of them together, unpacked.
        import_line_mb: longest row of a table.
        import_expansion: how many times its own size an archive may unpack to.
    """

    model_config = SettingsConfigDict(
        env_prefix="AUTO_BENCHMARK_", extra="ignore", frozen=False, hide_input_in_errors=True
    )

    home: Path = Path("var")
    db_url: SecretStr | None = None
    config: Path = INCLUDE / "config"
    benchmarks: Path = INCLUDE / "benchmarks"
    solutions: Path = INCLUDE / "solutions"
    arena: Path = INCLUDE / "arena"
    lab: Path = INCLUDE / "lab"
    runner: Literal["local", "docker", "kubernetes"] = "local"
    parallel_trials: int = Field(default=2, ge=1, le=256)
    allow_private_hosts: str = ""
    allow_private_addresses: bool = False
    contact: str | None = None
    mlflow_url: str | None = None
    mlflow_link: str | None = None
    seeds: Literal["drawn", "published"] = "drawn"
    gate_questions: int = Field(default=50, ge=1)
    import_members: int = Field(default=200_000, ge=1)
    import_member_mb: int = Field(default=4096, ge=1)
    import_total_mb: int = Field(default=16_384, ge=1)
    import_line_mb: int = Field(default=16, ge=1)
    import_expansion: int = Field(default=200, ge=1)

    @field_validator("allow_private_hosts")
    @classmethod
    def _hosts(cls, value: str) -> str:
        PrivateHosts.of(_listed(value))
        return value

    @property
    def private_hosts(self) -> PrivateHosts:
        """Hosts that may have a private address, besides those of Connections."""
        return ALL_PRIVATE if self.allow_private_addresses else PrivateHosts.of(_listed(self.allow_private_hosts))

    @cached_property
    def root(self) -> Path:
        """``home`` as an absolute path."""
        return self.home.expanduser().resolve()

    def project_home(self, project: str) -> Path:
        """Directory of one project's files."""
        return self.root / project

    @staticmethod
    def variable(location: tuple[str | int, ...]) -> str:
        """The environment variable that a validation error at ``location`` is about."""
        name = str(location[0]) if location else ""
        return name if name.startswith("AUTO_BENCHMARK_") else f"AUTO_BENCHMARK_{name.upper()}"

    @staticmethod
    def endpoints() -> dict[str, tuple[str, str | None]]:
        """Name -> (URL, token) of ``AUTO_BENCHMARK_CONN_<NAME>`` and ``AUTO_BENCHMARK_TOKEN_<NAME>``; lower case."""
        prefix = "AUTO_BENCHMARK_CONN_"
        names = [name.removeprefix(prefix) for name in os.environ if name.startswith(prefix)]
        tokens = {name: os.environ.get(f"AUTO_BENCHMARK_TOKEN_{name}") for name in names}
        return {name.lower(): (os.environ[prefix + name], tokens[name]) for name in names}

    @staticmethod
    def airflow_task() -> dict[str, str]:
        """Which Airflow task this process runs: dag_id, run_id, task_id, map_index, try_number, as far as known."""
        variables = {"dag_id": "DAG_ID", "run_id": "DAG_RUN_ID", "task_id": "TASK_ID", "try_number": "TRY_NUMBER"}
        variables["map_index"] = "MAP_INDEX"  # Airflow tells the others; this one our operators do
        told = {name: os.environ.get(f"AIRFLOW_CTX_{variable}") for name, variable in variables.items()}
        return {name: value for name, value in told.items() if value}

    def token(self, variable: str | None) -> str | None:
        """Value of the environment variable that a board's ``token_env`` names, or None."""
        return os.environ.get(variable) if variable else None


def _listed(text: str) -> list[str]:
    return [part for part in text.split(",") if part.strip()]


def process_environment() -> dict[str, str]:
    """A copy of this process' environment, for the services that it starts."""
    return dict(os.environ)
