"""What a load takes of the server: instructions, allocations, and retains and releases, counted by callgrind."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from measuring import Server, brasa

ALLOCATIONS = ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "memalign")
REFERENCES = (
    "swift_retain", "swift_retain_n", "swift_release", "swift_release_n",
    "swift_bridgeObjectRetain", "swift_bridgeObjectRelease",
)  # fmt: skip


def require_valgrind() -> None:
    if not shutil.which("valgrind"):
        raise SystemExit("valgrind is not installed")


@contextlib.contextmanager
def named_binary(program: Path | None = None) -> Iterator[Path]:
    """The server, or another program, for callgrind: it needs the names of functions, and cannot read all of what else is
    told for debuggers."""
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "named"
        subprocess.run(["strip", "--strip-debug", "-o", str(binary), str(program or brasa())], check=True)
        yield binary


def count(profile: Path) -> Counter[str]:
    """How often each function was called, and under the name `instructions` how many were carried out."""
    counted: Counter[str] = Counter()
    names: dict[str, str] = {}
    callee = ""
    for line in profile.read_text(errors="replace").splitlines():
        if match := re.match(r"c?fni?=\((\d+)\)(?: (.*))?", line):
            number, name = match.groups()
            # Calls from within the same function have a number behind their name.
            if name:
                names[number] = re.sub(r"('\d+)?(@.*)?$", "", name)
            callee = names[number]
        elif line.startswith("calls="):
            counted[callee] += int(line[6:].split()[0])
        elif line.startswith(("summary:", "totals:")):
            counted["instructions"] = int(line.split()[1])
    return counted


def callgrind(profile: Path) -> list[str]:
    """What a command is to be run by."""
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--log-file=/dev/null"]


def run(
    binary: Path, loader: Path, work: str, flags: Sequence[str], calls: int, more: Sequence[str] = ()
) -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        server = Server(binary, "--threads", "1", *flags, under=callgrind(profile))
        try:
            load = ["--documents", "100", "--connections", "4", "--streams", "16", "--calls", str(calls), *more]
            command = [str(loader), "bench", work, *load, "--target", server.address, "--format", "row"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        finally:
            server.stop()
        return count(profile)


def per_call(
    binary: Path, loader: Path, work: str, flags: Sequence[str], calls: int, load: Sequence[str] = ()
) -> Counter[str]:
    """The difference of two runs, of as many calls and of three times as many, which start and set-up are not in; times
    twice the calls."""
    few, many = (run(binary, loader, work, flags, number, load) for number in (calls, 3 * calls))
    many.subtract(few)
    return many
