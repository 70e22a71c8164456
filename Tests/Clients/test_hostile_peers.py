"""Peers that want the server's memory and its time: what they get is bounded, and others are served all the while.

Each attack runs against a process of its own. Its peak of resident memory, less what it had before, stays within the
budget for connections and an allowance; a client of good manners, on a connection of its own, has every call answered
before, during and after. Its latencies are printed (`pytest -s`) and decide nothing. And each attack has to have happened:
so many calls reached the server, and some of them ended with the status that says what it thinks of them.
"""

from __future__ import annotations

import datetime
import os
import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import Callable

import grpc
import pytest

from support import resident
from support.hostile import HostilePeer, PipeliningPeer, field, framed, request_fields
from support.messages import message, set_write
from support.servers import BrasaServer
from support.siege import CALL_SECONDS, Customer, besiege
from support.wire import SERVICE, Database, Outcome, Wire

pytestmark = pytest.mark.skipif(not resident.IS_AVAILABLE, reason="reads /proc")

MIB = 1 << 20
BUDGET_BYTES = 64 * MIB
# What the budget does not count: the allocator's slack, the engine's own work on a request, buffers of sockets.
ALLOWANCE_BYTES = 64 * MIB

STATUSES = {code.value[0]: code.name for code in grpc.StatusCode}
HEALTH_WATCH = "/grpc.health.v1.Health/Watch"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
# As far ahead as the server waits for, nearly.
AHEAD_SECONDS = 0.45
LARGE_DOCUMENTS = 200
LARGE_BYTES = 10 * MIB - 1024


def method(name: str) -> str:
    return f"/{SERVICE}/{name}"


def length_delimited(number: int, content: bytes) -> bytes:
    """A field of a protobuf message, for messages that no client library would make."""
    size, rest = b"", len(content)
    while rest >= 128:
        size, rest = size + bytes([rest & 127 | 128]), rest >> 7
    return bytes([number << 3 | 2]) + size + bytes([rest]) + content


class Attack:
    """The connections of one attack, and what it needs to know of the server."""

    def __init__(self, address: str, database: Database):
        self.address = address
        self.database = database
        self.peers: list[HostilePeer | PipeliningPeer] = []

    def connect(self, takes_answers: bool = False) -> HostilePeer:
        self.peers.append(HostilePeer(self.address, takes_answers))
        return self.peers[-1]

    def run(self, name: str) -> None:
        ATTACKS[name].run(self)
        self.settle()
        # Which may take a while.
        end = time.monotonic() + CALL_SECONDS
        while not self.is_answered(ATTACKS[name]) and not self.is_turned_away and time.monotonic() < end:
            time.sleep(0.1)
            self.settle()

    def settle(self) -> None:
        for peer in self.peers:
            peer.settle()

    def is_answered(self, kind: Kind) -> bool:
        return kind.status is None or kind.status.value[0] in self.statuses

    @property
    def is_turned_away(self) -> bool:
        return all(peer.was_turned_away for peer in self.peers)

    @property
    def sent_bytes(self) -> int:
        return sum(peer.sent_bytes for peer in self.peers)

    @property
    def calls(self) -> int:
        return sum(peer.calls for peer in self.peers)

    @property
    def statuses(self) -> Counter[int]:
        return sum((peer.statuses for peer in self.peers), Counter())

    def close(self) -> None:
        for peer in self.peers:
            peer.close()


# The attacks. Each comes as it was first found, and as one that keeps to the limits of a single request.


def health_names(attack: Attack, name_bytes: int, connections: int, streams: int) -> None:
    """Health watches of names that are long and compress well."""
    request = framed(length_delimited(1, b"x" * name_bytes), compressed=True)
    for _ in range(connections):
        peer = attack.connect()
        for _ in range(streams):
            peer.call(HEALTH_WATCH, [request], compressed=True)


def reflection_echoes(attack: Attack, host_bytes: int, connections: int, streams: int, questions: int) -> None:
    """Questions to the reflection service, whose answers repeat them and are not read."""
    question = length_delimited(1, b"x" * host_bytes) + length_delimited(4, SERVICE.encode())
    request = framed(question, compressed=True)
    for _ in range(connections):
        peer = attack.connect()
        for _ in range(streams):
            peer.call(REFLECTION, [request] * questions, compressed=True, ends=False)


def header_lists(attack: Attack, connections: int, streams: int) -> None:
    """Calls that are never sent to their end, with header lists of 30 KB that take 27 bytes on the wire."""
    for _ in range(connections):
        peer = attack.connect()
        base = request_fields(method("Listen"))
        peer.open(base + field("x", b"y" * 3000, indexed=True))
        for _ in range(streams - 1):
            peer.open(base + b"\xbe" * 9)


