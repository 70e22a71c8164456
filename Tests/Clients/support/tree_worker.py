"""A process with the Swift client of the Realtime Database, which can be killed at any moment."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, Callable

from support.interop import swift_program
from support.lines import LineProgram, WorkerEnded

# However slow the machine is: what takes longer hangs.
SECONDS = 60


class TreeFailed(Exception):
    """The Swift client answered with an error."""


class TreeWorker(LineProgram):
    """One life of `tree-worker`. Answers come when they are known, and are kept: so are those that a killed process gave."""

    def __init__(self, address: str, database: str, log: Path, *options: str, token: str | None = None):
        """With a user's token security rules count; without one it is the owner, as everybody is with an emulator."""
        command = [str(swift_program("tree-worker")), "--url", f"http://{address}?ns={database}", *options]
        environment = {name: value for name, value in os.environ.items() if name != "FIREBASE_DATABASE_EMULATOR_HOST"}
        if token is None:
            environment["FIREBASE_DATABASE_EMULATOR_HOST"] = address
        else:
            command += ["--token", token]
        super().__init__(command, log, environment)
        self.answers: dict[int, dict[str, Any]] = {}
        # What it says without being asked, by name.
        self.told: dict[str, list[Any]] = {}
        self._calls = 0
        self._has_ended = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, call: str, **parts: Any) -> int:
        """Asks without waiting; the number of the answer."""
        self._calls += 1
        self.write_line({"id": self._calls, "call": call, **parts})
        return self._calls

    def outcome(self, number: int) -> dict[str, Any]:
        self.wait(lambda: number in self.answers)
        return self.answers[number]

    def ask(self, call: str, **parts: Any) -> dict[str, Any]:
        answer = self.outcome(self.send(call, **parts))
        if "error" in answer:
            raise TreeFailed(answer["error"])
        return answer

    def wait(self, condition: Callable[[], bool]) -> None:
        """Until what it has said makes a condition true."""
        with self._changed:
            is_in_time = self._changed.wait_for(lambda: condition() or self._has_ended, timeout=SECONDS)
            if not is_in_time:
                raise TimeoutError(f"nothing came in {SECONDS} s")
            if not condition():
                raise WorkerEnded("the process has ended")

    def _read(self) -> None:
        try:
            while True:
                line = self.read_line()
                with self._changed:
                    if "id" in line:
                        self.answers[line["id"]] = line
                    else:
                        self.told.setdefault(line["told"], []).append(line["value"])
                    self._changed.notify_all()
        except WorkerEnded:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()

    def _close(self) -> int:
        # What it said before its end is in the pipe.
        self._reader.join(timeout=SECONDS)
        assert not self._reader.is_alive(), "the process does not end"
        return super()._close()
