"""The laboratory: open-ended tasks, each with a sealed verifier that counts instead of timing."""
