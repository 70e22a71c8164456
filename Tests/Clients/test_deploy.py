"""What deploy/ says of containers, Kubernetes and systemd: by the schemas and tools of each, and with a server that is
started as it says."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import kubernetes_validate
import pytest
import yaml

from support.deployment import Deployed, as_variables, known_variables
from support.dockerfile import stages
from support.kustomize import Resource, build
from support.servers import REPOSITORY, clean_environment, free_port

DEPLOY = REPOSITORY / "deploy"
USER = 10001
KUBERNETES = ["1.30", "1.33", "1.37"]
COMPOSE = ["compose.yaml", "compose.local.yaml"]
MIB = 1 << 20


# MARK: Kubernetes


@pytest.fixture(params=["base", "example"])
def resources(request: pytest.FixtureRequest, tmp_path: Path) -> list[Resource]:
    """With the files that an operator puts beside the example."""
    shutil.copytree(DEPLOY / "kubernetes", tmp_path / "kubernetes")
    for name in ("tls.crt", "tls.key"):
        (tmp_path / "kubernetes" / "example" / name).write_text(name)
    return build(tmp_path / "kubernetes" / request.param)


def the(resources: list[Resource], kind: str, name: str = "brasa") -> Resource:
    (found,) = [each for each in resources if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return found


def pod(resources: list[Resource]) -> dict[str, Any]:
    return the(resources, "StatefulSet")["spec"]["template"]["spec"]


def container(resources: list[Resource]) -> dict[str, Any]:
    (only,) = pod(resources)["containers"]
    return only


def environment(resources: list[Resource]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container(resources)["env"]}


@pytest.mark.parametrize("version", KUBERNETES)
def test_manifests_are_what_kubernetes_takes(resources, version):
    assert {each["kind"] for each in resources} >= {
        "StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy",
    }
    for each in resources:
        kubernetes_validate.validate(each, version, strict=True)


def test_a_manifest_with_a_wrong_word_is_found(resources):
    container(resources)["readinesProbe"] = container(resources).pop("readinessProbe")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(the(resources, "StatefulSet"), KUBERNETES[-1], strict=True)


def test_selectors_and_names_lead_to_what_is_there(resources):
    labels = the(resources, "StatefulSet")["spec"]["template"]["metadata"]["labels"]
    ports = {each["name"]: each["containerPort"] for each in container(resources)["ports"]}
    spec = the(resources, "StatefulSet")["spec"]
    assert spec["selector"]["matchLabels"] == labels
    assert the(resources, "Service", spec["serviceName"])["spec"]["clusterIP"] == "None"
    assert the(resources, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    assert the(resources, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"] == labels
    for service in [each for each in resources if each["kind"] == "Service"]:
        assert service["spec"]["selector"] == labels
        assert {each["targetPort"] for each in service["spec"]["ports"]} <= set(ports)
    for rule in the(resources, "NetworkPolicy")["spec"]["ingress"]:
        assert {each["port"] for each in rule["ports"]} <= set(ports)
    for probe in ("livenessProbe", "readinessProbe"):
        assert container(resources)[probe]["httpGet"]["port"] == "metrics"
    said = environment(resources)
    assert said["BRASA_LISTEN"] == f"0.0.0.0:{ports['firestore']}"
    assert said["BRASA_METRICS_ADDRESS"] == f"0.0.0.0:{ports['metrics']}"
    mounts = {each["name"]: each["mountPath"] for each in container(resources)["volumeMounts"]}
    claims = {each["metadata"]["name"] for each in spec["volumeClaimTemplates"]}
    volumes = {each["name"]: each for each in pod(resources)["volumes"]}
    assert set(mounts) == claims | set(volumes)
    assert said["BRASA_DATA_DIR"].startswith(mounts["data"] + "/")
    assert said["BRASA_TLS_CERTIFICATE"] == mounts["tls"] + "/tls.crt"
    assert said["BRASA_TLS_KEY"] == mounts["tls"] + "/tls.key"
    # The private key is for the server's group.
    assert volumes["tls"]["secret"]["defaultMode"] == 0o440 and pod(resources)["securityContext"]["fsGroup"] == USER
    for kind, volume, name in (("Secret", "secret", "secretName"), ("ConfigMap", "configMap", "name")):
        made = {each["metadata"]["name"] for each in resources if each["kind"] == kind}
        used = {each[volume][name] for each in volumes.values() if volume in each}
        assert made <= used


def test_a_pod_has_no_rights_that_it_does_not_need(resources):
    """What the profile `restricted` of Pod Security asks, and a root file system that nothing writes to."""
    assert pod(resources)["automountServiceAccountToken"] is False
    context = pod(resources)["securityContext"]
    assert context["runAsNonRoot"] and context["runAsUser"] == context["runAsGroup"] == USER
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    own = container(resources)["securityContext"]
    assert own == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod(resources))
    # Of services, Kubernetes would make variables that begin as the server's do.
    assert pod(resources)["enableServiceLinks"] is False
    assert set(the(resources, "NetworkPolicy")["spec"]["policyTypes"]) == {"Ingress", "Egress"}


def test_a_pods_memory_has_room_for_what_the_server_may_take(resources):
    limits = container(resources)["resources"]
    assert limits["limits"]["memory"] == limits["requests"]["memory"]
    assert needed_memory(environment(resources)) <= gibibytes(limits["limits"]["memory"].removesuffix("i"))


def test_a_pods_volume_has_room_for_a_checkpoint(resources):
    (claim,) = the(resources, "StatefulSet")["spec"]["volumeClaimTemplates"]
    storage = gibibytes(claim["spec"]["resources"]["requests"]["storage"].removesuffix("i"))
    assert 3 * gibibytes(environment(resources)["BRASA_MAX_MEMORY"]) < storage


def test_the_example_changes_what_it_says(tmp_path):
    shutil.copytree(DEPLOY / "kubernetes", tmp_path / "kubernetes")
    example = tmp_path / "kubernetes" / "example"
    for name in ("tls.crt", "tls.key"):
        (example / name).write_text(name)
    made = build(example)
    assert container(made)["image"] == "registry.example/brasa:0.1.0"
    assert environment(made) == {
        **environment(build(tmp_path / "kubernetes" / "base")),
        "BRASA_ISSUERS": "/etc/brasa/issuers/issuers.json",
        "BRASA_MAX_MEMORY": "10G",
    }
    assert {each["metadata"].get("namespace") for each in made} == {None, "brasa"}
    assert the(made, "Secret", "brasa-tls")["type"] == "kubernetes.io/tls"
    assert len(the(made, "NetworkPolicy")["spec"]["egress"]) == 2


def test_a_server_starts_as_the_pod_says_and_its_probes_answer(deployed, resources):
    files = {
        each["mountPath"]: next((volume for volume in pod(resources)["volumes"] if volume["name"] == each["name"]), None)
        for each in container(resources)["volumeMounts"]
    }
    server = deployed(environment(resources), mounts=files)
    for volume in filter(None, files.values()):
        if "configMap" in volume:
            server.write(the(resources, "ConfigMap", volume["configMap"]["name"])["data"])
    server.start()
    for probe in ("livenessProbe", "readinessProbe"):
        assert server.observe(container(resources)[probe]["httpGet"]["path"])[0] == 200
    assert server.observe("/metrics")[0] == 200
    server.serves_a_client_over_tls()


# MARK: Containers


@pytest.mark.parametrize("name", COMPOSE)
def test_compose_files_are_what_compose_takes(name, tmp_path):
    def check(path: Path) -> subprocess.CompletedProcess[str]:
        command = [shutil.os.sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    found = check(DEPLOY / name)
    assert found.returncode == 0, found.stdout + found.stderr
    wrong = tmp_path / name
    wrong.write_text((DEPLOY / name).read_text().replace("read_only:", "readonly:"))
    assert check(wrong).returncode == 1


def service(name: str) -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / name).read_text())["services"]["brasa"]


@pytest.mark.parametrize("name", COMPOSE)
def test_a_composed_container_has_no_rights_that_it_does_not_need(name):
    said = service(name)
    assert said["read_only"] is True and said["cap_drop"] == ["ALL"]
    assert said["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in said and "user" not in said
    published = [each.split(":") for each in said["ports"]]
    # Where nobody is asked who they are, the port is this host's own.
    if "BRASA_INSECURE" in said["environment"]:
        assert all(port[0] == "127.0.0.1" for port in published)
    assert all(port[0] == "127.0.0.1" for port in published if port[-1] == "9100")
    assert (DEPLOY / said["build"]["context"] / said["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"


def test_a_composed_container_has_room_for_what_the_server_may_take():
    said = service("compose.yaml")
    assert needed_memory(said["environment"]) <= gibibytes(said["mem_limit"])


@pytest.mark.parametrize("name", COMPOSE)
def test_a_server_starts_as_the_image_and_compose_say(deployed, name):
    image = stages(DEPLOY / "Dockerfile")[-1]
    said = service(name)
    inside = [each.removesuffix(":ro").split(":")[-1] for each in said["volumes"]]
    server = deployed({**image.environment, **said["environment"]}, mounts={each: None for each in inside})
    server.start()
    server.is_healthy(image.health_command[1:])
    if "BRASA_TLS_CERTIFICATE" in said["environment"]:
        server.serves_a_client_over_tls()


def test_the_image_is_small_and_not_roots():
    build_stage, image = stages(DEPLOY / "Dockerfile")
    assert build_stage[0].text.endswith(" AS build") and image[0].text == "debian:bookworm-slim"
    assert image.last("USER").text == f"{USER}:{USER}"
    assert f"useradd --uid {USER} " in image.last("RUN").text
    # One program, and what it is linked with; nothing to build with, and no lists of packages.
    (program, packages) = [each.words for each in reversed(image.all("COPY"))]
    assert program == ["/out/brasa", "/usr/local/bin/brasa"]
    assert packages[1] in image.last("RUN").text.split("rm -rf ")[1]
    assert not [line for line in (DEPLOY / "runtime-packages").read_text().split() if line.endswith("-dev")]
    assert image.last("ENTRYPOINT").words == ["/usr/local/bin/brasa"] and image.last("CMD").words == ["serve"]
    assert image.health_command[0] == "/usr/local/bin/brasa"
    assert image.environment["BRASA_LISTEN"] == f"0.0.0.0:{image.last('EXPOSE').text}"
    assert image.environment["BRASA_DATA_DIR"] == image.last("VOLUME").text


# MARK: systemd

UNIT = DEPLOY / "systemd" / "brasa.service"
UNIT_FOLDERS = {"/var/lib/brasa": None, "/etc/brasa/tls": None}


def unit_values(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)


def systemd(*arguments: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed (apt install systemd)")
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


def test_the_unit_is_what_systemd_takes(binary, tmp_path):
    """With the program where the test has it."""
    unit = tmp_path / "brasa.service"
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/brasa", str(binary)))
    found = systemd("verify", "--man=no", str(unit))
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    unit.write_text(unit.read_text().replace("Restart=", "Restarts="))
    assert "Restarts" in systemd("verify", "--man=no", str(unit)).stderr


def test_the_unit_leaves_the_server_little_to_do_harm_with():
    """The threshold is in tenths, of an exposure from 0 to 10."""
    found = systemd("security", "--offline=true", "--no-pager", "--threshold=14", str(UNIT))
    assert found.returncode == 0, found.stdout


def test_the_units_user_is_made():
    if shutil.which("systemd-sysusers") is None:
        pytest.skip("systemd-sysusers is not installed (apt install systemd)")
    command = ["systemd-sysusers", "--dry-run", str(DEPLOY / "systemd" / "brasa.conf")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    name = (DEPLOY / "systemd" / "brasa.conf").read_text().splitlines()[-1].split()[1]
    assert unit_values("User") == unit_values("Group") == [name]


def system_calls(*filters: str) -> set[str]:
    """The members of groups of system calls, of groups in them, too."""
    found: set[str] = set()
    for line in systemd("syscall-filter", *filters).stdout.splitlines():
        name = line.strip()
        if line.startswith("    @"):
            found |= system_calls(name)
        elif line.startswith("    ") and not name.startswith("#"):
            found.add(name)
    return found


def test_the_unit_lets_the_server_call_the_system_as_it_does(deployed, tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed (apt install strace)")
    (allowed, refused) = unit_values("SystemCallFilter")
    permitted = system_calls(allowed) - system_calls(refused.removeprefix("~"))
    assert "openat" in permitted and "reboot" not in permitted
    traced = tmp_path / "calls"
    server = deployed(unit_settings(), mounts=UNIT_FOLDERS, is_file=True)
    # Beside the server and not around it, so that it gets its signals.
    server.start(around=["strace", "-D", "-f", "-q", "-o", str(traced)])
    process = server.process_number
    server.serves_a_client_over_tls()
    server.stop()
    until_written(traced, f"{process} +++ exited with 0 +++")
    made = set(re.findall(r"^\d+ +(\w+)\(", traced.read_text(), re.MULTILINE))
    # Before the filter is there, systemd calls this one itself.
    assert "fdatasync" in made and made - permitted - {"execve"} == set()


def until_written(path: Path, end: str) -> None:
    deadline = time.monotonic() + 30
    while end not in re.sub(" +", " ", path.read_text()):
        assert time.monotonic() < deadline, path.read_text()[-1000:]
        time.sleep(0.05)


def unit_settings() -> dict[str, str]:
    return as_variables(yaml.load((DEPLOY / "systemd" / "brasa.yaml").read_text(), yaml.BaseLoader))


def test_a_server_starts_as_the_unit_says(deployed):
    assert unit_values("ExecStart") == ["/usr/local/bin/brasa serve --config /etc/brasa/brasa.yaml"]
    assert unit_settings()["BRASA_DATA_DIR"] == f"/var/lib/{unit_values('StateDirectory')[0]}"
    server = deployed(unit_settings(), mounts=UNIT_FOLDERS, is_file=True)
    server.start()
    assert server.observe("/readyz")[0] == 200
    server.serves_a_client_over_tls()


# MARK: All


def test_every_setting_that_is_named_is_one_of_the_servers(binary):
    """A word that nobody knows would change nothing, and nobody would be told."""
    known = known_variables(binary)
    assert len(known) > 20
    checked = 0
    for path in [each for each in DEPLOY.rglob("*") if each.is_file()]:
        named = set(re.findall(r"\bBRASA_[A-Z_]+", path.read_text()))
        checked += len(named)
        assert named <= known, path
        options = set(re.findall(r"brasa serve[^\n]*?(--[a-z-]+)", path.read_text()))
        assert set(as_variables({each[2:]: "" for each in options - {"--help"}})) <= known, path
    assert set(unit_settings()) <= known
    assert checked > 20


def gibibytes(text: str) -> int:
    assert re.fullmatch(r"\d+[Gg]", text), text
    return int(text[:-1]) << 30


def needed_memory(said: dict[str, str]) -> int:
    """The formula of docs/operations.md, "Size"."""
    return gibibytes(said["BRASA_MAX_MEMORY"]) * 14 // 10 + (140 * int(said["BRASA_THREADS"]) + 350) * MIB


@pytest.fixture
def deployed(binary: Path, tmp_path: Path) -> Iterator[Callable[..., Deployed]]:
    made: list[Deployed] = []

    def make(said: dict[str, str], mounts: dict[str, Any], is_file: bool = False) -> Deployed:
        ports = (free_port(), free_port())
        made.append(Deployed(binary, tmp_path / "root", said, list(mounts), *ports, clean_environment(), is_file))
        return made[-1]

    yield make
    for each in made:
        each.stop()
