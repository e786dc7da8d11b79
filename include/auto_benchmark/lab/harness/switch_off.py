"""Whether a program can switch the counter off: tried on the installed Valgrind before any of its counts is believed.

Programs speak to Valgrind through a sequence of instructions that does nothing outside of it (``valgrind.h``). Callgrind
obeys requests to stop; cachegrind 3.19 does not know any, and newer ones may.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from . import confined, counter
from .limits import BUILDING, Limits
from .wrong import MissingToolError

LEAST_SHARE = 0.99
PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
static void ask(uint64_t what) {
    uint64_t request[6] = {what}, answer = 0;
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
                     : "=d"(answer) : "a"(request), "0"(answer) : "cc", "memory");
}
int main(void) {
    char said = getchar();
    if (said == 's') {
        const uint64_t tools[] = {0x43470000, 0x43540000};  /* 'C','G' and 'C','T', whose requests are numbered from 0 */
        for (int tool = 0; tool < 2; tool++)
            for (int number = 0; number < 6; number++)
                if (!(tool == 1 && number == 4) && !(tool == 0 && number == 0))  /* which start the counting */
                    ask(tools[tool] + number);
    }
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 1000000; i++)
        sum += i;
    return 0;
}
"""


def works() -> bool:
    """Try it. Raises MissingToolError without a C compiler or Valgrind, Wrong when the program cannot be counted."""
    with confined.own_user() as user, tempfile.TemporaryDirectory(prefix="ab-lab-") as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        counts = {}
        build = folder / "build"
        build.mkdir()
        (build / "program.c").write_text(PROGRAM)
        if user is not None:
            for path in (build, build / "program.c"):
                path.chmod(0o777)
        ended = confined.run(
            ["gcc", "-O1", "-o", "program", "program.c"], folder=build, limits=BUILDING, user=user, writes=True
        )
        if ended.code == 127:
            raise MissingToolError("gcc")
        counter.refuse_bad_end(ended)
        for said in (b"s", b"g"):
            _, found = counter.count(
                ["./program"], folder=build, stdin=said, limits=Limits(), user=user, caches=False
            )
            counts[said] = found.instructions
    return counts[b"s"] < LEAST_SHARE * counts[b"g"]
