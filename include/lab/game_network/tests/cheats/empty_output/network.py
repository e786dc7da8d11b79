"""No weights."""
