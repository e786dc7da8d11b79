"""Optional language models behind any OpenAI-compatible endpoint."""
