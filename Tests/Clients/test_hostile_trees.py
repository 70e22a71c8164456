"""Peers of the Realtime Database that want the server's memory and its time, as `test_hostile_peers` has them for gRPC.

Each attack runs against a process of its own with one event loop. The peak of its resident memory stays within the budget
for connections and an allowance, what becomes of the attack has the name that `docs/limits.md` gives it, and a client of good
manners has every call answered before, during and after.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Callable, Protocol, TypeVar

import pytest

from support import resident
from support.hostile_trees import HostileSocket, SlowReader, UnfinishedRequest, frame_head, rest
from support.polling import Ended, PollingClient
from support.servers import BrasaServer
from support.siege import Customer, besiege
from support.trees import Tree
from support.websocket import TreeClient

pytestmark = pytest.mark.skipif(not resident.IS_AVAILABLE, reason="reads /proc")

MIB = 1 << 20
BUDGET_BYTES = 64 * MIB
# What the budget does not count: the allocator's slack, the engine's own work on a request, buffers of sockets.
ALLOWANCE_BYTES = 96 * MIB
NAMESPACE = "attacked"
# A hundred thousand requests take Python a while.
ATTACK_SECONDS = 120


class Closing(Protocol):
    def close(self) -> None: ...


Peer = TypeVar("Peer", bound=Closing)


class Attack:
    """The connections of one attack, and what has become of them."""

    def __init__(self, address: str):
        self.address = address
        self.tree = Tree(address)
        self.tree.name = NAMESPACE
        self.outcomes: Counter[str] = Counter()
        self.opened: list[Closing] = []
        self.sockets: list[HostileSocket] = []

    def connect(self) -> HostileSocket:
        self.sockets.append(HostileSocket(self.address, NAMESPACE))
        return self.hold(self.sockets[-1])

    def hold(self, peer: Peer) -> Peer:
        """Until the attack is over."""
        self.opened.append(peer)
        return peer

    def ask(self, method: str, path: str, body: bytes | None = None, **parameters) -> None:
        self.outcomes[rest(self.tree, method, self.tree.target(path, **parameters), body)] += 1

    def total(self) -> Counter[str]:
        return sum((peer.outcomes for peer in self.sockets), self.outcomes.copy())

    def close(self) -> None:
        for peer in self.opened:
            peer.close()


# What comes in


def deep_json(it: Attack) -> None:
    """Objects and arrays in each other, far deeper than a tree may be."""
    for levels in (33, 5_000, 5_000_000):
        it.ask("PUT", "/deep", b'{"a":' * levels + b"1" + b"}" * levels)
        it.ask("PUT", "/deep", b"[" * levels)
    for levels in (33, 3_000, 100_000):
        peer = it.connect()
        peer.ask("p", b'{"p":"/deep","d":' + b'{"a":' * levels + b"1" + b"}" * levels + b"}")
        peer.hear(answers=1)


def wide_json(it: Attack) -> None:
    """Updates of more places than one may have, bodies longer than they may be, and one key again and again."""
    it.ask("PATCH", "/wide", b"{" + b",".join(b'"k%d":1' % number for number in range(1_000_000)) + b"}")
    # Cut off, where it is not waited for.
    it.ask("PUT", "/wide", b"[" + b"1," * (20 * MIB) + b"1]")
    it.ask("PUT", "/same", b"{" + b",".join([b'"k":1'] * 500_000) + b"}")
    peer = it.connect()
    peer.ask("m", b'{"p":"/wide","d":{' + b",".join(b'"k%d":1' % number for number in range(100_000)) + b"}}")
    peer.hear(answers=1)


def invalid_text(it: Attack) -> None:
    """Bytes that are no UTF-8: alone, too long for what they are, halves of pairs, cut off; in values, keys and paths."""
    for wrong in (b"\xff", b"\xc3(", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"):
        for body in (b'"%s"', b'{"%s":1}', b'"' + b"x" * MIB + b'%s"'):
            it.ask("PUT", "/text", body % wrong)
        it.outcomes[rest(it.tree, "GET", f"/%{wrong[0]:02x}.json?ns={NAMESPACE}")] += 1
        peer = it.connect()
        peer.frame(b'{"t":"d","d":{"r":1,"a":"p","b":{"p":"/text","d":"%s"}}}' % wrong)
        peer.hear()


def long_frames(it: Attack) -> None:
    """Frames that say they are as long as can be said, and frames in pieces without a last one."""
    for size in (65_537, 1 << 31, (1 << 63) - 1):
        peer = it.connect()
        peer.send(frame_head(size))
        for _ in range(64):
            peer.send(b"x" * 65_536)
        peer.hear()
    for size, opcode in ((0, 1), (1, 1), (4_096, 1), (4_096, 2)):
        peer = it.connect()
        for number in range(100):
            peer.frame(b"x" * size, opcode=opcode if number == 0 else 0, final=False)
        peer.hear()


def endless_messages(it: Attack, connections: int) -> None:
    """Messages of as many frames as can be announced, none of which is the last."""
    for _ in range(connections):
        peer = it.connect()
        peer.frame(b"9999")
        for _ in range(17 * MIB // 65_536 if connections == 1 else 15 * MIB // 65_536):
            peer.frame(b"x" * 65_536)
        peer.hear(frames=1)


def endless_bodies(it: Attack, connections: int) -> None:
    """Requests that say how long they are and never are, and some that do not say it."""
    for number in range(connections):
        headers = {"Transfer-Encoding": "chunked"} if number % 2 else {"Content-Length": str(31 * MIB)}
        peer = it.hold(UnfinishedRequest(it.tree, "/body", headers))
        for _ in range(30):
            piece = b"x" * MIB
            peer.send(b"%x\r\n%s\r\n" % (len(piece), piece) if number % 2 else piece)
            if peer.outcome == "cut off":
                break
        it.outcomes[peer.hear()] += 1


def polls(it: Attack, sessions: int, parameters: list[dict]) -> None:
    """Requests of long polling, until the server says that a session is over."""
    for _ in range(sessions):
        try:
            client = it.hold(PollingClient(it.address, NAMESPACE))
            for number, more in enumerate(parameters):
                client.poll(**more)
                if number > 0:
                    client.settle()
            it.outcomes["held"] += 1
        except Ended:
            it.outcomes["told to close"] += 1
        except ConnectionError:
            # No room for its connection.
            it.outcomes["cut off"] += 1


def endless_segments(it: Attack) -> None:
    """Messages of as many segments as can be announced, none of which is the last; and segments behind one that is missing."""
    # As long as a head may have it.
    text = "A" * 7_600
    polls(it, 10, [{"seg0": number, "ts0": 9_999, "d0": text} for number in range(350)])
    polls(it, 4, [{"seg0": number, "ts0": 9_999, "d0": text} for number in range(1, 100)])
    polls(it, 1, [{"seg0": 0, "ts0": 10_000, "d0": text}, {}])


# What is asked for


def huge_queries(it: Attack) -> None:
    """Queries of long texts, each another, that are listened to; and such as a head has no room for."""
    for _ in range(4):
        peer = it.connect()
        for number in range(1_000):
            peer.ask("q", {"p": "/posts", "q": {"i": "n", "sp": f"{number}" + "x" * 50_000}, "t": number + 1, "h": ""})
            if number % 20 == 19:
                peer.hear(answers=20)
        peer.hear()
    it.ask("GET", "/posts", orderBy='"$key"', startAt=f'"{"x" * 100_000}"')


def wide_queries(it: Attack) -> None:
    """Queries that go through more children than one may."""
    for part in range(21):
        children = {f"k{number}": number for number in range(part * 10_000, (part + 1) * 10_000)}
        it.ask("PATCH", "/wide", json.dumps(children).encode(), print="silent")
    peer = it.connect()
    for number in range(50):
        peer.ask("g", {"p": "/wide", "q": {"i": ".value", "sp": number, "l": 1, "vf": "l"}})
        peer.ask("q", {"p": "/wide", "q": {"i": ".value", "sp": number, "l": 1, "vf": "l"}, "t": number + 1, "h": ""})
        peer.hear(answers=2)


def many_listens(it: Attack, connections: int, listens: int) -> None:
    """Listens to paths of their own."""
    for connection in range(connections):
        peer = it.connect()
        for number in range(listens):
            peer.ask("q", {"p": f"/listened/{connection}/{number}", "h": ""})
            if number % 1_000 == 999:
                peer.hear(answers=1_000)
            if peer.is_over:
                break
        peer.hear()


def many_orders(it: Attack, listens: int) -> None:
    """Listens to one node, each by an order of its own, for which the server has to sort its children."""
    it.ask("PUT", "/sorted", json.dumps({f"k{number}": {"n": number} for number in range(10_000)}).encode(), print="silent")
    peer = it.connect()
    for number in range(listens):
        peer.ask("q", {"p": "/sorted", "q": {"i": f"n{number}", "l": 1, "vf": "l"}, "t": number + 1, "h": ""})
        if number % 10 == 9:
            peer.hear(answers=10)
    peer.hear()


def what_is_left(it: Attack) -> None:
    """More than a session may leave to be written."""
    peer = it.connect()
    for number in range(3_000):
        peer.ask("o", {"p": f"/left/{number}", "d": 1})
        if number % 1_000 == 999:
            peer.hear(answers=1_000)
    peer.ask("o", {"p": "/left", "d": "x" * (2 * MIB)})
    peer.hear(answers=1)


# What goes out


def unread_answers(it: Attack, connections: int) -> None:
    """Reads of a large node whose answers nobody takes."""
    it.ask("PUT", "/large", json.dumps("x" * MIB).encode(), print="silent")
    for _ in range(connections):
        peer = it.connect()
        for _ in range(2_000):
            peer.ask("g", {"p": "/large", "q": {}})
        it.outcomes["asked"] += 1


def slow_streams(it: Attack, readers: int, values: int) -> None:
    """Event streams, and listens, of a node that is written faster than anybody reads."""
    streams = [it.hold(SlowReader(it.tree, "/slow")) for _ in range(readers)]
    for stream in streams:
        assert stream.until(b'{"path":"/","data":null}')
    for _ in range(readers):
        it.connect().ask("q", {"p": "/slow", "h": ""})
    for number in range(values):
        text = f"{number}:" + "x" * 200_000 + f":{number}"
        it.ask("PUT", "/slow", json.dumps(text).encode(), print="silent")
    # They lose steps, and never the end.
    for stream in streams[:4]:
        it.outcomes["followed"] += stream.until(b":%d" % (values - 1))


def unread_polls(it: Attack, sessions: int) -> None:
    """Reads of a large node over long polling, whose answers nobody takes."""
    it.ask("PUT", "/large", json.dumps("<" * MIB).encode(), print="silent")
    for _ in range(sessions):
        client = it.hold(PollingClient(it.address, NAMESPACE))
        for _ in range(4):
            client.send_unread("g", {"p": "/large", "q": {}})
        it.outcomes["asked"] += 1


@dataclass(frozen=True)
class Kind:
    run: Callable[[Attack], None]
    # What has to become of it, so many times at least.
    outcomes: dict[str, int]
    budget_bytes: int = BUDGET_BYTES


ATTACKS: dict[str, Kind] = {
    "deep JSON": Kind(deep_json, {"400": 6, "invalid_data": 2, "closed 1002": 1}),
    "wide JSON": Kind(wide_json, {"400": 1, "200": 1, "too_big": 1}),
    "invalid UTF-8": Kind(invalid_text, {"400": 18, "404": 6, "closed 1002": 6}),
    "frames that never end": Kind(long_frames, {"closed 1009": 3, "closed 1002": 4}),
    "a message that never ends": Kind(lambda it: endless_messages(it, connections=1), {"closed 1009": 1}),
    "messages that never end": Kind(lambda it: endless_messages(it, connections=10), {"closed 1008": 4}),
    "bodies that never end": Kind(lambda it: endless_bodies(it, connections=10), {"cut off": 4}),
    "segments that never end": Kind(endless_segments, {"told to close": 8}, 16 * MIB),
    "huge queries": Kind(huge_queries, {"closed 1008": 1}),
    "queries of very many children": Kind(wide_queries, {"too_big": 100}),
    "listens by the hundred thousand": Kind(
        lambda it: many_listens(it, connections=1, listens=101_000), {"ok": 100_000, "too_big": 1_000}, 512 * MIB
    ),
    "listens by the hundred thousand, on several connections": Kind(
        lambda it: many_listens(it, connections=4, listens=20_000), {"closed 1008": 1}
    ),
    "listens by thousands of orders": Kind(lambda it: many_orders(it, listens=3_000), {"too_big": 1_000}),
    "what is left to be written": Kind(what_is_left, {"ok": 2_000, "too_big": 1_001}),
    "answers that nobody reads": Kind(lambda it: unread_answers(it, connections=20), {"asked": 20}),
    "answers to requests that are held, which nobody reads": Kind(
        lambda it: unread_polls(it, sessions=60), {"asked": 60}
    ),
    "slow readers of event streams": Kind(lambda it: slow_streams(it, readers=100, values=60), {"204": 60, "followed": 4}),
}


class Guest(Customer):
    """Writes and reads one small node, and hears of it."""

    def __init__(self, address: str):
        super().__init__()
        self.client = TreeClient(address, "guest")
        self.number = 0
        self.client.ok("q", {"p": "/small", "h": ""})

    def call(self) -> None:
        self.number += 1
        self.measure(self.write)
        self.measure(self.read)

    def write(self) -> str | None:
        status, data, pushes = self.client.ask("p", {"p": "/small", "d": self.number})
        is_told = pushes == [{"a": "d", "b": {"p": "small", "d": self.number}}]
        return None if status == "ok" and is_told else f"{status}: {data}, {pushes}"

    def read(self) -> str | None:
        answer = self.client.ask("g", {"p": "/small", "q": {}})
        return None if answer == ("ok", self.number, []) else f"{answer}"


@pytest.mark.timeout(2 * ATTACK_SECONDS)
@pytest.mark.parametrize("name", ATTACKS)
def test_a_hostile_peer_of_trees_gets_no_more_than_its_share(name: str, start_server: Callable[..., BrasaServer]) -> None:
    # On one thread, so that the customer waits for whatever the attacker makes the server do.
    kind = ATTACKS[name]
    server = start_server("--emulator", "--threads", "1", "--connection-memory", str(kind.budget_bytes))
    customer = Guest(server.address)
    attack = Attack(server.address)
    try:
        siege = besiege(server.process.pid, customer, lambda: kind.run(attack), attack.close, ATTACK_SECONDS)
    finally:
        attack.close()
        customer.client.close()

    outcomes = attack.total()
    print(f"\n{name}: {dict(outcomes)}")
    print(f"  peak of resident memory: {siege.grown_bytes / MIB:.0f} MiB more, of {kind.budget_bytes // MIB} MiB of budget")
    print(f"  before: {siege.before}\n  during: {siege.during}\n  after:  {siege.after}")
    assert customer.failures == []
    assert siege.grown_bytes <= kind.budget_bytes + ALLOWANCE_BYTES
    assert all(outcomes[outcome] >= count for outcome, count in kind.outcomes.items()), outcomes
    assert server.process.poll() is None
    assert server.stop() == 0, server.log.read_text()
