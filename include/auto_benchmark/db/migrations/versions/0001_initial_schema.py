"""initial schema.

Revision: 0001, the first.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("our_name", sa.Text(), nullable=False),
        sa.Column("solution", sa.Text(), nullable=True),
        sa.Column("last_hypothesis", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_projects")),
        schema="auto_benchmark",
    )
    op.create_table(
        "cycle_audits",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("cycle", sa.Text(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("checks", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("audited_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_cycle_audits_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project", "cycle", name=op.f("pk_cycle_audits")),
        schema="auto_benchmark",
    )
    op.create_table(
        "decision_log",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("inputs", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_decision_log_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision_log")),
        sa.UniqueConstraint("project", "key", name=op.f("uq_decision_log_project_key")),
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_decision_log_project_created_at"), "decision_log", ["project", "created_at"], schema="auto_benchmark"
    )
    op.create_table(
        "digests",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_digests_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project", "week", name=op.f("pk_digests")),
        schema="auto_benchmark",
    )
    op.create_table(
        "escalations",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("brief", sa.Text(), nullable=False),
        sa.Column("inputs", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_escalations_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project", "key", name=op.f("pk_escalations")),
        schema="auto_benchmark",
    )
    op.create_table(
        "experiments",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=True),
        sa.Column("solution", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("benchmark_version", sa.Text(), nullable=False),
        sa.Column("params", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("config_hash", sa.Text(), nullable=False),
        sa.Column("control_params", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("control_config_hash", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_experiments_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
        sa.UniqueConstraint("project", "kind", "key", name=op.f("uq_experiments_project_kind_key")),
        schema="auto_benchmark",
    )
    op.create_table(
        "hypotheses",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("config_hash", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("target_leaderboards", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("implementation", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("priority_score", sa.Double(), nullable=False),
        sa.Column("urgency", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_hypotheses_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project", "id", name=op.f("pk_hypotheses")),
        sa.UniqueConstraint(
            "project", "config_hash", "question", name=op.f("uq_hypotheses_project_config_hash_question")
        ),
        schema="auto_benchmark",
    )
    op.create_index(
        "ix_hypotheses_queue",
        "hypotheses",
        ["project", "status", sa.literal_column("priority_score DESC"), "number"],
        schema="auto_benchmark",
    )
    op.create_table(
        "leaderboards",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("spec", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_leaderboards_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leaderboards")),
        sa.UniqueConstraint("project", "name", name=op.f("uq_leaderboards_project_name")),
        schema="auto_benchmark",
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("response", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('pending', 'sent', 'dead')", name=op.f("ck_outbox_state")),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_outbox_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint(
            "project", "topic", "idempotency_key", name=op.f("uq_outbox_project_topic_idempotency_key")
        ),
        schema="auto_benchmark",
    )
    op.create_index(
        "ix_outbox_due",
        "outbox",
        ["due_at", "id"],
        schema="auto_benchmark",
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_table(
        "papers",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("relevant", sa.Boolean(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("priority", sa.Double(), nullable=True),
        sa.Column("disposition", sa.Text(), nullable=True),
        sa.Column("assessment", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_papers_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project", "id", name=op.f("pk_papers")),
        schema="auto_benchmark",
    )
    op.create_table(
        "split_queries",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("benchmark_version", sa.Text(), nullable=False),
        sa.Column("split", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("queries", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_split_queries_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "project", "benchmark", "benchmark_version", "split", "purpose", name=op.f("pk_split_queries")
        ),
        schema="auto_benchmark",
    )
    op.create_table(
        "leaderboard_snapshots",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("leaderboard_id", sa.BigInteger(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("raw_uri", sa.Text(), nullable=True),
        sa.Column("warnings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("n_entries", sa.Integer(), nullable=False),
        sa.Column("our_rank", sa.Integer(), nullable=True),
        sa.Column("our_score", sa.Double(), nullable=True),
        sa.Column("leader", sa.Text(), nullable=True),
        sa.Column("leader_score", sa.Double(), nullable=True),
        sa.Column("runner_up_score", sa.Double(), nullable=True),
        sa.Column("compared_with", sa.BigInteger(), nullable=True),
        sa.Column("compared_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("alerts", sa.JSON(none_as_null=True), nullable=False),
        sa.CheckConstraint("status IN ('ok', 'refused', 'stale')", name=op.f("ck_leaderboard_snapshots_status")),
        sa.ForeignKeyConstraint(
            ["compared_with"],
            ["auto_benchmark.leaderboard_snapshots.id"],
            name=op.f("fk_leaderboard_snapshots_compared_with"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["leaderboard_id"],
            ["auto_benchmark.leaderboards.id"],
            name=op.f("fk_leaderboard_snapshots_leaderboard_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project"],
            ["auto_benchmark.projects.name"],
            name=op.f("fk_leaderboard_snapshots_project"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leaderboard_snapshots")),
        sa.UniqueConstraint(
            "leaderboard_id",
            "fetched_at",
            "content_hash",
            name=op.f("uq_leaderboard_snapshots_leaderboard_id_fetched_at_content_hash"),
        ),
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_leaderboard_snapshots_compared_with"),
        "leaderboard_snapshots",
        ["compared_with"],
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_leaderboard_snapshots_leaderboard_id_status"),
        "leaderboard_snapshots",
        ["leaderboard_id", "status", sa.literal_column("fetched_at DESC")],
        schema="auto_benchmark",
    )
    op.create_table(
        "promotion_decisions",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.BigInteger(), nullable=False),
        sa.Column("look", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("trial_ids", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("alpha_spent", sa.Double(), nullable=True),
        sa.Column("alpha_wealth", sa.Double(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["auto_benchmark.experiments.id"],
            name=op.f("fk_promotion_decisions_experiment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project"],
            ["auto_benchmark.projects.name"],
            name=op.f("fk_promotion_decisions_project"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_promotion_decisions")),
        sa.UniqueConstraint("experiment_id", "look", name=op.f("uq_promotion_decisions_experiment_id_look")),
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_promotion_decisions_project_decided_at"),
        "promotion_decisions",
        ["project", "decided_at"],
        schema="auto_benchmark",
    )
    op.create_table(
        "techniques",
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("paper_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["project", "paper_id"],
            ["auto_benchmark.papers.project", "auto_benchmark.papers.id"],
            name=op.f("fk_techniques_project_paper_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_techniques_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project", "paper_id", "name", name=op.f("pk_techniques")),
        schema="auto_benchmark",
    )
    op.create_table(
        "trials",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.BigInteger(), nullable=True),
        sa.Column("solution", sa.Text(), nullable=False),
        sa.Column("params", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("config_hash", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("benchmark_version", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("split", sa.Text(), nullable=False),
        sa.Column("subset", sa.Double(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("budget_s", sa.Double(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("priority", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failures", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("failure_class", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("artifact_uri", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("fingerprint_hash", sa.Text(), nullable=True),
        sa.Column("wall_s", sa.Double(), nullable=True),
        sa.Column("gpu_seconds", sa.Double(), nullable=True),
        sa.Column("cost", sa.Double(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('planned', 'running', 'done', 'failed', 'cancelled')", name=op.f("ck_trials_state")
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["auto_benchmark.experiments.id"],
            name=op.f("fk_trials_experiment_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_trials_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trials")),
        sa.UniqueConstraint(
            "project",
            "config_hash",
            "benchmark_version",
            "stage",
            "subset",
            "seed",
            "purpose",
            name=op.f("uq_trials_project_config_hash_benchmark_version_stage_subset_seed_purpose"),
        ),
        schema="auto_benchmark",
    )
    op.create_index(op.f("ix_trials_experiment_id"), "trials", ["experiment_id"], schema="auto_benchmark")
    op.create_index(
        "ix_trials_pool",
        "trials",
        ["project", "solution", "benchmark", "benchmark_version", "stage", "fingerprint_hash"],
        schema="auto_benchmark",
    )
    op.create_index(
        "ix_trials_waiting",
        "trials",
        ["project", "queue", sa.literal_column("priority DESC"), "id"],
        schema="auto_benchmark",
        postgresql_where=sa.text("state IN ('planned', 'running')"),
    )
    op.create_table(
        "competitive_deltas",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("leaderboard_id", sa.BigInteger(), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("old", sa.Double(), nullable=True),
        sa.Column("new", sa.Double(), nullable=True),
        sa.Column("old_rank", sa.Integer(), nullable=True),
        sa.Column("new_rank", sa.Integer(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("event_key", sa.Text(), nullable=True),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["leaderboard_id"],
            ["auto_benchmark.leaderboards.id"],
            name=op.f("fk_competitive_deltas_leaderboard_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project"],
            ["auto_benchmark.projects.name"],
            name=op.f("fk_competitive_deltas_project"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["snapshot_id"],
            ["auto_benchmark.leaderboard_snapshots.id"],
            name=op.f("fk_competitive_deltas_snapshot_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_competitive_deltas")),
        sa.UniqueConstraint("event_key", name=op.f("uq_competitive_deltas_event_key")),
        sa.UniqueConstraint("snapshot_id", "position", name=op.f("uq_competitive_deltas_snapshot_id_position")),
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_competitive_deltas_leaderboard_id_recorded_at"),
        "competitive_deltas",
        ["leaderboard_id", "recorded_at"],
        schema="auto_benchmark",
    )
    op.create_index(
        "ix_competitive_deltas_unclaimed",
        "competitive_deltas",
        ["project", "id"],
        schema="auto_benchmark",
        postgresql_where=sa.text("event_key IS NOT NULL AND claimed_at IS NULL"),
    )
    op.create_table(
        "item_results",
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("items", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_item_results_project"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["auto_benchmark.trials.id"], name=op.f("fk_item_results_trial_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "metric", name=op.f("pk_item_results")),
        schema="auto_benchmark",
    )
    op.create_table(
        "leaderboard_entries",
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("stderr", sa.Double(), nullable=True),
        sa.Column("metrics", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("date", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["snapshot_id"],
            ["auto_benchmark.leaderboard_snapshots.id"],
            name=op.f("fk_leaderboard_entries_snapshot_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("snapshot_id", "position", name=op.f("pk_leaderboard_entries")),
        schema="auto_benchmark",
    )
    op.create_table(
        "metric_values",
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("slice", sa.Text(), server_default="", nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_metric_values_project"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["auto_benchmark.trials.id"], name=op.f("fk_metric_values_trial_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "slice", "name", name=op.f("pk_metric_values")),
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_metric_values_project_name"), "metric_values", ["project", "name"], schema="auto_benchmark"
    )
    op.create_table(
        "production_configs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("solution", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("benchmark_version", sa.Text(), nullable=False),
        sa.Column("params", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("config_hash", sa.Text(), nullable=False),
        sa.Column("scores", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=True),
        sa.Column("decision_id", sa.BigInteger(), nullable=True),
        sa.Column("restores", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["decision_id"],
            ["auto_benchmark.promotion_decisions.id"],
            name=op.f("fk_production_configs_decision_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["project"],
            ["auto_benchmark.projects.name"],
            name=op.f("fk_production_configs_project"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["restores"],
            ["auto_benchmark.production_configs.id"],
            name=op.f("fk_production_configs_restores"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_production_configs")),
        sa.UniqueConstraint("decision_id", "role", name=op.f("uq_production_configs_decision_id_role")),
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_production_configs_project_opened_at"),
        "production_configs",
        ["project", "opened_at"],
        schema="auto_benchmark",
    )
    op.create_index(
        "uq_production_configs_current",
        "production_configs",
        ["project", "role"],
        unique=True,
        schema="auto_benchmark",
        postgresql_where=sa.text("closed_at IS NULL"),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("leaderboard_id", sa.BigInteger(), nullable=False),
        sa.Column("production_config_id", sa.BigInteger(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("receipt", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("state IN ('pending', 'sent', 'accepted', 'refused')", name=op.f("ck_submissions_state")),
        sa.ForeignKeyConstraint(
            ["leaderboard_id"],
            ["auto_benchmark.leaderboards.id"],
            name=op.f("fk_submissions_leaderboard_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["production_config_id"],
            ["auto_benchmark.production_configs.id"],
            name=op.f("fk_submissions_production_config_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project"], ["auto_benchmark.projects.name"], name=op.f("fk_submissions_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("project", "idempotency_key", name=op.f("uq_submissions_project_idempotency_key")),
        schema="auto_benchmark",
    )
    op.create_index(
        op.f("ix_submissions_leaderboard_id_created_at"),
        "submissions",
        ["leaderboard_id", "created_at"],
        schema="auto_benchmark",
    )


def downgrade() -> None:
    for table in (
        "submissions",
        "production_configs",
        "metric_values",
        "leaderboard_entries",
        "item_results",
        "competitive_deltas",
        "trials",
        "techniques",
        "promotion_decisions",
        "leaderboard_snapshots",
        "split_queries",
        "papers",
        "outbox",
        "leaderboards",
        "hypotheses",
        "experiments",
        "escalations",
        "digests",
        "decision_log",
        "cycle_audits",
        "projects",
    ):
        op.drop_table(table, schema="auto_benchmark")
