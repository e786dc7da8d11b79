"""Runs the same flow on both executors, on outcomes that are drawn."""
