"""Translates graphs into programs by list scheduling: whatever is ready starts, the longest way to the end first.

A register is taken when an instruction starts and free again when the last reader of its result starts. Loads wait while
few registers are free; how few is tried for each graph, and the shortest program is kept.
"""

import sys

LATENCY = {"add": 1, "sub": 1, "xor": 1, "mul": 3, "load": 4, "store": 1}
UNITS = {"add": "ALU", "sub": "ALU", "xor": "ALU", "mul": "MUL", "load": "MEM", "store": "MEM"}
PLACES = {"ALU": 2, "MUL": 1, "MEM": 1}
REGISTERS = 16
LONGEST = 400


def operands(operation: list[str]) -> list[int]:
    """Numbers of the operations whose results it reads."""
    return {"load": [], "store": [int(operation[1])]}.get(operation[0], [int(word) for word in operation[1:]])


def heights(graph: list[list[str]]) -> list[int]:
    """Cycles from the start of each operation to the end of all that need it."""
    found = [LATENCY[operation[0]] for operation in graph]
    for at in range(len(graph) - 1, -1, -1):
        for source in operands(graph[at]):
            found[source] = max(found[source], LATENCY[graph[source][0]] + found[at])
    return found


def scheduled(graph: list[list[str]], kept_free: int, window: int) -> list[str] | None:
    """One line a cycle; None when the registers do not suffice."""
    height = heights(graph)
    sources = [operands(operation) for operation in graph]
    readers = [0] * len(graph)
    for each in sources:
        for source in set(each):
            readers[source] += 1
    free, held, ready_at = list(range(REGISTERS)), {}, {}
    waiting, lines = list(range(len(graph))), []
    while waiting and len(lines) < LONGEST:
        cycle, busy, line = len(lines), dict.fromkeys(PLACES, 0), []
        nearest = waiting[0]
        able = [
            at
            for at in waiting
            if at <= nearest + window and all(ready_at.get(s, LONGEST) <= cycle for s in sources[at])
        ]
        for at in sorted(able, key=lambda at: -height[at]):
            name = graph[at][0]
            ends = [source for source in set(sources[at]) if readers[source] == 1]
            room = len(free) + len(ends) - (kept_free if name == "load" and at != nearest else 0)
            if busy[UNITS[name]] == PLACES[UNITS[name]] or (name != "store" and room <= 0):
                continue
            busy[UNITS[name]] += 1
            read = [f"r{held[source]}" for source in sources[at]]
            for source in set(sources[at]):
                readers[source] -= 1
                if not readers[source]:
                    free.append(held[source])
            if name == "store":
                line.append(f"store {read[0]} {graph[at][2]}")
            else:
                held[at], ready_at[at] = free.pop(0), cycle + LATENCY[name]
                line.append(" ".join([name, f"r{held[at]}", *(read or graph[at][1:])]))
            waiting.remove(at)
        lines.append(";".join(line))
    return None if waiting else lines


lines = sys.stdin.read().splitlines()
while lines:
    size = int(lines[0].split()[1])
    graph = [line.split() for line in lines[1 : size + 1]]
    tried = [scheduled(graph, kept_free, window) for kept_free in range(1, 9) for window in (10, 20, 30, 45, 100)]
    print(*min((program for program in tried if program is not None), key=len), "end", sep="\n")
    lines = lines[size + 1 :]
