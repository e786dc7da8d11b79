"""Planned trials, run and scored; stored ones run or scored again."""
