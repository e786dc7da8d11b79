"""From the queue to production: search, trials, gate, promotion, submission."""
