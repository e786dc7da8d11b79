"""the link of a board's entry, which may outlive its name.

Revision: 0007, after 0006

Entries from before this revision have none, and are known by their names.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

SCHEMA = "auto_benchmark"


def upgrade() -> None:
    op.add_column("leaderboard_entries", sa.Column("url", sa.Text(), nullable=True), schema=SCHEMA)


def downgrade() -> None:
    op.drop_column("leaderboard_entries", "url", schema=SCHEMA)
