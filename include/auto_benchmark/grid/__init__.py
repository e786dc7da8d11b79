"""The grid of a benchmark sweep: configurations x seeds x tasks, and their comparison. Nothing here does I/O."""
