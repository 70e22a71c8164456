"""The program over the official Go client, as Debian has both."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path("/usr/share/gocode")
PROGRAM = Path(__file__).parent.parent / "golang" / "official.go"
BUILD_SECONDS = 300


def built(folder: Path) -> Path:
    if shutil.which("go") is None or not (SOURCES / "src/cloud.google.com/go/firestore").exists():
        pytest.skip("the Go client is not installed (apt install golang-go golang-google-cloud-dev)")
    program = folder / "official"
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": str(SOURCES), "GOFLAGS": ""}
    environment["GOCACHE"] = str(folder / "cache")
    subprocess.run(["go", "build", "-o", str(program), str(PROGRAM)], env=environment, check=True, timeout=BUILD_SECONDS)
    return program
