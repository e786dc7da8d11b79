"""A language model as a second reader of papers: optional, bounded, believed only where it quotes the text."""
