"""deploy/kubernetes: its schemas and its references, as kustomize renders it."""

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import yaml
from language_tests.processes import FailedError

from .compose import STOP_MARGIN_S
from .sources import DEPLOY, PROGRAM, is_missing, must, read, run, stopping_s, version

FOLDER = DEPLOY / "kubernetes"
NAME = "kubernetes"
VERSIONS = ("1.30", "1.37")
"""The oldest and the newest supported version."""
LEASE_S = 8
"""The lease of a node, in seconds."""
POD_MONITOR = {"jobLabel", "selector", "podMetricsEndpoints"}
"""The used fields of a PodMonitor, whose schema is not part of Kubernetes."""


def check() -> None:
    """Check the base, the example and the alternatives of the example."""
    if is_missing("kubectl", "kubernetes-client"):
        return
    base, example = rendered("base"), rendered("example")
    ingresses = list(yaml.safe_load_all((FOLDER / "example/ingress.yaml").read_text()))
    # The example contains all objects of the base.
    for document in example + ingresses:
        validate(document)
    for documents in (base, example):
        check_references(documents)
    check_pod(base)
    check_network_policy(one(base, "NetworkPolicy")["spec"], ports_of(base))
    check_example(example)
    for ingress in ingresses:
        [rule] = ingress["spec"]["rules"]
        service = rule["http"]["paths"][0]["backend"]["service"]
        exposed = {port["name"] for port in services(base)[service["name"]]["spec"]["ports"]}
        must(service["port"]["name"] in exposed, f"{NAME}: no service has the port of {service}")


def rendered(folder: str) -> list[Any]:
    """Return the documents of a kustomization."""
    return list(yaml.safe_load_all(run("kubectl", "kustomize", FOLDER / folder)))


def validate(document: dict[str, Any]) -> None:
    """Check a document against the schemas of the versions."""
    if document["kind"] == "PodMonitor":
        must(document["spec"].keys() == POD_MONITOR, f"{NAME}: unknown field in {document}")
        return
    for number in VERSIONS:
        try:
            kubernetes_validate.validate(document, number, strict=True)
        except kubernetes_validate.ValidationError as error:
            kind = document["kind"]
            raise FailedError(f"{NAME}: {kind}, version {number}: {error.message}") from error


def check_references(documents: list[Any]) -> None:
    """Check that all selectors select the pods, and all ports exist."""
    labels = one(documents, "StatefulSet")["spec"]["template"]["metadata"]["labels"]
    ports = ports_of(documents)
    for document in documents:
        spec = document.get("spec", {})
        selector = spec.get("selector") or spec.get("podSelector") or {}
        selected = selector.get("matchLabels", selector)
        must(selected.items() <= labels.items(), f"{NAME}: {selected} selects no pod")
    for service in services(documents).values():
        for port in service["spec"]["ports"]:
            must(port["targetPort"] in ports, f"{NAME}: {port} has no port of the pod as target")
    governing = services(documents)[one(documents, "StatefulSet")["spec"]["serviceName"]]["spec"]
    must(governing.get("clusterIP") == "None", f"{NAME}: pods have no DNS names")
    must(governing.get("publishNotReadyAddresses"), f"{NAME}: draining nodes have no DNS names")


def check_pod(documents: list[Any]) -> None:
    """Check the pods against the config file and the times of the server."""
    stateful_set = one(documents, "StatefulSet")["spec"]
    pod = stateful_set["template"]["spec"]
    ready_s = stateful_set.get("minReadySeconds", 0)
    must(ready_s > LEASE_S, f"{NAME}: restarts are faster than leases")
    grace_s = pod["terminationGracePeriodSeconds"]
    must(grace_s >= stopping_s() + STOP_MARGIN_S, f"{NAME}: a pod is killed while stopping")
    server = only_container(documents)
    mounts = {mount["name"]: mount["mountPath"] for mount in server["volumeMounts"]}
    volumes = {volume["name"] for volume in pod["volumes"]}
    must(volumes == set(mounts), f"{NAME}: volumes are {volumes}, but mounts are {set(mounts)}")
    config = f"--config={mounts['config']}/server.toml"
    must(config in server["args"], f"{NAME}: the server has no argument {config}")
    settings = config_file(documents)
    for name, port in {"listen": "grpc", "page": "page", "metrics": "metrics"}.items():
        expected = f"0.0.0.0:{ports_of(documents)[port]}"
        must(settings[name] == expected, f"{NAME}: {name} in server.toml is not {expected}")
    for name in ("tls_cert", "tls_key"):
        folder = str(Path(settings[name]).parent)
        must(folder == mounts["tls"], f"{NAME}: {name} in server.toml is not in {mounts['tls']}")
    for probe in ("startupProbe", "readinessProbe"):
        command = server[probe]["exec"]["command"]
        must(command == [PROGRAM, "cluster", "health"], f"{NAME}: the {probe} runs {command}")
    live = server["livenessProbe"]
    must(
        live["httpGet"]["port"] in ports_of(documents),
        f"{NAME}: the port of a probe does not exist",
    )
    # A draining server must not be restarted.
    must("exec" not in live, f"{NAME}: a draining server would be restarted")


