"""Real server processes, started and stopped by the tests."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
START_SECONDS = 60
STOP_SECONDS = 60


def brasa_binary() -> Path | None:
    """The server under test: BRASA_BINARY, else what `swift build` left last, so that no old one is tested unseen."""
    named = os.environ.get("BRASA_BINARY")
    if named:
        return Path(named)
    built = [REPOSITORY / ".build" / configuration / "brasa" for configuration in ("release", "debug")]
    return max(filter(Path.exists, built), key=lambda binary: binary.stat().st_mtime, default=None)


def tools_binary(server: Path) -> Path:
    """The clients of the command line, which stand beside the server."""
    return server.with_name("brasa-tools")


def clean_environment() -> dict[str, str]:
    """The caller's environment without what would configure the server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BRASA_")}


class ServerFailed(Exception):
    """The process ended, or stayed silent, before it said that it listens."""


class BrasaServer:
    """One `brasa serve` process on a port of its own choice."""

    def __init__(
        self,
        binary: Path,
        data_directory: Path,
        *flags: str,
        listen: str = "127.0.0.1:0",
        environment: dict[str, str] | None = None,
        around: list[str] | None = None,
    ):
        """With an environment it is that which configures the server; `around` is a command that runs it."""
        self.binary = binary
        self.data_directory = data_directory
        self.flags = flags
        self.listen = listen
        self.environment = environment
        self.around = around or []
        self.process: subprocess.Popen | None = None
        self.address = ""
        self.log = Path(f"{data_directory}.log")

    def start(self) -> "BrasaServer":
        command = [*self.around, str(self.binary), "serve"]
        if self.environment is None:
            command += ["--listen", self.listen, "--data-dir", str(self.data_directory)]
        environment = clean_environment() if self.environment is None else self.environment
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *self.flags], stdout=subprocess.PIPE, stderr=log, env=environment
            )
        self.address = self._address_when_ready()
        return self

    def _address_when_ready(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        pending = b""
        stdout = self.process.stdout.fileno()
        while (left := deadline - time.monotonic()) > 0:
            readable, _, _ = select.select([stdout], [], [], left)
            chunk = os.read(stdout, 4096) if readable else b""
            if not chunk:
                break
            pending += chunk
            for line in pending.decode().splitlines(keepends=True):
                if line.startswith("listening on ") and line.endswith("\n"):
                    return line.removeprefix("listening on ").strip()
        self.kill()
        raise ServerFailed(f"no line `listening on HOST:PORT`; the log says:\n{self.log.read_text()}")

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def wait(self, seconds: float = STOP_SECONDS) -> int:
        return self.process.wait(timeout=seconds)

    def stop(self) -> int:
        """Ends the process as an operator would; its exit code."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.terminate()
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            self.process.stdout.close()

    def kill(self) -> None:
        """Ends the process as a power cut would."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def emulator_program() -> Path | None:
    """Google's emulator, where google-cloud-cli brought it along."""
    if shutil.which("gcloud") is None:
        return None
    command = ["gcloud", "info", "--format=value(installation.sdk_root)"]
    root = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    program = Path(root) / "platform" / "cloud-firestore-emulator" / "cloud_firestore_emulator"
    return program if root and program.exists() else None


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Emulator:
    """One process of Google's emulator. It cannot pick a port itself."""

    def __init__(self, program: Path, log: Path):
        self.address = f"127.0.0.1:{free_port()}"
        port = self.address.rpartition(":")[2]
        with log.open("wb") as output:
            # The program is a shell script around Java: a session of its own lets stop() end both.
            self.process = subprocess.Popen(
                [str(program), "start", "--host=127.0.0.1", f"--port={port}"],
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://{self.address}/", timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                # There is no event to wait for: the port opens when Java has started.
                select.select([], [], [], 0.2)
        self.stop()
        raise ServerFailed("Google's emulator did not start")

    def stop(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
