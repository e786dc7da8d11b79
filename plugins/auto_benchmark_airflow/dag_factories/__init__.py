"""What compiles flows to DAGs, once per project."""
