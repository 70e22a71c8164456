"""Listeners under load: units move between documents in transactions, and every snapshot of every listener has them all.

No listener goes back in time, and all of them come to the last state, also when the server is killed in the middle.
"""

from __future__ import annotations

import queue
import random
import threading
import time

import grpc
import pytest

from differential.steps import collection_query
from support import messages
from support.assembly import Assembly, Listened
from support.listening import ListenRequest, ListenResponse, Target, documents_target, order, query_target
from support.messages import microseconds, retry_of, set_write
from support.wire import SERVICE, Database, Wire

LISTENERS = 200
CONNECTIONS = 10
WRITERS = 8
ACCOUNTS = 12
UNITS = 100
# Moves of units before the server is killed, and again after it.
MOVES = 80
PATIENCE_SECONDS = 60
# Where the server is, at any time of its lives.
Address = list[str]


def account(number: int) -> str:
    return f"accounts/{number}"


def target(database: Database, number: int) -> list[Target]:
    """Some listen to one query, some to all documents by name, some to two halves, which only together hold all."""
    kind = number % 3
    if kind == 0:
        return [query_target(database, collection_query("accounts"), 1)]
    if kind == 1:
        return [documents_target(database, map(account, range(ACCOUNTS)), 1)]
    halves = [
        {"field_filter": {"field": {"field_path": "half"}, "op": "EQUAL", "value": messages.value(half)}}
        for half in (0, 1)
    ]
    queries = [collection_query("accounts", where=half) for half in halves]
    return [query_target(database, query, 2 + 2 * place) for place, query in enumerate(queries)]


class Torn(AssertionError):
    """A listener was told what never was."""


class Account:
    """One listener, over as many streams as it takes."""

    def __init__(self, number: int, database: Database):
        self.number = number
        self.database = database
        self.targets = target(database, number)
        self.snapshots = 0
        self.last_time = (0, 0)
        self.last_state: dict[str, tuple[int, int]] = {}
        # What was known at the last snapshot, and how to go on from there.
        self.token = b""
        self.known: dict[int, dict[str, messages.Document]] = {}

    def listen(self, call_of) -> None:
        """One stream, until it ends."""
        assembly = Assembly(heard=self.heard)
        requests: queue.SimpleQueue = queue.SimpleQueue()
        for one in self.targets:
            request = ListenRequest(database=self.database.name, add_target=one)
            request.add_target.resume_token = self.token
            assembly.sent(request, Listened(documents=dict(self.known.get(one.target_id, {}))))
            requests.put(request)
        call = call_of(iter(requests.get, None))
        try:
            for response in call:
                assembly.apply(response)
        finally:
            call.cancel()
            requests.put(None)

    def heard(self, assembly: Assembly, read_time) -> None:
        listened = assembly.targets
        if len(listened) < len(self.targets) or not all(one.is_current for one in listened.values()):
            return
        state: dict[str, tuple[int, int]] = {}
        for one in listened.values():
            for name, document in one.documents.items():
                if name in state:
                    raise Torn(f"{self.number}: {name} is in both halves at {microseconds(read_time)}")
                state[name] = document.fields["units"].integer_value, microseconds(document.update_time)
        total = sum(units for units, _ in state.values())
        if len(state) != ACCOUNTS or total != ACCOUNTS * UNITS:
            raise Torn(f"{self.number}: {len(state)} accounts hold {total} at {microseconds(read_time)}: {state}")
        if order(read_time) < self.last_time:
            raise Torn(f"{self.number}: back in time")
        for name, (_, updated) in state.items():
            if updated < self.last_state.get(name, (0, 0))[1]:
                raise Torn(f"{self.number}: {name} went back in time")
        self.last_time = order(read_time)
        self.last_state = state
        self.snapshots += 1
        if assembly.token:
            self.token = assembly.token
            self.known = {number: dict(one.documents) for number, one in listened.items()}


