"""A server that is killed under load of both databases, again and again: no acknowledged commit is lost, and no batch is half
there."""

from __future__ import annotations

import dataclasses
import http.client
import threading
import uuid

import pytest
from grpc import StatusCode

from support.messages import StructuredQuery, set_write
from support.trees import Tree
from support.wire import Database, Wire

WRITERS = {"single": 3, "batch": 3, "counter": 3}
# Of the Realtime Database, on the same log.
TREE_WRITERS = {"leaf": 2, "update": 2, "tally": 2}
BATCH_DOCUMENTS = 5
# What a round acknowledges before the server is killed in the middle of the next commits.
ROUND_COMMITS = 150
PROJECT = "killed"


@dataclasses.dataclass
class Ledger:
    """What one writer knows. Written by its own thread, read when the thread has ended."""

    acknowledged: list[int] = dataclasses.field(default_factory=list)
    uncertain: list[int] = dataclasses.field(default_factory=list)


class Load:
    """One round of writers against one life of the server."""

    def __init__(self, address: str, ledgers: dict[str, Ledger], first: int):
        self.address = address
        self.ledgers = ledgers
        self.first = first
        self.stop = threading.Event()
        self.enough = threading.Semaphore(0)
        self.errors: list[BaseException] = []
        steps = {"single": self.single, "batch": self.batch, "counter": self.counter}
        steps |= {"leaf": self.leaf, "update": self.update, "tally": self.tally}
        self.tree = tree_of(address)
        self.threads = [
            threading.Thread(target=self.write, args=(name, steps[name.rstrip("0123456789")]), name=name)
            for name in ledgers
        ]

    def run_until_killed(self, kill) -> None:
        for thread in self.threads:
            thread.start()
        for _ in range(ROUND_COMMITS):
            if not self.enough.acquire(timeout=60):
                break
        kill()
        self.stop.set()
        for thread in self.threads:
            thread.join(timeout=60)
            assert not thread.is_alive(), f"{thread.name} hangs"
        assert not self.errors, self.errors

    def write(self, name: str, step) -> None:
        wire = Wire(self.address)
        try:
            number = self.first
            while not self.stop.is_set():
                code = step(Database(wire, PROJECT), name, number)
                if code is StatusCode.OK:
                    self.ledgers[name].acknowledged.append(number)
                    self.enough.release()
                elif code is None:
                    return
                elif code is not StatusCode.ABORTED:
                    # The answer is lost: the commit may or may not have happened.
                    self.ledgers[name].uncertain.append(number)
                    return
                number += 1
        except BaseException as error:  # noqa: BLE001
            self.errors.append(error)
        finally:
            wire.close()

    @staticmethod
    def single(database: Database, name: str, number: int) -> StatusCode:
        return database.commit(set_write(database.doc(f"{name}/{number:07}"), {"n": number}), timeout=20).code

    @staticmethod
    def batch(database: Database, name: str, number: int) -> StatusCode:
        """Some documents that share a number: fresh ones, and one that every batch overwrites."""
        paths = [f"{name}/{number:07}-{part}" for part in range(BATCH_DOCUMENTS)]
        fresh = [set_write(database.doc(path), {"n": number}) for path in paths]
        return database.commit(*fresh, set_write(database.doc(f"last/{name}"), {"n": number}), timeout=20).code

    @staticmethod
    def counter(database: Database, name: str, number: int) -> StatusCode | None:
        """A transactional increment of the counter that all writers of this kind share; None before any commit."""
        begun = database.wire.call("BeginTransaction", database=database.name, timeout=20)
        if not begun.ok:
            return None
        transaction = begun.message.transaction
        read = database.batch_get("counters/shared", transaction=transaction, timeout=20)
        if not read.ok:
            return read.code if read.code is StatusCode.ABORTED else None
        (answer,) = read.stream
        value = answer.found.fields["n"].integer_value if answer.HasField("found") else 0
        write = set_write(database.doc("counters/shared"), {"n": value + 1})
        return database.commit(write, transaction=transaction, timeout=20).code


    def put(self, method: str, path: str, value, headers: dict[str, str] | None = None) -> StatusCode:
        try:
            status, answer, _ = self.tree.ask(method, path, value, headers)
        except (OSError, http.client.HTTPException):
            return StatusCode.UNAVAILABLE
        assert status in (200, 412), answer
        return StatusCode.OK if status == 200 else StatusCode.ABORTED

    def leaf(self, _: Database, name: str, number: int) -> StatusCode:
        return self.put("PUT", f"/{name}/{number:07}", number)

    def update(self, _: Database, name: str, number: int) -> StatusCode:
        """Some places that share a number, in several nodes: fresh ones, and one that every update overwrites."""
        places = {f"{name}/{number:07}-{part}": number for part in range(BATCH_DOCUMENTS)}
        return self.put("PATCH", "/", {**places, f"last/{name}": number})

    def tally(self, _: Database, name: str, number: int) -> StatusCode | None:
        """A count by condition that all writers of this kind share, and an increment of one's own; None before any write."""
        try:
            _, value, headers = self.tree.ask("GET", "/tallies/shared", headers={"X-Firebase-ETag": "true"})
        except (OSError, http.client.HTTPException):
            return None
        if number % 2:
            return self.put("PUT", f"/tallies/{name}", {".sv": {"increment": 1}})
        return self.put("PUT", "/tallies/shared", (value or 0) + 1, {"if-match": headers["ETag"]})


