"""Operators: pipeline functions as tasks."""
