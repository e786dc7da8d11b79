"""Where boards and papers are read from: one module per format."""
