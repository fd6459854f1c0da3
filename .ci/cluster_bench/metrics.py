"""The metrics of servers, read from their metrics pages."""

import re
import urllib.request
from collections import Counter
from collections.abc import Iterable

SERIES = re.compile(r"^bridgemaster_(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)


class Metrics:
    """The sums of the metrics of several servers."""

    def __init__(self, sums: Counter[tuple[str, str]]) -> None:
        """Store the sums by name and labels."""
        self._sums = sums

    @classmethod
    def read(cls, addresses: Iterable[str]) -> "Metrics":
        """Read the metrics at these addresses."""
        summed: Counter[tuple[str, str]] = Counter()
        for address in addresses:
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
                page = answer.read().decode()
            for name, labels, value in SERIES.findall(page):
                # The name of the node would separate the series of the servers.
                others = [one for one in labels.split(",") if not one.startswith("node=")]
                summed[name, ",".join(others)] += float(value)
        return cls(summed)

    def since(self, before: "Metrics") -> "Metrics":
        """Return the increase since an earlier reading."""
        return Metrics(
            Counter({series: value - before._sums[series] for series, value in self._sums.items()})
        )

    def sum(self, name: str, label: str = "") -> float:
        """Return the sum of the series with this name and label."""
        found = (
            value for (one, labels), value in self._sums.items() if one == name and label in labels
        )
        return sum(found)

    def mean(self, histogram: str) -> float:
        """Return the mean of the values in a histogram."""
        return self.sum(f"{histogram}_sum") / max(1.0, self.sum(f"{histogram}_count"))

    def quantile(self, histogram: str, share: float) -> float:
        """Return a quantile, interpolated linearly within a bucket."""
        bounds = []
        for (name, labels), count in self._sums.items():
            if name == f"{histogram}_bucket":
                bound = re.search(r'le="([^"]+)"', labels)
                bounds.append((float(bound[1]) if bound else 0.0, count))
        bounds.sort()
        target = share * bounds[-1][1] if bounds else 0.0
        below, counted = 0.0, 0.0
        for bound, count in bounds:
            if count >= target and count > counted and bound != float("inf"):
                return below + (bound - below) * (target - counted) / (count - counted)
            if bound != float("inf"):
                below, counted = bound, count
        return below
