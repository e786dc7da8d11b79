"""``python -m auto_benchmark``."""

import sys

INTERRUPTED = 130


def main() -> None:
    """The command line. Importing it takes a second, in which an interrupt should end it as quietly as later."""
    try:
        from auto_benchmark.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
