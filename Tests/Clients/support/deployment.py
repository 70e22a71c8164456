"""A server that is started as a container or a unit starts it, and with nothing else."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from support.identity import Authority, make_key
from support.servers import BrasaServer, get

PROGRAM = """
import sys
from google.cloud import firestore
client = firestore.Client(project="demo", client_options={"api_endpoint": sys.argv[1]})
client.document("cities/SF").set({"population": 860000})
print(client.document("cities/SF").get().to_dict())
"""


def known_variables(binary: Path) -> set[str]:
    """Those that `brasa serve --help` names."""
    told = subprocess.run([binary, "serve", "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    return set(re.findall(r"\((BRASA_[A-Z_]+)[;)]", told))


def as_variables(settings: dict[str, str]) -> dict[str, str]:
    return {"BRASA_" + name.upper().replace("-", "_"): value for name, value in settings.items()}


class Deployed:
    """Paths under `mounts` are folders of the test's, ports are free ones; the rest is as it is said."""

    def __init__(
        self,
        binary: Path,
        root: Path,
        said: dict[str, str],
        mounts: list[str],
        port: int,
        metrics_port: int,
        environment: dict[str, str],
        is_file: bool = False,
    ):
        self.binary = binary
        self.root = root
        self.mounts = mounts
        self.port = port
        self.metrics_port = metrics_port
        for mount in mounts:
            (root / mount[1:]).mkdir(parents=True)
        self.authority = Authority(root / "authority")
        self.said = {name: self._here(name, value) for name, value in said.items()}
        self.environment = environment if is_file else {**environment, **self.said}
        self.flags: list[str] = []
        if is_file:
            path = root / "brasa.yaml"
            path.write_text("".join(f"{variable[6:].lower().replace('_', '-')}: {value}\n" for variable, value in self.said.items()))
            self.flags = ["--config", str(path)]
        self.server: BrasaServer | None = None

    def _here(self, name: str, value: str) -> str:
        if value.startswith("/"):
            # What is in no mount would not be there.
            assert any(value == mount or value.startswith(mount + "/") for mount in self.mounts), (name, value)
            return str(self.root) + value
        if name in ("BRASA_LISTEN", "BRASA_METRICS_ADDRESS"):
            host = value.rpartition(":")[0]
            return f"{host}:{self.port if name == 'BRASA_LISTEN' else self.metrics_port}"
        return value

    def write(self, files: dict[str, str]) -> None:
        """Into the mount where a setting names each."""
        for name, content in files.items():
            (path,) = [Path(value) for value in self.said.values() if value.endswith("/" + name)]
            path.write_text(content)

    def start(self, around: list[str] | None = None) -> None:
        if certificate := self.said.get("BRASA_TLS_CERTIFICATE"):
            self.authority.issue("server")
            for kind, path in (("pem", certificate), ("key", self.said["BRASA_TLS_KEY"])):
                Path(path).write_bytes(Path(self.authority.path(f"server.{kind}")).read_bytes())
        data = Path(self.said["BRASA_DATA_DIR"])
        self.server = BrasaServer(self.binary, data, *self.flags, environment=self.environment, around=around or [])
        self.server.start()

    def stop(self) -> None:
        if self.server is not None:
            assert self.server.stop() == 0, self.server.log.read_text()
            self.server = None

    @property
    def process_number(self) -> int:
        return self.server.process.pid

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.binary), *arguments]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    def is_healthy(self, arguments: list[str]) -> None:
        done = self.run(*arguments)
        assert (done.returncode, done.stdout) == (0, "ready\n"), done.stderr

    def observe(self, path: str) -> tuple[int, str]:
        return get(f"http://127.0.0.1:{self.metrics_port}{path}")

    def serves_a_client_over_tls(self) -> None:
        """The official one, with a key that is made as operators do, in the container's environment."""
        address = f"localhost:{self.port}"
        key = make_key(self.binary, Path(self.said["BRASA_DATA_DIR"]), "app", f"https://{address}")
        assert self.authority.run(PROGRAM, key, address) == "{'population': 860000}\n"
