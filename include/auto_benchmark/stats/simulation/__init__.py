"""Promotion policies on streams of hypotheses whose true effects are known."""
