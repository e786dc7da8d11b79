"""A directory is put in place of what is there, whatever that is."""

import pytest

from auto_benchmark import atomic


@pytest.mark.parametrize("before", ["nothing", "directory", "file", "link", "broken link"])
def test_a_directory_takes_the_place_of_what_is_there(tmp_path, before):
    place, elsewhere = tmp_path / "place", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    if before == "directory":
        (place / "below").mkdir(parents=True)
    elif before == "file":
        place.touch()
    elif "link" in before:
        place.symlink_to("nowhere" if before == "broken link" else "elsewhere")
    with atomic.replaced_directory(place) as draft:
        (draft / "new").touch()
    assert [path.name for path in place.iterdir()] == ["new"] and not place.is_symlink()
    assert (elsewhere / "kept").exists() and {p.name for p in tmp_path.iterdir()} == {"place", "elsewhere"}


def test_the_last_of_two_that_replace_one_directory_stays(tmp_path):
    place = tmp_path / "place"
    with atomic.replaced_directory(place) as one:
        (one / "one").touch()
        with atomic.replaced_directory(place) as other:
            (other / "other").touch()
    assert [path.name for path in place.iterdir()] == ["one"]
