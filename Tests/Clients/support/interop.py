"""Programs over the Swift client, and one of them that does what tests ask for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from support.lines import LineProgram, WorkerEnded
from support.servers import REPOSITORY
from support.values import tagged


def swift_program(name: str) -> Path:
    """A program over the Swift client: in BRASA_PROGRAMS, else where `swift build` left it."""
    folder = os.environ.get("BRASA_PROGRAMS")
    program = (Path(folder) if folder else REPOSITORY / ".build" / "debug") / name
    if not program.exists():
        pytest.fail(f"no program {program}: build it with `swift build`, or set BRASA_PROGRAMS")
    return program


def swift_environment(address: str, project: str) -> dict[str, str]:
    return {**os.environ, "FIRESTORE_EMULATOR_HOST": address, "GCLOUD_PROJECT": project}


class SwiftFailed(Exception):
    """The Swift client answered with an error."""


class SwiftClient(LineProgram):
    """One `interop` process with a database of a server."""

    def __init__(self, address: str, project: str, log: Path, environment: dict[str, str] | None = None):
        environment = environment or swift_environment(address, project)
        self._log = log
        super().__init__([str(swift_program("interop"))], log, environment)

    def write(self, way: str, path: str, content: dict[str, Any]) -> None:
        self._call("write", way=way, path=path, fields=tagged(content)["map"])

    def update(self, path: str, changes: dict[str, Any]) -> None:
        self._call("update", path=path, fields=tagged(changes)["map"])

    def read(self, way: str, path: str) -> dict[str, Any] | None:
        """The document's fields in the form of `tagged`."""
        return self._call("read", way=way, path=path).get("fields")

    def find(self, collection: str, field: str, content: Any) -> list[str]:
        return self._call("find", collection=collection, field=field, value=tagged(content))["found"]

    def load(self, bundle: bytes) -> None:
        self._call("load", bundle=bundle.decode())

    def named(self, name: str) -> list[str] | None:
        """The documents of a bundle's query; nothing when there is no such query."""
        return self._call("named", name=name).get("found")

    def _call(self, name: str, /, **parts: Any) -> dict[str, Any]:
        self.write_line({"call": name, **parts})
        try:
            answer = self.read_line()
        except WorkerEnded as end:
            raise SwiftFailed(f"{end}: {self._log.read_text()}") from end
        if "error" in answer:
            raise SwiftFailed(answer["error"])
        return answer
