"""Plans the orders of a workshop: a rule of urgency first, then orders are moved as long as that makes the plan cheaper."""

import math
import random
import sys

MACHINES, REFITTING, MOVES = 3, 4, 30_000


def cost(orders, sequence):
    hour = late = 0
    before = None
    for name in sequence:
        kind, hours, due, price = orders[name]
        hour += hours + (REFITTING if before is not None and before != kind else 0)
        before = kind
        late += price * max(0, hour - due)
    return late


def urgent_first(orders):
    average = sum(hours for _, hours, _, _ in orders.values()) / len(orders)
    machines, free, left = [[] for _ in range(MACHINES)], [0] * MACHINES, dict(orders)
    while left:
        at = free.index(min(free))
        before = orders[machines[at][-1]][0] if machines[at] else None

        def urgency(name, now=free[at], before=before):
            kind, hours, due, price = orders[name]
            refit = 0 if before in (None, kind) else REFITTING
            slack = max(0, due - hours - refit - now)
            return price / (hours + refit) * math.exp(-slack / (2 * average))

        name = max(left, key=urgency)
        kind, hours, _, _ = left.pop(name)
        free[at] += hours + (0 if before in (None, kind) else REFITTING)
        machines[at].append(name)
    return machines


def improved(orders, machines, rng):
    costs = [cost(orders, machine) for machine in machines]
    heat = sum(costs) / 200 + 1
    best, least = [machine[:] for machine in machines], sum(costs)
    for move in range(MOVES):
        source, target = rng.randrange(MACHINES), rng.randrange(MACHINES)
        if not machines[source]:
            continue
        changed = {source: machines[source][:]}
        name = changed[source].pop(rng.randrange(len(changed[source])))
        changed.setdefault(target, machines[target][:])
        changed[target].insert(rng.randint(0, len(changed[target])), name)
        now = {at: cost(orders, sequence) for at, sequence in changed.items()}
        worse = sum(now.values()) - sum(costs[at] for at in now)
        if worse <= 0 or rng.random() < math.exp(-worse / (heat * (1 - move / MOVES) + 1e-9)):
            for at, sequence in changed.items():
                machines[at], costs[at] = sequence, now[at]
            if sum(costs) < least:
                best, least = [machine[:] for machine in machines], sum(costs)
    return best


def main():
    orders = {}
    for line in sys.stdin:
        name, kind, *numbers = line.split()
        orders[name] = (kind, *map(int, numbers))
    for machine in improved(orders, urgent_first(orders), random.Random(1)):
        print(" ".join(machine))


main()
