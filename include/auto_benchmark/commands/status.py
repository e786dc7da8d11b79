"""``auto-benchmark status``: where we stand and what the loop is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json
from auto_benchmark.commands.project import opened

if TYPE_CHECKING:
    from auto_benchmark.reporting.status import CodeStatus, QuestionStatus, Status

BRIEF_LINES = 20
"""Of each question; a brief may hold a whole patch."""


def status(
    *,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    json: AsJson = False,
) -> None:
    """Show boards, queue, decisions, and how often the held-out splits were used."""
    from auto_benchmark.reporting.words import counted
    from auto_benchmark.telling.status import status as read_status

    with opened(project) as ctx:
        found = read_status(ctx)
    if json:
        emit_json(found)
        return
    _tell_boards(found)
    for q in found.queue:
        emit(f"{q.id} {q.priority_score:.1f} {q.urgency} {q.status}: {q.title}")
    if found.challenger:
        emit(
            f"{found.challenger} is the challenger: better than production, the base of what is tried next, and promoted "
            "once #1 is within its reach"
        )
    for d in found.decisions:
        emit(f"decision {d.id} {d.hypothesis_id or 'A/A'}: {d.verdict} — {d.reason}")
    if found.search is not None:
        emit(found.search)
    if found.alpha_wealth is not None:
        emit(f"alpha wealth {found.alpha_wealth:.4f}")
    _tell_sources(found)
    if found.aa_rate is not None and found.aa_interval is not None:
        low, high = found.aa_interval
        emit(f"A/A: {found.aa_rate:.1%} promoted by mistake (95 % interval {low:.1%} to {high:.1%})")
    if found.waiting:
        emit(f"to be sent: {', '.join(counted(n, f'{topic} message') for topic, n in found.waiting.items())}")
    _tell_code(found)
    if (isolation := found.isolation) is not None:
        emit(f"trials ({isolation.runner}) are isolated by: {', '.join(isolation.isolated_by) or 'nothing'}")
        emit(f"not isolated: {', '.join(isolation.not_isolated) or 'nothing'}")
    if (gate := found.gate) is not None:
        total = sum(gate.questions.values())
        sources = "".join(f", {source} {count}" for source, count in gate.questions.items())
        known = "; its seeds are published: a trial may know the answers" if gate.published else ""
        emit(f"gate: {total} of {gate.limit} questions on draw {gate.draw} of its items{sources}{known}")
    for split, purposes in found.split_queries.items():
        emit(f"{split}: {', '.join(f'{purpose} {count}' for purpose, count in purposes.items())}")


def _tell_code(found: Status) -> None:
    if (code := found.code) is not None:
        emit(f"code: {_code(code)}")
    if found.agent is not None:
        emit(f"agent: {found.agent}")


def _tell_sources(found: Status) -> None:
    """Whose level it is, and what claims were worth."""
    for level in found.levels:
        emit(
            f"level of {level.source}: {level.share:.0%} of it all, {level.judged} judged, {level.promoted} passed the "
            f"gate; the next is tested at {level.next_level:.5f}"
        )
    for s in found.sources:
        emit(
            f"claims of {s.source}: {s.judged} judged, {s.promoted} passed the gate, {s.claimed:+.4f} claimed, "
            f"{s.measured:+.4f} measured; {s.worth:.2f} of the next claim is expected"
        )


def _code(code: CodeStatus) -> str:
    if code.folder == "follow":
        return "the solution's folder is live: whatever is written there runs at once, judged by nothing"
    edited = f"; edited in the folder and not live: {', '.join(code.edited)}" if code.edited else ""
    return f"production runs the stored tree {code.tree}{edited}"


def _tell_brief(question: QuestionStatus) -> None:
    """What a question rests on, as far as a screen holds it; an outdated one is only closed."""
    # A blank line of a patch has a space.
    lines = [] if question.outdated else [line for line in question.brief.splitlines() if line]
    for line in lines[:BRIEF_LINES]:
        emit(f"    | {line}")
    if len(lines) > BRIEF_LINES:
        emit(f"    | … {len(lines) - BRIEF_LINES} more lines, in TECHNICAL_LOG.md")


def _tell_boards(found: Status) -> None:
    """Where we stand, and what waits for a person."""
    for b in found.boards:
        rank = "not listed" if b.our_rank is None else f"#{b.our_rank}"
        gap = "" if b.gap is None else f", gap {b.gap:+.4f}"
        gap += "" if b.measured is None else f", production measured by us {b.measured:.4f}"
        emit(f"{b.board}: {rank}{gap}, {b.mode}{', victory' if b.victory else ''}{', stale' if b.stale else ''}")
        for text in b.notes:
            emit(f"    note: {text}")
    for question in found.questions:
        emit(f"waits for you: {question.title}" + (f" — outdated: {question.outdated}" if question.outdated else ""))
        _tell_brief(question)
        for command in question.answers:
            emit(f"    {command}")


COMMANDS = {"status": status}