class Load:
    """Listeners and writers, each on a thread of its own."""

    def __init__(self, address: Address, project: str):
        self.address = address
        self.project = project
        self.listening = threading.Event()
        self.writing = threading.Event()
        self.listening.set()
        self.writing.set()
        self.errors: list[BaseException] = []
        self.moves = 0
        self.reconnections = 0
        self.lock = threading.Lock()
        self.wires: dict[tuple[int, str], Wire] = {}
        self.listeners = [Account(number, Database(self.wire(0), project)) for number in range(LISTENERS)]
        self.threads = [threading.Thread(target=self.listen, args=(one,), daemon=True) for one in self.listeners]
        self.writers = [threading.Thread(target=self.write, args=(number,), daemon=True) for number in range(WRITERS)]

    def wire(self, number: int) -> Wire:
        with self.lock:
            key = (number, self.address[0])
            if key not in self.wires:
                self.wires[key] = Wire(self.address[0])
            return self.wires[key]

    def close(self) -> None:
        self.listening.clear()
        for wire in self.wires.values():
            wire.close()

    def guarded(self, work) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            self.errors.append(error)

    # Listeners

    def listen(self, listener: Account) -> None:
        self.guarded(lambda: self.listen_on(listener))

    def listen_on(self, listener: Account) -> None:
        metadata = [("authorization", "Bearer owner"), ("google-cloud-resource-prefix", listener.database.name)]
        while self.listening.is_set() and not self.errors:
            channel = self.wire(listener.number % CONNECTIONS).channel
            make = channel.stream_stream(
                f"/{SERVICE}/Listen",
                request_serializer=ListenRequest.SerializeToString,
                response_deserializer=ListenResponse.FromString,
            )
            try:
                listener.listen(lambda requests: make(requests, metadata=metadata, wait_for_ready=False))
            except grpc.RpcError as error:
                if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                    raise
            except ValueError:
                # The channel was closed in the end.
                return
            self.reconnections += 1
            # The server is away for a moment; nothing depends on how long this is.
            time.sleep(0.05)

    # Writers

    def write(self, number: int) -> None:
        self.guarded(lambda: self.move(random.Random(number), number))

    def move(self, chances: random.Random, number: int) -> None:
        options = messages.READ_WRITE
        while self.writing.is_set() and not self.errors:
            database = Database(self.wire(100 + number), self.project)
            begun = database.start_transaction(options)
            options = messages.READ_WRITE
            if not begun.ok:
                time.sleep(0.05)
                continue
            transaction = begun.message.transaction
            source, sink = chances.sample(range(ACCOUNTS), 2)
            read = database.batch_get(account(source), account(sink), transaction=transaction)
            if not read.ok:
                options = retry_of(transaction)
                continue
            held = {answer.found.name: dict(answer.found.fields) for answer in read.stream}
            amount = chances.randint(1, 5)
            writes = []
            for place, by in ((source, -amount), (sink, amount)):
                fields = held[database.doc(account(place))]
                changed = {"units": fields["units"].integer_value + by, "half": fields["half"].integer_value}
                if chances.random() < 0.2:
                    changed["half"] = 1 - changed["half"]
                writes.append(set_write(database.doc(account(place)), changed))
            if database.commit(*writes, transaction=transaction).ok:
                with self.lock:
                    self.moves += 1
            else:
                options = retry_of(transaction)

    def await_moves(self, count: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.moves < count and not self.errors:
            assert time.monotonic() < deadline, f"only {self.moves} moves"
            time.sleep(0.05)

    # The end

    def settle(self, state: dict[str, tuple[int, int]]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.errors and time.monotonic() < deadline:
            if all(listener.last_state == state for listener in self.listeners):
                return
            time.sleep(0.05)
        assert not self.errors, self.errors[0]
        late = [listener for listener in self.listeners if listener.last_state != state]
        raise AssertionError(f"{len(late)} listeners missed the last state, such as {late[0].number}")


def open_accounts(database: Database) -> None:
    contents = ({"units": UNITS, "half": number % 2} for number in range(ACCOUNTS))
    writes = [set_write(database.doc(account(number)), content) for number, content in enumerate(contents)]
    assert database.commit(*writes).ok


def final_state(database: Database) -> dict[str, tuple[int, int]]:
    found = database.query(collection_query("accounts")).stream
    return {
        one.document.name: (one.document.fields["units"].integer_value, microseconds(one.document.update_time))
        for one in found
    }


@pytest.mark.timeout(180)
def test_every_snapshot_of_every_listener_has_all_units(start_server):
    server = start_server()
    address = [server.address]
    wire = Wire(server.address)
    open_accounts(Database(wire, "load"))
    wire.close()
    load = Load(address, "load")
    for thread in (*load.threads, *load.writers):
        thread.start()
    load.await_moves(MOVES)
    server.kill()
    server = start_server()
    address[0] = server.address
    load.await_moves(load.moves + MOVES)
    load.writing.clear()
    for thread in load.writers:
        thread.join(timeout=60)
    wire = Wire(server.address)
    state = final_state(Database(wire, "load"))
    assert sum(units for units, _ in state.values()) == ACCOUNTS * UNITS
    load.settle(state)
    snapshots = [listener.snapshots for listener in load.listeners]
    print(f"{load.moves} moves, {sum(snapshots)} snapshots, {load.reconnections} reconnections")
    assert min(snapshots) > 3 and load.reconnections >= LISTENERS
    load.close()
    wire.close()
    assert server.stop() == 0
