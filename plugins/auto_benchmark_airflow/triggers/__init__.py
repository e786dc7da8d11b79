"""Triggers: what wakes a DAG or a deferred task."""
