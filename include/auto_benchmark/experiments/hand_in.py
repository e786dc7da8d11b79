"""Asks a person to hand production in to the boards that no program can submit to."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.artifacts import trial_folder
from auto_benchmark.boards.standing import focus_on
from auto_benchmark.boards.units import measured_score
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import observations, records, submissions, trials
from auto_benchmark.experiments.trials.planned import folder_of
from auto_benchmark.kinds import Purpose
from auto_benchmark.leaderboards.standing import lead
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import ProductionConfig
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.reporting.approval_brief import listed

HAND_IN = "hand-in/"
"""How the keys of these questions begin: ``hand-in/<board>/<production configuration>``."""
MEASURED_BY = (Purpose.ESTIMATE, Purpose.CANDIDATE, Purpose.CONTROL, Purpose.DEFENSE)


def hand_in_key(board: str, production_config_id: int) -> str:
    """Key of the question whether a configuration was handed in to a board."""
    return f"{HAND_IN}{board}/{production_config_id}"


def ask_to_hand_in(ctx: Context, session: Session, current: ProductionConfig) -> None:
    """Ask for each board without a submission API that shows less than production has; close what is settled."""
    wanted = {hand_in_key(board.name, current.id): board for board in ctx.boards if _is_behind(ctx, session, board)}
    records.resolve_others(
        session=session, project=ctx.project, prefix=HAND_IN, keep=wanted,
        resolution="production has changed since it was asked, or the board shows the result",
    )  # fmt: skip
    for key, board in wanted.items():
        records.escalate(
            session=session, project=ctx.project, key=key, title=f"Hand production in to {board.name}",
            brief=_brief(ctx, session, board, current),
            inputs={"production_config_id": current.id, "board": board.name},
        )  # fmt: skip


def note_handed_in(ctx: Context, session: Session, board: str, current: ProductionConfig, *, by: str) -> None:
    """Remember that a person has handed production in: the row that the board shows for it is ours."""
    submissions.handed_in(
        session=session, project=ctx.project, board=board, production_config_id=current.id, by=by, now=ctx.now()
    )


def _is_behind(ctx: Context, session: Session, board: Leaderboard) -> bool:
    """Whether production is measured better than the board shows by as much as a promotion takes."""
    if board.submission is not None:
        return False
    measured, aim = measured_score(ctx, session, board.name), focus_on(ctx, session, board.name)
    if measured is None or aim is None:
        return False
    if aim.our_rank is None or aim.our_score is None:
        return True
    gain = lead(measured, aim.our_score, higher_is_better=aim.higher_is_better)
    return gain >= ctx.config.registry.promotion_threshold(board) * aim.factor


def _brief(ctx: Context, session: Session, board: Leaderboard, current: ProductionConfig) -> str:
    aim = focus_on(ctx, session, board.name)
    shown = aim.our_score if aim is not None and aim.our_rank is not None else None
    measured = measured_score(ctx, session, board.name)
    found = _predictions(ctx, session, board, current)
    return (
        f"{board.name} takes no entries from a program. We measured {measured:g} for production; the board shows "
        f"{'no entry of ours' if shown is None else f'{shown:g} for us'}.\n"
        f"The predictions: {found or 'none are kept; the next cycle measures production again'}"
        f"{' (of one seed, whose score may differ from the mean that we measured)' if found else ''}\n"
        f"The configuration: {listed(current.candidate.params)}\n"
        "The steps:\n"
        f"1. Hand in as {_asking(board)} asks: the predictions where it scores the same items, else those of "
        "this configuration on the items that it gives out.\n"
        f"2. Use our name {ctx.ours[0]!r}, so that the entry is known to be ours.\n"
        "3. Answer: approve means handed in, reject means not now. You are asked again after the next promotion."
    )


def _asking(board: Leaderboard) -> str:
    """The page to look at; a file of rows, kept by hand or fetched by somebody, asks for nothing."""
    return board.url if board.url and board.url.startswith(("http:", "https:")) else "the board"


def _predictions(ctx: Context, session: Session, board: Leaderboard, current: ProductionConfig) -> Path | None:
    """Production's predictions on the gate split, kept apart from the trials, which are cleared away in time."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", board.name)[:40] + "-" + hashlib.sha256(board.name.encode()).hexdigest()[:6]
    kept = ctx.home / "hand_in" / f"{name}-{current.id}.jsonl"
    if kept.exists():
        return kept
    found = observations.of_config(
        session=session,
        project=ctx.project,
        config_hash=current.config_hash,
        stage=Stage.FULL,
        purposes=MEASURED_BY,
        tree=current.candidate.tree,
    )
    for each in found:
        trial = trials.get(session=session, project=ctx.project, trial_id=each.trial_id)
        file = folder_of(ctx, trial) / trial_folder.PREDICTIONS if trial is not None else None
        if file is not None and file.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            atomic.write_bytes(kept, file.read_bytes())
            return kept
    return None