def parked_reads(attack: Attack, connections: int, streams: int) -> None:
    """Reads of a large document at a time that lies a little ahead, all answered at once and not read."""
    for _ in range(connections):
        peer = attack.connect()
        for start in range(0, streams, 100):
            ahead = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=AHEAD_SECONDS)
            request = message("GetDocumentRequest")(name=attack.database.doc("large/0"))
            request.read_time.FromDatetime(ahead.replace(tzinfo=None))
            sent = framed(request.SerializeToString())
            for _ in range(min(100, streams - start)):
                peer.call(method("GetDocument"), [sent])
    # Only now the last are answered.
    time.sleep(AHEAD_SECONDS)


def compressible(size: int, ratio: int) -> bytes:
    """Bytes that become about a `ratio`th when compressed."""
    piece = 4096
    noise = max(1, piece // ratio)
    return b"".join(os.urandom(noise) + bytes(piece - noise) for _ in range(size // piece))


def unfinished_requests(attack: Attack, ratio: int | None, connections: int, streams: int) -> None:
    """Requests of nearly 10 MiB, whole but for their end."""
    content = bytes(LARGE_BYTES) if ratio is None else compressible(LARGE_BYTES, ratio)
    request = framed(length_delimited(3, content), compressed=True)
    for _ in range(connections):
        peer = attack.connect()
        for _ in range(streams):
            peer.call(method("Commit"), [request], compressed=True, ends=False)


def inflations(attack: Attack, ratio: int | None, name: str, streams: int) -> None:
    """Requests that are small on the wire, large in memory, and mean nothing."""
    content = bytes(LARGE_BYTES) if ratio is None else compressible(LARGE_BYTES, ratio)
    request = framed(length_delimited(2, content), compressed=True)
    peer = attack.connect()
    for _ in range(streams):
        peer.call(method(name), [request], compressed=True)


def large_increments(attack: Attack, writes: int) -> None:
    """One commit that changes large documents again and again."""
    request = message("CommitRequest")(database=attack.database.name)
    for number in range(writes):
        write = request.writes.add()
        write.transform.document = attack.database.doc(f"large/{number % LARGE_DOCUMENTS}")
        transform = write.transform.field_transforms.add(field_path="n")
        transform.increment.integer_value = 1
    attack.connect().call(method("Commit"), [framed(request.SerializeToString())])


def many_writes(attack: Attack, writes: int, commits: int = 1) -> None:
    """Commits of very many small writes."""
    # Short names, so that they fit into a request.
    database = "projects/p/databases/d"
    request = message("CommitRequest")(database=database)
    for number in range(writes):
        request.writes.add(delete=f"{database}/documents/c/{number}")
    peer = attack.connect(takes_answers=True)
    for _ in range(commits):
        peer.call(method("Commit"), [framed(request.SerializeToString())])


def kept_answers(attack: Attack, streams: int, writes: int) -> None:
    """Write streams that stay open and never say that they have the answer to their batch: the server keeps it."""
    database = "projects/p/databases/d"
    batch = message("WriteRequest")()
    # A hundred documents, in an order that does not compress too well.
    for number in random.Random(1).choices(range(100), k=writes):
        batch.writes.add().update.name = f"{database}/documents/c/{number}"
    messages = [message("WriteRequest")(database=database), batch]
    sent = [framed(each.SerializeToString(), compressed=True) for each in messages]
    peer = attack.connect(takes_answers=True)
    for _ in range(streams):
        peer.call(method("Write"), sent, compressed=True, ends=False)


def pipelining(attack: Attack, connections: int, requests: int) -> None:
    """Requests of HTTP/1.1 whose answers are far larger than they are."""
    for _ in range(connections):
        peer = PipeliningPeer(attack.address)
        attack.peers.append(peer)
        peer.ask(b"GET /metrics HTTP/1.1\r\n\r\n", requests)


@dataclass(frozen=True)
class Kind:
    run: Callable[[Attack], None]
    # How many of its calls have to reach the server, so that it was one at all.
    calls: int
    # What some of its calls have to end with; None where none has to end.
    status: grpc.StatusCode | None = None
    budget_bytes: int = BUDGET_BYTES
    # Whether the server may close its connection for want of memory before it hears of a status.
    may_be_closed: bool = False


OK = grpc.StatusCode.OK
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
INVALID = grpc.StatusCode.INVALID_ARGUMENT

ATTACKS: dict[str, Kind] = {
    "health watches of 10 MiB": Kind(
        lambda it: health_names(it, LARGE_BYTES, connections=1, streams=62), 62, INVALID
    ),
    "health watches of 1 KB": Kind(lambda it: health_names(it, 1000, connections=10, streams=1000), 10_000),
    "reflection of 10 MiB": Kind(
        lambda it: reflection_echoes(it, LARGE_BYTES, connections=1, streams=40, questions=3), 40, INVALID
    ),
    "reflection of 8 KB": Kind(
        lambda it: reflection_echoes(it, 8000, connections=10, streams=500, questions=20), 5000, EXHAUSTED
    ),
    "header lists of 30 KB": Kind(lambda it: header_lists(it, connections=10, streams=1000), 10_000),
    "reads that are parked": Kind(lambda it: parked_reads(it, connections=1, streams=1000), 1000, EXHAUSTED),
    "reads that are parked, on ten connections": Kind(
        lambda it: parked_reads(it, connections=10, streams=100), 1000, EXHAUSTED
    ),
    "unfinished requests": Kind(
        lambda it: unfinished_requests(it, None, connections=8, streams=6), 48, INVALID
    ),
    "unfinished requests that compress less": Kind(
        lambda it: unfinished_requests(it, 80, connections=8, streams=6), 48, EXHAUSTED
    ),
    "inflation": Kind(lambda it: inflations(it, None, "GetDocument", streams=100), 100, INVALID),
    "inflation that compresses less": Kind(lambda it: inflations(it, 80, "RunQuery", streams=20), 20, INVALID),
    "increments of large documents": Kind(lambda it: large_increments(it, writes=400), 1, INVALID),
    "a commit of 150,000 writes": Kind(lambda it: many_writes(it, writes=150_000), 1, INVALID),
    "commits of 10,000 writes": Kind(lambda it: many_writes(it, writes=10_000, commits=20), 20, OK),
    "answers that Write streams keep": Kind(
        lambda it: kept_answers(it, streams=60, writes=10_000), 60, EXHAUSTED, budget_bytes=16 * MIB,
        may_be_closed=True,
    ),
    "requests that are pipelined": Kind(lambda it: pipelining(it, connections=4, requests=400_000), 4 * 2600),
}


class Guest(Customer):
    """Reads and writes one small document."""

    def __init__(self, address: str):
        super().__init__()
        self.wire = Wire(address)
        self.database = Database(self.wire)

    def call(self) -> None:
        write = set_write(self.database.doc("small/0"), {"n": 1})
        self.measure(lambda: self.failure(self.database.commit(write, timeout=CALL_SECONDS)))
        self.measure(lambda: self.failure(self.database.get("small/0", timeout=CALL_SECONDS)))

    @staticmethod
    def failure(outcome: Outcome) -> str | None:
        return None if outcome.ok else f"{outcome.code.name}: {outcome.text}"

    def close(self) -> None:
        self.wire.close()


def fill(database: Database, documents: int) -> None:
    for number in range(documents):
        database.set(f"large/{number}", {"n": 0, "text": "x" * 1_000_000})


@pytest.mark.parametrize("name", ATTACKS)
def test_a_hostile_peer_gets_no_more_than_its_share(name: str, start_server: Callable[..., BrasaServer]) -> None:
    # On one thread, so that the customer waits for whatever the attacker makes the server do.
    kind = ATTACKS[name]
    server = start_server("--emulator", "--threads", "1", "--connection-memory", str(kind.budget_bytes))
    customer = Guest(server.address)
    attack = Attack(server.address, customer.database)
    try:
        fill(customer.database, LARGE_DOCUMENTS if "increments" in name else 1)
        siege = besiege(server.process.pid, customer, lambda: attack.run(name), attack.close)
    finally:
        attack.close()
        customer.close()

    turned_away = sum(peer.was_turned_away for peer in attack.peers)
    statuses = {STATUSES[number]: count for number, count in attack.statuses.items()}
    print(f"\n{name}: {attack.calls:,} calls, {attack.sent_bytes:,} bytes sent")
    print(f"  {turned_away} of {len(attack.peers)} connections turned away")
    print("  statuses: ", statuses)
    print(f"  peak of resident memory: {siege.grown_bytes / MIB:.0f} MiB more, of {kind.budget_bytes // MIB} MiB of budget")
    print(f"  before: {siege.before}\n  during: {siege.during}\n  after:  {siege.after}")
    assert customer.failures == []
    assert siege.grown_bytes <= kind.budget_bytes + ALLOWANCE_BYTES
    assert attack.calls >= kind.calls
    is_closed = kind.may_be_closed and attack.is_turned_away and "reason=memory" in server.log.read_text()
    assert attack.is_answered(kind) or is_closed, statuses
    assert server.process.poll() is None
    assert server.stop() == 0, server.log.read_text()
