"""Simulates the programs on a memory drawn anew and compares what they store with what the graphs say."""

import random
import re

from harness import Candidate, Limits, Verifier, Wrong, python

GRAPHS, LOADS, WORK, REGISTERS, MOST = 20, 26, 60, 16, 2_000
WORD = (1 << 32) - 1
UNITS = {"add": "ALU", "sub": "ALU", "xor": "ALU", "mul": "MUL", "load": "MEM", "store": "MEM"}
PLACES, LATENCY = {"ALU": 2, "MUL": 1, "MEM": 1}, {"add": 1, "sub": 1, "xor": 1, "mul": 3, "load": 4}
SHAPE = re.compile(r"(?:(add|sub|xor|mul) r(\d\d?) r(\d\d?) r(\d\d?)|(load|store) r(\d\d?) (\d{1,3}))", re.ASCII)
VALUE = {"add": lambda a, b: a + b & WORD, "sub": lambda a, b: a - b & WORD, "xor": lambda a, b: a ^ b,
         "mul": lambda a, b: a * b & WORD}  # fmt: skip


class Verify(Verifier):
    build = python("schedule.py")
    limits = Limits(seconds=10, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        graphs = [graph(rng) for _ in range(GRAPHS)]
        given = (
            "\n".join(" ".join(map(str, line)) for each in graphs for line in [("graph", len(each)), *each]) + "\n"
        )
        lines = candidate.run(self.build, given.encode(), self.limits).decode("ascii", "replace").split("\n")
        ends = [at for at, line in enumerate(lines) if line == "end"]
        if len(ends) != GRAPHS or any(lines[ends[-1] + 1 :]):
            raise Wrong(f"does not print {GRAPHS} programs, each with its end", "format")
        programs = [lines[begin + 1 : end] for begin, end in zip([-1, *ends], ends)]
        total = 0
        for number, (each, program) in enumerate(zip(graphs, programs), 1):
            memory = [rng.getrandbits(32) for _ in range(256)]
            right = expected(each, memory)
            total += simulated(program, memory, f"program {number}")
            if any(memory[place] != value for place, value in right.items()):
                raise Wrong(f"program {number} stores something wrong")
        candidate.note("correct")
        return total / sum(least(each) for each in graphs)


def graph(rng: random.Random) -> list[tuple]:
    """Operations in an order in which at most twelve results wait for their last user at any time."""
    places = rng.sample(range(200), 100)
    operations: list[tuple] = []
    live: list[int] = []
    loads = work = 0
    while work < WORK or loads < LOADS:
        if loads < LOADS and (len(live) < 3 or (len(live) < 11 and rng.random() < 0.35)):
            operations.append(("load", places.pop()))
            loads += 1
        else:
            a, b = rng.sample(live, 2)
            for source in (a, b):
                if len(live) > 3 and (rng.random() < 0.45 or len(live) > 10):
                    live.remove(source)
            operations.append((rng.choice(["add", "sub", "xor", "mul"]), a, b))
            work += 1
        live.append(len(operations) - 1)
    used = {source for operation in operations if operation[0] != "load" for source in operation[1:]}
    unused = sorted(set(range(len(operations))) - used)
    return operations + [("store", source, places.pop()) for source in unused]


def least(operations: list[tuple]) -> int:
    """Cycles that no program for a graph can do without: of its longest way, and of the units that are there once."""
    ready: list[int] = []
    for name, *given in operations:
        sources = {"load": [], "store": given[:1]}.get(name, given)
        ready.append(max((ready[at] for at in sources), default=0) + LATENCY.get(name, 1))
    count = [UNITS[operation[0]] for operation in operations].count
    return max(*ready, count("MEM"), count("MUL") + LATENCY["mul"])


def expected(operations: list[tuple], memory: list[int]) -> dict[int, int]:
    """Word -> what has to stand there at the end."""
    results, stored = [], {}
    for name, *given in operations:
        if name == "store":  # these come last
            stored[given[1]] = results[given[0]]
        else:
            results.append(memory[given[0]] if name == "load" else VALUE[name](*(results[at] for at in given)))
    return stored


def simulated(program: list[str], memory: list[int], where: str) -> int:
    """Run a program on the memory; the cycles that it takes. Raises Wrong at a fault."""
    if len(program) > MOST:
        raise Wrong(f"{where} has more than {MOST} lines", "format")
    registers, arriving, end = [0] * REGISTERS, {}, len(program)
    for cycle, line in enumerate(program):
        for target, value in arriving.pop(cycle, {}).items():
            registers[target] = value
        busy, stored = dict.fromkeys(PLACES, 0), []
        for text in line.split(";") if line.strip() else []:
            found = SHAPE.fullmatch(text.strip())
            name = (found[1] or found[5]) if found else ""
            numbers = [int(number) for number in found.group(2, 3, 4, 6) if number] if found else [REGISTERS]
            place = int(found[7]) if found and found[7] else 0
            if max(numbers) >= REGISTERS or place >= len(memory):
                raise Wrong(f"{where}, cycle {cycle}: cannot be read", "format")
            busy[UNITS[name]] += 1
            if name == "store":  # reads its register now; a load of the next cycle finds the word
                stored.append((place, registers[numbers[0]]))
                end = max(end, cycle + 1)
                continue
            value = memory[place] if name == "load" else VALUE[name](registers[numbers[1]], registers[numbers[2]])
            lands = arriving.setdefault(at := cycle + LATENCY[name], {})
            if numbers[0] in lands:
                raise Wrong(f"{where}, cycle {cycle}: two results arrive in one register at once")
            lands[numbers[0]], end = value, max(end, at)
        if any(busy[unit] > PLACES[unit] for unit in busy):
            raise Wrong(f"{where}, cycle {cycle}: more instructions than units")
        for place, value in stored:
            memory[place] = value
    return end
