"""Programs propose changes of code: an agent works on production's code, and what is better comes back as a hypothesis."""
