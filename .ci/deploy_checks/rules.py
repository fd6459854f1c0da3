"""deploy/alarms.yml, its tests and prometheus.yml, checked by promtool."""

import re
from pathlib import Path
from typing import Any

from language_tests.processes import TOP

from .sources import DEPLOY, must, read, run

TESTS = "alarms_test.yml"


def check(prometheus: Path) -> None:
    """Let promtool check the files and run the tests, which must cover every alarm."""
    promtool = prometheus.with_name("promtool")
    run(promtool, "check", "config", DEPLOY / "prometheus.yml")
    run(promtool, "test", "rules", DEPLOY / TESTS)
    names = [alarm["alert"] for alarm in alarms()]
    must(len(names) == len(set(names)), "two alarms have the same name")
    tests = read(TESTS)["tests"]
    quiet = {each["alertname"] for test in tests for each in test.get("alert_rule_test", [])}
    must(quiet == set(names), f"{TESTS}: alarms tested not to fire differ: {quiet ^ set(names)}")
    firing = {
        name
        for test in tests
        for each in test.get("promql_expr_test", [])
        for name in names
        if each.get("exp_samples") and name in str(each)
    }
    must(firing == set(names), f"{TESTS}: no test makes these fire: {set(names) - firing}")
    page = TOP / "docs/guides/monitoring.md"
    documented = set(re.findall(r"`(Bridgemaster\w+)`", page.read_text()))
    must(documented == set(names), f"{page.name}: alarms differ: {documented ^ set(names)}")


def alarms() -> list[dict[str, Any]]:
    """Return all alarms."""
    return [rule for group in read("alarms.yml")["groups"] for rule in group["rules"]]
