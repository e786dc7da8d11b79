"""where a hypothesis comes from, and what its claim counts for.

Revision: 0008, after 0007

Rows from before have no origin; the words of their source say it. Their claims counted in full.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

SCHEMA = "auto_benchmark"


def upgrade() -> None:
    op.add_column("hypotheses", sa.Column("origin", sa.Text(), server_default="", nullable=False), schema=SCHEMA)
    op.add_column("hypotheses", sa.Column("worth", sa.Double(), server_default="1", nullable=False), schema=SCHEMA)


def downgrade() -> None:
    op.drop_column("hypotheses", "worth", schema=SCHEMA)
    op.drop_column("hypotheses", "origin", schema=SCHEMA)
