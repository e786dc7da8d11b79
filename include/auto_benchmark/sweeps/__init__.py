"""Benchmark sweeps: a specification to a report."""
