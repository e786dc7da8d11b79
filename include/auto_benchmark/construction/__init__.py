"""Builds benchmarks from a request: sources with exact keys, adaptive search over descriptions, verification, a folder."""
