"""Seeds of the splits that must not be generated again: drawn from a secret, or published.

A benchmark's generator and a seed together give the answers. The seeds of ``search`` and ``gate`` are therefore
HMAC-SHA-256 (RFC 2104) of benchmark, version and split under a secret of the installation. The version that trials are
recorded with names the draw, so that scores on different items are never compared: it ends in a fingerprint of the
secret, and from the second draw of the gate's items on in the number of the draw.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.registry.benchmark import Benchmark

SEED_BITS = 63
TRIAL_SEED_BITS = 31
SECRET_BYTES = 32
FIRST = 1
"""Number of the first draw of the gate's items."""
_PUBLISHED = b"auto-benchmark: published seeds"
_GATE = "gate"


class SplitSeeds:
    """Seeds of ``search`` and ``gate``.

    Args:
        secret: gives the secret when a seed is first needed; None for the published seeds, which are those that
            ``benchmark.yaml`` declares, then such that a published constant gives.
        of_trials: whether trials are handed other seeds than they are planned with.
    """

    def __init__(self, secret: Callable[[], bytes] | None, *, of_trials: bool = False) -> None:
        self._source, self._of_trials = secret, of_trials and secret is not None

    @property
    def are_published(self) -> bool:
        """Whether anybody can make the answers."""
        return self._source is None

    def seed(self, benchmark: Benchmark, split: str, draw: int = FIRST) -> int | None:
        """Seed of a split; ``draw`` counts for the gate alone. None where the split's items lie in a file."""
        if not is_generated(benchmark, split):
            return None
        if (declared := self.declared(benchmark, split, draw)) is not None:
            return declared
        version = self.version(benchmark, draw if split == _GATE else FIRST)
        return self._hash(benchmark.name, version, split) >> (256 - SEED_BITS)

    def given(self, seed: int) -> int:
        """The seed that a trial is handed in place of the one that it is planned with: the same one every time.

        Planned seeds are counted, by stage and by purpose: a trial that saw its own could tell production's measurement
        from its rival's, or the search from the gate. Below 2^31, which every library takes.
        """
        return self._hash("trial", str(seed)) >> (256 - TRIAL_SEED_BITS) if self._of_trials else seed

    def declared(self, benchmark: Benchmark, split: str, draw: int = FIRST) -> int | None:
        """The published seed, where that is the one in use: the only one that a published checksum is of."""
        if not self.are_published or (split == _GATE and draw > FIRST):
            return None
        declared: int | None = getattr(benchmark.splits, split).seed
        return declared

    def version(self, benchmark: Benchmark, draw: int = FIRST) -> str:
        """The version that trials on these items are recorded with."""
        base = benchmark.version
        if not self.are_published and any(is_generated(benchmark, split) for split in ("search", _GATE)):
            base += f"-{self._hash('label', benchmark.name, benchmark.version) >> 224:08x}"
        return base if draw == FIRST else f"{base}-{draw}"

    def draw_of(self, benchmark: Benchmark, version: str) -> int | None:
        """Which draw a recorded version names; None when it is of other data than these seeds give."""
        base = self.version(benchmark)
        if version == base:
            return FIRST
        number = version.removeprefix(f"{base}-")
        is_ours = number != version and number.isascii() and number.isdigit() and len(number) < 10
        return int(number) if is_ours and version == self.version(benchmark, int(number)) else None

    @cached_property
    def _secret(self) -> bytes:
        return _PUBLISHED if self._source is None else self._source()

    def _hash(self, *parts: str) -> int:
        return int.from_bytes(hmac.digest(self._secret, json.dumps(parts).encode(), hashlib.sha256))


PUBLISHED = SplitSeeds(None)
"""For tests, golden numbers, and comparisons that anybody can repeat; no decision of a loop may rest on them."""


def is_generated(benchmark: Benchmark, split: str) -> bool:
    """Whether a split's items can be drawn, and drawn anew; those of a file cannot."""
    return getattr(benchmark.splits, split).items is None


def drawn_now() -> SplitSeeds:
    """Seeds from a secret that this object alone knows."""
    secret = secrets.token_bytes(SECRET_BYTES)
    return SplitSeeds(lambda: secret)


def of_home(root: Path) -> SplitSeeds:
    """Seeds of the commands that work without a database, below ``root``; no decision of a loop rests on them.

    Their secret lies beside the sealed answers, which a trial must not reach either.
    """
    return SplitSeeds(lambda: _kept_in(root / "sealed" / "trial-run.key"))


def _kept_in(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    if not path.exists():
        atomic.write_text(draft, secrets.token_hex(SECRET_BYTES), mode=0o600)
        try:
            path.hardlink_to(draft)  # the first one stays
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return bytes.fromhex(path.read_text(encoding="ascii"))
