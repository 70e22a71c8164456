"""A process with the Swift client and its disk cache, which can be killed at any moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.interop import swift_environment, swift_program
from support.lines import LineProgram


class CacheWorker(LineProgram):
    """One life of `cache-worker serve` on a folder."""

    def __init__(self, address: str, project: str, folder: Path, log: Path):
        command = [str(swift_program("cache-worker")), "serve", "--folder", str(folder)]
        super().__init__(command, log, swift_environment(address, project))

    def send(self, call: str, **parts: Any) -> None:
        """Asks without waiting for the answer."""
        self.write_line({"call": call, **parts})

    def receive(self) -> dict[str, Any]:
        """The next answer."""
        answer = self.read_line()
        assert "error" not in answer, answer["error"]
        return answer

    def ask(self, call: str, **parts: Any) -> dict[str, Any]:
        self.send(call, **parts)
        return self.receive()
