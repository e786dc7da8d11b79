"""What each column of each table holds, as far as moving a project elsewhere is concerned: the one declared list.

Every column stands here once. An import gives every identity a new value; what refers to one (a foreign key, a number
inside a JSON document, a part of a key, a phrase of a reason) is found here and follows. A column that is not declared
fails a test, so that none can be forgotten.

Texts that hold ids are described by templates: ``decision/{promotion_decisions}`` is a key that ends in the id of a
decision, ``*`` stands for a part without a slash, ``**`` for any text. The stored evidence and decisions of the gate
hold seeds, metrics and item ids but no id of a row: they stay as they are, byte by byte, and replay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Templates = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """The columns of one table.

    Attributes:
        ids: integer columns -> the table whose ids they hold (the table itself for its own id).
        kind: column that says what a row is about; ``kind:column`` and ``kind:key`` below hold for such rows alone.
        keys: text columns -> templates; one has to match in full, else the text holds no id.
        prose: text columns in which phrases of :data:`PHRASES` name rows.
        objects: JSON columns that hold objects -> key -> table of the id (or ids) there, or templates of the text
            there.
        lists: JSON columns that hold lists -> table of the ids in them, or None.
        names: text columns that become paths, or words that the program must know -> key of
            :data:`auto_benchmark.db.row_values.NAMES`.
        plain: everything else.
    """

    ids: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = None
    keys: Mapping[str, Templates] = field(default_factory=dict)
    prose: frozenset[str] = frozenset()
    objects: Mapping[str, Mapping[str, str | Templates]] = field(default_factory=dict)
    lists: Mapping[str, str | None] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    plain: frozenset[str] = frozenset()

    def columns(self) -> list[str]:
        """All of them; a column may be both a name and a key."""
        parts = (*self.ids, *self.prose, *self.objects, *self.lists, *self.plain)
        return [*parts, *{key.rpartition(":")[2]: None for key in (*self.keys, *self.names)}]


NOT_EXPORTED: frozenset[str] = frozenset({"installation_secrets"})
"""Tables that are the installation's, not a project's (its secrets, say): no archive holds them."""

PHRASES: Templates = ("trials {trials} and {trials}", "trial {trials}")

ESCALATIONS: Templates = (
    "approve-promotion/{promotion_decisions}",
    "approve-submission/*/{production_configs}",
    "hand-in/*/{production_configs}",
    "regression/{production_configs}/**",
)
SUBMISSIONS: Templates = ("*/*/{production_configs}",)
LOG: Templates = (
    "decision/{promotion_decisions}",
    "production/{promotion_decisions}",
    "challenger/{promotion_decisions}",
    "again/trial/{trials}/{experiments}",
    "again/dataset/**/{experiments}",
    "invalid/trial/{trials}",
    "rescored/{trials}/**",
    "regression/{production_configs}/**",
    "rollback/{production_configs}",
    "environment/{production_configs}/**",
    "false_alarm/{production_configs}/**/{trials}",
    "nothing_found/*/{production_configs}/*/*",
    "promise/{submissions}",
    "submission-score/{submissions}",
    "trigger/*/*/{leaderboard_snapshots}",
    "answer/trigger/*/*/{leaderboard_snapshots}",
    *(f"submission/{key}" for key in SUBMISSIONS),
    *(f"closed/{key}" for key in ESCALATIONS),
)
NOTICES: Templates = (
    "board/{leaderboard_snapshots}",
    *(f"log/{key}" for key in LOG),
    *(f"escalation/{key}" for key in ESCALATIONS),
)
SLACK: Templates = (*NOTICES, *(f"{key}#*" for key in NOTICES))
"""Keys of messages; ``#2`` marks the second part of a long one."""

_LEASE = {"lease_owner", "lease_expires_at", "heartbeat_at"}
_HASH, _SLUG, _HYPOTHESIS, _TREE = "hash", "slug", "hypothesis", "tree"


def _plain(text: str) -> frozenset[str]:
    return frozenset(text.split())


