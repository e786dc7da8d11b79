"""Algorithms on small instances: shortest ways, subsequences, inversions, brackets, knapsacks."""

from __future__ import annotations

import heapq
import itertools
import re
from bisect import bisect_left
from random import Random
from typing import Any

from auto_benchmark.construction.dressing import THINGS, scene
from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, Source

PAIRS = {")": "(", "]": "[", "}": "{"}


def _where(random: Random) -> str:
    return "A {trade} keeps a list about {thing} in the {place}.".format(**scene(random))


def _draw_way(random: Random, params: Params) -> Evidence:
    stops = random.sample(THINGS, int(params["stops"]))
    roads = [[a, b, random.randint(1, 30)] for a, b in itertools.pairwise(stops)]
    others = [pair for pair in itertools.combinations(stops, 2) if list(pair) not in [r[:2] for r in roads]]
    for a, b in random.sample(others, min(len(others), int(params["extra_roads"]))):
        roads.append([a, b, random.randint(10, 60)])
    random.shuffle(roads)
    return {"where": _where(random), "roads": roads, "start": stops[0], "end": stops[-1]}


def _ask_way(e: Evidence) -> Asked:
    context = "\n".join(f"between the {a} and the {b}: {steps} steps" for a, b, steps in e["roads"])
    question = f"{e['where']} What is the fewest steps from the {e['start']} to the {e['end']}?"
    return Asked(question, context)


def _way(e: Evidence) -> Answer:
    """Dijkstra 1959."""
    beside: dict[str, list[tuple[str, int]]] = {}
    for a, b, steps in e["roads"]:
        beside.setdefault(a, []).append((b, steps))
        beside.setdefault(b, []).append((a, steps))
    heap, done = [(0, e["start"])], set[str]()
    while heap:
        far, stop = heapq.heappop(heap)
        if stop == e["end"]:
            return int(far)
        if stop not in done:
            done.add(stop)
            for other, steps in beside[stop]:
                heapq.heappush(heap, (far + steps, other))
    raise ValueError("there is no way")


def _way_again(_: Evidence, asked: Asked) -> Answer:
    """Floyd 1962, on the lines of the text."""
    far: dict[tuple[str, str], float] = {}
    for a, b, steps in re.findall(r"between the (\w+) and the (\w+): (\d+) steps", asked.context):
        for pair in ((a, b), (b, a)):
            far[pair] = min(far.get(pair, float("inf")), int(steps))
    stops = {stop for pair in far for stop in pair}
    for k, i, j in itertools.product(stops, stops, stops):
        through = far.get((i, k), float("inf")) + far.get((k, j), float("inf"))
        far[i, j] = min(far.get((i, j), float("inf")), through)
    ends = re.search(r"from the (\w+) to the (\w+)\?", asked.question)
    if ends is None:
        raise ValueError("names no ends")
    return int(far[ends.group(1), ends.group(2)])


def _draw_numbers(random: Random, params: Params) -> Evidence:
    return {"where": _where(random), "numbers": random.sample(range(1, 100), int(params["length"]))}


def _numbers(asked: Asked) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", asked.context)]


def _ask_increasing(e: Evidence) -> Asked:
    question = f"{e['where']} How long is the longest subsequence of the list that increases strictly?"
    return Asked(question, ", ".join(map(str, e["numbers"])))


def _increasing(e: Evidence) -> Answer:
    """Patience sorting (Schensted 1961)."""
    tops: list[int] = []
    for number in e["numbers"]:
        at = bisect_left(tops, number)
        tops[at : at + 1] = [number]
    return len(tops)


def _increasing_again(_: Evidence, asked: Asked) -> Answer:
    """Dynamic programming over all pairs."""
    numbers = _numbers(asked)
    best: list[int] = []
    for i, number in enumerate(numbers):
        best.append(1 + max((best[j] for j in range(i) if numbers[j] < number), default=0))
    return max(best)


def _ask_inversions(e: Evidence) -> Asked:
    question = f"{e['where']} How many pairs of the list are out of order, the earlier number larger than the later?"
    return Asked(question, ", ".join(map(str, e["numbers"])))


def _inversions(e: Evidence) -> Answer:
    """Insertion sort's moves."""
    ordered: list[int] = []
    moves = 0
    for number in e["numbers"]:
        at = bisect_left(ordered, number)
        moves += len(ordered) - at
        ordered.insert(at, number)
    return moves


def _inversions_again(_: Evidence, asked: Asked) -> Answer:
    return sum(a > b for a, b in itertools.combinations(_numbers(asked), 2))


