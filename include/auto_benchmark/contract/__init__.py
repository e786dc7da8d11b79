"""The trial contract: what goes into a trial, every way in which it can end, and how it is scored. Nothing here does I/O."""
