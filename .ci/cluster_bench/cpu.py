"""CPU time and memory of processes, from /proc."""

import os
import re
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process, including the children that it has waited for."""
    # The fields after the name, which can contain blanks; fields 14 to 17 of the line.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def tree_cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its children, including exited ones."""
    return cpu_s(pid) + sum(map(_cpu_s_or_zero, children(pid)))


def children(pid: int) -> list[int]:
    """Return the running children of a process."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def memory_kib(pid: int) -> int:
    """Return the memory of a process, with its part of shared memory; 0 if it has exited."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) if found else 0


def _cpu_s_or_zero(pid: int) -> float:
    """Return the CPU time of a child; 0 once it has exited and counts for its parent."""
    try:
        return cpu_s(pid)
    except OSError:
        return 0.0
