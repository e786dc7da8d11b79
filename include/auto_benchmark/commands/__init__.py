"""The command line, one module per command group. Heavy libraries are imported inside the commands."""
