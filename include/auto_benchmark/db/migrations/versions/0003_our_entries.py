"""which rows of a board do not count as ours, and what a person answered to a question.

Revision: 0003, after 0002

Snapshots from before this revision set nothing aside: what they show as ours stays ours.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SCHEMA = "auto_benchmark"


def upgrade() -> None:
    op.add_column(
        "leaderboard_snapshots",
        sa.Column("set_aside", sa.JSON(none_as_null=True), server_default="[]", nullable=False),
        schema=SCHEMA,
    )
    op.alter_column("leaderboard_snapshots", "set_aside", server_default=None, schema=SCHEMA)
    op.add_column("escalations", sa.Column("answer", sa.Text(), nullable=True), schema=SCHEMA)
    op.create_check_constraint(
        op.f("ck_escalations_answer"), "escalations", "answer IN ('approved', 'rejected')", schema=SCHEMA
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_escalations_answer"), "escalations", schema=SCHEMA)
    op.drop_column("escalations", "answer", schema=SCHEMA)
    op.drop_column("leaderboard_snapshots", "set_aside", schema=SCHEMA)
