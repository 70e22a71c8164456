"""One key file for all: the official Go client, and the Swift client, as test_identity.py has Python's; and keys that are
refused, whatever client shows them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from grpc import StatusCode

from support.identity import AT_ONCE, KeyFile, official_environment, run_keys
from support.interop import SwiftClient, SwiftFailed
from support.secure import SOON_SECONDS
from support.servers import free_port
from support.wire import Database


def run_go(program: Path, server, key, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_official(server, key, str(program), server.address, *arguments)


def run_official(server, key: KeyFile, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
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


def unexchanged(key: KeyFile) -> KeyFile:
    """The same key, whose tokens nobody exchanges."""
    path = key.path.with_name("unexchanged.json")
    path.write_text(json.dumps({**key.members, "token_uri": f"https://localhost:{free_port()}/token"}))
    return KeyFile(path)


def test_the_official_go_client_exchanges_its_tokens_or_signs_them(secure, go_program):
    server = secure()
    alone = unexchanged(server.key)
    for key, arguments, status in [
        (server.key, [], 0), (server.key, ["signed"], 0), (alone, [], 1), (alone, ["signed"], 0)
    ]:
        done = run_go(go_program, server, key, *arguments)
        assert done.returncode == status, (arguments, key.path, done.stderr)
        assert status == 1 or done.stdout == "map[population:860000]\nSF\n"


# The library tries what a key's end has ended for a minute, as it does with all that a plugin of gRPC's says.
SYNC = """
import sys
from google.cloud import firestore
client = firestore.Client(project="demo", client_options={"api_endpoint": sys.argv[1]})
client.document("cities/SF").set({"population": 860000}, retry=None, timeout=20)
"""

ASYNC = """
import asyncio, sys
from google.cloud import firestore

async def main():
    client = firestore.AsyncClient(project="demo", client_options={"api_endpoint": sys.argv[1]})
    await client.document("cities/SF").set({"population": 860000}, retry=None, timeout=20)

asyncio.run(main())
"""

# Signs its own tokens, where the others exchange one.
GENERATED = """
import sys
from google.cloud.firestore_v1.services.firestore import FirestoreClient
client = FirestoreClient(client_options={"api_endpoint": sys.argv[1]})
parent = "projects/demo/databases/(default)/documents"
client.create_document(request={"parent": parent, "collection_id": "cities", "document_id": "SF", "document": {}})
"""

# Of a key: how it is made, what is done to it, and what its token is answered then.
REFUSED_KEYS = {
    "disabled": ([], "disable", StatusCode.UNAUTHENTICATED),
    "deleted": ([], "delete", StatusCode.UNAUTHENTICATED),
    "for reading": (["--read-only"], None, StatusCode.NOT_FOUND),
    "of another project": (["--database", "projects/other/databases/(default)"], None, StatusCode.PERMISSION_DENIED),
}


@pytest.mark.parametrize("name", REFUSED_KEYS)
def test_a_key_that_may_not_is_refused_whatever_client_shows_it(secure, binary, go_program, tmp_path, name):
    server = secure()
    arguments, command, code = REFUSED_KEYS[name]
    key = server.make("other", *arguments)
    if command:
        server.eventually_known(key)
        run_keys(binary, server.data, command, "other")
    server.eventually(code, key.token())
    for told in [
        *([sys.executable, "-c", program + AT_ONCE, server.address] for program in (SYNC, ASYNC, GENERATED)),
        [str(go_program), server.address],
        [str(go_program), server.address, "signed"],
    ]:
        done = run_official(server, key, *told)
        expected = ("Unauthenticated", "invalid_grant") if command else ("PermissionDenied",)
        assert done.returncode != 0 and any(word in done.stderr for word in expected), (told, done.stderr)
    client = server.swift(key, tmp_path / "swift.log")
    with pytest.raises(SwiftFailed, match="(?i)credentials|could not be reached" if command else "(?i)permission"):
        if name == "for reading":
            client.write("set", "cities/SF", {"population": 860000})
        else:
            client.find("cities", "population", 860000)
    assert client.stop() == 0


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
