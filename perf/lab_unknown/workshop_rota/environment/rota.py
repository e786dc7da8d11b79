"""Plans the orders of a workshop: the most urgent first, on the machine that is free first."""

import sys

MACHINES = 3
REFITTING = 4


class Order:
    def __init__(self, name, kind, hours, due, cost):
        self.name = name
        self.kind = kind
        self.hours = int(hours)
        self.due = int(due)
        self.cost = int(cost)


class Machine:
    def __init__(self):
        self.orders = []
        self.free_at = 0

    def add(self, order):
        if self.orders and self.orders[-1].kind != order.kind:
            self.free_at += REFITTING
        self.free_at += order.hours
        self.orders.append(order)


def read_orders():
    orders = []
    for line in sys.stdin:
        if line.strip():
            orders.append(Order(*line.split()))
    return orders


def plan(orders):
    machines = [Machine() for _ in range(MACHINES)]
    for order in sorted(orders, key=lambda order: order.due):
        best = machines[0]
        for machine in machines:
            if machine.free_at < best.free_at:
                best = machine
        best.add(order)
    return machines


def main():
    for machine in plan(read_orders()):
        print(" ".join(order.name for order in machine.orders))


if __name__ == "__main__":
    main()
