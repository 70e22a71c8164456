"""What an app's program does with a tree, by REST and by the WebSocket's messages: the same words for both."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import struct
import time
from typing import Callable

from support.trees import Tree
from support.websocket import TreeClient

# More than any test's clients get in each other's way.
TRIES_MAX = 1000
SECONDS = 20


def key_order(key: str) -> tuple:
    """By what keys are sorted: integers of 32 bits first; for texts of the basic plane."""
    digits = key.removeprefix("-")
    if digits.isdigit() and digits.isascii() and -(1 << 31) <= int(key) < 1 << 31:
        return (0, int(key), len(key), "")
    return (1, 0, 0, key)


def hash_of(value) -> str:
    """The hash of a value without priorities, as clients send it with a transaction."""
    if value is None:
        return ""
    if isinstance(value, dict):
        parts = [f":{key}:{hash_of(value[key])}" for key in sorted(value, key=key_order)]
        text = "".join(part for part in parts if not part.endswith(":"))
    elif isinstance(value, bool):
        text = f"boolean:{str(value).lower()}"
    elif isinstance(value, (int, float)):
        text = f"number:{struct.pack('>d', value).hex()}"
    else:
        text = f"string:{value}"
    return base64.b64encode(hashlib.sha1(text.encode()).digest()).decode()


def keys_of(path: str) -> list[str]:
    return [key for key in path.split("/") if key]


def with_value(value, keys: list[str], new):
    """The value with another one at a place below it: none leaves nothing."""
    if not keys:
        return new
    if new is None and not isinstance(value, dict):
        # Below a leaf there is nothing to take away.
        return value
    inner = dict(value) if isinstance(value, dict) else {}
    child = with_value(inner.get(keys[0]), keys[1:], new)
    inner.pop(keys[0], None)
    if child is not None:
        inner[keys[0]] = child
    return inner or None


class Refused(Exception):
    """The server does not do it, for that reason."""


class Observer:
    """What is at a path, put together from what the server says of it, and what that is for its children."""

    def __init__(self):
        self.value = None
        # Values as they were told, and what has happened to children, since they were asked for.
        self.values: list[object] = []
        self.children: list[tuple[str, str, object]] = []

    def change(self, changes: list[tuple[list[str], object]]) -> None:
        """Several at once."""
        before = self.value
        for keys, new in changes:
            self.value = with_value(self.value, keys, new)
        self.values.append(self.value)
        old = before if isinstance(before, dict) else {}
        new = self.value if isinstance(self.value, dict) else {}
        for key in sorted(old.keys() | new.keys()):
            if key not in new:
                self.children.append(("removed", key, old[key]))
            elif key not in old:
                self.children.append(("added", key, new[key]))
            elif old[key] != new[key]:
                self.children.append(("changed", key, new[key]))

    def step(self) -> None:
        """Waits for the next change."""
        raise NotImplementedError

    def follow(self, expected) -> list[object]:
        """Until that is there; all values on the way."""
        end = time.monotonic() + SECONDS
        while self.value != expected or not self.values:
            assert time.monotonic() < end, (self.value, expected)
            self.step()
        told, self.values = self.values, []
        return told

    def child_events(self) -> list[tuple[str, str, object]]:
        told, self.children = self.children, []
        return told

    def detach(self) -> None:
        raise NotImplementedError

    def hears_nothing(self) -> None:
        """Once it was detached."""


class StreamObserver(Observer):
    """By an event stream."""

    def __init__(self, tree: Tree, path: str, parameters: dict[str, str]):
        super().__init__()
        self.connection = http.client.HTTPConnection(tree.host, tree.port, timeout=SECONDS)
        headers = {**tree.headers, "Accept": "text/event-stream"}
        self.connection.request("GET", tree.target(path, **parameters), headers=headers)
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        self.step()

    def step(self) -> None:
        name = self.response.readline().decode().removeprefix("event: ").strip()
        text = self.response.readline().decode().removeprefix("data: ").strip()
        assert self.response.readline() == b"\n"
        if name == "keep-alive":
            return
        event = json.loads(text)
        base = keys_of(event["path"])
        if name == "put":
            return self.change([(base, event["data"])])
        assert name == "patch", (name, text)
        self.change([(base + keys_of(key), value) for key, value in event["data"].items()])

    def detach(self) -> None:
        self.connection.close()


class SocketObserver(Observer):
    """By a listen, on a connection of its own."""

    def __init__(self, client: TreeClient, path: str, query: dict | None):
        super().__init__()
        self.client = client
        self.base = keys_of(path)
        self.request = {"p": path} | ({"q": query, "t": 1} if query else {})
        status, _, pushes = client.ask("q", {**self.request, "h": ""})
        assert status == "ok"
        for push in pushes:
            self.take(push)
        if not pushes:
            self.values.append(None)

    def take(self, push: dict) -> None:
        body = push["b"]
        place = keys_of(body["p"])
        assert place[: len(self.base)] == self.base
        below = place[len(self.base) :]
        if push["a"] == "d":
            return self.change([(below, body["d"])])
        assert push["a"] == "m", push
        self.change([(below + keys_of(key), value) for key, value in body["d"].items()])

    def step(self) -> None:
        self.take(self.client.message()["d"])

    def detach(self) -> None:
        self.client.ok("n", self.request)

    def hears_nothing(self) -> None:
        self.client.web.silence()


class RestApp:
    """One app, by REST."""

    def __init__(self, tree: Tree):
        self.tree = tree

    def _ask(self, method: str, path: str, value=None, **parameters):
        status, answer, _ = self.tree.ask(method, path, body=json.dumps(value).encode(), **parameters)
        if status != 200:
            raise Refused(answer["error"])
        return answer

    def set(self, path: str, value) -> None:
        self._ask("PUT", path, value)

    def get(self, path: str):
        return self.tree.get(path)

    def update(self, path: str, values: dict) -> None:
        self._ask("PATCH", path, values)

    def remove(self, path: str) -> None:
        assert self.tree.ask("DELETE", path)[0] == 200

    def observe(self, path: str, last: int | None = None) -> Observer:
        parameters = {"orderBy": '"$key"', "limitToLast": str(last)} if last else {}
        return StreamObserver(self.tree, path, parameters)

    def transaction(self, path: str, change: Callable):
        """What it has become."""
        _, value, headers = self.tree.ask("GET", path, headers={"X-Firebase-ETag": "true"})
        for _ in range(TRIES_MAX):
            new = change(value)
            status, found, headers = self.tree.ask(
                "PUT", path, body=json.dumps(new).encode(), headers={"if-match": headers["ETag"]}
            )
            if status == 200:
                return new
            assert status == 412, found
            value = found
        raise AssertionError("the transaction does not come to an end")

    def close(self) -> None:
        pass


class SocketApp:
    """One app, by the WebSocket."""

    def __init__(self, address: str, namespace: str):
        self.address, self.namespace = address, namespace
        self.made: list[TreeClient] = []
        self.client = self.connect()

    def connect(self) -> TreeClient:
        self.made.append(TreeClient(self.address, self.namespace))
        return self.made[-1]

    def _ask(self, action: str, body: dict) -> object:
        status, data, _ = self.client.ask(action, body)
        if status != "ok":
            raise Refused(f"{status}: {data}")
        return data

    def set(self, path: str, value) -> None:
        self._ask("p", {"p": path, "d": value})

    def get(self, path: str):
        return self._ask("g", {"p": path, "q": {}})

    def update(self, path: str, values: dict) -> None:
        self._ask("m", {"p": path, "d": values})

    def remove(self, path: str) -> None:
        self.set(path, None)

    def observe(self, path: str, last: int | None = None) -> Observer:
        query = {"i": ".key", "l": last, "vf": "r"} if last else None
        return SocketObserver(self.connect(), path, query)

    def transaction(self, path: str, change: Callable):
        """While it listens to the node, as clients do: what it is now comes before a refusal."""
        observer = SocketObserver(self.client, path, None)
        for _ in range(TRIES_MAX):
            old = observer.value
            new = change(old)
            status, data, pushes = self.client.ask("p", {"p": path, "d": new, "h": hash_of(old)})
            for push in pushes:
                observer.take(push)
            if status == "ok":
                self.client.ask("n", {"p": path})
                return new
            assert status == "datastale", (status, data)
            # It may be what it was, after it was something else.
            assert pushes, "refused for what it was not told of"
        raise AssertionError("the transaction does not come to an end")

    def close(self) -> None:
        for client in self.made:
            client.close()
