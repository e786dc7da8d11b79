"""Zero bits per byte."""
