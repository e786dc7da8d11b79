"""The promotion gate: criteria, verdicts and their reasons. Nothing here does I/O."""
