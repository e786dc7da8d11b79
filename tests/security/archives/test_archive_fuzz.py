"""A share of the changed archives that ``make acceptance`` imports 2,000 of."""

import gzip

from tests.security.archives import changed_archives
from tests.security.archives.changed_archives import bring_in, members, packed

from auto_benchmark.project.transfer import import_project

SEEDS = 300


def test_the_archive_itself_comes_in(target, tmp_path):
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(packed(members())))
    assert import_project(target.settings, target.sessions, tmp_path / "a.tar.gz")["project"] == "default"


def test_changed_archives(target, tmp_path):
    told = bring_in(target, range(SEEDS), tmp_path)
    assert told["faults"] == []
    assert told["refused"] > SEEDS / 2 and told["imported"] > SEEDS / 20, told


def test_a_crash_and_a_foreign_file_are_faults(target, tmp_path, monkeypatch):
    def careless(settings, *_):
        (settings.root / "elsewhere").touch()
        raise KeyError("trials")

    monkeypatch.setattr(changed_archives, "import_project", careless)
    told = bring_in(target, [1], tmp_path)
    assert told["faults"] == ["seed 1: KeyError: 'trials'", "seed 1: changed what is not its own"]
