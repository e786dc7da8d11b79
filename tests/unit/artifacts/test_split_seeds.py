"""Seeds of search and gate: apart for every benchmark, version, split, draw and secret, and published only on request."""

import hashlib
import hmac
import json
from pathlib import Path

import pytest

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.benchmark_module import Data
from auto_benchmark.artifacts.secret_in_data import without_seed
from auto_benchmark.artifacts.split_seeds import PUBLISHED, SplitSeeds, drawn_now, of_home
from auto_benchmark.documents import load
from auto_benchmark.registry.benchmark import Benchmark

TOY = Path(__file__).resolve().parents[2] / "toy" / "benchmarks" / "toy" / "benchmark.yaml"
SECRET = bytes(range(32))


@pytest.fixture(scope="module")
def benchmark():
    return load(Benchmark, TOY)


def test_a_seed_is_the_hmac_of_benchmark_version_and_split(benchmark):
    seeds = SplitSeeds(lambda: SECRET)
    version = seeds.version(benchmark)
    digest = hmac.new(SECRET, json.dumps(["toy", version, "gate"]).encode(), hashlib.sha256).hexdigest()
    assert seeds.seed(benchmark, "gate") == int(digest, 16) >> 193


def test_everything_that_a_seed_is_for_changes_it(benchmark):
    seeds, other = SplitSeeds(lambda: SECRET), SplitSeeds(lambda: SECRET[::-1])
    renamed, renewed = (benchmark.model_copy(update={name: "toy2"}) for name in ("name", "version"))
    found = [seeds.seed(benchmark, "search"), seeds.seed(benchmark, "gate"), seeds.seed(benchmark, "gate", 2)]
    found += [seeds.seed(each, "gate") for each in (renamed, renewed)] + [other.seed(benchmark, "gate")]
    assert len({*found, *(getattr(benchmark.splits, name).seed for name in ("train", "search", "gate"))}) == 9
    assert all(0 <= seed < 2**63 for seed in found)


def test_the_search_split_stays_when_the_gates_items_are_drawn_anew(benchmark):
    seeds = SplitSeeds(lambda: SECRET)
    assert seeds.seed(benchmark, "search", 2) == seeds.seed(benchmark, "search")


def test_a_version_names_the_draw_and_tells_secrets_apart(benchmark):
    seeds, other = SplitSeeds(lambda: SECRET), SplitSeeds(lambda: SECRET[::-1])
    versions = [seeds.version(benchmark, draw) for draw in (1, 2, 11)]
    assert [seeds.draw_of(benchmark, version) for version in versions] == [1, 2, 11]
    assert all(v.startswith(f"{benchmark.version}-") and SECRET.hex()[:8] not in v for v in versions)
    strange = [
        benchmark.version,
        f"{versions[0]}-1",
        f"{versions[0]}-02",
        f"{versions[0]}-x",
        f"{versions[0]}--2",
        "",
    ]
    assert [other.draw_of(benchmark, v) for v in versions] == [None] * 3
    assert [seeds.draw_of(benchmark, v) for v in strange] == [None] * 6


def test_published_seeds_are_the_declared_ones_of_the_declared_version(benchmark):
    assert PUBLISHED.seed(benchmark, "gate") == benchmark.splits.gate.seed
    assert (PUBLISHED.version(benchmark), PUBLISHED.draw_of(benchmark, benchmark.version)) == (benchmark.version, 1)
    assert PUBLISHED.seed(benchmark, "gate", 2) > 2**32, "a later draw has a seed that is not declared"


def test_the_secret_is_in_no_text_of_the_object(benchmark):
    seeds = SplitSeeds(lambda: SECRET)
    seeds.seed(benchmark, "gate")
    assert SECRET.hex() not in repr(seeds) and repr(SECRET) not in f"{seeds!r} {seeds}"


def test_without_a_database_a_home_keeps_one_secret_for_its_owner_alone(tmp_path, benchmark):
    first, second, elsewhere = of_home(tmp_path), of_home(tmp_path), of_home(tmp_path / "other")
    assert first.seed(benchmark, "gate") == second.seed(benchmark, "gate") != elsewhere.seed(benchmark, "gate")
    (kept,) = (tmp_path / "sealed").iterdir()
    assert (kept.stat().st_mode & 0o077, kept.parent.stat().st_mode & 0o077) == (0, 0)
    assert drawn_now().seed(benchmark, "gate") != drawn_now().seed(benchmark, "gate")


def test_only_the_seed_of_train_has_to_be_declared(benchmark):
    bare = {name: split.model_copy(update={"seed": None}) for name, split in benchmark.splits}
    without = benchmark.model_copy(update={"splits": benchmark.splits.model_copy(update=bare)})
    assert [path for path, _ in without.problems()] == [("splits", "train", "seed")]
    assert PUBLISHED.seed(without, "gate") > 2**32


def test_a_generator_that_writes_its_seed_into_the_inputs_tells_it_to_nobody(tmp_path, benchmark):
    seeds = SplitSeeds(lambda: SECRET)
    data, seed = BenchmarkData(TOY.parent, tmp_path, seeds), seeds.seed(benchmark, "gate")
    told = (data.view("gate") / "inputs.jsonl").read_text()
    assert str(seed) not in told and len(told.splitlines()) == benchmark.splits.gate.worlds
    assert data.item_ids(data.view("gate")) == set(data.answers("gate"))
    row = {"id": f"a/{seed}", "seed": seed, "deep": [{str(seed): (seed, seed + 1)}]}
    cleared = without_seed(Data([row], [], {row["id"]: {"answer": seed / 2}}), seed)
    assert str(seed) not in repr(cleared) and str(seed + 1) in repr(cleared)


def test_a_trial_is_handed_another_seed_than_it_is_planned_with_the_same_every_time():
    seeds, other = (SplitSeeds(lambda s=secret: s, of_trials=True) for secret in (SECRET, SECRET[::-1]))
    planned = [*range(50), *range(1000, 1050), *range(2**30, 2**30 + 50)]
    given = [seeds.given(seed) for seed in planned]
    assert given == [seeds.given(seed) for seed in planned] and len(set(given)) == len(planned)
    assert all(0 <= seed < 2**31 for seed in given) and not set(given) & set(planned)
    assert not set(given) & {other.given(seed) for seed in planned}
    for groups in (given[:50], given[50:100], given[100:]):
        assert 15 <= sum(seed < 2**30 for seed in groups) <= 35, "its size tells nothing of its purpose"


def test_published_seeds_and_a_persons_own_trials_keep_their_number(tmp_path):
    for seeds in (PUBLISHED, SplitSeeds(None, of_trials=True), of_home(tmp_path), drawn_now()):
        assert [seeds.given(seed) for seed in (0, 7, 2**30)] == [0, 7, 2**30]