TABLES: Mapping[str, Contents] = {
    "projects": Contents(
        names={"name": "project", "solution": _SLUG}, plain=_plain("domain our_name last_hypothesis created_at")
    ),
    "experiments": Contents(
        ids={"id": "experiments"},
        kind="kind",
        keys={"aa:key": ("{production_configs}/*",)},
        prose=frozenset({"reason"}),
        objects={"params": {}, "control_params": {}},
        names={
            "key": "experiment", "hypothesis_id": _HYPOTHESIS, "solution": _SLUG, "benchmark": _SLUG,
            "config_hash": _HASH, "control_config_hash": _HASH, "tree": _TREE, "control_tree": _TREE,
            "kind": "experiment kind", "outcome": "outcome",
        },
        plain=_plain("project benchmark_version started_at finished_at"),
    ),
    "hypotheses": Contents(
        prose=frozenset({"reason"}),
        objects={"implementation": {}},
        lists={"target_leaderboards": None},
        names={
            "id": _HYPOTHESIS, "config_hash": _HASH, "tree": _TREE, "status": "hypothesis status", "urgency": "urgency",
            "origin": "origin",
        },
        plain=_plain("project number question title claim source priority_score worth attempts created_at updated_at")
        | _LEASE,
    ),
    "trials": Contents(
        ids={"id": "trials", "experiment_id": "experiments"},
        prose=frozenset({"message"}),
        objects={"params": {}, "fingerprint": {}},
        lists={"failures": None},
        names={
            "solution": _SLUG, "benchmark": _SLUG, "config_hash": _HASH, "tree": _TREE, "purpose": "purpose",
            "stage": "stage", "split": "split", "state": "trial state", "failure_class": "failure",
            "artifact_uri": "result folder", "queue": "lane",
        },
        plain=_plain(
            "project benchmark_version subset seed budget_s priority attempts fingerprint_hash wall_s "
            "gpu_seconds cost created_at started_at finished_at"
        )
        | _LEASE,
    ),
    "metric_values": Contents(ids={"trial_id": "trials"}, plain=_plain("slice name project value")),
    "item_results": Contents(ids={"trial_id": "trials"}, objects={"items": {}}, plain=_plain("metric project")),
    "split_queries": Contents(
        names={"benchmark": _SLUG}, plain=_plain("project benchmark_version split purpose queries")
    ),
    "gate_draws": Contents(
        names={"benchmark": _SLUG}, plain=_plain("project benchmark_version number reason drawn_at")
    ),
    "promotion_decisions": Contents(
        ids={"id": "promotion_decisions", "experiment_id": "experiments"},
        lists={"trial_ids": "trials"},
        names={"verdict": "verdict", "sha256": _HASH},
        plain=_plain("project look reason evidence decision alpha_spent alpha_wealth decided_at"),
    ),
    "production_configs": Contents(
        ids={"id": "production_configs", "decision_id": "promotion_decisions", "restores": "production_configs"},
        prose=frozenset({"reason", "closed_reason"}),
        objects={"params": {}, "scores": {}},
        names={
            "role": "role", "solution": _SLUG, "benchmark": _SLUG, "config_hash": _HASH, "tree": _TREE,
            "hypothesis_id": _HYPOTHESIS,
        },
        plain=_plain("project benchmark_version opened_at closed_at"),
    ),
    "submissions": Contents(
        ids={"id": "submissions", "leaderboard_id": "leaderboards", "production_config_id": "production_configs"},
        keys={"idempotency_key": SUBMISSIONS},
        objects={"receipt": {}},
        names={"state": "submission state"},
        plain=_plain("project score created_at updated_at"),
    ),
    "outbox": Contents(
        ids={"id": "outbox"},
        kind="topic",
        keys={"slack:idempotency_key": SLACK, "submission:idempotency_key": SUBMISSIONS},
        objects={"payload": {"submission_id": "submissions", "thread": SLACK}, "response": {}},
        names={"state": "message state", "topic": _SLUG},
        plain=_plain("project attempts due_at last_error created_at sent_at") | _LEASE,
    ),
    "leaderboards": Contents(
        ids={"id": "leaderboards"},
        objects={"spec": {}},
        plain=_plain("project name metric higher_is_better position active etag last_modified created_at"),
    ),
    "leaderboard_snapshots": Contents(
        ids={
            "id": "leaderboard_snapshots", "leaderboard_id": "leaderboards", "compared_with": "leaderboard_snapshots",
        },
        lists={"warnings": None, "alerts": None, "set_aside": None},
        names={"content_hash": "content", "raw_uri": "raw page", "status": "snapshot status"},
        plain=_plain(
            "project fetched_at last_seen_at reason n_entries our_rank our_score leader leader_score "
            "runner_up_score compared_at"
        ),
    ),
    "leaderboard_entries": Contents(
        ids={"snapshot_id": "leaderboard_snapshots"},
        objects={"metrics": {}},
        plain=_plain("position project rank system score stderr date note url"),
    ),
    "competitive_deltas": Contents(
        ids={
            "id": "competitive_deltas", "leaderboard_id": "leaderboards", "snapshot_id": "leaderboard_snapshots",
        },
        names={"type": "change", "event_key": _HASH},
        plain=_plain("project position system old new old_rank new_rank recorded_at claimed_by claimed_at"),
    ),
    "papers": Contents(
        objects={"assessment": {}, "reading": {}},
        names={"stage": "paper stage"},
        plain=_plain(
            "project id source title abstract url published_at relevant reason priority disposition first_seen_at"
        ),
    ),
    "techniques": Contents(plain=_plain("project paper_id name kind sentence first_seen_at")),
    "decision_log": Contents(
        ids={"id": "decision_log"},
        kind="kind",
        keys={
            "key": LOG,
            "subject": ("production {production_configs}", "trial {trials}", "trial/{trials}", *ESCALATIONS),
        },
        prose=frozenset({"reason"}),
        objects={
            "inputs": {
                "trial_id": "trials", "trial_ids": "trials", "after_trial": "trials", "experiment_id": "experiments",
                "decision_id": "promotion_decisions", "production_config_id": "production_configs",
                "submission_id": "submissions", "snapshot_id": "leaderboard_snapshots",
                "nothing_found:base": "production_configs", "rollback:from": "production_configs",
                "rollback:to": "production_configs",
            }
        },
        plain=_plain("project kind created_at"),
    ),
    "escalations": Contents(
        keys={"key": ESCALATIONS},
        prose=frozenset({"brief"}),
        objects={
            "inputs": {"decision_id": "promotion_decisions", "production_config_id": "production_configs"},
        },
        names={"answer": "answer"},
        plain=_plain("project title created_at resolved_at resolution"),
    ),
    "digests": Contents(objects={"facts": {}}, plain=_plain("project week markdown created_at sent_at")),
    "cycle_audits": Contents(lists={"checks": None}, plain=_plain("project cycle passed audited_at")),
}  # fmt: skip
"""Table -> what its columns hold."""
