"""Answers the measure command of a confined agent: two pipes in a folder that the agent may write.

Both ends of both pipes are opened before the agent starts and held, so that no name in that folder is looked up later.
A message is one short line. Questions are answered one after the other; those beyond the budget cost the agent time.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auto_benchmark.agents.measure_command import LONGEST_REQUEST
from auto_benchmark.agents.meter import Meter
from auto_benchmark.agents.workspace import Files, WorkspaceError, editable_files

ASK, ANSWER, LOCK = "ask", "answer", "lock"
LONGEST_NAME = 64
REFUSED_S = 0.05
"""Wait after a question that is not measured or too long: a flood of them does not keep a processor busy."""
UNREAD_S = 2.0
"""How long half an answer waits for somebody who reads it."""


@contextlib.contextmanager
def desk(folder: Path, workspace: Path, editable: tuple[str, ...], meter: Meter) -> Iterator[None]:
    """Answer questions until the block ends; one that is being measured then is measured to its end.

    Args:
        folder: for the pipes; the agent may write there.
        workspace: the agent's; it may change while files are taken from it.
        editable: of the brief.
        meter: measures.
    """
    for name in (ASK, ANSWER):
        os.mkfifo(folder / name)
        (folder / name).chmod(0o666)
    (folder / LOCK).touch(0o666)
    (folder / LOCK).chmod(0o666)
    ask, answer = (os.open(folder / name, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC) for name in (ASK, ANSWER))
    stop_reading, stop = os.pipe()
    clerk = _Clerk(ask, answer, stop_reading, workspace, editable, meter)
    thread = threading.Thread(target=clerk.run, name="measure-desk", daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.close(stop)
        thread.join()
        for descriptor in (ask, answer, stop_reading):
            os.close(descriptor)
    if clerk.error is not None:
        raise clerk.error


class _Clerk:
    def __init__(
        self, ask: int, answer: int, stop: int, workspace: Path, editable: tuple[str, ...], meter: Meter
    ) -> None:
        self.ask, self.answer, self.stop = ask, answer, stop
        self.workspace, self.editable, self.meter = workspace, editable, meter
        self.error: Exception | None = None

    def run(self) -> None:
        """Work until stopped; a fault of ours is kept for the thread that waits."""
        try:
            self.work()
        except Exception as error:
            self.error = error

    def work(self) -> None:
        """Answer one question after the other."""
        pending = b""
        while True:
            ready, _, _ = select.select([self.ask, self.stop], [], [])
            if self.stop in ready:
                return
            with contextlib.suppress(BlockingIOError):
                pending += os.read(self.ask, LONGEST_REQUEST)
            *lines, pending = pending.split(b"\n")
            if len(pending) > LONGEST_REQUEST:
                pending = b""
                time.sleep(REFUSED_S)  # the pipe is full meanwhile, and the one who floods it waits
            for line in lines:
                if select.select([self.stop], [], [], 0)[0]:
                    return
                self._serve(line)

    def _serve(self, line: bytes) -> None:
        name, inside = _question(line)
        told = self.meter.measure(lambda: self._files(inside)) if name else None
        if told is None:
            time.sleep(REFUSED_S)
        valid, score, feedback = (told.valid, told.score, told.feedback) if told else (False, None, self._why_not())
        self._tell({"id": name, "measured": told is not None, "valid": valid, "score": score, "feedback": feedback,
                    "budget_left": self.meter.left.to_json()})  # fmt: skip

    def _files(self, inside: str) -> Files:
        try:
            return editable_files(self.workspace, self.editable, inside=inside).files
        except OSError as error:
            raise WorkspaceError(f"the workspace cannot be read: {error.strerror}") from None

    def _why_not(self) -> str:
        left = self.meter.left
        return "no measures are left" if not left.measures_left else "the time is up"

    def _tell(self, told: dict[str, Any]) -> None:
        """Write an answer; old ones that were never read make way."""
        line = json.dumps(told, allow_nan=False).encode() + b"\n"
        whole, ends = len(line), time.monotonic() + UNREAD_S
        while line:
            try:
                line = line[os.write(self.answer, line) :]
            except BlockingIOError:
                if len(line) == whole or time.monotonic() > ends:
                    self._make_room()
                    line = line if len(line) == whole else b""
                time.sleep(0.01)

    def _make_room(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self.answer, 65_536):
                pass


def _question(line: bytes) -> tuple[str, str]:
    """Id and folder; an empty id for what is no question."""
    try:
        told = json.loads(line)
        name, inside = told["id"], told["dir"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", "."
    if not isinstance(name, str) or not isinstance(inside, str) or len(name) > LONGEST_NAME:
        return "", "."
    return name, inside
