"""A server whose disk is full: it refuses writes, goes on with everything else, and takes writes again when there is room."""

from __future__ import annotations

import json
import queue
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Iterator

import pytest
from google.api_core import exceptions
from google.cloud import firestore

from support.clients import client_for, close_client
from support.servers import BrasaServer
from support.websocket import TreeClient

# Room for the log's first segments and a few commits' worth of a next one.
DISK_BYTES = 192 << 20
PAYLOAD_BYTES = 512 << 10
WRITES_MAX = 2 * DISK_BYTES // PAYLOAD_BYTES
WAIT_SECONDS = 60
# What sessions of trees leave: more than the log's first segment has room for, which is all that a start needs.
SESSIONS = 10
LEFT_BYTES = 900_000
START_BYTES = 6 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system needs more rights")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.fixture
def full_server(binary: Path, small_disk: Path) -> Iterator[BrasaServer]:
    server = BrasaServer(binary, small_disk / "data")
    # The log of the process stands beside its data, where there will be no room.
    server.log = small_disk.with_suffix(".log")
    server.start()
    yield server
    server.stop()


def filled(disk: Path) -> Path:
    """A file of someone else's that takes what room there is, but for what the server has already."""
    filler = disk / "somebody-else"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 20))
        except OSError:
            pass
    return filler


def write_once(client: firestore.Client, number: int) -> None:
    """One commit, which the client does not repeat by itself."""
    batch = client.batch()
    batch.set(client.document(f"large/{number}"), {"number": number, "payload": bytes(PAYLOAD_BYTES)})
    batch.commit(retry=None, timeout=WAIT_SECONDS)


def refused_at(client: firestore.Client) -> int:
    """Writes until the disk is found to be full; the number of the write that was refused."""
    for number in range(WRITES_MAX):
        try:
            write_once(client, number)
        except exceptions.ResourceExhausted as error:
            assert "disk is full" in error.message
            return number
    raise AssertionError(f"{WRITES_MAX} writes fitted a disk of {DISK_BYTES} bytes")


def accepted(client: firestore.Client, number: int) -> None:
    """Writes again until it is taken, as one who was told RESOURCE_EXHAUSTED may."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return write_once(client, number)
        except exceptions.ResourceExhausted:
            assert time.monotonic() < deadline, "the disk has room, and the server does not see it"
            time.sleep(0.2)


def test_a_server_whose_disk_is_full_goes_on_and_writes_again_when_there_is_room(
    full_server: BrasaServer, small_disk: Path
):
    client = client_for(full_server.address, "full-disk")
    counts: queue.Queue[int] = queue.Queue()
    listener = client.collection("large").on_snapshot(lambda documents, _changes, _time: counts.put(len(documents)))

    def until_told(count: int) -> None:
        while counts.get(timeout=WAIT_SECONDS) != count:
            pass

    until_told(0)
    filler = filled(small_disk)

    refused = refused_at(client)

    # Reads and listeners go on, and show what was acknowledged, and nothing that was refused.
    assert not client.document(f"large/{refused}").get().exists
    for number in range(refused):
        assert client.document(f"large/{number}").get(["number"]).get("number") == number
    until_told(refused)

    filler.unlink()
    accepted(client, refused)
    assert client.document(f"large/{refused}").get(["number"]).get("number") == refused
    until_told(refused + 1)
    listener.unsubscribe()

    # What was acknowledged is there after a restart, on the disk that was full.
    full_server.kill()
    full_server.start()
    again = client_for(full_server.address, "full-disk")
    numbers = sorted(each.get("number") for each in again.collection("large").select(["number"]).stream())
    assert numbers == list(range(refused + 1))
    close_client(again)
    close_client(client)


def test_a_start_on_a_full_disk_does_not_wait_for_what_sessions_left(full_server: BrasaServer, small_disk: Path):
    clients = [TreeClient(full_server.address, "full") for _ in range(SESSIONS)]
    for number, client in enumerate(clients):
        client.ok("o", {"p": f"/left/{number}", "d": "x" * LEFT_BYTES})
    full_server.kill()
    filler = filled(small_disk)

    def start() -> None:
        with filler.open("r+b") as file:
            file.truncate(filler.stat().st_size - START_BYTES)
        full_server.start()

    def left() -> dict:
        with urllib.request.urlopen(f"http://{full_server.address}/left.json?ns=full&shallow=true", timeout=10) as answer:
            return json.load(answer) or {}

    # It serves, has no room for all of them, and ends at a signal.
    start()
    assert len(left()) < SESSIONS
    assert full_server.stop() == 0
    start()

    # And goes on with them while it serves.
    filler.unlink()
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        written = len(left())
        if written == SESSIONS:
            break
        assert time.monotonic() < deadline, f"the disk has room, and only {written} ends of sessions are written"
        time.sleep(0.2)
