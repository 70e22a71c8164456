"""Random writes, updates, transactions, server's values, sessions' ends, queries and listeners against a naive tree: what each
listener puts together is what the naive tree showed at one write's time, in the order of the writes."""

from __future__ import annotations

import json
import random
import time

import pytest

from support.tree_programs import Observer, StreamObserver, hash_of, key_order, keys_of, with_value
from support.trees import Tree
from support.websocket import TreeClient

KEYS = ["2", "10", "-3", "a", "b", "c"]
CLIENTS = 3
WRITES = 250
SECONDS = 20


def rank(value) -> tuple:
    """By what values are sorted."""
    if value is None:
        return (0,)
    if isinstance(value, bool):
        return (1, value)
    if isinstance(value, (int, float)):
        return (2, value)
    return (3, value) if isinstance(value, str) else (4,)


def at(value, keys: list[str]):
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def window(node, query: dict | None):
    """What a query shows of a node, found by sorting everything."""
    if query is None:
        return node
    if not isinstance(node, dict):
        return None

    def place(key: str, child) -> tuple:
        kind = query["i"]
        index = () if kind == ".key" else rank(child if kind == ".value" else at(child, keys_of(kind)))
        return index, key_order(key)

    def bound(name: str) -> tuple:
        return key_order(query[name]) if query["i"] == ".key" else rank(query[name])

    part = 1 if query["i"] == ".key" else 0
    found = sorted(node, key=lambda key: place(key, node[key]))
    if "sp" in query:
        found = [key for key in found if place(key, node[key])[part] >= bound("sp")]
    if "ep" in query:
        found = [key for key in found if place(key, node[key])[part] <= bound("ep")]
    if "l" in query:
        found = found[: query["l"]] if query["vf"] == "l" else found[-query["l"] :]
    return {key: node[key] for key in found} or None


class Followed:
    """A listener, and as of which write what it has is known to be."""

    def __init__(self, observer: Observer, path: list[str], query: dict | None, history: list):
        self.observer, self.path, self.query, self.history = observer, path, query, history
        self.version = len(history) - 1
        assert observer.value == self.shown(self.version), (path, query)
        observer.values = []

    def shown(self, version: int):
        return window(at(self.history[version], self.path), self.query)

    def check(self) -> None:
        for value in self.observer.values:
            while not self.agrees(value):
                self.version += 1
                assert self.version < len(self.history), (self.path, self.query, value)
        self.observer.values = []

    def agrees(self, value) -> bool:
        """Event streams of queries tell of one child after the other: with some of a write's done, and the others not yet."""
        if self.shown(self.version) == value:
            return True
        if self.query is None or not isinstance(self.observer, StreamObserver) or self.version + 1 == len(self.history):
            return False
        sides = [self.shown(self.version) or {}, self.shown(self.version + 1) or {}, value or {}]
        keys = set().union(*sides)
        return all(sides[2].get(key) in (sides[0].get(key), sides[1].get(key)) for key in keys)

    def is_up_to_date(self) -> bool:
        self.check()
        return self.observer.value == self.shown(len(self.history) - 1)


class Listen(Observer):
    """One of several on a connection."""

    def __init__(self, path: list[str]):
        super().__init__()
        self.path = path

    def take(self, push: dict) -> None:
        body = push["b"]
        place = keys_of(body["p"])
        assert place[: len(self.path)] == self.path, push
        below = place[len(self.path) :]
        if push["a"] == "d":
            return self.change([(below, body["d"])])
        assert push["a"] == "m", push
        self.change([(below + keys_of(key), value) for key, value in body["d"].items()])


class Connection:
    """A client with listens by queries, each with its tag, and one without a query."""

    def __init__(self, client: TreeClient):
        self.client = client
        self.listens: dict[int | None, Followed] = {}
        self.last_tag = 0
        # Whether its last request was a write.
        self.has_written = False

    def take(self, pushes: list[dict]) -> None:
        for push in pushes:
            if push["b"].get("t") in self.listens:
                self.listens[push["b"].get("t")].observer.take(push)

    def ask(self, action: str, body: dict) -> tuple[str, object]:
        status, data, pushes = self.client.ask(action, body)
        self.take(pushes)
        self.has_written = action in ("p", "m")
        return status, data

    def listen(self, path: list[str], query: dict | None, history: list, known: str) -> None:
        tag = None
        if query is not None:
            self.last_tag += 1
            tag = self.last_tag
        body = {"p": "/" + "/".join(path), "h": known} | ({"q": query, "t": tag} if query else {})
        status, _, pushes = self.client.ask("q", body)
        assert status == "ok"
        listen = Listen(path)
        own = [push for push in pushes if push["b"].get("t") == tag]
        self.take([push for push in pushes if push["b"].get("t") != tag])
        shown = window(at(history[-1], path), query)
        if known and known == hash_of(shown):
            assert own == []
            listen.value = shown
        for push in own:
            listen.take(push)
        self.listens[tag] = Followed(listen, path, query, history)

    def unlisten(self, tag: int | None) -> None:
        followed = self.listens[tag]
        body = {"p": "/" + "/".join(followed.path)} | ({"q": followed.query, "t": tag} if tag else {})
        assert self.ask("n", body)[0] == "ok"
        del self.listens[tag]


