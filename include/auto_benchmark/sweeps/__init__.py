"""Benchmark sweeps: several configurations, several seeds, one comparison. Nothing here does I/O."""
