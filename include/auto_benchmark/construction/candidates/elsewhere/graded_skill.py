"""Lets one installed chess engine search a fixed number of positions: engine and number first, JSON lines in and out.

It runs in the panel's own environment, so it imports nothing of this project. Engines are spoken to by their common protocol
(UCI), one thread each and without an opening book, from an empty table, so that an answer depends on the position alone.
"""

from __future__ import annotations

import ctypes
import json
import re
import signal
import subprocess
import sys
from threading import Timer
from typing import Any

COMMANDS = {
    "stockfish": ["stockfish"],
    "glaurung": ["glaurung"],
    "toga2": ["toga2"],
    "ethereal": ["ethereal-chess"],
    "gnuchess": ["gnuchess", "--uci"],
}
LIMIT_S = 20.0
_MATE = re.compile(r"score mate (-?\d+)")
_BEST = re.compile(r"bestmove (\S+)")


def _die_with_parent() -> None:
    """Some engines never end when their input does, so that they would run on after a worker that was killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Engine:
    """A running engine.

    Args:
        name: of :data:`COMMANDS`.
        limit: what ends a search, as the protocol says it, such as ``nodes 100``.
    """

    def __init__(self, name: str, limit: str) -> None:
        self._limit = limit
        self._process = subprocess.Popen(COMMANDS[name],  # noqa: S603 - a program of the list above
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         text=True, bufsize=1, preexec_fn=_die_with_parent)  # noqa: PLW1509 # fmt: skip
        self._say("uci")
        self._until("uciok")
        for option, value in (("Threads", "1"), ("Hash", "16"), ("OwnBook", "false")):
            self._say(f"setoption name {option} value {value}")
        self._ready()

    def search(self, board: str) -> list[str]:
        """Everything that the engine says until it has a move."""
        self._say("ucinewgame")
        self._say(f"position fen {board}")
        self._ready()
        self._say(f"go {self._limit}")
        return self._until("bestmove")

    def _ready(self) -> None:
        self._say("isready")
        self._until("readyok")

    def _say(self, line: str) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _until(self, word: str) -> list[str]:
        limit = Timer(LIMIT_S, self._process.kill)
        limit.start()
        lines = list[str]()
        try:
            while self._process.stdout is not None and (line := self._process.stdout.readline()):
                lines.append(line.strip())
                if line.startswith(word):
                    return lines
        finally:
            limit.cancel()
        raise RuntimeError(f"the engine ended before it said {word}")


def fen(item: dict[str, Any]) -> str:
    """The board of an item in the notation of Forsyth and Edwards."""
    ranks = []
    for line in item["context"].split("\n"):
        rank = line.replace(" ", "")
        ranks.append(re.sub(r"\.+", lambda empty: str(len(empty.group())), rank))
    return f"{'/'.join(ranks)} {'b' if item['question'].startswith('Black') else 'w'} - - 0 1"


def answer(engine: Engine, item: dict[str, Any]) -> str | None:
    """The engine's move, or the moves to mate that it announces."""
    lines = engine.search(fen(item))
    if "how many" in item["question"]:
        mates = [match.group(1) for line in lines if (match := _MATE.search(line))]
        return mates[-1] if mates else None
    best = _BEST.match(lines[-1])
    return best.group(1) if best else None


def main() -> None:
    """A line of items in, a line of answers out, until the input ends; an engine that stops is started again."""
    name, _, limit = sys.argv[1].partition(":")
    engine = None
    for line in sys.stdin:
        answers = []
        for item in json.loads(line):
            try:
                engine = engine or Engine(name, limit.replace("=", " "))
                answers.append(answer(engine, item))
            except (OSError, RuntimeError):
                engine = None
                answers.append(None)
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