class World:
    def __init__(self, address: str, seed: int):
        self.chance = random.Random(seed)
        self.tree = Tree(address)
        self.address = address
        self.history: list = [None]
        self.connections = [Connection(TreeClient(address, self.tree.name)) for _ in range(CLIENTS)]
        self.streams: list[Followed] = []

    @property
    def now(self):
        return self.history[-1]

    def path(self, longest: int = 3) -> list[str]:
        return [self.chance.choice(KEYS) for _ in range(self.chance.randrange(longest + 1))]

    def value(self, height: int = 2):
        kind = self.chance.randrange(6)
        if height > 0 and kind < 3:
            children = {key: self.value(height - 1) for key in self.chance.sample(KEYS, self.chance.randrange(1, 4))}
            return {key: child for key, child in children.items() if child is not None} or None
        return self.chance.choice([None, 2, 3, 40, 2.5, "x", "y", "10"])

    def query(self) -> dict:
        query: dict = {"i": self.chance.choice([".key", ".value", "a", "b/2"])}
        of = KEYS if query["i"] == ".key" else [2, 3, 40, "x", "y"]
        ends = sorted(self.chance.sample(of, 2), key=key_order if query["i"] == ".key" else rank)
        for name, end in zip(("sp", "ep"), ends):
            if self.chance.random() < 0.4:
                query[name] = end
        if len(query) == 1 or self.chance.random() < 0.5:
            query |= {"l": self.chance.randrange(1, 4), "vf": self.chance.choice("lr")}
        return query

    def wrote(self, changes: list[tuple[list[str], object]]) -> None:
        root = self.now
        for path, value in changes:
            root = with_value(root, path, value)
        self.history.append(root)

    def put(self, by: Connection) -> None:
        path, value = self.path(), self.value()
        place = "/" + "/".join(path)
        if self.chance.random() < 0.3:
            assert self.tree.ask("PUT", place, body=json.dumps(value).encode())[0] == 200
        else:
            assert by.ask("p", {"p": place, "d": value})[0] == "ok"
        self.wrote([(path, value)])

    def update(self, by: Connection) -> None:
        base = self.path(1)
        paths = [[first, *self.path(2)] for first in self.chance.sample(KEYS, self.chance.randrange(1, 4))]
        places = {"/".join(path): self.value(1) for path in paths}
        place = "/" + "/".join(base)
        if self.chance.random() < 0.3:
            assert self.tree.ask("PATCH", place, body=json.dumps(places).encode())[0] == 200
        else:
            assert by.ask("m", {"p": place, "d": places})[0] == "ok"
        self.wrote([(base + keys_of(name), value) for name, value in places.items()])

    def server_values(self, by: Connection) -> None:
        path = self.path(2)
        before = {key: at(self.now, [*path, key]) for key in KEYS}
        numbers = {key: value if isinstance(value, (int, float)) else 0 for key, value in before.items()}
        places = {key: {".sv": {"increment": 2}} for key in self.chance.sample(KEYS, 2)}
        places |= {f"{key}/at": {".sv": "timestamp"} for key in KEYS if key not in places and self.chance.random() < 0.2}
        place = "/" + "/".join(path)
        assert by.ask("m", {"p": place, "d": places})[0] == "ok"
        _, found = by.ask("g", {"p": place, "q": {}})
        times = {at(found, keys_of(name)) for name in places if name.endswith("/at")}
        # All of one write have one time.
        assert len(times) <= 1 and all(abs(each / 1000 - time.time()) < 60 for each in times)
        worked_out = {
            name: next(iter(times)) if name.endswith("/at") else numbers[name] + 2 for name in places
        }
        self.wrote([(path + keys_of(name), value) for name, value in worked_out.items()])

    def transaction(self, by: Connection) -> None:
        path, value = self.path(2), self.value()
        place = "/" + "/".join(path)
        seen = at(self.chance.choice(self.history[-3:]), path)
        expected = at(self.now, path)
        if self.chance.random() < 0.3:
            _, _, headers = self.tree.ask("GET", place, headers={"X-Firebase-ETag": "true"})
            etag = headers["ETag"] if seen == expected else hash_of(seen) or "null_etag"
            status = self.tree.ask("PUT", place, body=json.dumps(value).encode(), headers={"if-match": etag})[0]
            assert status == (200 if seen == expected else 412)
        else:
            status = by.ask("p", {"p": place, "d": value, "h": hash_of(seen)})[0]
            assert status == ("ok" if seen == expected else "datastale")
        if seen == expected:
            self.wrote([(path, value)])

    def session(self) -> None:
        """One that leaves something, part of which it takes back, and goes."""
        client = TreeClient(self.address, self.tree.name)
        path, value, place = self.path(1), self.value(1), self.chance.choice(KEYS)
        name = "/" + "/".join(path)
        client.ok("om", {"p": name, "d": {"left": {"n": len(self.history)}, place: value, "gone": 1}})
        client.ok("oc", {"p": f"{name}/gone", "d": None})
        self.wrote([(path + ["left"], {"n": len(self.history)}), (path + [place], value)])
        client.close()
        end = time.monotonic() + SECONDS
        while self.tree.get("/", format="export") != self.now:
            assert time.monotonic() < end, (self.tree.get("/", format="export"), self.now)

    def listen(self, by: Connection) -> None:
        path = self.path(2)
        query = self.query() if None in by.listens or self.chance.random() < 0.7 else None
        if self.chance.random() < 0.2:
            parameters = {"format": "export"}
            query = None
            if self.chance.random() < 0.5:
                query = {"i": ".key", "l": 2, "vf": "r"}
                parameters |= {"orderBy": '"$key"', "limitToLast": "2"}
            observer = StreamObserver(self.tree, "/" + "/".join(path), parameters)
            return self.streams.append(Followed(observer, path, query, self.history))
        # A client listens to the same once.
        if any((followed.path, followed.query) == (path, query) for followed in by.listens.values()):
            return
        shown = window(at(self.now, path), query)
        by.listen(path, query, self.history, hash_of(shown) if self.chance.random() < 0.3 else "")

    def step(self) -> None:
        by = self.chance.choice(self.connections)
        by.has_written = False
        written = len(self.history)
        kind = self.chance.randrange(12)
        if kind < 4:
            self.put(by)
        elif kind < 6:
            self.update(by)
        elif kind == 6:
            self.server_values(by)
        elif kind < 9:
            self.transaction(by)
        elif kind == 9 and self.chance.random() < 0.3:
            self.session()
        elif len(by.listens) > 8 and self.chance.random() < 0.5:
            by.unlisten(self.chance.choice(list(by.listens)))
        else:
            self.listen(by)
        for followed in by.listens.values():
            # What a connection writes it is told of before the answer.
            if by.has_written:
                assert followed.is_up_to_date(), (followed.path, followed.query, followed.observer.value)
            followed.check()
        # Reads show all that was acknowledged.
        path = self.path(2)
        assert by.ask("g", {"p": "/" + "/".join(path), "q": {}}) == ("ok", at(self.now, path))
        if len(self.history) > written and self.chance.random() < 0.2:
            other = self.chance.choice(self.connections)
            other.ask("s", {"c": {}})
            for followed in other.listens.values():
                followed.check()

    def finish(self) -> None:
        for connection in self.connections:
            for followed in connection.listens.values():
                end = time.monotonic() + SECONDS
                while not followed.is_up_to_date():
                    assert time.monotonic() < end, (followed.observer.value, followed.shown(-1))
                    connection.ask("s", {"c": {}})
        for followed in self.streams:
            while not followed.is_up_to_date():
                followed.observer.step()
            followed.observer.detach()
        for connection in self.connections:
            connection.client.close()


@pytest.mark.parametrize("seed", range(8))
def test_every_listener_has_what_a_naive_tree_shows(address, seed):
    world = World(address, seed)
    for _ in range(WRITES):
        world.step()
    assert sum(len(connection.listens) for connection in world.connections) > 5 and len(world.history) > WRITES // 2
    world.finish()
