"""the secret that the seeds of search and gate come from, and the draws of the gate's items.

Revision: 0005, after 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SCHEMA = "auto_benchmark"


def upgrade() -> None:
    now = sa.Column("drawn_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False)
    op.create_table(
        "installation_secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        now,
        sa.PrimaryKeyConstraint("name", name=op.f("pk_installation_secrets")),
        schema=SCHEMA,
    )
    op.create_table(
        "gate_draws",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("benchmark_version", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], [f"{SCHEMA}.projects.name"], name=op.f("fk_gate_draws_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project", "benchmark", "benchmark_version", "number", name=op.f("pk_gate_draws")),
        schema=SCHEMA,
    )


def downgrade() -> None:
    op.drop_table("gate_draws", schema=SCHEMA)
    op.drop_table("installation_secrets", schema=SCHEMA)