def _draw_brackets(random: Random, params: Params) -> Evidence:
    length = 2 * int(params["pairs"])
    text = _balanced(random, length)
    if random.random() < 0.5:
        whole = list(text)
        while _is_balanced("".join(text)):
            a, b = random.sample(range(length), 2)
            text = list(whole)
            text[a], text[b] = text[b], text[a]
    return {"where": _where(random), "text": "".join(text)}


def _balanced(random: Random, length: int) -> list[str]:
    closing = {opened: closed for closed, opened in PAIRS.items()}
    text: list[str] = []
    stack: list[str] = []
    while len(text) < length:
        if stack and (random.random() < 0.5 or len(stack) == length - len(text)):
            text.append(stack.pop())
        else:
            text.append(random.choice("([{"))
            stack.append(closing[text[-1]])
    return text


def _ask_brackets(e: Evidence) -> Asked:
    return Asked(f"{e['where']} Are the brackets of its code balanced: {e['text']}", options=("yes", "no"))


def _is_balanced(text: str) -> bool:
    stack: list[str] = []
    for sign in text:
        if sign not in PAIRS:
            stack.append(sign)
        elif not stack or stack.pop() != PAIRS[sign]:
            return False
    return not stack


def _brackets(e: Evidence) -> Answer:
    return "yes" if _is_balanced(e["text"]) else "no"


def _brackets_again(_: Evidence, asked: Asked) -> Answer:
    """Neighbouring pairs struck out until none is left."""
    text = asked.question.rpartition(": ")[2]
    while text != (shorter := text.replace("()", "").replace("[]", "").replace("{}", "")):
        text = shorter
    return "no" if text else "yes"


def _draw_knapsack(random: Random, params: Params) -> Evidence:
    things = random.sample(THINGS, int(params["things"]))
    goods: list[list[Any]] = [[thing, random.randint(2, 20), random.randint(5, 60)] for thing in things]
    return {"where": _where(random), "goods": goods, "limit": sum(g[1] for g in goods) // 2}


def _ask_knapsack(e: Evidence) -> Asked:
    context = "\n".join(f"{thing}: weight {weight}, worth {worth}" for thing, weight, worth in e["goods"])
    return Asked(
        f"{e['where']} Each can be taken once. What is the most worth that weighs at most {e['limit']}?", context
    )


def _knapsack(e: Evidence) -> Answer:
    best = [0] * (e["limit"] + 1)
    for _, weight, worth in e["goods"]:
        for load in range(e["limit"], weight - 1, -1):
            best[load] = max(best[load], best[load - weight] + worth)
    return best[-1]


def _knapsack_again(_: Evidence, asked: Asked) -> Answer:
    """Every subset."""
    goods = [(int(w), int(v)) for w, v in re.findall(r"weight (\d+), worth (\d+)", asked.context)]
    limit = int(asked.question.rpartition("at most ")[2].rstrip("?"))
    best = 0
    for chosen in itertools.product((0, 1), repeat=len(goods)):
        load = sum(take * weight for take, (weight, _) in zip(chosen, goods, strict=True))
        if load <= limit:
            best = max(best, sum(take * worth for take, (_, worth) in zip(chosen, goods, strict=True)))
    return best


SOURCE = Source(
    Card(
        name="algorithms",
        title="Algorithms on small instances",
        modality="text",
        domains=("algorithm", "algorithms", "reasoning", "logic", "planning", "computer"),
        data="graphs, lists, bracket texts and knapsacks drawn at random; no end to them",
        licence="none needed: generated",
        key="the standard algorithm on the drawn instance",
        second_key="another algorithm, on the instance as it is read back from the question's text",
    ),
    (
        Form("shortest_way", "the length of a shortest way", ("path", "way", "route", "graph", "shortest"),
             {"stops": Between(3, 9), "extra_roads": Between(1, 10)}, _draw_way, _ask_way, _way, _way_again),
        Form("increasing", "the longest increasing subsequence", ("subsequence", "sequence", "list", "increasing"),
             {"length": Between(4, 14)}, _draw_numbers, _ask_increasing, _increasing, _increasing_again),
        Form("inversions", "pairs that are out of order", ("sort", "sorting", "order", "inversion"),
             {"length": Between(4, 14)}, _draw_numbers, _ask_inversions, _inversions, _inversions_again),
        Form("brackets", "whether brackets are balanced", ("bracket", "brackets", "balanced", "syntax"),
             {"pairs": Between(2, 12)}, _draw_brackets, _ask_brackets, _brackets, _brackets_again),
        Form("knapsack", "the most worth within a weight", ("knapsack", "optimisation", "optimization", "packing"),
             {"things": Between(3, 9)}, _draw_knapsack, _ask_knapsack, _knapsack, _knapsack_again),
    ),
)  # fmt: skip
