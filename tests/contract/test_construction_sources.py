"""Every bundled source, and one over a user's own documents."""

import pytest
from tests.contract.construction_source_contract import ConstructionSourceContract

from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.sources.documents import documents
from auto_benchmark.errors import InputError

TEXT = """The mill stands at the river since 1840. It was built by Harris for the village. In spring 12 wheels
turn there, and in autumn only 7 wheels turn. The miller Peters sold 300 sacks to the baker Stone. His daughter went
with Carter to the coast, where they counted 41 boats. Later 9 of them were sold to Morgan, who paid 220 crowns.

In the year of the flood the bridge of Walden lost 3 arches. The mason Keller set 118 stones anew. People from Arden
brought 64 ropes, and the smith Turner made 25 hooks. The bill of 730 crowns was paid by Lady Mercer in 2 parts.
"""


class TestBundled(ConstructionSourceContract):
    @pytest.fixture(params=SOURCES, ids=lambda source: source.card.name)
    def source(self, request):
        return request.param


class TestDocuments(ConstructionSourceContract):
    @pytest.fixture
    def source(self, tmp_path):
        (tmp_path / "mill.txt").write_text(TEXT)
        return documents(tmp_path)


def test_names_of_sources_are_unique():
    names = [source.card.name for source in SOURCES]
    assert len(set(names)) == len(names) >= 6


def test_documents_without_anything_to_ask_are_refused(tmp_path):
    (tmp_path / "empty.txt").write_text("nothing to see here.")
    with pytest.raises(InputError, match="no sentence"):
        documents(tmp_path)
