"""The counter's report is believed only as one whole run of one process."""

import pytest

from auto_benchmark.lab.harness import counter
from auto_benchmark.lab.harness.wrong import Wrong

HEAD = """==7== Cachegrind, a cache and branch-prediction profiler
==7== Copyright (C) 2002-2017, and GNU GPL'd, by Nicholas Nethercote et al.
==7== Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info
==7== Command: ./program
==7==\x20
--7-- warning: L3 cache found, using its data for the LL simulation.
--7-- warning: specified LL cache: line_size 64  assoc 1  total_size 335,544,320
==7==\x20
"""
SUMMARY = """==7== I   refs:      6,128,342
==7== I1  misses:        1,251
==7== LLi misses:        1,232
==7== I1  miss rate:      0.02%
==7== D   refs:      2,039,740  (1,029,171 rd   + 1,010,569 wr)
==7== D1  misses:        1,587  (    1,206 rd   +       381 wr)
==7== LL misses:         2,576  (    2,226 rd   +       350 wr)
==7== LL miss rate:        0.0% (      0.0%     +        0.0%  )
"""


def test_a_whole_report():
    counts = counter.parsed((HEAD + SUMMARY).encode())
    assert counts == (6_128_342, 1_251 + 1_587, 2_576, 2_039_740)
    assert counts.with_misses == 6_128_342 + 10 * 2_838 + 100 * 2_576


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("", "ended without being counted"),
        (HEAD, "ended without being counted"),
        (SUMMARY, "does not write"),
        (HEAD + SUMMARY + "==7== I   refs:      100\n", "two summaries"),
        ("==7== I   refs:      100\n" + HEAD + SUMMARY, "does not write"),
        (HEAD + HEAD + SUMMARY, "became another program"),
        (HEAD + SUMMARY + HEAD, "became another program"),
        (HEAD + SUMMARY.replace("==7==", "==8=="), "does not write"),
        (HEAD + "**7** I   refs:      100\n" + SUMMARY, "does not write"),
        (HEAD + SUMMARY + "==7== All is well\n", "does not write"),
        (HEAD + "\xff\n" + SUMMARY, "does not write"),
    ],
)
def test_anything_else_is_refused(report, said):
    with pytest.raises(Wrong, match=said) as refused:
        counter.parsed(report.encode())
    assert refused.value.check == "count"
