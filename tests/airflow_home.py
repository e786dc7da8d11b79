"""A throw-away Airflow for the whole test run; import this before anything of Airflow."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HOME = Path(tempfile.mkdtemp(prefix="auto-benchmark-airflow-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)

os.environ.update(
    {
        "AIRFLOW_HOME": str(HOME),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(REPOSITORY / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(REPOSITORY / "plugins"),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{HOME}/airflow.db",
        "AIRFLOW__API_AUTH__JWT_SECRET": "a-secret-of-the-tests-that-is-long-enough-for-the-algorithm-0123456789",
        "AIRFLOW__CORE__FERNET_KEY": "",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING",
    }
)
