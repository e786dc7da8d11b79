"""CSV files of 8,000 lines; account numbers, amounts and texts are drawn anew."""

import random
from collections import defaultdict

from harness import Counted, Wrong, rust

LINES, ACCOUNTS = 8_000, 500
WORDS = ("rent", "fee, monthly", "salary", "refund", "insurance", "a,b,c", "transfer", "cash, in advance")

Row = tuple[str, str, str, int]


def shown(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


class Verify(Counted):
    build = rust("totals.rs")
    caches = True

    def draw(self, rng: random.Random) -> list[Row]:
        accounts = [f"A{number:06}" for number in rng.sample(range(1_000_000), ACCOUNTS)]
        return [
            (f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}", rng.choice(accounts),
             " ".join(rng.choices(WORDS, k=3)), rng.randint(-1_000_000, 1_000_000))
            for _ in range(LINES)
        ]  # fmt: skip

    def encode(self, inputs: list[Row]) -> bytes:
        rows = (f'{day},{account},"{text}",{shown(cents)}\n' for day, account, text, cents in inputs)
        return ("day,account,text,amount\n" + "".join(rows)).encode()

    def check(self, inputs: list[Row], output: bytes) -> None:
        totals: defaultdict[str, int] = defaultdict(int)
        for _, account, _, cents in inputs:
            totals[account] += cents
        right = [f"{account},{shown(totals[account])}" for account in sorted(totals)]
        lines = output.decode("ascii").splitlines()
        if len(lines) != len(right):
            raise Wrong(f"printed {len(lines)} accounts instead of {len(right)}")
        for number, (line, wanted) in enumerate(zip(lines, right, strict=True), 1):
            if line != wanted:
                raise Wrong(f"line {number} is wrong")

    def floor(self, inputs: list[Row]) -> float:
        return len(self.encode(inputs)) / 8
