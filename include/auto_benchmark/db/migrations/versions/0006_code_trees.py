"""the code of a configuration, as the tree that it is stored under.

Revision: 0006, after 0005

Rows from before have the empty tree: their code was not stored, and only the fingerprints of their trials say which it
was.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

SCHEMA = "auto_benchmark"
COLUMNS = (
    ("hypotheses", "tree"),
    ("experiments", "tree"),
    ("experiments", "control_tree"),
    ("trials", "tree"),
    ("production_configs", "tree"),
)
KEYS = {
    "hypotheses": ["project", "config_hash", "question"],
    "trials": ["project", "config_hash", "benchmark_version", "stage", "subset", "seed", "purpose"],
}


def upgrade() -> None:
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, sa.Text(), server_default="", nullable=False), schema=SCHEMA)
    for table, key in KEYS.items():
        op.drop_constraint(op.f(_name(table, key)), table, schema=SCHEMA)
        op.create_unique_constraint(op.f(_name(table, [*key, "tree"])), table, [*key, "tree"], schema=SCHEMA)


def downgrade() -> None:
    for table, key in KEYS.items():
        op.drop_constraint(op.f(_name(table, [*key, "tree"])), table, schema=SCHEMA)
        op.create_unique_constraint(op.f(_name(table, key)), table, key, schema=SCHEMA)
    for table, column in COLUMNS:
        op.drop_column(table, column, schema=SCHEMA)


def _name(table: str, key: list[str]) -> str:
    return f"uq_{table}_{'_'.join(key)}"
