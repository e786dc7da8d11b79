"""Experiment tracking outside the trials."""
