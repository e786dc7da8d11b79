"""Agents that improve programs without a language model."""
