"""Six digits an item; the answer says whether they add up to 27 or more."""

import random
from types import SimpleNamespace


def generate(seed, worlds):
    rng = random.Random(seed)
    items = [{"id": f"{seed}-{i}", "digits": [rng.randint(0, 9) for _ in range(6)]} for i in range(worlds)]
    answers = {item["id"]: {"answer": "high" if sum(item["digits"]) >= 27 else "low"} for item in items}
    return SimpleNamespace(contexts=[], items=items, answers=answers)
