"""Agents: programs that edit files for a number. One protocol for proposers of code and for laboratories."""
