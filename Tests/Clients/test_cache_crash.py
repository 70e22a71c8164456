"""The Swift client with its disk cache, killed again and again, offline and online: nothing that it took is lost.

A write is taken when the client shows it. Each life of the client gets batches, some of them while it is offline, and is
killed in the middle of them. The next life must have all that were taken, and of the others the first so many, and show
what they make of the documents. In the end the server must have applied all of them once and in their order, it must have
refused none, and client and server must agree on every document.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from google.cloud import firestore

from support.cache_model import ITEMS, Fields, Model, Script
from support.cache_worker import CacheWorker
from support.clients import client_for, close_client
from support.servers import free_port

PROJECT = "crashes"
FENCES = "theirs"
COLLECTIONS = [FENCES, "items", "journal", "counters", "shared"]
BURST = 25


class Crashes:
    """One run. What happens is decided by the seed, but for where in its work a process is killed."""

    def __init__(self, seed: int, start_server, folder: Path):
        self.chance = random.Random(seed)
        self.model = Model()
        self.script = Script(self.chance)
        self.folder = folder
        self.log = folder / "worker.log"
        self.start_server = start_server
        self.port = free_port()
        self.server = self.serve()
        # What others wrote last, by path.
        self.others: dict[str, Fields] = {}

    def serve(self):
        return self.start_server("--emulator", listen=f"127.0.0.1:{self.port}")

    def worker(self) -> CacheWorker:
        return CacheWorker(self.server.address, PROJECT, self.folder / "cache", self.log)

    def live(self, life: int) -> None:
        """A life up to its violent end, and what the next one finds."""
        worker = self.worker()
        if self.chance.random() < 0.4:
            worker.ask("network", enabled=False)
        worker.ask("listen", collections=COLLECTIONS)
        before = len(self.model.batches)
        taken = 0
        for _ in range(self.chance.randint(1, 3)):
            taken += self.burst(worker, life, self.chance.randint(1, BURST), is_last=False)
            self.disturb(worker)
        taken += self.burst(worker, life, self.chance.randint(1, BURST), is_last=True)
        worker.kill()
        self.check_survivors(life, before, taken)

    def burst(self, worker: CacheWorker, life: int, count: int, *, is_last: bool) -> int:
        """Gives how many batches were taken; the last burst of a life is left in the middle."""
        for _ in range(count):
            worker.send("write", operations=self.script.next(self.model, life).operations)
        waited = self.chance.randint(0, count) if is_last else count
        for _ in range(waited):
            worker.receive()
        return waited

    def disturb(self, worker: CacheWorker) -> None:
        roll = self.chance.random()
        if roll < 0.35:
            worker.ask("network", enabled=True)
        elif roll < 0.6:
            worker.ask("network", enabled=False)
        elif roll < 0.8:
            self.server.kill()
            self.server = self.serve()

    def check_survivors(self, life: int, before: int, taken: int) -> None:
        worker = self.worker()
        journal = worker.ask("cached", path=f"journal/life{life}").get("document") or {}
        survivors = journal.get("list", [])
        count = worker.ask("cached", path=f"counters/life{life}").get("document") or {"count": 0}
        names = [f"item{number}" for number in range(ITEMS)]
        items = {name: worker.ask("cached", path=f"items/{name}").get("document") for name in names}
        worker.kill()
        sent = self.model.journal(life)
        assert survivors == sent[: len(survivors)], "writes are lost in between, or out of their order"
        assert len(survivors) >= taken, f"{taken} writes were taken, {len(survivors)} are left"
        assert count["count"] == len(survivors), "the client shows what writes make of a counter wrongly"
        self.model.keep(before + len(survivors))
        assert {name: fields for name, fields in items.items() if fields is not None} == self.model.items

    def write_as_others(self, client: firestore.Client, number: int) -> None:
        for path, fields in ((f"theirs/t{number % 7}", {"number": number}), (f"shared/s{number % 3}", {"theirs": number})):
            client.document(path).set(fields)
            self.others[path] = fields

    def finish(self, client: firestore.Client) -> None:
        client.document(f"{FENCES}/fence").set({"number": 1})
        self.others[f"{FENCES}/fence"] = {"number": 1}
        worker = self.worker()
        answer = worker.ask("settle", collections=COLLECTIONS, fence="fence", number=1)
        assert worker.stop() == 0, self.log.read_text()
        server = {
            name: {document.id: document.to_dict() for document in client.collection(name).stream()}
            for name in COLLECTIONS
        }
        assert answer["seen"] == server
        assert answer["cached"] == server
        assert server["items"] == self.model.items
        assert server["journal"] == self.model.journals()
        # Also where the server was killed: it remembers what it had answered.
        assert server["counters"] == self.model.counters()
        assert server[FENCES] == self.written_by_others(FENCES)
        ours, theirs = self.model.shared(), self.written_by_others("shared")
        assert server["shared"].keys() == ours.keys() | theirs.keys()
        for name, fields in server["shared"].items():
            assert fields in (ours.get(name), theirs.get(name)), f"{name} has what was written over"
        # Each life says in the log what it was told.
        assert "rejected" not in self.log.read_text()

    def written_by_others(self, collection: str) -> dict[str, Fields]:
        paths = {path.partition("/")[::2]: fields for path, fields in self.others.items()}
        return {name: fields for (folder, name), fields in paths.items() if folder == collection}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("run", range(2))
def test_a_client_that_is_killed_loses_nothing_that_it_took(start_server, tmp_path, request, run):
    seed = request.config.getoption("--cache-seed") + run
    print(f"replay with --cache-seed {seed}")
    crashes = Crashes(seed, start_server, tmp_path)
    client = client_for(crashes.server.address, PROJECT)
    try:
        for life in range(request.config.getoption("--cache-kills")):
            crashes.write_as_others(client, life)
            crashes.live(life)
        crashes.finish(client)
    finally:
        close_client(client)
