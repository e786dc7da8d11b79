"""What a board means for us: ranks, changes, standing and victory. Nothing here does I/O."""
