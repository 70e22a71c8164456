"""Programs over the Swift client, and one of them that does what tests ask for."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

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


class SwiftClient:
    """One `interop` process with a database of a server."""

    def __init__(self, address: str, project: str, log: Path, environment: dict[str, str] | None = None):
        program = swift_program("interop")
        environment = environment or swift_environment(address, project)
        self._log = log
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment
            )

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
        self._process.stdin.write(json.dumps({"call": name, **parts}).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SwiftFailed(f"the process has ended with {self._process.wait()}: {self._log.read_text()}")
        answer = json.loads(line)
        if "error" in answer:
            raise SwiftFailed(answer["error"])
        return answer

    def stop(self) -> int:
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(timeout=30)
