"""Run the arena: ``python include/arena --home DIR --port P [--host 127.0.0.1]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)  # so that `arena` and `auto_benchmark` import, wherever this is started from


def main() -> int:
    """Parse arguments, create or reopen the arena, serve it."""
    parser = argparse.ArgumentParser(prog="arena", description="A self-hosted leaderboard.")
    parser.add_argument("--home", type=Path, required=True, help="directory of the arena's state")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--config", type=Path, default=HERE, help="directory with boards/ and competitors.yaml")
    parser.add_argument("--include", type=Path, default=HERE.parent, help="directory with benchmarks/ and solutions/")
    arguments = parser.parse_args()

    # after sys.path is set
    import uvicorn  # noqa: PLC0415

    from arena.app import make_app  # noqa: PLC0415
    from arena.arena_state import Arena  # noqa: PLC0415
    from arena.declaration import load_declaration  # noqa: PLC0415
    from auto_benchmark.errors import InputError  # noqa: PLC0415

    try:
        arena = Arena(load_declaration(arguments.config, arguments.include), arguments.home)
    except InputError as error:
        print(error, file=sys.stderr)  # noqa: T201 - this is the program's message to its user
        return 2
    server: uvicorn.Server

    def give_up() -> None:
        server.should_exit = True

    app = make_app(arena, on_fault=give_up)
    server = uvicorn.Server(uvicorn.Config(app, host=arguments.host, port=arguments.port, log_level="warning"))
    server.run()
    if arena.fault:
        print(f"the arena could not be created: {arena.fault}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
