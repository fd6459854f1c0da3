"""The Prometheus queries of alarms and dashboard."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser

from .rules import alarms
from .sources import DASHBOARD, must, read

VARIABLES = {"$__rate_interval": "1m", '"$instance"': '".*"'}
"""Values for the variables of Grafana."""
COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}


@dataclass(frozen=True)
class Query:
    """A query, and the labels of its result that appear in a text."""

    where: str
    text: str
    labels: frozenset[str]


def of_alarms() -> list[Query]:
    """Return the expression of each alarm."""
    label = re.compile(r"\$labels\.(\w+)")
    return [
        Query(each["alert"], each["expr"], frozenset(label.findall(str(each["annotations"]))))
        for each in alarms()
    ]


def of_dashboard() -> list[Query]:
    """Return the expressions of all panels, and check the panels."""
    dashboard = json.loads(DASHBOARD.read_text())
    sources = read("grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    found, taken = [], set()
    for panel in dashboard["panels"]:
        title = panel["title"]
        must(title and panel["description"], f"a panel has no title or description: {title!r}")
        must(panel["fieldConfig"]["defaults"]["unit"], f"{title}: has no unit")
        for part in (panel, *panel["targets"]):
            uid = part["datasource"]["uid"]
            must(uid == sources[0]["uid"], f"{title}: unknown data source {uid}")
        for cell in cells(panel["gridPos"]):
            must(cell not in taken and cell[0] < 24, f"{title}: overlaps another panel")
            taken.add(cell)
        for target in panel["targets"]:
            query = target["expr"]
            for name, value in VARIABLES.items():
                query = query.replace(name, value)
            must("$" not in query, f"{title}: unknown variable in {query}")
            labels = re.findall(r"{{(\w+)}}", target["legendFormat"])
            found.append(Query(f"{title} ({target['refId']})", query, frozenset(labels)))
    return found


def cells(place: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Return the grid cells of a panel."""
    for column in range(place["x"], place["x"] + place["w"]):
        for row in range(place["y"], place["y"] + place["h"]):
            yield column, row


def without_comparisons(query: str) -> str:
    """Return a query without its comparisons, which has a result whether or not an alarm fires."""

    def bare(node: Any) -> Any:  # noqa: ANN401
        is_compared = isinstance(node, promql_parser.BinaryExpr) and str(node.op) in COMPARISONS
        return node.lhs if is_compared else None

    return str(promql_parser.transform(promql_parser.parse(query), post_visit=bare))


def selectors(query: str) -> set[str]:
    """Return the selectors of a query: metrics with their required labels."""
    return {str(node) for node in nodes(query) if isinstance(node, promql_parser.VectorSelector)}


def grouped_by(query: str) -> set[str]:
    """Return the labels by which a query groups or matches."""
    found: set[str] = set()
    for node in nodes(query):
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier:
            found.update(node.modifier.labels)
        if isinstance(node, promql_parser.BinaryExpr) and node.modifier and node.modifier.matching:
            found.update(node.modifier.matching.labels)
    return found


def nodes(query: str) -> list[Any]:
    """Return the nodes of the syntax tree of a query."""
    found: list[Any] = []
    promql_parser.walk(promql_parser.parse(query), found.append)
    return found
