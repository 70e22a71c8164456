"""The official client's `on_snapshot`: what it tells is what a model predicts, step by step.

A snapshot's read time says which state it shows, so the model can tell what the listener must have been told of since
the snapshot before, whether or not states in between were left out.
"""

from __future__ import annotations

import dataclasses
import random
import threading
import uuid
from typing import Any

import pytest
from google.cloud import firestore

from conftest import is_emulator
from support.clients import client_for, close_client
from support.listening_model import Asked, Fields, History, Shown, Step
from support.messages import delete_write, set_write
from support.messages import microseconds as micros
from support.proxy import Proxy
from support.wire import Database, Wire

PATIENCE_SECONDS = 40
DESCENDING, ASCENDING = firestore.Query.DESCENDING, firestore.Query.ASCENDING
PATHS = [f"{collection}/{name}" for collection in ("c", "d", "c/a/c", "d/b/c") for name in "abcdef"]
ASKED = [
    Asked("document", document="c/a"),
    Asked("nested document", document="d/b/c/f"),
    Asked("collection", collection="c"),
    Asked("collection group", collection="c", group=True),
    Asked("equality", collection="c", filters=(("tag", "==", "red"),)),
    Asked("inequality", collection="c", filters=(("n", "<", 5),)),
    Asked("range", collection="c", filters=(("n", ">=", 2), ("n", "<", 7)), orders=(("n", DESCENDING),)),
    Asked("not equal", collection="d", filters=(("tag", "!=", "red"),)),
    Asked("in", collection="c", group=True, filters=(("tag", "in", ["red", "blue"]),)),
    Asked("array contains", collection="c", filters=(("list", "array_contains", 2),)),
    Asked("ordered", collection="c", orders=(("n", ASCENDING),)),
    Asked("ordered twice", collection="c", group=True, orders=(("tag", DESCENDING), ("n", ASCENDING))),
    Asked("limited", collection="c", limit=3),
    Asked("ordered and limited", collection="c", orders=(("n", DESCENDING),), limit=3),
    Asked("inequality and limited", collection="c", filters=(("n", ">=", 1),), limit=2),
    Asked(
        "filtered, ordered and limited",
        collection="c",
        group=True,
        filters=(("tag", "==", "red"),),
        orders=(("n", ASCENDING),),
        limit=2,
    ),
    Asked("from a cursor", collection="c", orders=(("n", ASCENDING),), start_at=4),
    Asked("from a cursor, limited", collection="c", orders=(("n", DESCENDING),), start_at=6, limit=2),
]


@dataclasses.dataclass
class Event:
    """One call of a listener's callback."""

    documents: list[tuple[str, int]]
    fields: list[Fields]
    steps: list[Step]
    read_time: int


def micros_of(time: Any) -> int:
    return micros(time.timestamp_pb())


class Listener:
    """One `on_snapshot`, and what it was told that has not been compared yet."""

    def __init__(self, asked: Asked, client: firestore.Client, changed: threading.Condition):
        self.asked = asked
        self.changed = changed
        self.events: list[Event] = []
        self.compared = 0
        self.state_number = -1
        self.shown = Shown()
        self.watch = asked.reference(client).on_snapshot(self.hear)

    def hear(self, documents: list[Any], changes: list[Any], read_time: Any) -> None:
        event = Event(
            [(one.reference.path, micros_of(one.update_time)) for one in documents],
            [one.to_dict() for one in documents],
            [self.step(change) for change in changes],
            micros_of(read_time),
        )
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    @staticmethod
    def step(change: Any) -> Step:
        time = micros_of(change.document.update_time)
        return Step(change.type.name, change.document.reference.path, time, change.old_index, change.new_index)

    def shows(self, results: list[tuple[str, int]]) -> bool:
        return bool(self.events) and self.events[-1].documents == results

    def compare(self, history: History) -> None:
        """What it was told against what the model says about these states."""
        while self.compared < len(self.events):
            event = self.events[self.compared]
            number = history.number_at(event.read_time)
            results = self.asked.results(history.states[number])
            about = f"{self.asked.name}, event {self.compared}"
            assert event.documents == results, about
            assert event.fields == [history.states[number][path].fields for path, _ in results], about
            assert event.steps == self.shown.steps_to(results), about
            assert self.compared == 0 or event.steps, f"{about}: nothing has changed"
            assert number >= self.state_number, f"{about}: back in time"
            self.state_number = number
            self.compared += 1


