"""deploy/kubernetes.yaml: its schemas and its references."""

from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
from language_tests.processes import FailedError

from .compose import STOP_MARGIN_S
from .sources import PROGRAM, must, read_all, stopping_s

NAME = "kubernetes.yaml"
VERSIONS = ("1.30", "1.37")
"""The oldest and the newest supported version."""


def check() -> None:
    """Check the file."""
    documents = read_all(NAME)
    for document in documents:
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                kind = document.get("kind")
                raise FailedError(f"{NAME}: {kind}, version {version}: {error.message}") from error
    stateful_set = one(documents, "StatefulSet")
    pod = stateful_set["spec"]["template"]
    services = {each["metadata"]["name"]: each for each in documents if each["kind"] == "Service"}
    governing = services[stateful_set["spec"]["serviceName"]]
    must(governing["spec"]["clusterIP"] == "None", f"{NAME}: pods have no DNS names")

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
            must(port["targetPort"] in ports, f"{NAME}: {port} has no port of the pod as target")
    check_ports(server["args"], ports)
    check_probes(server, ports)
    grace_s = pod["spec"]["terminationGracePeriodSeconds"]
    must(grace_s >= stopping_s() + STOP_MARGIN_S, f"{NAME}: a pod is killed while stopping")
    volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
    mounted = {mount["name"] for mount in server["volumeMounts"]}
    must(volumes == mounted, f"{NAME}: volumes are {volumes}, but mounts are {mounted}")


def only_container(documents: list[Any]) -> dict[str, Any]:
    """Return the container of the StatefulSet."""
    [container] = one(documents, "StatefulSet")["spec"]["template"]["spec"]["containers"]
    return container  # type: ignore[no-any-return]


def one(documents: list[Any], kind: str) -> Any:  # noqa: ANN401
    """Return the only object of a kind."""
    found = [each for each in documents if each["kind"] == kind]
    must(len(found) == 1, f"{NAME}: {len(found)} objects of kind {kind} instead of 1")
    return found[0]


def check_ports(arguments: list[str], ports: dict[str, int]) -> None:
    """Check that the server listens on the declared ports of the pod."""
    for flag, name in {"--listen": "grpc", "--page": "page", "--metrics": "metrics"}.items():
        expected = f"{flag}=0.0.0.0:{ports[name]}"
        must(expected in arguments, f"{NAME}: the server has no argument {expected}")


def check_probes(server: dict[str, Any], ports: dict[str, int]) -> None:
    """Check that probes run the program of the image, or use a port that it listens on."""
    for probe in ("startupProbe", "readinessProbe"):
        command = server[probe]["exec"]["command"]
        must(command == [PROGRAM, "cluster", "health"], f"{NAME}: the {probe} runs {command}")
    must(server["livenessProbe"]["httpGet"]["port"] in ports, f"{NAME}: unknown port of a probe")
    # A draining server must not be restarted.
    must("exec" not in server["livenessProbe"], f"{NAME}: a draining server would be restarted")
