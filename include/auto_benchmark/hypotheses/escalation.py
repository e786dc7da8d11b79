"""Briefs of two escalations: a gap that nothing queued will close, and a regression that going back does not repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def structural_gap_brief(
    *,
    board: str,
    metric: str,
    our_score: float | None,
    leader_score: float | None,
    tried: int,
    best_gain: float,
    known: str,
    architecture: Mapping[str, object],
) -> str:
    """A gap above 5 % that nothing queued is projected to close: what was tried and what is left to people."""
    ours = "not listed" if our_score is None else f"{our_score:.4f}"
    leader = "unknown" if leader_score is None else f"{leader_score:.4f}"
    facts = "\n".join(f"- {name}: {value}" for name, value in architecture.items()) or "- not described"
    return (
        f"What is wanted:\nAn architectural change that closes the gap on {board}.\n\n"
        f"Where we stand:\n- {metric}: ours {ours}, #1 {leader}\n"
        f"- configurations tried on the search split: {tried}; best projected gain in the queue {best_gain:+.4f}\n"
        f"- {known}\n\n"
        f"Our architecture:\n{facts}\n\n"
        "What goes on meanwhile:\nEverything that the knobs allow is still tried and decided by the gate."
    )


def regression_brief(
    *,
    metric: str,
    baseline: float,
    fresh: float,
    trials: int,
    causes: Sequence[str],
    previous: str,
    params: Mapping[str, object],
) -> str:
    """A confirmed loss of production that going back does not repair."""
    named = "\n".join(f"- {cause}" for cause in causes)
    return (
        f"What is wanted:\nFind why {metric} of production went from {baseline:.4g} to {fresh:.4g} "
        f"(mean of {trials} fresh trials), and decide whether it stays.\n\n"
        f"Likely causes:\n{named}\n\nGoing back:\n{previous}\n\nConfiguration:\n{_listed(params)}\n\n"
        "What goes on meanwhile:\nProduction is unchanged; every cycle measures it again."
    )


def _listed(params: Mapping[str, object]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in params.items())
