"""Executors: how the embedded stack starts tasks."""
