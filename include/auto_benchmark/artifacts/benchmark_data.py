"""A benchmark's data on disk: what a trial may see, and apart from it what only the scorer may.

Everything is content-addressed, written once into a temporary directory and renamed into place, so that several
processes may ask for the same data at the same time and a killed one leaves nothing half written::

    <root>/data/<key>/{train.jsonl,inputs.jsonl}     the view of a trial, read-only; under media/ the files that rows name
    <root>/sealed/<key>.json                         the answers to inputs.jsonl, for the owner alone

A split is generated from a seed or read from a file of the user's; from here on there is no difference.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from auto_benchmark import atomic
from auto_benchmark.artifacts.benchmark_module import Data, generator_of, scorer_of
from auto_benchmark.artifacts.item_files import ItemFiles
from auto_benchmark.artifacts.secret_in_data import without_seed
from auto_benchmark.artifacts.split_seeds import FIRST, SplitSeeds, drawn_now
from auto_benchmark.contract.scoring import Scorer, TreeScorer
from auto_benchmark.contract.standard_scoring import StandardScorer
from auto_benchmark.contract.trial import Split
from auto_benchmark.documents import load
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.registry.benchmark import Benchmark, DeclaredSplit

SELF_REPORTED = "self_reported"


class BenchmarkData:
    """Materialises the splits of one benchmark.

    Args:
        folder: holds ``benchmark.yaml``, generator and scorer.
        root: where data is kept, e.g. ``<home>``.
        seeds: of ``search`` and ``gate``; by default from a secret that is forgotten with this object.

    Raises:
        ConfigError: when ``benchmark.yaml`` is faulty.
    """

    def __init__(self, folder: Path, root: Path, seeds: SplitSeeds | None = None) -> None:
        self.folder = folder.resolve()
        self.root = root.resolve()
        self.seeds = seeds or drawn_now()
        self.benchmark = load(Benchmark, self.folder / "benchmark.yaml")
        self._files = ItemFiles(self.folder, self.benchmark)
        self._digests: dict[str, str] = {}

    def version(self, draw: int = FIRST) -> str:
        """The version that trials on this data are recorded with."""
        return self.seeds.version(self.benchmark, draw)

    def draw_of(self, version: str) -> int | None:
        """Which draw of the gate's items a recorded version names; None when it is of other data."""
        return self.seeds.draw_of(self.benchmark, version)

    def view(self, split: Split | str, subset: float = 1.0, draw: int = FIRST) -> Path:
        """Directory that a trial may read: training data with answers, inputs of ``split`` without.

        Args:
            split: ``search`` or ``gate``.
            subset: share of the inputs, the first ceil(n * subset) in their fixed random order.
            draw: of the gate's items.

        Raises:
            RefusedError: for ``hidden``.
            InputError: when the generated data is not the data that ``benchmark.yaml`` promises.
        """
        return self._view(self._visible(split, draw), subset)

    def answers(self, split: Split | str, subset: float = 1.0, draw: int = FIRST) -> dict[str, Any]:
        """Sealed answers to the inputs of :meth:`view`. Raises as it does."""
        return self._answers(self._visible(split, draw), subset)

    def hidden_view(self, seed: int) -> Path:
        """View of a hidden split. Only the arena that drew ``seed`` can ask for it."""
        return self._view(("hidden", seed), 1.0)

    def hidden_answers(self, seed: int) -> dict[str, Any]:
        """Sealed answers to :meth:`hidden_view`."""
        return self._answers(("hidden", seed), 1.0)

    def submit_view(self, inputs: Path) -> Path:
        """View whose inputs are those that an arena handed out.

        Args:
            inputs: JSON Lines of context and item rows.

        Raises:
            InputError: when a line is not a JSON object, an id is missing or repeated, or an answer lies in it.
        """
        content = inputs.read_bytes()
        _check_inputs(content, inputs)
        key = _key(self._train_key, "submit", hashlib.sha256(content).hexdigest())
        return self._materialised(key, lambda: content)

    def scorer(self) -> Scorer:
        """The benchmark's scorer. Raises RefusedError where metrics are self-reported."""
        return load_scorer(self.folder, self.benchmark)

    def tree_scorer(self) -> TreeScorer | None:
        """The benchmark's scorer where it grades code instead of predictions; None where it does not. Raises as it does."""
        scorer = self.scorer()
        return cast("TreeScorer", scorer) if callable(getattr(scorer, "score_tree", None)) else None

    def sha256(self) -> str:
        """Identity of all visible data: name, version, and the declaration of every visible split."""
        splits = self.benchmark.splits
        visible = [self._identity(name, splits.declared[name].seed) for name in ("train", "search", "gate")]
        return _key(self.benchmark.name, self.benchmark.version, *visible)

    def digest(self, split: str) -> str | None:
        """What distinguishes trials on a split: its declared SHA-256; of a file without one, that of its items."""
        declared = self._declared(split)
        return self._of_file(split) if declared.items and not declared.sha256 else declared.sha256

    def split_sha256(self, split: str, seed: int | None = None) -> str:
        """Digest of a split's canonical bytes; that of a published seed stands in ``benchmark.yaml``."""
        if seed is None and split in {Split.SEARCH, Split.GATE}:
            seed = self.seeds.seed(self.benchmark, split)
        return hashlib.sha256(canonical(self._generate(split, seed))).hexdigest()

    def item_count(self, split: str) -> int:
        """Number of a split's items. Raises InputError where they cannot be made."""
        try:
            return len(self._generate(split, self.seeds.seed(self.benchmark, split)).items)
        except InputError:
            raise
        except Exception as error:  # whatever a user's generator raises
            raise InputError(
                f"the generator of {self.benchmark.name} fails: {type(error).__name__}: {error}"
            ) from error

    def item_ids(self, view: Path) -> set[str]:
        """Ids that a trial on ``view`` must answer."""
        with (view / "inputs.jsonl").open(encoding="utf-8") as lines:
            return {str(row["id"]) for row in map(json.loads, lines) if "id" in row}

    def _visible(self, split: Split | str, draw: int) -> tuple[str, int | None]:
        name = Split(split).value
        if name == Split.HIDDEN.value:
            raise RefusedError("the hidden split belongs to the arena; nothing else may read its inputs or answers")
        return name, self.seeds.seed(self.benchmark, name, draw)

    def _view(self, part: tuple[str, int | None], subset: float) -> Path:
        def inputs() -> bytes:
            data = self._verified(*part)
            items = data.items[: _taken(len(data.items), subset)]
            used = {item.get("context") for item in items}
            contexts = [row for row in data.contexts if row.get("context") in used]
            return b"".join(map(_line, [*contexts, *items]))

        return self._materialised(self._key_of(part, subset), inputs)

    def _answers(self, part: tuple[str, int | None], subset: float) -> dict[str, Any]:
        path = self.root / "sealed" / f"{self._key_of(part, subset)}.json"
        if not path.exists():
            data = self._verified(*part)
            items = data.items[: _taken(len(data.items), subset)]
            sealed = {str(item["id"]): data.answers[str(item["id"])] for item in items}
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic.write_text(path, json.dumps(sealed, sort_keys=True), mode=0o600)
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _materialised(self, key: str, inputs: Callable[[], bytes]) -> Path:
        target = self.root / "data" / key
        if target.is_dir():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=".writing-"))
        try:
            content = {"train.jsonl": self._training, "inputs.jsonl": inputs()}
            for name, rows in content.items():
                (draft / name).write_bytes(rows)
            self._files.media.copy_named(content.values(), draft)
            for file in map(draft.joinpath, content):
                file.chmod(0o444)
            draft.chmod(0o755)
            draft.rename(target)
        except OSError:
            if not target.is_dir():  # otherwise another process was first, with the same bytes
                raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return target

    @cached_property
    def _training(self) -> bytes:
        train = self._verified("train", None)
        answered = ({**item, "answer": train.answers[str(item["id"])]["answer"]} for item in train.items)
        return b"".join(map(_line, _chain(train.contexts, answered)))

    @property
    def _train_key(self) -> str:
        train = self.benchmark.splits.train
        return _key(self.benchmark.name, self.benchmark.version, *self._identity("train", train.seed))

    def _key_of(self, part: tuple[str, int | None], subset: float) -> str:
        name, seed = part
        return _key(self._train_key, name, *self._identity(name, seed), f"{subset:.6f}")

    def _identity(self, name: str, seed: int | None) -> tuple[object, ...]:
        declared = self._declared(name)
        origin = (self._of_file(name),) if declared.items else (seed, declared.worlds)
        return *origin, declared.sha256

    def _of_file(self, name: str) -> str:
        """Digest of a split in a file, which is read once: views and answers belong together."""
        if name not in self._digests:
            self._digests[name] = self.split_sha256(name)
        return self._digests[name]

    def _declared(self, name: str) -> DeclaredSplit:
        found = self.benchmark.splits.declared.get(name)
        if found is None:
            raise RefusedError(f"{self.benchmark.name} has no {name} split: benchmark.yaml declares none")
        return found

    def _verified(self, name: str, seed: int | None) -> Data:
        data = self._generate(name, seed)
        declared = self._declared(name)
        promised = declared.sha256 if seed in {None, declared.seed} else None
        if promised is None:
            return data
        found = hashlib.sha256(canonical(data)).hexdigest()
        if promised != found:
            made = "the file holds" if self._declared(name).items else "the generator made"
            raise InputError(
                f"{self.folder / 'benchmark.yaml'}: splits.{name}.sha256: is {promised}, {made} {found}; "
                "changed data need a new version and new digests"
            )
        return data

    def _generate(self, name: str, seed: int | None) -> Data:
        declared = self._declared(name)
        if declared.items is not None:
            return self._files.data(name)
        if self.benchmark.generator is None or declared.worlds is None:
            raise InputError(f"{self.folder / 'benchmark.yaml'}: splits.{name}: has no generator")
        generator = generator_of(self.folder, self.benchmark.generator)
        seed = declared.seed if seed is None else seed
        if seed is None:
            raise RefusedError(f"the seed of {name} is unknown here")
        data = generator.generate(seed, declared.worlds)
        return data if seed == declared.seed else without_seed(data, seed)


