"""One project: what it declares, the context of its steps, and its files."""
