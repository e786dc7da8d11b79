"""Tasks from elsewhere in Harbor's format: their own image, their own verifier, a container for each verification."""
