"""Where the parts of the embedded stack lie: under ``<home>/stack``, beside the projects' own files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from auto_benchmark.errors import RefusedError
from auto_benchmark.settings import INCLUDE, Settings


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of one stack.

    Attributes:
        home: ``AUTO_BENCHMARK_HOME``, absolute.
        repository: directory that holds ``dags``, ``plugins`` and ``include``.
    """

    home: Path
    repository: Path

    @classmethod
    def of(cls, settings: Settings) -> Layout:
        """The layout of this process' home.

        Raises:
            RefusedError: the package was installed without the repository, so there is no ``dags`` folder to run.
        """
        repository = INCLUDE.parent
        if not (repository / "dags").is_dir():
            raise RefusedError(
                f"the stack runs the DAGs of a checkout, and {repository} has no dags folder; "
                "in an Airflow of your own see docs/how_to/install_into_your_airflow.md"
            )
        return cls(settings.root, repository)

    @property
    def root(self) -> Path:
        """Directory of the stack's own files."""
        return self.home / "stack"

    @property
    def logs(self) -> Path:
        """One log file per service."""
        return self.root / "logs"

    @property
    def airflow_home(self) -> Path:
        """``AIRFLOW_HOME``: configuration and task logs."""
        return self.root / "airflow"

    @property
    def mlflow(self) -> Path:
        """Artifacts of MLflow."""
        return self.root / "mlflow"

    @property
    def arena(self) -> Path:
        """Home of the bundled leaderboard server, the same that ``loop run`` uses."""
        return self.home / "arena"

    def log(self, service: str) -> Path:
        """Log file of one service."""
        return self.logs / f"{service}.log"

    def create(self) -> None:
        """Make the directories; the stack's own is private, because it holds passwords.

        Raises:
            RefusedError: the home cannot be written.
        """
        try:
            for directory in (self.root, self.logs, self.airflow_home, self.mlflow):
                directory.mkdir(parents=True, exist_ok=True)
            self.root.chmod(0o700)
        except OSError as error:
            raise RefusedError(f"the stack cannot write {self.root}: {error.strerror}") from error
