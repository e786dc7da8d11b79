"""Where trials run: one protocol, one module per place."""
