"""Scenes of 1,500 spheres and 1,500 rays; no ray is drawn whose answer depends on rounding."""

import math
import random
import struct
from typing import NamedTuple

from harness import Counted, Wrong, cpp

SPHERES, RAYS = 1_500, 1_500
SMALLEST, LARGEST, AWAY = 0.01, 0.06, 3.0
GRAZING = 2e-5  # of a squared radius: nearer to the edge of a sphere than that no ray passes
APART = 2e-3  # the least distance between the two nearest hits

Numbers = tuple[float, ...]


class Scene(NamedTuple):
    spheres: list[Numbers]
    rays: list[Numbers]
    hits: list[int]


def rounded(numbers: list[float]) -> Numbers:
    """As single precision holds them."""
    return struct.unpack(f"<{len(numbers)}f", struct.pack(f"<{len(numbers)}f", *numbers))


def ray_into_the_cube(rng: random.Random) -> Numbers:
    outward = [rng.gauss(0, 1) for _ in range(3)]
    origin = [AWAY * x / math.hypot(*outward) for x in outward]
    towards = [rng.uniform(-1, 1) - x for x in origin]
    return rounded(origin + [x / math.hypot(*towards) for x in towards])


def hit(ray: Numbers, prepared: list[Numbers]) -> int | None:
    """The sphere that is hit first, -1 for none; None where rounding could change that."""
    ox, oy, oz, dx, dy, dz = ray
    start, origin2 = ox * dx + oy * dy + oz * dz, ox * ox + oy * oy + oz * oz
    found = []
    for number, (x, y, z, rest) in enumerate(prepared):
        along = x * dx + y * dy + z * dz - start
        inside = along * along - (rest - 2 * (ox * x + oy * y + oz * z) + origin2)
        if inside > -GRAZING:
            if inside < GRAZING:
                return None
            found.append((along - math.sqrt(inside), number))
    found.sort()
    if len(found) > 1 and found[1][0] - found[0][0] < APART:
        return None
    return found[0][1] if found else -1


class Verify(Counted):
    build = cpp("cast.cpp", flags=("-static",))

    def draw(self, rng: random.Random) -> Scene:
        lows, highs = (-1, -1, -1, SMALLEST), (1, 1, 1, LARGEST)
        spheres = [rounded(list(map(rng.uniform, lows, highs))) for _ in range(SPHERES)]
        prepared = [(x, y, z, x * x + y * y + z * z - radius * radius) for x, y, z, radius in spheres]
        scene = Scene(spheres, [], [])
        while len(scene.rays) < RAYS:
            found = hit(ray := ray_into_the_cube(rng), prepared)
            if found is not None:
                scene.rays.append(ray)
                scene.hits.append(found)
        return scene

    def encode(self, inputs: Scene) -> bytes:
        return b"".join(struct.pack(f"<{len(each)}f", *each) for each in inputs.spheres + inputs.rays)

    def check(self, inputs: Scene, output: bytes) -> None:
        if len(output) != 4 * RAYS:
            raise Wrong(f"wrote {len(output)} bytes instead of {4 * RAYS}")
        if wrong := sum(map(int.__ne__, struct.unpack(f"<{RAYS}i", output), inputs.hits)):
            raise Wrong(f"{wrong} rays do not hit that first")

    def floor(self, inputs: Scene) -> float:
        return 4.0 * SPHERES + 16 * RAYS
