"""What comes out of a container is regular files inside the target, and no more than was agreed."""

import io
import tarfile

import pytest

from auto_benchmark.runners.archive import UnfitOutputError, pack, unpack


def archive(*members):
    """Members are (name, type, content)."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.size = kind, len(content) if kind == tarfile.REGTYPE else 0
            info.linkname = "/etc/passwd"
            tar.addfile(info, io.BytesIO(content))
    data = packed.getvalue()
    return [data[i : i + 700] for i in range(0, len(data), 700)]


def test_files_come_out_whatever_the_chunks(tmp_path):
    unpack(
        archive(("out", tarfile.DIRTYPE, b""), ("out/a", tarfile.REGTYPE, b"x" * 5000),
                ("out/seed-1/b", tarfile.REGTYPE, b"y")),
        tmp_path, limit_mb=1,
    )  # fmt: skip
    assert (tmp_path / "a").read_bytes() == b"x" * 5000 and (tmp_path / "seed-1/b").read_bytes() == b"y"


@pytest.mark.parametrize("name", ["out/../../escaped", "/etc/escaped", "out/a/b/c/d/escaped", "out/..", ".."])
def test_nothing_is_written_outside(tmp_path, name):
    target = tmp_path / "deep" / "target"
    target.mkdir(parents=True)
    unpack(archive((name, tarfile.REGTYPE, b"x")), target, limit_mb=1)
    assert not [p for p in tmp_path.rglob("*escaped*") if target not in p.parents]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE]
)
def test_links_and_devices_vanish_and_are_refused_as_results(tmp_path, kind):
    unpack(archive(("out/other", kind, b"")), tmp_path, limit_mb=1)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UnfitOutputError, match=r"predictions\.jsonl"):
        unpack(archive(("out/seed-3/predictions.jsonl", kind, b"")), tmp_path, limit_mb=1)


def test_too_much_is_refused(tmp_path):
    big = [(f"out/{n}", tarfile.REGTYPE, bytes(2**20)) for n in range(18)]
    with pytest.raises(UnfitOutputError, match="more than 1 MiB"):
        unpack(archive(*big), tmp_path, limit_mb=1)
    with pytest.raises(UnfitOutputError, match="files"):
        unpack(archive(*[(f"out/{n}", tarfile.REGTYPE, b"") for n in range(2100)]), tmp_path, limit_mb=1)


@pytest.mark.parametrize(
    "chunks",
    [
        archive(("out/a", tarfile.REGTYPE, b"x"), ("out/a/b", tarfile.REGTYPE, b"y")),
        archive(("out/a/b", tarfile.REGTYPE, b"y"), ("out/a", tarfile.REGTYPE, b"x")),
    ],
    ids=["a file that holds another", "a folder that is a file"],
)
def test_what_cannot_lie_in_one_folder_is_unfit(tmp_path, chunks):
    with pytest.raises(UnfitOutputError):
        unpack(chunks, tmp_path, limit_mb=1)


@pytest.mark.parametrize(
    "chunks", [[b"no archive at all" * 100], archive(("out/a", tarfile.REGTYPE, b"x" * 5000))[:3]],
    ids=["no archive", "its beginning"],
)  # fmt: skip
def test_a_transfer_that_breaks_off_is_no_fault_of_the_trial(tmp_path, chunks):
    with pytest.raises(tarfile.TarError):
        unpack(chunks, tmp_path, limit_mb=1)


def test_data_goes_in_read_only_and_as_root(tmp_path):
    (tmp_path / "inputs.jsonl").write_text("{}")
    (tmp_path / "folder").mkdir()
    with tarfile.open(fileobj=io.BytesIO(pack(tmp_path))) as tar:
        (member,) = tar.getmembers()
    assert (member.name, member.mode, member.uid) == ("inputs.jsonl", 0o444, 0)
