"""an index of the decision log by kind and subject, for pages that show one board or hypothesis.

Revision: 0002, after 0001
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_decision_log_subject",
        "decision_log",
        ["project", "kind", "subject", "created_at", "id"],
        schema="auto_benchmark",
    )


def downgrade() -> None:
    op.drop_index("ix_decision_log_subject", table_name="decision_log", schema="auto_benchmark")
