"""``python -m auto_benchmark``."""

from auto_benchmark.cli import main

if __name__ == "__main__":
    main()
