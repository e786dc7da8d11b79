"""The tables. Imported by repositories and migrations alone; everything else speaks in domain objects."""

from auto_benchmark.db.models.base import SCHEMA, Base
from auto_benchmark.db.models.competitive_delta import CompetitiveDelta
from auto_benchmark.db.models.decision import ProductionConfig, PromotionDecision
from auto_benchmark.db.models.delivery import OutboxMessage, Submission
from auto_benchmark.db.models.experiment import Experiment
from auto_benchmark.db.models.hypothesis import Hypothesis
from auto_benchmark.db.models.installation import GateDraw, InstallationSecret
from auto_benchmark.db.models.leaderboard import Leaderboard, LeaderboardEntry, LeaderboardSnapshot
from auto_benchmark.db.models.project import Project
from auto_benchmark.db.models.record import CycleAudit, DecisionLog, Digest, Escalation
from auto_benchmark.db.models.research import Paper, Technique
from auto_benchmark.db.models.trial import ItemResults, MetricValue, SplitQueries, Trial

__all__ = [
    "SCHEMA",
    "Base",
    "CompetitiveDelta",
    "CycleAudit",
    "DecisionLog",
    "Digest",
    "Escalation",
    "Experiment",
    "GateDraw",
    "Hypothesis",
    "InstallationSecret",
    "ItemResults",
    "Leaderboard",
    "LeaderboardEntry",
    "LeaderboardSnapshot",
    "MetricValue",
    "OutboxMessage",
    "Paper",
    "ProductionConfig",
    "Project",
    "PromotionDecision",
    "SplitQueries",
    "Submission",
    "Technique",
    "Trial",
]
