"""A PostgreSQL server of its own for a benchmark, from the Debian package `postgresql`, which is installed if it is missing.
It runs as the user `postgres` in a temporary folder."""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import tempfile
from pathlib import Path


def install() -> None:
    if any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        return
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    packages = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "postgresql"]
    subprocess.run([*prefix, "apt-get", "update", "-qq"], check=True)
    subprocess.run([*prefix, *packages], check=True, stdout=subprocess.DEVNULL)


def binaries() -> Path:
    """Of the newest version that is installed."""
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))


def name() -> str:
    return f"PostgreSQL {binaries().parent.name}"


class Server:
    def __init__(self, options: str = ""):
        self.folder = Path(tempfile.mkdtemp())
        self.binaries = binaries()
        self.name = name()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.as_user("initdb", "-D", f"{self.folder}/data", "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale", "C")
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off {options}"
        self.as_user("pg_ctl", "-D", f"{self.folder}/data", "-l", f"{self.folder}/log", "-w", "-o", options, "start")
        try:
            self.load()
        except BaseException:
            self.stop()
            raise

    def load(self) -> None:
        """What there is to be asked for; called once, when the server has started."""

    def as_user(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")

    def connection(self) -> list[str]:
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "bench", "-d", "postgres"]

    def sql(self, text: str) -> str:
        command = [str(self.binaries / "psql"), *self.connection(), "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1"]
        return subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.PIPE).stdout

    def run_script(self, text: str, *flags: str, clients: int = 1) -> list[int]:
        """Runs it by one or more connections with prepared statements; the latencies in microseconds, ascending."""
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script"
            script.write_text(text)
            command = [str(self.binaries / "pgbench"), *self.connection(), "-n", "-M", "prepared", "-f", str(script)]
            command += ["-c", str(clients), *flags, "-l", "--log-prefix", f"{folder}/log"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            (log,) = Path(folder).glob("log.*")
            return sorted(int(line.split()[2]) for line in log.read_text().splitlines())

    def measure(self, text: str, seconds: float) -> tuple[float, float, float]:
        """Calls a second, median and 99th percentile in microseconds."""
        latencies = self.run_script(text, "-T", str(max(1, round(seconds))))
        rate = len(latencies) / sum(latencies) * 1e6
        return rate, statistics.median(latencies), latencies[int(len(latencies) * 0.99)]

    def stop(self) -> None:
        self.as_user("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
