"""A share of the odd documents that ``make acceptance`` reads 10,000 of: read or refused, within a budget of work."""

import pytest
from perf import reader_fuzz

pytestmark = pytest.mark.timeout(120)


def test_no_document_crashes_or_hangs_a_reader():
    assert reader_fuzz.faults(range(20_000, 20_150)) == {"documents": 150, "faults": []}


def test_work_beyond_the_budget_is_a_fault(monkeypatch):
    monkeypatch.setattr(reader_fuzz, "FREE_S", -1.0)
    monkeypatch.setattr(reader_fuzz, "S_PER_KB", 0.0)
    assert "s for" in (reader_fuzz.fault_of(1) or "")


def test_a_crash_is_a_fault(monkeypatch):
    def crash(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr(reader_fuzz, "read_board", crash)
    assert "RuntimeError: broken" in (reader_fuzz.fault_of(1) or "")
