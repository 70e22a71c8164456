"""One key file for all: the official Go client, and the Swift client, as test_identity.py has Python's."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from support.identity import official_environment, run_keys
from support.interop import SwiftClient, SwiftFailed
from support.secure import SOON_SECONDS
from support.wire import Database


def run_go(program: Path, server, key) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), server.address],
        env=official_environment(server.authority, key),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_official_go_client_with_a_key_file_needs_nothing_else(secure, binary, go_program):
    server = secure()
    done = run_go(go_program, server, server.key)
    assert (done.returncode, done.stdout) == (0, "map[population:860000]\nSF\n"), done.stderr
    reader = server.make("reader", "--read-only")
    server.eventually_known(reader)
    done = run_go(go_program, server, reader)
    assert done.returncode == 1 and "PermissionDenied" in done.stderr
    run_keys(binary, server.data, "delete", "app")
    server.eventually_unknown(server.key)
    done = run_go(go_program, server, server.key)
    assert done.returncode == 1 and ("Unauthenticated" in done.stderr or "invalid_grant" in done.stderr), done.stderr


def ends_with_its_key(client: SwiftClient) -> None:
    """Also on a stream that is open, which ends a second later at most."""
    deadline = time.monotonic() + SOON_SECONDS
    with pytest.raises(SwiftFailed, match="(?i)credentials|could not be reached"):
        while time.monotonic() < deadline:
            client.find("cities", "population", 860000)


def test_the_swift_client_takes_the_same_file(secure, binary, tmp_path):
    server = secure()
    client = server.swift(server.key, tmp_path / "swift.log")
    client.write("set", "cities/SF", {"population": 860000})
    assert client.read("document", "cities/SF")["population"] == {"integer": "860000"}
    assert client.find("cities", "population", 860000) == ["SF"]
    assert Database(server.wire(server.key.token()), "demo").get("cities/SF").ok
    reader = server.make("reader", "--read-only")
    server.eventually_known(reader)
    reading = server.swift(reader, tmp_path / "reader.log")
    assert reading.find("cities", "population", 860000) == ["SF"]
    for _ in range(2):
        with pytest.raises(SwiftFailed, match="(?i)permission"):
            reading.write("set", "cities/SF", {"population": 0})
    assert reading.stop() == 0
    run_keys(binary, server.data, "delete", "app")
    server.eventually_unknown(server.key)
    ends_with_its_key(client)
    assert client.stop() == 0


def test_the_swift_client_goes_on_when_its_token_does_not(secure, tmp_path, binary):
    """A key that is disabled and enabled again: the token of before is good again, as is every new one."""
    server = secure()
    client = server.swift(server.key, tmp_path / "swift.log")
    client.write("set", "c/x", {"n": 1})
    run_keys(binary, server.data, "disable", "app")
    server.eventually_unknown(server.key)
    ends_with_its_key(client)
    run_keys(binary, server.data, "enable", "app")
    server.eventually_known(server.key)
    assert client.find("c", "n", 1) == ["x"]
    assert client.stop() == 0
