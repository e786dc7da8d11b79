"""What a claim is worth: shrunken between nothing known and much known."""

from __future__ import annotations

import numpy as np
import pytest

from auto_benchmark.research.discount import PRIOR, PastClaim, discount


def test_before_anything_was_tested_the_prior_holds() -> None:
    assert discount([], "arxiv", "reranking").factor == PRIOR


def test_experience_moves_it_and_a_technique_of_its_own_more_so() -> None:
    past = [PastClaim("arxiv", "reranking", 4.0, 4.0)] * 3 + [PastClaim("blog", "chunking", 4.0, 0.0)]
    known = discount(past, "arxiv", "reranking")
    assert PRIOR < known.factor < 1.0
    assert discount(past, "arxiv", "other").factor > PRIOR
    assert discount(past, "blog", "other").factor < discount(past, "arxiv", "other").factor
    assert "tested claims" in known.reason


def test_one_absurd_ratio_cannot_take_over() -> None:
    past = [PastClaim("arxiv", "a", 0.001, 50.0)]
    assert discount(past, "arxiv", "a").factor < 1.0


def test_it_is_never_negative() -> None:
    past = [PastClaim("arxiv", "a", 1.0, -9.0)] * 50
    assert discount(past, "arxiv", "a").factor == 0.0


def test_a_claim_of_nothing_teaches_nothing() -> None:
    assert discount([PastClaim("arxiv", "a", 0.0, 1.0)], "arxiv", "a").factor == PRIOR


def test_shrinking_predicts_better_than_raw_means_on_simulated_truth() -> None:
    rng = np.random.default_rng(7)
    raw_error = shrunk_error = 0.0
    for _ in range(200):
        truth = {f"t{i}": float(rng.normal(0.35, 0.2)) for i in range(8)}
        past = [
            PastClaim("arxiv", name, 1.0, share + float(rng.normal(0, 0.5)))
            for name, share in truth.items()
            for _ in range(2)
        ]
        for name, share in truth.items():
            ratios = [claim.ratio for claim in past if claim.technique == name]
            raw_error += (float(np.mean(ratios)) - share) ** 2
            shrunk_error += (discount(past, "arxiv", name).factor - share) ** 2
    assert shrunk_error < 0.6 * raw_error


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_much_experience_wins_over_the_prior(n: int) -> None:
    factor = discount([PastClaim("arxiv", "a", 1.0, 0.8)] * n, "arxiv", "a").factor
    assert abs(factor - 0.8) <= (0.8 - PRIOR) / (1 + n / 4) + 1e-9
