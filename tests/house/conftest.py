"""Where two copies of one notion disagree: the toy project, and the command line in this process."""

from tests.integration.loop.conftest import command, toy  # noqa: F401 - fixtures
