"""Random hostile output of a trial: what a seed gives is always the same."""

from __future__ import annotations

import contextlib
import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

NAMES = [
    "latency_ms", "memory_mb", "wall_s", "accuracy", "a\0b", "\ud83e", "x" * 300, "x" * 100_000, "", " ", "a b", "a/../b",
    "//", "<b>", "|", "\u202e", "\u200b", "é", "m\n", "__class__", "'; drop table trials; --", "loss", "train_s", "f1@5",
]  # fmt: skip
NUMBERS = [
    "0", "-1", "1", "0.5", "1e308", "-1e308", "1e999", "1" + "0" * 400, "1" + "0" * 5000, "5e-324", "NaN", "Infinity",
    "true", "null", '"1"', "[]", "{}", "[1]", "-0.0", "1e100", "1.1e100", "0x10", "01", "1_000",
]  # fmt: skip
TEXTS = ["high", "low", "", "\0", "\ud800", "\udfff\ud800", "x" * 100_001, "\u2028", "é" * 50_000, "\x1b[31m", "NaN"]
DEEPEST_CHANCE = 0.005
"""Thousands of folders in each other take seconds to make and to remove."""


class HostileOutput:
    """Writes one trial's output.

    Args:
        seed: decides everything.
        ids: of the split's items.
    """

    def __init__(self, seed: int, ids: Sequence[str]) -> None:
        self.random = random.Random(seed)
        self.ids = list(ids)

    def write(self, output: Path) -> None:
        """Leave an output: sound in the one half, hostile in the other, or anything between."""
        dice = self.random
        self._leave(output / "predictions.jsonl", self.predictions())
        self._leave(output / "metrics.json", self.metrics())
        self._leave(output / "train.log", self.noise(dice.choice([0, 10, 1000])))
        for name in (
            "progress.jsonl",
            "checkpoint.bin",
            "items.json",
            "config.yaml",
            "output",
            "eval_on_leaderboard.json",
        ):
            if dice.random() < 0.3:
                self._leave(output / name, self.noise(30))
        for _ in range(dice.choice([0, 0, 0, 1, 3])):
            with contextlib.suppress(OSError):
                dice.choice([self._deep, self._closed, self._odd_names, self._crowd, self._seed_folders])(output)

    def message(self) -> str:
        """Last words."""
        return "".join(self.random.choices([*TEXTS, "error ", "\n"], k=self.random.choice([0, 1, 8])))

    def progress(self) -> bytes:
        """What the trial prints."""
        lines = []
        for _ in range(self.random.choice([0, 1, 5])):
            step = self.random.choice([*NUMBERS, "1", "2", str(2**63), str(-(2**70))])
            lines.append(
                f'AB_PROGRESS {{"step": {step}, "metrics": {self._table()}}}'.encode("utf-8", "surrogatepass")
            )
        return b"\n".join([*lines, self.noise(20), b""])

    def metrics(self) -> bytes:
        """Content of ``metrics.json``."""
        sound = b'{"metrics": {"latency_ms": 1.5}}'
        makers: list[Callable[[], bytes]] = [
            lambda: sound, lambda: sound, lambda: sound,
            lambda: f'{{"metrics": {self._table()}}}'.encode("utf-8", "surrogatepass"),
            lambda: f'{{"metrics": {self._table()}}}'.encode("utf-8", "surrogatepass"),
            lambda: self.noise(200), lambda: self._mutated(sound), lambda: b"[" * 100_000,
            lambda: sound.decode().encode("utf-16"),
            lambda: b"\xef\xbb\xbf" + sound, lambda: b'{"metrics": [1, 2]}', lambda: b'{"metrics": null}', lambda: b"[]",
            lambda: json.dumps({"metrics": {f"m{n}": n for n in range(2000)}}).encode(), lambda: b" " * 2**21,
            lambda: b'{"metrics": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
        ]  # fmt: skip
        return self.random.choice(makers)()

    def predictions(self) -> bytes:
        """Content of ``predictions.jsonl``."""
        sound = [json.dumps({"id": i, "answer": self.random.choice(["high", "low"])}).encode() for i in self.ids]
        whole = b"\n".join([*sound, b""])
        makers: list[Callable[[], bytes]] = [
            lambda: whole, lambda: whole, lambda: whole, lambda: b"\n".join([self._row(), *sound[1:]]),
            lambda: b"\n".join([self._row(), *sound[1:]]), lambda: self._mutated(whole), lambda: whole[: len(whole) // 2],
            lambda: b"\r\n".join(sound), lambda: whole + whole, lambda: self.noise(500), lambda: b"\0" * 5000, lambda: b"",
            lambda: b'{"id": "' + self.ids[0].encode() + b'", "answer": [' + b"[]," * 600_000 + b"[]]}",
            lambda: b"\n" * 100_000 + whole, lambda: b'{"id": [], "answer": 1}', lambda: b'{"id": {}, "answer": 1}',
            lambda: b"x" * 3_000_000, lambda: whole.decode().encode("utf-16"), lambda: b"\n".join(sound[:3]),
        ]  # fmt: skip
        return self.random.choice(makers)()

    def noise(self, most: int) -> bytes:
        """Bytes of any kind."""
        return self.random.randbytes(self.random.randint(0, most))

    def _row(self) -> bytes:
        kind = self.random.randrange(4)
        answer = (
            self.random.choice(NUMBERS) if kind == 0 else json.dumps(self.random.choice(TEXTS)) if kind == 1 else ""
        )
        if kind == 2:
            depth = self.random.choice([5, 16, 17, 200, 20_000])
            answer = "[" * depth + "]" * depth
        if kind == 3:
            answer = json.dumps({self.random.choice(TEXTS)[:50]: [self.random.choice(TEXTS)] for _ in range(5)})
        return f'{{"id": {json.dumps(self.ids[0])}, "answer": {answer}}}'.encode()

    def _table(self) -> str:
        pairs = [
            f"{json.dumps(self.random.choice(NAMES))}: {self.random.choice([*NUMBERS, '1.5', '2'])}"
            for _ in range(self.random.choice([0, 1, 2, 5]))
        ]
        return "{" + ", ".join(pairs) + "}"

    def _mutated(self, content: bytes) -> bytes:
        changed = bytearray(content)
        for _ in range(self.random.choice([1, 5, 50])):
            changed[self.random.randrange(len(changed))] = self.random.randrange(256)
        return bytes(changed)

    def _leave(self, path: Path, content: bytes) -> None:
        """A file mostly; now and then nothing, or something else of this name."""
        dice = self.random.random()
        if dice < 0.75:
            path.write_bytes(content)
            if dice < 0.03:
                path.chmod(0)
            return
        other = self.random.randrange(7)
        if other == 0:
            path.mkdir()
            (path / path.name).write_bytes(content)
        elif other == 1:
            os.mkfifo(path)
        elif other == 2:
            path.symlink_to(
                self.random.choice(["/etc/passwd", "/dev/zero", ".", path.name, "absent", "/proc/self/mem"])
            )
        elif other == 3:
            aside = path.with_name(f"second-{path.name}")
            aside.write_bytes(content)
            os.link(aside, path)
        elif other == 4:
            path.write_bytes(content)

    def _deep(self, output: Path) -> None:
        depth = 3000 if self.random.random() < DEEPEST_CHANCE else self.random.choice([2, 31, 33, 60])
        held = os.open(output, os.O_RDONLY)
        for _ in range(depth):
            with contextlib.suppress(FileExistsError):
                os.mkdir("d", dir_fd=held)
            inner = os.open("d", os.O_RDONLY, dir_fd=held)
            os.close(held)
            held = inner
        os.close(held)

    def _closed(self, output: Path) -> None:
        place = output / "closed" / "inner"
        place.mkdir(parents=True)
        (place / "file").write_bytes(b"")
        place.chmod(0)
        place.parent.chmod(self.random.choice([0, 0o111, 0o444]))

    def _odd_names(self, output: Path) -> None:
        for name in (b"\xff\xfe", b"a\nb", b"-rf", b" ", b"\xed\xa0\x80", b"x" * 255, b"\x1b[2J"):
            (output / os.fsdecode(name)).write_bytes(b"")

    def _crowd(self, output: Path) -> None:
        (output / "crowd").mkdir()
        for number in range(self.random.choice([10, 300])):
            (output / "crowd" / str(number)).touch()

    def _seed_folders(self, output: Path) -> None:
        """Folders of the seeds of one process, named or filled so that they get in each other's way."""
        seeds = [entry.name for entry in output.iterdir() if entry.name.startswith("seed-")]
        for name in seeds or ["seed-1", "seed-2"]:
            place = output / name
            place.mkdir(exist_ok=True)
            for other in (*seeds, "output", "train.log", "metrics.json", "predictions.jsonl"):
                with contextlib.suppress(OSError):
                    self.random.choice([Path.touch, Path.mkdir, lambda p: p.symlink_to("..")])(place / other)