def check_network_policy(policy: dict[str, Any], ports: dict[str, int]) -> None:
    """Check that everyone reaches calls and page, and only a namespace reaches the metrics."""
    everyone, restricted = policy["ingress"]
    open_ports = {port["port"] for port in everyone["ports"]}
    closed_ports = {port["port"] for port in restricted["ports"]}
    must("from" not in everyone and restricted["from"], f"{NAME}: metrics are open to everyone")
    must(open_ports | closed_ports == set(ports), f"{NAME}: the NetworkPolicy has other ports")
    must(closed_ports == {"metrics"}, f"{NAME}: the NetworkPolicy restricts {closed_ports}")
    allowed = {port["port"] for rule in policy["egress"] for port in rule["ports"]}
    must(allowed == {53, 5432, "grpc"}, f"{NAME}: nodes may connect to the ports {allowed}")


def check_example(documents: list[Any]) -> None:
    """Check what the example adds: namespace, image, load balancer and PodMonitor."""
    namespaces = {each["metadata"].get("namespace") for each in documents}
    must(len(namespaces) == 1 and None not in namespaces, f"{NAME}: namespaces: {namespaces}")
    image = only_container(documents)["image"]
    pattern = rf"\S+/bridgemaster:{re.escape(version())}@sha256:[0-9a-f]{{64}}"
    must(re.fullmatch(pattern, image), f"{NAME}: the image {image} has no tag or digest")
    kinds = [each["spec"].get("type") for each in services(documents).values()]
    must(
        sorted(kinds, key=str) == ["LoadBalancer", None],
        f"{NAME}: the services have the types {kinds}",
    )
    labels = one(documents, "StatefulSet")["spec"]["template"]["metadata"]["labels"]
    monitor = one(documents, "PodMonitor")["spec"]
    [endpoint] = monitor["podMetricsEndpoints"]
    must(
        endpoint["port"] in ports_of(documents),
        f"{NAME}: the PodMonitor scrapes the port {endpoint['port']}, which does not exist",
    )
    [job] = read("prometheus.yml")["scrape_configs"]
    must(
        labels.get(monitor["jobLabel"]) == job["job_name"],
        f"{NAME}: the job of the PodMonitor differs from that of the alarms",
    )


def check_memory(program: Path, store: str) -> None:
    """Start a node, and check that its limits bound its memory below the limit of the pods."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "server.toml")
        lines = (FOLDER / "base/server.toml").read_text().splitlines()
        # Removes what only exists in a pod.
        config.write_text("\n".join(line for line in lines if not line.startswith("tls_")))
        flags = [f"--{name}=127.0.0.1:0" for name in ("listen", "page", "metrics")]
        flags += ["--node=pod", "--node-address=127.0.0.1:1", f"--store={store}", "-v"]
        bound = logged_bound([program, "serve", f"--config={config}", *flags])
    limit = container()["resources"]["limits"]["memory"]
    must(limit.endswith("Gi"), f"{NAME}: the memory limit {limit} is not in Gi")
    limit_mib = 1024 * int(limit.removesuffix("Gi"))
    must(bound <= limit_mib, f"{NAME}: a node can use {bound} MiB, but has {limit}")


def logged_bound(command: list[str | Path]) -> int:
    """Start a server, and return the logged upper bound of its memory use, in MiB."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        lines = []
        for line in process.stderr or ():
            found = re.search(r'"memory_mib":"?(\d+)', line)
            if found:
                return int(found[1])
            lines.append(line)
        raise FailedError(f"{command} logs no upper bound of memory use: {lines}")
    finally:
        process.kill()
        process.wait()


def config_file(documents: list[Any]) -> dict[str, str]:
    """Return the texts among the settings of the servers."""
    text = one(documents, "ConfigMap")["data"]["server.toml"]
    return dict(re.findall(r'^(\w+) = "(.*)"$', text, re.MULTILINE))


def container() -> dict[str, Any]:
    """Return the container of the base, which needs no kustomize."""
    return only_container([read("kubernetes/base/statefulset.yaml")])


def only_container(documents: list[Any]) -> dict[str, Any]:
    """Return the container of the StatefulSet."""
    [container] = one(documents, "StatefulSet")["spec"]["template"]["spec"]["containers"]
    return container  # type: ignore[no-any-return]


def ports_of(documents: list[Any]) -> dict[str, int]:
    """Return the numbers of the container's ports by their names."""
    return {port["name"]: port["containerPort"] for port in only_container(documents)["ports"]}


def services(documents: list[Any]) -> dict[str, Any]:
    """Return the services by their names."""
    return {each["metadata"]["name"]: each for each in documents if each["kind"] == "Service"}


def one(documents: list[Any], kind: str) -> Any:  # noqa: ANN401
    """Return the only object of a kind."""
    found = [each for each in documents if each["kind"] == kind]
    must(len(found) == 1, f"{NAME}: {len(found)} objects of kind {kind} instead of 1")
    return found[0]
