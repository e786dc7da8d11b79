"""Search on the ``search`` split: ask for configurations to try, propose what the results support."""
