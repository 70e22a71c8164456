"""Listening as an operator sees it: counters, memory, and what listeners notice when the server ends."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import grpc
import pytest
from grpc import StatusCode

from support import messages
from support.assembly import AssembledStream, Listened
from support.listening import REMOVE, RESET, collection_target, documents_target, is_change, shape
from support.messages import delete_write, set_write
from support.servers import BrasaServer
from support.wire import Database, Wire
from test_http import request as http_request

pytestmark = pytest.mark.hosted("the emulator has none of this")

MEBIBYTE = 1 << 20


def metrics(server: BrasaServer) -> dict[str, float]:
    status, body = http_request(server.address, "GET", "/metrics")
    assert status == 200
    lines = [line.split() for line in body.decode().splitlines() if not line.startswith("#")]
    return {name: float(number) for name, number in lines}


def listening(server: BrasaServer) -> dict[str, float]:
    """The counters of listening, by their own words."""
    ours = {name: number for name, number in metrics(server).items() if name.startswith("brasa_listen_")}
    return {name.removeprefix("brasa_listen_").removesuffix("_total"): number for name, number in ours.items()}


def await_counters(server: BrasaServer, **expected: int) -> None:
    """A stream's end reaches the server some time after its client is done with it."""
    for _ in range(2_000):
        found = listening(server)
        if all(found[name] == number for name, number in expected.items()):
            return
        threading.Event().wait(0.01)
    raise AssertionError(f"{found}, where {expected} is expected")


def until_all_current(stream: AssembledStream, targets: int) -> None:
    """Up to a snapshot of so many targets."""

    def is_told(_) -> bool:
        known = stream.assembly.targets.values()
        return len(known) == targets and all(listened.is_current for listened in known) and stream.assembly.is_settled

    stream.until(is_told)


@pytest.fixture
def server(start_server) -> BrasaServer:
    # One event loop, since each has its own views.
    return start_server("--threads", "1", "--emulator")


@pytest.fixture
def connect(server):
    """Opens connections of their own to one database."""
    made: list[Wire] = []

    def make() -> Database:
        made.append(Wire(server.address))
        return Database(made[-1], "operated")

    yield make
    for wire in made:
        wire.close()


# Counters


def test_the_counters_say_who_listens(server, connect):
    assert set(listening(server).values()) == {0}
    database = connect()
    database.set("c/a")
    first = AssembledStream(database, collection_target(database, "c", 1), documents_target(database, ["c/a"], 3))
    until_all_current(first, 2)
    second = AssembledStream(connect(), collection_target(database, "c", 1))
    second.until_current(1)
    # Both listen to the same collection.
    await_counters(server, streams=2, targets=3, views=2)
    first.remove(1)
    first.until(lambda response: is_change(response, REMOVE, 1))
    await_counters(server, streams=2, targets=2, views=2)
    second.close()
    await_counters(server, streams=1, targets=1, views=1)
    first.close()
    await_counters(server, streams=0, targets=0, views=0)
    assert metrics(server)["brasa_snapshot_pins"] == 0


def test_the_counters_say_what_is_told(server, connect):
    database = connect()
    database.set("c/a")
    streams = [AssembledStream(connect(), collection_target(database, "c", 1)) for _ in range(3)]
    for stream in streams:
        stream.until_current(1)
    await_counters(server, events_sent=sum(len(stream.received) for stream in streams), changes_matched=0)
    # Three changes that somebody listens to, two that nobody does.
    database.set("d/x")
    database.commit(set_write(database.doc("c/b")), delete_write(database.doc("c/a")), set_write(database.doc("d/a")))
    time = database.set("c/b", {"n": 1})
    for stream in streams:
        stream.until_snapshot(time)
    await_counters(server, events_sent=sum(len(stream.received) for stream in streams), changes_matched=3)
    assert listening(server)["snapshots_coalesced"] == listening(server)["resets"] == 0
    # Two targets begin again.
    for number in (3, 5):
        streams[0].add(collection_target(database, "d", number, resume_token=b"forged"))
        streams[0].until(lambda response: is_change(response, RESET, number))
    await_counters(server, resets=2)
    for stream in streams:
        stream.close()


def test_the_counters_say_what_is_coalesced(server, connect):
    stalled = AssembledStream(connect(), collection_target(connect(), "c", 1), reading=False)
    database, blob = connect(), b"x" * 100_000
    await_counters(server, targets=1)
    for number in range(300):
        time = database.set(f"c/{number % 4}", {"n": number, "blob": blob})
    before = listening(server)
    assert before["snapshots_coalesced"] == 0 and before["changes_matched"] <= 300
    # Far less was handed to the stream than there was to tell.
    assert before["events_sent"] < 400
    stalled.start_reading()
    stalled.until_snapshot(time)
    # Something that follows the snapshot may have left already.
    after = listening(server)
    assert len(stalled.received) <= after["events_sent"] < 400
    assert after["snapshots_coalesced"] >= 1
    stalled.close()


# Memory


def resident(server: BrasaServer) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


