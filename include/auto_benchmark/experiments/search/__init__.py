"""Rounds of trials on the search split, and the hypotheses that they support."""
