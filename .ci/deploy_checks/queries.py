"""What alarms and dashboard ask Prometheus for."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser

from .rules import alarms
from .sources import DASHBOARD, must, read

VARIABLES = {"$__rate_interval": "1m", '"$instance"': '".*"'}
"""What Grafana puts in place of its variables."""
COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}


@dataclass(frozen=True)
class Query:
    """A query, and the labels of its result by which people are told what it is about."""

    where: str
    text: str
    told: frozenset[str]


def of_alarms() -> list[Query]:
    """Return the expression of each alarm."""
    told = re.compile(r"\$labels\.(\w+)")
    return [
        Query(each["alert"], each["expr"], frozenset(told.findall(str(each["annotations"]))))
        for each in alarms()
    ]


def of_dashboard() -> list[Query]:
    """Return the expressions of each panel, whose form is looked at too."""
    dashboard = json.loads(DASHBOARD.read_text())
    sources = read("grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    found, taken = [], set()
    for panel in dashboard["panels"]:
        title = panel["title"]
        must(title and panel["description"], f"a panel has no title or description: {title!r}")
        must(panel["fieldConfig"]["defaults"]["unit"], f"{title}: has no unit")
        for part in (panel, *panel["targets"]):
            uid = part["datasource"]["uid"]
            must(uid == sources[0]["uid"], f"{title}: there is no source of data {uid}")
        for cell in cells(panel["gridPos"]):
            must(cell not in taken and cell[0] < 24, f"{title}: lies over another panel")
            taken.add(cell)
        for target in panel["targets"]:
            query = target["expr"]
            for name, value in VARIABLES.items():
                query = query.replace(name, value)
            must("$" not in query, f"{title}: a variable that is not known: {query}")
            told = re.findall(r"{{(\w+)}}", target["legendFormat"])
            found.append(Query(f"{title} ({target['refId']})", query, frozenset(told)))
    return found


def cells(place: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Return the cells of the grid that a panel covers."""
    for column in range(place["x"], place["x"] + place["w"]):
        for row in range(place["y"], place["y"] + place["h"]):
            yield column, row


def looked_at(query: str) -> str:
    """Return a query without its comparisons: what an alarm compares, whether it fires or not."""

    def bare(node: Any) -> Any:  # noqa: ANN401
        is_compared = isinstance(node, promql_parser.BinaryExpr) and str(node.op) in COMPARISONS
        return node.lhs if is_compared else None

    return str(promql_parser.transform(promql_parser.parse(query), post_visit=bare))


def selectors(query: str) -> set[str]:
    """Return the selectors of a query: metrics, with the labels that they must have."""
    return {str(node) for node in nodes(query) if isinstance(node, promql_parser.VectorSelector)}


def grouped_by(query: str) -> set[str]:
    """Return the labels by which a query groups, or matches its sides."""
    found: set[str] = set()
    for node in nodes(query):
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier:
            found.update(node.modifier.labels)
        if isinstance(node, promql_parser.BinaryExpr) and node.modifier and node.modifier.matching:
            found.update(node.modifier.matching.labels)
    return found


def nodes(query: str) -> list[Any]:
    """Return the parts of a query."""
    found: list[Any] = []
    promql_parser.walk(promql_parser.parse(query), found.append)
    return found