def load_scorer(folder: Path, benchmark: Benchmark | None = None) -> Scorer:
    """The scorer of the benchmark in ``folder``.

    Raises:
        RefusedError: where metrics are self-reported.
        InputError: when the scorer cannot be loaded.
    """
    benchmark = benchmark or load(Benchmark, folder / "benchmark.yaml")
    if benchmark.scorer == SELF_REPORTED:
        raise RefusedError(f"{benchmark.name}: its metrics are self-reported, there is nothing to score")
    if benchmark.standard_metrics:
        return StandardScorer(benchmark.standard_metrics)
    return scorer_of(folder, benchmark.scorer)


def canonical(data: Data) -> bytes:
    """One JSON object a line with sorted keys: contexts, items, then answers by id."""
    answers = ({"answers_to": item, **data.answers[item]} for item in sorted(data.answers))
    return b"".join(map(_line, _chain(data.contexts, data.items, answers)))


def _chain(*rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for part in rows:
        yield from part


def _line(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _key(*parts: object) -> str:
    return hashlib.sha256(json.dumps([str(p) for p in parts]).encode()).hexdigest()[:24]


def _taken(count: int, subset: float) -> int:
    if not 0 < subset <= 1:
        raise InputError(f"subset should lie in (0, 1], is {subset!r}")
    return math.ceil(round(count * subset, 9))


def _check_inputs(content: bytes, path: Path) -> None:
    seen: set[str] = set()
    for number, line in enumerate(content.splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}: not a JSON object")
        if "answer" in row:
            raise InputError(f"{path}:{number}: answer: must not be among the inputs")
        if "id" in row:
            if not isinstance(row["id"], str) or row["id"] in seen:
                raise InputError(f"{path}:{number}: id: should be a text that occurs once, is {row['id']!r}")
            seen.add(row["id"])
    if not seen:
        raise InputError(f"{path}: holds no item")
