"""How many configurations each search round asks for; light, since DAG files draw their graph from it."""

LIMITS = (24, 4, 4, 4, 4)
"""A screening, then few at a time, each round knowing the last."""
MOST_EXPERIMENTS = 3
"""Experiments of one sweep, one after the other, while none of them ends it."""
