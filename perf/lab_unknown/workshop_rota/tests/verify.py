"""Four workshops drawn anew; the cost of a candidate's plans, in per cent of that of the orders by due date."""

import random

from harness import Candidate, Limits, Verifier, Wrong, python

ORDERS, MACHINES, REFITTING, WORKSHOPS = 60, 3, 4, 4

Order = tuple[str, int, int, int]  # kind, hours, due, cost of an hour


class Verify(Verifier):
    build = python("rota.py")
    limits = Limits(seconds=3, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        cost = given = 0
        for _ in range(WORKSHOPS):
            orders = drawn(rng)
            text = "".join(f"{name} {' '.join(map(str, order))}\n" for name, order in orders.items())
            output = candidate.run(self.build, text.encode(), self.limits)
            plan = [line.split() for line in output.decode().splitlines()]
            if len(plan) != MACHINES:
                raise Wrong("not three lines", "format")
            if sorted(name for machine in plan for name in machine) != sorted(orders):
                raise Wrong("not every order once")
            cost += late(orders, plan)
            given += late(orders, by_due_date(orders))
        return 100 * cost / given


def drawn(rng: random.Random) -> dict[str, Order]:
    names = rng.sample(range(1_000, 10_000), ORDERS)
    return {
        f"order{name}": (rng.choice("abcde"), rng.randint(1, 12), rng.randint(5, 150), rng.randint(1, 9))
        for name in names
    }


def late(orders: dict[str, Order], plan: list[list[str]]) -> int:
    cost = 0
    for machine in plan:
        hour, before = 0, None
        for name in machine:
            kind, hours, due, price = orders[name]
            hour += hours + (REFITTING if before not in (None, kind) else 0)
            before = kind
            cost += price * max(0, hour - due)
    return cost


def by_due_date(orders: dict[str, Order]) -> list[list[str]]:
    plan: list[list[str]] = [[] for _ in range(MACHINES)]
    free = [0] * MACHINES
    for name in sorted(orders, key=lambda name: orders[name][2]):
        kind, hours, _, _ = orders[name]
        at = free.index(min(free))
        free[at] += hours + (REFITTING if plan[at] and orders[plan[at][-1]][0] != kind else 0)
        plan[at].append(name)
    return plan
