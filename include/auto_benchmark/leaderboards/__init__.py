"""Entries, ranks, deltas, gaps and victory: what a board means for us. Nothing here does I/O."""
