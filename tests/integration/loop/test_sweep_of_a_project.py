"""A project's own sweep counts its uses of a split, however often it is resumed."""

from auto_benchmark.flows import inline
from auto_benchmark.sweeps.run import run_in_project
from auto_benchmark.telling.status import status

SPEC = """
name: offsets
solution: toy
datasets: [{name: toy, version: "1", split: gate}]
metrics: {primary: accuracy}
configurations: [{name: baseline}, {name: zero, params: {offset: 0.0}}]
seeds: [1, 2]
"""


def test_a_resumed_sweep_counts_its_split_once(toy):
    inline.scrape(toy.ctx)
    (toy.ctx.settings.config / "offsets.yaml").write_text(SPEC)
    for _ in range(2):
        told = run_in_project(toy.ctx, spec="offsets.yaml")
        assert (told["runs"], told["done"], told["failed"]) == (4, 4, 0)
        assert status(toy.ctx).split_queries["toy@1/gate"] == {"sweep offsets": 4}
