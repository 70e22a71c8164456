"""A Redis server of its own for a benchmark, from the Debian packages `redis-server` and `redis-tools`, which are installed if
they are missing. Each write is synced before it is answered (`appendfsync always`)."""

from __future__ import annotations

import csv
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path


def install() -> None:
    if shutil.which("redis-server") and shutil.which("redis-benchmark"):
        return
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    packages = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "redis-server", "redis-tools"]
    subprocess.run([*prefix, "apt-get", "update", "-qq"], check=True)
    subprocess.run([*prefix, *packages], check=True, stdout=subprocess.DEVNULL)


class Server:
    """One process, on a folder of its own."""

    name = "Redis"

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp())
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        settings = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "appendonly": "yes"}
        settings |= {"appendfsync": "always", "save": "", "auto-aof-rewrite-percentage": 0}
        command = ["redis-server", *(part for name, value in settings.items() for part in (f"--{name}", str(value)))]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise SystemExit("redis-server does not start")
        self.answers = self.connection.makefile("rb")

    def ask(self, *words: object) -> str:
        """One command, whose answer is one line."""
        parts = [str(word).encode() for word in words]
        text = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self.connection.sendall(b"*%d\r\n%s" % (len(parts), text))
        answer = self.answers.readline().decode().strip()
        if answer.startswith("-"):
            raise SystemExit(f"Redis: {answer}")
        return answer

    def put(self, leaves: Iterable[tuple[str, object]]) -> None:
        """As fields of one hash."""
        self.ask("HSET", "leaves", *(part for leaf in leaves for part in leaf))

    def sets(self, seconds: float, size: int, connections: int, in_flight: int, keys: int) -> tuple[float, float, float]:
        """SET, for about so long: calls a second, median and 99th percentile in microseconds."""
        flags = ["-p", str(self.port), "-t", "set", "-d", str(size), "-r", str(keys), "--csv"]
        flags += ["-c", str(connections), "-P", str(in_flight)]
        # It counts calls, not time: how many there should be is tried out.
        calls = 20 * connections * in_flight
        while True:
            start = time.monotonic()
            output = subprocess.check_output(["redis-benchmark", *flags, "-n", str(calls)], text=True)
            elapsed = time.monotonic() - start
            if elapsed > 0.7 * seconds:
                break
            calls = min(20 * calls, max(2 * calls, int(calls * seconds / elapsed)))
        (line,) = csv.DictReader(output.splitlines())
        return float(line["rps"]), 1000 * float(line["p50_latency_ms"]), 1000 * float(line["p99_latency_ms"])

    def resident_bytes(self) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def stop(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
