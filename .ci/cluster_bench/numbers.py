"""The numbers that servers tell on their pages of metrics."""

import re
import urllib.request
from collections import Counter
from collections.abc import Iterable

SERIES = re.compile(r"^bridgemaster_(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)


class Numbers:
    """The sums of some servers."""

    def __init__(self, of: Counter[tuple[str, str]]) -> None:
        """Keep them by name and label."""
        self._of = of

    @classmethod
    def read(cls, addresses: Iterable[str]) -> "Numbers":
        """Read the pages at these addresses."""
        summed: Counter[tuple[str, str]] = Counter()
        for address in addresses:
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
                page = answer.read().decode()
            for name, labels, value in SERIES.findall(page):
                # A name of a node would keep what servers have in common apart.
                kept = [one for one in labels.split(",") if not one.startswith("node=")]
                summed[name, ",".join(kept)] += float(value)
        return cls(summed)

    def since(self, before: "Numbers") -> "Numbers":
        """Return what they have grown by."""
        return Numbers(
            Counter({series: value - before._of[series] for series, value in self._of.items()})
        )

    def sum(self, name: str, label: str = "") -> float:
        """Return the sum of the series of a name that have a label."""
        found = (
            value for (one, labels), value in self._of.items() if one == name and label in labels
        )
        return sum(found)

    def mean(self, histogram: str) -> float:
        """Return the mean of what a histogram has counted."""
        return self.sum(f"{histogram}_sum") / max(1.0, self.sum(f"{histogram}_count"))

    def within(self, histogram: str, share: float) -> float:
        """Return what this share is within: between two bounds it is taken to grow evenly."""
        bounds = []
        for (name, labels), count in self._of.items():
            if name == f"{histogram}_bucket":
                bound = re.search(r'le="([^"]+)"', labels)
                bounds.append((float(bound[1]) if bound else 0.0, count))
        bounds.sort()
        wanted = share * bounds[-1][1] if bounds else 0.0
        below, counted = 0.0, 0.0
        for bound, count in bounds:
            if count >= wanted and count > counted and bound != float("inf"):
                return below + (bound - below) * (wanted - counted) / (count - counted)
            if bound != float("inf"):
                below, counted = bound, count
        return below
