"""Papers to techniques, gains and dispositions. Nothing here does I/O."""
