"""How much memory a process has had, from Linux's /proc."""

from __future__ import annotations

import sys
from pathlib import Path

IS_AVAILABLE = sys.platform.startswith("linux")


def _kilobytes(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise KeyError(name)


def resident_bytes(pid: int) -> int:
    return _kilobytes(pid, "VmRSS") << 10


def peak_bytes(pid: int) -> int:
    """The most since `forget_peak`."""
    return _kilobytes(pid, "VmHWM") << 10


def forget_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")