class Story:
    """Random writes by raw commits, and everyone who listens to them."""

    def __init__(self, seed: int, address: str, listening: list[str]):
        self.random = random.Random(seed)
        self.project = f"story-{uuid.uuid4().hex[:12]}"
        self.history = History()
        self.changed = threading.Condition()
        self.connect(address)
        for _ in range(8):
            self.commit()
        self.clients = [client_for(one, self.project) for one in listening]
        self.listeners = [
            Listener(asked, self.clients[number % len(self.clients)], self.changed)
            for number, asked in enumerate(ASKED)
        ]
        self.settle()

    def connect(self, address: str) -> None:
        self.wire = Wire(address)
        self.database = Database(self.wire, self.project)

    def close(self) -> None:
        for listener in self.listeners:
            listener.watch.unsubscribe()
        for client in self.clients:
            close_client(client)
        self.wire.close()

    # Writes

    def fields(self) -> Fields:
        made: Fields = {}
        if self.random.random() < 0.9:
            made["n"] = self.random.choice([*range(10), None, "text"])
        if self.random.random() < 0.9:
            made["tag"] = self.random.choice(["red", "red", "blue", "green", None])
        if self.random.random() < 0.5:
            made["list"] = self.random.sample(range(4), self.random.randint(0, 3))
        return made

    def writes(self) -> dict[str, Fields | None]:
        chosen: dict[str, Fields | None] = {}
        for path in self.random.sample(PATHS, self.random.choice([1, 1, 1, 2, 3, 8])):
            known = self.history.state.get(path)
            kind = self.random.random()
            if kind < 0.25:
                chosen[path] = None
            elif kind < 0.35 and known is not None:
                chosen[path] = known.fields
            else:
                chosen[path] = self.fields()
        return chosen

    def commit(self) -> None:
        writes = self.writes()
        transaction = b""
        if self.random.random() < 0.3:
            transaction = self.database.begin()
            assert self.database.batch_get(*self.random.sample(PATHS, 3), transaction=transaction).ok
        encoded = [
            delete_write(self.database.doc(path)) if fields is None else set_write(self.database.doc(path), fields)
            for path, fields in writes.items()
        ]
        committed = self.database.commit(*encoded, transaction=transaction).message
        self.history.commit(micros(committed.commit_time), writes)
        for (path, fields), result in zip(writes.items(), committed.write_results):
            if fields is not None:
                assert micros(result.update_time) == self.history.state[path].update_time

    # Listening

    def settle(self) -> None:
        """Waits until everyone shows the last state, and compares how they came there."""
        wanted = [(listener, listener.asked.results(self.history.state)) for listener in self.listeners]
        with self.changed:
            self.changed.wait_for(
                lambda: all(listener.shows(results) for listener, results in wanted), timeout=PATIENCE_SECONDS
            )
            for listener, results in wanted:
                listener.compare(self.history)
                assert listener.shows(results), f"{listener.asked.name} does not show the last state"

    def run(self, steps: int) -> None:
        for _ in range(steps):
            for _ in range(self.random.choice([1, 1, 1, 5, 20])):
                self.commit()
            if self.random.random() < 0.7:
                self.settle()
        self.settle()


@pytest.mark.parametrize("seed", range(3))
def test_what_listeners_are_told_is_what_the_model_predicts(address, seed):
    story = Story(seed, address, [address, address])
    story.run(40)
    told = {listener.asked.name: len(listener.events) for listener in story.listeners}
    assert min(told.values()) > 3, told
    story.close()


@pytest.mark.parametrize("seed", range(2))
def test_listeners_go_on_over_broken_connections(address, seed):
    """Connections break between snapshots: the client forgets nothing that it heard of a snapshot that it never got."""
    proxy = Proxy(address)
    story = Story(100 + seed, address, [proxy.address, proxy.address])
    for _ in range(6):
        story.run(4)
        proxy.cut()
        for _ in range(story.random.randint(0, 10)):
            story.commit()
        proxy.forward_to(address)
        story.settle()
    story.close()
    proxy.close()


@pytest.mark.skipif(is_emulator(), reason="needs a server process of its own")
@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_listeners_go_on_over_restarts(start_server, ending):
    server = start_server()
    proxy = Proxy(server.address)
    story = Story(200, server.address, [proxy.address, proxy.address])
    for _ in range(3):
        story.run(4)
        if ending == "kill":
            proxy.cut()
        else:
            # The server itself sends the clients away.
            proxy.hold()
        for _ in range(story.random.randint(0, 5)):
            story.commit()
        story.wire.close()
        getattr(server, ending)()
        server = start_server()
        story.connect(server.address)
        for _ in range(story.random.randint(0, 5)):
            story.commit()
        proxy.forward_to(server.address)
        story.settle()
    story.close()
    proxy.close()


def test_a_listener_that_leaves_is_told_nothing_more(address):
    story = Story(300, address, [address])
    leaving, staying = story.listeners[2], story.listeners[3]
    leaving.watch.unsubscribe()
    count = len(leaving.events)
    story.listeners.remove(leaving)
    story.run(5)
    assert len(leaving.events) == count and len(staying.events) > 1
    story.close()
