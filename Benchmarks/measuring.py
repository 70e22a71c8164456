"""What the benchmark scripts share: servers of their own, loads, and tables."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def brasa() -> Path:
    """The server."""
    return program("brasa", "BRASA_BINARY")


def tools() -> Path:
    """The load generator."""
    return program("brasa-tools", "BRASA_TOOLS")


def program(product: str, variable: str) -> Path:
    """The one that the variable names, else a release build of this folder."""
    named = os.environ.get(variable)
    if named:
        return Path(named).resolve()
    return Path(subprocess.check_output(["scripts/release", product], cwd=ROOT, text=True).strip())


class Server:
    """One `brasa serve` process on a folder of its own."""

    def __init__(
        self, binary: Path, *flags: str, under: Sequence[str] = (), prepare: Callable[[Path], None] | None = None
    ):
        """`under`: a command that runs the server; `prepare`: what happens to the data's folder before it starts."""
        self.folder = Path(tempfile.mkdtemp())
        data = self.folder / "data"
        if prepare:
            prepare(data)
        command = [*under, str(binary), "serve", "--listen", "127.0.0.1:0", "--data-dir", str(data)]
        self.command = [*command, "--log-level", "error", *flags]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise SystemExit(f"{' '.join(self.command)}: does not start")
        self.address = line.removeprefix("listening on ").strip()

    def restart(self) -> float:
        """On what it has written; the seconds until it listens."""
        self.end()
        began = time.monotonic()
        self.start()
        return time.monotonic() - began

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def stop(self) -> None:
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)


class Metrics:
    """What a server's page of metrics says now."""

    def __init__(self, server: Server):
        page = urllib.request.urlopen(f"http://{server.address}/metrics").read().decode()
        self.lines = re.findall(r"^(\w+)(\{[^}]*\})? (\S+)$", page, re.MULTILINE)

    def __getitem__(self, name: str) -> float:
        return sum(float(value) for found, _, value in self.lines if found == name)

    def labelled(self, name: str, label: str) -> float:
        """`label`: a value that one of its labels has."""
        return sum(float(value) for found, labels, value in self.lines if found == name and f'"{label}"' in labels)

    def ready_indexes(self) -> int:
        return int(self.labelled("brasa_indexes", "ready"))


def bench(loader: Path, server: Server, *arguments: str) -> tuple[float, float, float]:
    """Calls a second, median and 99th percentile in microseconds."""
    command = [str(loader), "bench", *arguments, "--target", server.address, "--format", "row"]
    rate, median, tail = subprocess.check_output(command, text=True).split()
    return float(rate), float(median), float(tail)


def row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    print("|---" + "|---:" * (len(cells) - 1) + "|")
