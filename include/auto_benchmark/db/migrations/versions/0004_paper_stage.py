"""how far each paper has come, and what its text says, as columns of their own.

Revision: 0004, after 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SCHEMA = "auto_benchmark"
IMPLIED_STAGE = """
    UPDATE auto_benchmark.papers SET stage = CASE
        WHEN disposition IS NOT NULL AND assessment -> 'hypotheses' IS NOT NULL THEN 'acted'
        WHEN disposition IS NOT NULL THEN 'assessed'
        WHEN relevant IS NULL THEN 'fetched'
        WHEN assessment -> 'gains' IS NOT NULL THEN 'extracted'
        ELSE 'screened'
    END
"""
"""Before, the presence of a key told how far a paper was."""


def upgrade() -> None:
    op.add_column("papers", sa.Column("stage", sa.Text(), nullable=True), schema=SCHEMA)
    op.add_column("papers", sa.Column("reading", sa.JSON(none_as_null=True), nullable=True), schema=SCHEMA)
    op.execute(IMPLIED_STAGE)
    op.alter_column("papers", "stage", nullable=False, schema=SCHEMA)
    op.create_check_constraint(
        op.f("ck_papers_stage"),
        "papers",
        "stage IN ('fetched', 'screened', 'extracted', 'assessed', 'acted')",
        schema=SCHEMA,
    )
    op.create_index("ix_papers_stage", "papers", ["project", "stage", "first_seen_at", "id"], schema=SCHEMA)


def downgrade() -> None:
    _put_keys_back()
    op.drop_index("ix_papers_stage", table_name="papers", schema=SCHEMA)
    op.drop_constraint(op.f("ck_papers_stage"), "papers", schema=SCHEMA)
    op.drop_column("papers", "reading", schema=SCHEMA)
    op.drop_column("papers", "stage", schema=SCHEMA)


def _put_keys_back() -> None:
    """The keys of ``assessment`` by which the version before tells that techniques and gains were extracted."""
    json = sa.JSON()
    papers = sa.table(
        "papers", sa.column("project"), sa.column("id"), sa.column("stage"), sa.column("assessment", json),
        sa.column("reading", json), schema=SCHEMA,
    )  # fmt: skip
    bind = op.get_bind()
    later = sa.select(papers).where(
        papers.c.stage.in_(["extracted", "assessed", "acted"]), papers.c.reading["of"].as_string().is_not(None)
    )
    for row in bind.execute(later).all():
        techniques = [{**t, "name": t["words"]} for t in row.reading["techniques"]]
        kept = {**row.assessment, "techniques": techniques, "gains": row.reading["gains"]}
        mine = (papers.c.project == row.project, papers.c.id == row.id)
        bind.execute(papers.update().where(*mine).values(assessment=kept))
