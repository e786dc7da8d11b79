"""What to try next and in which order. Nothing here does I/O."""
