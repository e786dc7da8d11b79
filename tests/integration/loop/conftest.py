"""The fixtures of the toy project: real trial processes, a board in a file."""

from tests.toy_project import BEHIND, Toy, command, toy

__all__ = ["BEHIND", "Toy", "command", "toy"]
