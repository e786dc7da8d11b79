"""Rounds of seeds, the evidence that a decision rests on, and the decision."""
