"""Ridge-penalised logistic regression for a handful of features."""

from __future__ import annotations

import numpy as np


def fit(x: np.ndarray, y: np.ndarray, *, ridge: float = 1.0, steps: int = 12) -> np.ndarray:
    """Newton's method (iteratively reweighted least squares).

    Args:
        x: (n, f) features.
        y: (n,) labels 0 or 1.
        ridge: penalty on every weight but the intercept.
        steps: Newton steps.

    Returns:
        (f + 1,) weights, the intercept last.
    """
    x = np.column_stack([x, np.ones(len(x))])
    penalty = np.full(x.shape[1], ridge)
    penalty[-1] = 1e-6
    weights = np.zeros(x.shape[1])
    for _ in range(steps):
        p = predict(weights, x[:, :-1])
        gradient = x.T @ (y - p) - penalty * weights
        curvature = (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights


def predict(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Probability of label 1 for (…, f) features."""
    return 1.0 / (1.0 + np.exp(-np.clip(x @ weights[:-1] + weights[-1], -30, 30)))
