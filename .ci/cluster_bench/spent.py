"""Processor time and memory of processes, by the system's account."""

import os
import re
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def spent_s(pid: int) -> float:
    """Return the processor time of a process, and of the children that it has waited for."""
    # Behind the name, which may have blanks; the 14th to the 17th field of all.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def tree_spent_s(pid: int) -> float:
    """Return the same of a process with its children, those that ended included."""
    return spent_s(pid) + sum(map(_spent_if_there, children(pid)))


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that run."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def memory_kib(pid: int) -> int:
    """Return the memory of a process, a part of what it shares with others: 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) if found else 0


def _spent_if_there(pid: int) -> float:
    """Return the processor time of a child: once it has ended, its parent has it."""
    try:
        return spent_s(pid)
    except OSError:
        return 0.0
