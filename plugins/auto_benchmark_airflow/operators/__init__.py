"""Operators: steps as tasks."""
