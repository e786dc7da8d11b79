"""Reading the research feed: fetch, screen, extract, assess, and what follows from it."""
