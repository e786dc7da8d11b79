"""Prints a sorting network for sixteen inputs: Batcher's odd-even merge sort (1968)."""

WIRES = 16


def merge(low: int, count: int, step: int) -> None:
    """Merge the sorted halves of the wires ``low``, ``low + step``, ... of which there are ``count``."""
    if count == 2:
        print(low, low + step)
        return
    merge(low, count // 2, 2 * step)
    merge(low + step, count // 2, 2 * step)
    for at in range(1, count - 1, 2):
        print(low + at * step, low + (at + 1) * step)


def sort(low: int, count: int) -> None:
    """Sort ``count`` wires from ``low``."""
    if count > 1:
        sort(low, count // 2)
        sort(low + count // 2, count // 2)
        merge(low, count, 1)


sort(0, WIRES)
