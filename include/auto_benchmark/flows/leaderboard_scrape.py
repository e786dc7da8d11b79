"""``leaderboard_scrape``: every watched board, then one look at the whole landscape."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.boards import steps
from auto_benchmark.flows.flow import BOARD_SATURATED, BOARD_WON, CLOSE_ENTRANT, GAP_WIDENED, Flow
from auto_benchmark.flows.reference import Conf, Day
from auto_benchmark.flows.step import Over, Rule, Step
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.telling.steps import check_overdue, notify

PARALLEL_BOARDS = 16
ANNOUNCED = {
    "research_ingest": GAP_WIDENED,
    "maintenance_sweep": BOARD_WON,
    "preemptive_hypotheses": CLOSE_ENTRANT,
    "benchmark_construction": BOARD_SATURATED,
}
"""Action -> event that starts the flow which answers it. A rank drop needs none: its row wakes the trigger that listens."""
FLOW = Flow(
    name="leaderboard_scrape",
    about="Read every watched leaderboard and say what changed.",
    limit=timedelta(hours=1),
    steps=(
        Step(id="reconcile", run=reconcile, migrates=True),
        Step(id="board_names", run=steps.board_names, after=["reconcile"]),
        Step(
            id="scrape_board", run=steps.scrape_board, over=Over("board_names", "board_name"),
            parallel=PARALLEL_BOARDS,
        ),
        Step(
            id="update_landscape", run=steps.update_landscape, after=["scrape_board"], rule=Rule.ALL_DONE,
            arguments={"cycle": Conf("cycle", Day())}, publishes=True, announces=ANNOUNCED,
        ),
        Step(id="check_overdue", run=check_overdue, after=["scrape_board"], rule=Rule.ALL_DONE),
        Step(id="notify", run=notify, after=["update_landscape", "check_overdue"], rule=Rule.TEARDOWN),
    ),
)  # fmt: skip
