"""What a container of ``docker-compose.yaml`` does before it becomes an Airflow component.

``python -m auto_benchmark.stack.compose migrate``      databases, schemas and pools; ends
``python -m auto_benchmark.stack.compose api-server``   the login's password file, then the API server
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from sqlalchemy import text

from auto_benchmark.db.engine import engine
from auto_benchmark.db.migrate import upgrade
from auto_benchmark.settings import Settings
from auto_benchmark.stack import private_file
from auto_benchmark.stack.credentials import USER
from auto_benchmark.stack.environment import DATABASES
from auto_benchmark.stack.launcher import NORMAL_POOL, URGENT_POOL

AIRFLOW = [sys.executable, "-m", "airflow"]


def migrate(postgres_url: str) -> None:
    """Create what the other containers expect; safe to repeat. Raises CalledProcessError when Airflow fails."""
    bind = engine(postgres_url)
    with bind.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        known = set(connection.execute(text("SELECT datname FROM pg_database")).scalars())
        for name in DATABASES:
            if name not in known:
                connection.execute(text(f"CREATE DATABASE {name}"))
    bind.dispose()
    settings = Settings()
    if settings.db_url is not None:
        upgrade(settings.db_url.get_secret_value())
    slots = str(settings.parallel_trials)
    for command in (
        ["db", "migrate"],
        ["pools", "set", NORMAL_POOL, slots, "trials"],
        ["pools", "set", URGENT_POOL, slots, "trials that answer a rank drop"],
    ):
        subprocess.run([*AIRFLOW, *command], check=True)  # noqa: S603 - constant commands


def api_server(password: str, password_file: Path) -> NoReturn:
    """Write the password of the user ``admin`` and become the API server."""
    private_file.write(password_file, {USER: password})
    os.execv(sys.executable, [*AIRFLOW, "api-server", "--port", "8080"])  # noqa: S606 - it is its purpose


def main() -> None:
    """Do the one thing that is named. The password is taken out of the environment, which tasks' logs may show."""
    match sys.argv[1:]:
        case ["migrate"]:
            migrate(os.environ["POSTGRES_URL"])
        case ["api-server"]:
            file = Path(os.environ["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"])
            api_server(os.environ.pop("AIRFLOW_PASSWORD"), file)
        case _:
            sys.exit(f"usage: {sys.argv[0]} migrate|api-server")


if __name__ == "__main__":
    main()