def test_listeners_that_do_not_read_take_little_memory(start_server):
    """Twenty of them, while 150 MB are written: what they miss is not kept for them, beyond the history of all."""
    server = start_server("--durability", "memory", "--emulator")
    wires = [Wire(server.address) for _ in range(21)]
    database = Database(wires[0])
    blob = b"x" * 250_000
    for number in range(4):
        database.set(f"c/{number}", {"blob": blob})
    streams = [
        AssembledStream(database.through(wire), collection_target(database, "c", 1), reading=False)
        for wire in wires[1:]
    ]
    await_counters(server, streams=20, targets=20)

    def beside_history() -> int:
        return resident(server) - metrics(server)["brasa_history_bytes"]

    before = beside_history()
    for number in range(600):
        time = database.set(f"c/{number % 4}", {"n": number, "blob": blob})
    grown = beside_history() - before
    assert grown < 40 * MEBIBYTE, f"{grown / MEBIBYTE:.1f} MB for twenty listeners"
    # They have missed nothing that lasts.
    for stream in streams[:3]:
        stream.start_reading()
        stream.until_snapshot(time)
        assert sorted(fields["n"].integer_value for fields in stream[1].fields().values()) == [596, 597, 598, 599]
    for stream in streams:
        stream.close()
    for wire in wires:
        wire.close()


# The end of the server


def test_listeners_go_on_by_their_tokens_after_the_server_ended(start_server):
    """SIGTERM ends streams with UNAVAILABLE; the same channels come back to the next server and are told differences."""
    server = start_server("--emulator")
    wires = [Wire(server.address) for _ in range(4)]
    database = Database(wires[0])
    for path in ("c/same", "c/changed", "c/deleted"):
        database.set(path, {"n": 0})
    streams = [AssembledStream(database.through(wire), collection_target(database, "c", 2)) for wire in wires]
    for stream in streams:
        stream.until_current(2)
    time = database.set("c/last", {"n": 1})
    server.terminate()
    known: list[Listened] = []
    for stream in streams:
        assert stream.end().code is StatusCode.UNAVAILABLE
        # What was acknowledged before is known to them, or will be told.
        known.append(stream[2])
    assert server.wait() == 0
    server = start_server("--emulator", listen=server.address)
    other = Wire(server.address)
    later = Database(other, database.project)
    later.commit(set_write(later.doc("c/changed"), {"n": 2}), delete_write(later.doc("c/deleted")))
    for wire, listened in zip(wires, known):
        has_heard_last = database.doc("c/last") in listened.documents
        target = collection_target(database, "c", 2, resume_token=listened.token)
        # The channel has lost its server, and finds the new one.
        grpc.channel_ready_future(wire.channel).result(timeout=60)
        with AssembledStream(database.through(wire), target, known=listened) as stream:
            told = {line for line in shape(stream.until_current(2)) if line.startswith("c/")}
            changed = {"c/changed +2", "c/deleted deleted -2"}
            # That its document was heard of does not say that its snapshot was.
            assert told == changed | {"c/last +2"} or has_heard_last and told == changed
            assert stream[2].times()["c/last"] == messages.microseconds(time)
    other.close()
    for wire in wires:
        wire.close()


FRAME_HEADER_BYTES = 9
SETTINGS, GOAWAY = 4, 7


def frames(connection: socket.socket):
    """The HTTP/2 frames of a connection up to its end: type, stream and payload."""
    received = connection.makefile("rb")
    while len(header := received.read(FRAME_HEADER_BYTES)) == FRAME_HEADER_BYTES:
        payload = received.read(int.from_bytes(header[:3], "big"))
        yield header[3], int.from_bytes(header[5:], "big"), payload


def test_a_server_that_ends_says_so_to_its_connections(start_server):
    server = start_server()
    host, _, port = server.address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
        arriving = frames(connection)
        assert next(arriving)[0] == SETTINGS
        server.terminate()
        told = [(stream, int.from_bytes(payload[4:8], "big")) for kind, stream, payload in arriving if kind == GOAWAY]
        # About the connection, without an error; and then it is closed.
        assert told and set(told) == {(0, 0)}
    assert server.wait() == 0


# Databases that are cleared


def test_listeners_of_a_cleared_database_are_told_of_every_deletion(server, connect):
    database = connect()
    other = Database(database.wire, "operated", "other")
    for number in range(300):
        database.set(f"c/{number}", {"n": number})
    other.set("c/a")
    lowest = messages.StructuredQuery(
        from_=[{"collection_id": "c"}], order_by=[{"field": {"field_path": "n"}, "direction": 1}], limit={"value": 5}
    )
    target = collection_target(database, "c", 5)
    target.query.structured_query.CopyFrom(lowest)
    streams = [
        AssembledStream(database, collection_target(database, "c", 1), documents_target(database, ["c/7"], 3), target),
        AssembledStream(connect(), collection_target(database, "c", 1)),
        AssembledStream(other, collection_target(other, "c", 1)),
    ]
    for stream, targets in zip(streams, (3, 1, 1)):
        until_all_current(stream, targets)
    status, _ = http_request(server.address, "DELETE", f"/emulator/v1/{database.name}/documents")
    assert status == 200
    for stream in streams[:2]:
        stream.until(lambda _: not any(listened.documents for listened in stream.assembly.targets.values()))
        stream.until_snapshot()
    # They listen on, and others have noticed nothing.
    time = database.set("c/7", {"n": 7})
    for stream in streams[:2]:
        stream.until_snapshot(time)
        for listened in stream.assembly.targets.values():
            assert listened.times() == {"c/7": messages.microseconds(time)}
    streams[2].until_snapshot(other.set("c/b"))
    assert set(streams[2][1].times()) == {"c/a", "c/b"}
    for stream in streams:
        stream.close()
