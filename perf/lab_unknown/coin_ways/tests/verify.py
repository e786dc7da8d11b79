"""Coins and amounts; in how many ways each amount is paid."""

from harness import Counted, Wrong, rust

COINS, AMOUNTS, LARGEST, MODULUS = 8, 40, 900, 1_000_007


def ways(coins, largest):
    table = [1] + [0] * largest
    for coin in coins:
        for total in range(coin, largest + 1):
            table[total] = (table[total] + table[total - coin]) % MODULUS
    return table


class Verify(Counted):
    build = rust("coins.rs")

    def draw(self, rng):
        return sorted(rng.sample(range(2, 60), COINS), key=lambda _: rng.random()), rng.sample(
            range(LARGEST - 200, LARGEST), AMOUNTS
        )

    def encode(self, inputs):
        return "".join(" ".join(map(str, line)) + "\n" for line in inputs).encode()

    def check(self, inputs, output):
        coins, amounts = inputs
        table = ways(coins, LARGEST)
        if [int(word) for word in output.split()] != [table[amount] for amount in amounts]:
            raise Wrong("not the number of ways")

    def floor(self, inputs):
        return COINS * LARGEST / 8
