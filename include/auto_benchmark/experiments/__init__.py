"""Trials and how they are judged: the contract with a solution, its output, its scores. Nothing here does I/O."""
