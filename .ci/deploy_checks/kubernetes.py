"""deploy/kubernetes.yaml: by the schemas of Kubernetes, and whether its parts fit together."""

from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
from language_tests.processes import FailedError

from .compose import STOP_MARGIN_S
from .sources import PROGRAM, must, read_all, stopping_s

NAME = "kubernetes.yaml"
VERSIONS = ("1.30", "1.37")
"""The oldest and the newest version whose schemas it must keep to."""


def check() -> None:
    """Check all of it."""
    documents = read_all(NAME)
    for document in documents:
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                kind = document.get("kind")
                raise FailedError(f"{NAME}: {kind}, by {version}: {error.message}") from error
    stateful_set = one(documents, "StatefulSet")
    pod = stateful_set["spec"]["template"]
    services = {each["metadata"]["name"]: each for each in documents if each["kind"] == "Service"}
    governing = services[stateful_set["spec"]["serviceName"]]
    must(governing["spec"]["clusterIP"] == "None", f"{NAME}: pods have no names of their own")

    labels = pod["metadata"]["labels"]
    budget = one(documents, "PodDisruptionBudget")
    selectors = [each["spec"]["selector"] for each in services.values()]
    selectors += [each["spec"]["selector"]["matchLabels"] for each in (stateful_set, budget)]
    for selector in selectors:
        must(selector.items() <= labels.items(), f"{NAME}: {selector} selects no pod")

    server = only_container(documents)
    ports = {port["name"]: port["containerPort"] for port in server["ports"]}
    for service in services.values():
        for port in service["spec"]["ports"]:
            must(port["targetPort"] in ports, f"{NAME}: {port} leads to no port of the pod")
    check_ports(server["args"], ports)
    check_probes(server, ports)
    grace_s = pod["spec"]["terminationGracePeriodSeconds"]
    must(grace_s >= stopping_s() + STOP_MARGIN_S, f"{NAME}: a pod is killed while it stops")
    volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
    mounted = {mount["name"] for mount in server["volumeMounts"]}
    must(volumes == mounted, f"{NAME}: has volumes {volumes}, and mounts {mounted}")


def only_container(documents: list[Any]) -> dict[str, Any]:
    """Return the container of the StatefulSet."""
    [container] = one(documents, "StatefulSet")["spec"]["template"]["spec"]["containers"]
    return container  # type: ignore[no-any-return]


def one(documents: list[Any], kind: str) -> Any:  # noqa: ANN401
    """Return the one object of a kind."""
    found = [each for each in documents if each["kind"] == kind]
    must(len(found) == 1, f"{NAME}: there is one {kind}")
    return found[0]


def check_ports(arguments: list[str], ports: dict[str, int]) -> None:
    """See that the server listens where the pod says so."""
    for flag, name in {"--listen": "grpc", "--page": "page", "--metrics": "metrics"}.items():
        wanted = f"{flag}=0.0.0.0:{ports[name]}"
        must(wanted in arguments, f"{NAME}: the server is not given {wanted}")


def check_probes(server: dict[str, Any], ports: dict[str, int]) -> None:
    """See that probes ask the program that the image has, at a port that it listens on."""
    for probe in ("startupProbe", "readinessProbe"):
        asked = server[probe]["exec"]["command"]
        must(asked == [PROGRAM, "health"], f"{NAME}: the {probe} runs {asked}")
    must(server["livenessProbe"]["httpGet"]["port"] in ports, f"{NAME}: the pod has no such port")
    # A server that drains must not be started again.
    must("exec" not in server["livenessProbe"], f"{NAME}: a server that drains counts as dead")
