"""Hypotheses from people: written into a file, taken in by a command or from the queue's folder."""
