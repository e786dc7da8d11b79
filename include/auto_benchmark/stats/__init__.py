"""The statistics of promotion: numpy and scipy only, each function says when it does not apply."""
