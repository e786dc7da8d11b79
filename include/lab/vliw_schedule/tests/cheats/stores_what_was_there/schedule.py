"""Results of the memory that it would have drawn."""

import sys

LATENCY = {"add": 1, "sub": 1, "xor": 1, "mul": 3, "load": 4, "store": 1}
REGISTERS = 16


def operands(operation: list[str]) -> list[int]:
    """Numbers of the operations whose results it reads."""
    return {"load": [], "store": [int(operation[1])]}.get(operation[0], [int(word) for word in operation[1:]])


def program(graph: list[list[str]]) -> list[str]:
    """One line a cycle."""
    last = {source: at for at, operation in enumerate(graph) for source in operands(operation)}
    free, held, lines = list(range(REGISTERS)), {}, []
    for at, operation in enumerate(graph):
        sources = operands(operation)
        read = [f"r{held[source]}" for source in sources]
        free += [held[source] for source in set(sources) if last[source] == at]
        if operation[0] == "store":
            lines.append(f"store 0 {operation[2]}")
        else:
            held[at] = free.pop(0)
            lines.append(" ".join([operation[0], f"r{held[at]}", *(read or operation[1:])]))
        lines += [""] * (LATENCY[operation[0]] - 1)
    return lines


lines = sys.stdin.read().splitlines()
while lines:
    size = int(lines[0].split()[1])
    print(*program([line.split() for line in lines[1 : size + 1]]), "end", sep="\n")
    lines = lines[size + 1 :]
