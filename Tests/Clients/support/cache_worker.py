"""A process with the Swift client and its disk cache, which can be killed at any moment."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from support.interop import swift_environment, swift_program


class WorkerEnded(Exception):
    """The process ended before it answered."""


class CacheWorker:
    """One life of `cache-worker serve` on a folder."""

    def __init__(self, address: str, project: str, folder: Path, log: Path):
        command = [str(swift_program("cache-worker")), "serve", "--folder", str(folder)]
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=swift_environment(address, project),
            )

    def send(self, call: str, **parts: Any) -> None:
        """Asks without waiting for the answer."""
        self._process.stdin.write(json.dumps({"call": call, **parts}).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next answer."""
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerEnded(f"the process has ended with {self._process.wait()}")
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer

    def ask(self, call: str, **parts: Any) -> dict[str, Any]:
        self.send(call, **parts)
        return self.receive()

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
