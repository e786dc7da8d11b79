"""Defending production: measure again, confirm an alarm, respond."""