def tree_of(address: str) -> Tree:
    tree = Tree(address)
    tree.name = PROJECT
    return tree


def check_trees(tree: Tree, ledgers: dict[str, Ledger]) -> None:
    tallies, least, most = tree.get("/tallies") or {}, 0, 0
    for name, ledger in ledgers.items():
        if name.startswith("tally"):
            own = [sum(number % 2 for number in numbers) for numbers in (ledger.acknowledged, ledger.uncertain)]
            assert own[0] <= tallies.get(name, 0) <= sum(own), name
            least += len(ledger.acknowledged) - own[0]
            most += len(ledger.uncertain) - own[1]
            continue
        if name.rstrip("0123456789") not in TREE_WRITERS:
            continue
        found = tree.get(f"/{name}", format="export") or {}
        may_exist = set(ledger.acknowledged) | set(ledger.uncertain)
        assert set(ledger.acknowledged) <= set(found.values()) <= may_exist, name
        if name.startswith("update") and found:
            assert len(found) == BATCH_DOCUMENTS * len(set(found.values())), f"half an update of {name}"
            assert tree.get(f"/last/{name}") == max(found.values()), f"an update of {name} lost its last place"
    assert least <= tallies.get("shared", 0) <= least + most


def documents(database: Database, collection: str) -> dict[str, int]:
    query = StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id=collection)])
    found = [response.document for response in database.query(query).stream if response.HasField("document")]
    return {document.name.rpartition("/")[2]: document.fields["n"].integer_value for document in found}


def check(database: Database, ledgers: dict[str, Ledger]) -> None:
    increments = uncertain_increments = 0
    for name, ledger in ledgers.items():
        if name.rstrip("0123456789") not in WRITERS:
            continue
        if name.startswith("counter"):
            increments += len(ledger.acknowledged)
            uncertain_increments += len(ledger.uncertain)
            continue
        found = documents(database, name)
        may_exist = set(ledger.acknowledged) | set(ledger.uncertain)
        if name.startswith("single"):
            assert set(ledger.acknowledged) <= set(found.values()) <= may_exist, name
            continue
        parts: dict[int, int] = {}
        for number in found.values():
            parts[number] = parts.get(number, 0) + 1
        assert set(ledger.acknowledged) <= set(parts) <= may_exist, name
        assert set(parts.values()) <= {BATCH_DOCUMENTS}, f"half a batch of {name}"
        if parts:
            last = database.fields(f"last/{name}")["n"].integer_value
            assert last == max(parts), f"a batch of {name} lost its last document"
    counter = database.batch_get("counters/shared").stream[0]
    total = counter.found.fields["n"].integer_value
    assert increments <= total <= increments + uncertain_increments


@pytest.mark.timeout(600)
@pytest.mark.parametrize("shape", ["defaults", "one shard and thread"])
def test_killed_servers_lose_nothing(start_server, request, shape):
    flags = [] if shape == "defaults" else ["--shards", "1", "--threads", "1"]
    kills = request.config.getoption("--kills") if shape == "defaults" else 2
    writers = {**WRITERS, **TREE_WRITERS}
    ledgers = {f"{kind}{number}": Ledger() for kind, count in writers.items() for number in range(count)}
    for life in range(kills):
        server = start_server(*flags)
        wire = Wire(server.address)
        check(Database(wire, PROJECT), ledgers)
        check_trees(tree_of(server.address), ledgers)
        wire.close()
        Load(server.address, ledgers, first=life * 1_000_000).run_until_killed(server.kill)
    server = start_server(*flags)
    wire = Wire(server.address)
    database = Database(wire, PROJECT)
    check(database, ledgers)
    check_trees(tree_of(server.address), ledgers)
    assert sum(len(ledger.acknowledged) for ledger in ledgers.values()) >= kills * ROUND_COMMITS
    assert all(ledger.acknowledged for ledger in ledgers.values())
    # The survivor is a server like any other.
    assert database.set(f"after/{uuid.uuid4().hex}")
    wire.close()
    assert server.stop() == 0
