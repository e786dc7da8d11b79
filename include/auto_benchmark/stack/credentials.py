"""Passwords and signing keys of one stack: generated once, kept in a file that only its owner may read."""

from __future__ import annotations

import base64
import secrets
from dataclasses import asdict, dataclass, fields

from auto_benchmark.stack import private_file
from auto_benchmark.stack.layout import Layout

USER = "admin"


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the services share.

    Attributes:
        password: of the user ``admin`` in Airflow's UI.
        jwt_secret: signs the tokens of Airflow's API.
        secret_key: signs the sessions of Airflow's UI.
        fernet_key: encrypts connections in Airflow's database.
    """

    password: str
    jwt_secret: str
    secret_key: str
    fernet_key: str


def load_or_create(layout: Layout) -> Credentials:
    """The stack's credentials; the same ones at every start. Airflow's password file is written beside them."""
    path = layout.root / "credentials.json"
    stored = private_file.read(path)
    if set(stored) != {field.name for field in fields(Credentials)}:
        created = Credentials(
            password=secrets.token_urlsafe(12),
            jwt_secret=secrets.token_urlsafe(64),
            secret_key=secrets.token_urlsafe(64),
            fernet_key=base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        )
        private_file.write(path, asdict(created))
        stored = asdict(created)
    credentials = Credentials(**stored)
    private_file.write(layout.root / "airflow_passwords.json", {USER: credentials.password})
    return credentials
