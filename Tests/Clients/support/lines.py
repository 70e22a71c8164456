"""A program over a Swift client that does what lines of JSON ask for, and can be killed at any moment."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any


class WorkerEnded(Exception):
    """The process ended before it answered."""


class LineProgram:
    """One life of such a program. What it says on standard error goes to the end of a log."""

    def __init__(self, command: list[str], log: Path, environment: dict[str, str]):
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment
            )

    def write_line(self, content: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps(content).encode() + b"\n")
        self._process.stdin.flush()

    def read_line(self) -> dict[str, Any]:
        """What it says next. A line that its end has cut off was not said."""
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerEnded(f"the process has ended with {self._process.wait()}")
        return json.loads(line)

    def kill(self) -> None:
        """Ends the process without a chance to put anything in order."""
        self._process.kill()
        self._close()

    def stop(self) -> int:
        self._process.stdin.close()
        return self._close()

    def _close(self) -> int:
        code = self._process.wait(timeout=60)
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        return code
