"""Random lives of a Listen stream: what is committed, what is listened to, and when the stream breaks off."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from google.protobuf import text_format

from differential.steps import collection_query
from support import messages
from support.listening import Target, documents_target, query_target
from support.messages import StructuredQuery
from support.wire import Database

# Its document changes with almost every commit: a stream that was told of it has been told of all before.
FENCE = "fence/f"
FENCE_NAME = 0
# So many actions begin each plan: documents, the fence, and that both are told.
BEGINNING = 3

# The third is nested, so that it belongs to the group of collection c too.
COLLECTIONS = ("c", "d", "d/a/c")
PATHS = (*(f"c/{i}" for i in "abcdefgh"), *(f"d/{i}" for i in "abc"), *(f"d/a/c/{i}" for i in "xyz"))
ASCENDING, DESCENDING = 1, 2


@dataclasses.dataclass(frozen=True)
class Change:
    """One write of a commit."""

    kind: str
    path: str
    content: dict[str, Any] = dataclasses.field(default_factory=dict)

    def write(self, database: Database) -> messages.Write:
        name = database.doc(self.path)
        if self.kind == "delete":
            return messages.delete_write(name)
        if self.kind == "increment":
            return messages.set_write(name, mask=[], transforms=[messages.increment("n", 1)])
        if self.kind == "update":
            return messages.set_write(name, self.content, mask=self.content, exists=True)
        return messages.set_write(name, self.content)


@dataclasses.dataclass(frozen=True)
class Commit:
    changes: tuple[Change, ...]
    is_transaction: bool = False
    # Does not touch the fence.
    is_quiet: bool = False


@dataclasses.dataclass(frozen=True)
class Asked:
    """A target: a query under a parent, or documents."""

    query: StructuredQuery | None = None
    parent: str = ""
    documents: tuple[str, ...] = ()

    def target(self, database: Database, number: int, **members) -> Target:
        if self.query is None:
            return documents_target(database, self.documents, number, **members)
        return query_target(database, self.query, number, self.parent, **members)

    def __repr__(self) -> str:
        if self.query is None:
            return f"documents {' '.join(self.documents)}"
        return f"query under '{self.parent}' {{{text_format.MessageToString(self.query, as_one_line=True)}}}"


@dataclasses.dataclass(frozen=True)
class Add:
    """A target is added. Its name is its own, while ids are used again."""

    name: int
    number: int
    asked: Asked


@dataclasses.dataclass(frozen=True)
class Remove:
    name: int


@dataclasses.dataclass(frozen=True)
class Away:
    """The stream breaks off, and all targets go on after some commits: by their tokens, or by the time."""

    commits: tuple[Commit, ...]
    by: str


@dataclasses.dataclass(frozen=True)
class Settle:
    """Nothing more is asked for until all is told."""


Action = Commit | Add | Remove | Away | Settle


@dataclasses.dataclass(frozen=True)
class Plan:
    # Ids are the server's choice, or the client's.
    are_ids_chosen_by_server: bool
    actions: tuple[Action, ...]


class Planner:
    """Makes the plan of a seed."""

    def __init__(self, seed: int):
        self.chances = random.Random(seed)
        self.active: dict[int, int] = {}
        self.names = FENCE_NAME
        self.ids_by_server = self.chances.random() < 0.2

    def plan(self, length: int = 24) -> Plan:
        beginning = Commit(tuple(Change("set", path, self.content()) for path in self.chances.sample(PATHS, 6)))
        actions: list[Action] = [beginning, Add(FENCE_NAME, 1, Asked(documents=(FENCE,))), Settle()]
        for _ in range(length):
            actions += self.step()
        return Plan(self.ids_by_server, (*actions, self.commit(is_quiet=False), Settle()))

    def step(self) -> list[Action]:
        kind = self.chances.choices(["commit", "burst", "add", "remove", "away"], [8, 4, 6, 2, 2])[0]
        if kind == "commit":
            return [self.commit(is_quiet=False), Settle()]
        if kind == "burst":
            return [self.commit() for _ in range(self.chances.randint(2, 5))]
        if kind == "away":
            commits = tuple(self.commit() for _ in range(self.chances.randint(0, 4)))
            return [Away(commits, self.chances.choice(["token", "token", "time"]))]
        if kind == "remove" and self.active:
            name = self.chances.choice(list(self.active))
            del self.active[name]
            return [Remove(name)]
        return self.add()

    # Commits

    def commit(self, is_quiet: bool | None = None) -> Commit:
        size = self.chances.choice([1, 1, 1, 2, 3, 5])
        if is_quiet is None:
            is_quiet = self.chances.random() < 0.2
        changes = tuple(self.change(path, may_fail=is_quiet) for path in self.chances.sample(PATHS, size))
        return Commit(changes, self.chances.random() < 0.2, is_quiet)

    def change(self, path: str, *, may_fail: bool) -> Change:
        kind = self.chances.choices(["set", "update", "increment", "delete"], [6, 2 * may_fail, 1, 2])[0]
        return Change(kind, path, self.content() if kind in ("set", "update") else {})

    def content(self) -> dict[str, Any]:
        content = {"n": self.value(), "m": self.chances.randint(0, 3), "t": self.chances.sample(range(4), 2)}
        return {field: content[field] for field in content if self.chances.random() < 0.85}

    def value(self) -> Any:
        return self.chances.choice([0, 1, 2, 3, 4, 5, 1.5, None, "s", True])

    # Targets

    def add(self) -> list[Action]:
        self.names += 1
        free = [number for number in range(2, 9) if number not in self.active.values()]
        if not free:
            return []
        add = Add(self.names, self.chances.choice(free), self.asked())
        self.active[add.name] = add.number
        return [add, self.commit(is_quiet=False), Settle()] if self.chances.random() < 0.5 else [add]

    def asked(self) -> Asked:
        if self.chances.random() < 0.2:
            count = self.chances.randint(1, 4)
            return Asked(documents=tuple(self.chances.sample(PATHS, count)))
        return Asked(*self.query())

    def query(self) -> tuple[StructuredQuery, str]:
        parent, _, collection = self.chances.choice(COLLECTIONS).rpartition("/")
        members: dict[str, Any] = {}
        is_group = not parent and collection == "c" and self.chances.random() < 0.3
        if self.chances.random() < 0.5:
            members["where"] = self.filter()
        if self.chances.random() < 0.6:
            members.update(self.window())
        if self.chances.random() < 0.15:
            members["select"] = {"fields": [{"field_path": path} for path in ("n", "m")]}
        return collection_query(collection, group=is_group, **members), parent

    def window(self) -> dict[str, Any]:
        """An order, and mostly a limit. The last of an order are asked for as the first of its opposite."""
        field = self.chances.choice("nm")
        direction = self.chances.choice([ASCENDING, DESCENDING])
        window: dict[str, Any] = {"order_by": [{"field": {"field_path": field}, "direction": direction}]}
        if self.chances.random() < 0.75:
            window["limit"] = {"value": self.chances.randint(1, 4)}
            if self.chances.random() < 0.15:
                window["offset"] = self.chances.randint(1, 2)
        cursor = {"values": [messages.value(self.chances.randint(0, 3))], "before": self.chances.random() < 0.5}
        if self.chances.random() < 0.25:
            window[self.chances.choice(["start_at", "end_at"])] = cursor
        return window

    def filter(self) -> dict[str, Any]:
        kind = self.chances.choices(["field", "AND", "OR"], [5, 1, 2])[0]
        if kind == "field":
            return self.field_filter()
        parts = [self.equality() for _ in range(2)]
        return {"composite_filter": {"op": kind, "filters": parts}}

    def equality(self) -> dict[str, Any]:
        return self.comparison(self.chances.choice("nm"), "EQUAL", self.chances.randint(0, 3))

    def field_filter(self) -> dict[str, Any]:
        op = self.chances.choice(
            ["EQUAL", "LESS_THAN", "GREATER_THAN_OR_EQUAL", "NOT_EQUAL", "IN", "NOT_IN", "ARRAY_CONTAINS", "ANY", "NULL"]
        )
        if op == "NULL":
            return {"unary_filter": {"field": {"field_path": "n"}, "op": "IS_NULL"}}
        if op == "ARRAY_CONTAINS":
            return self.comparison("t", op, self.chances.randint(0, 3))
        if op == "ANY":
            return self.comparison("t", "ARRAY_CONTAINS_ANY", self.chances.sample(range(4), 2))
        if op in ("IN", "NOT_IN"):
            return self.comparison("n", op, self.chances.sample(range(5), 2))
        return self.comparison("n", op, self.chances.randint(0, 4))

    @staticmethod
    def comparison(field: str, op: str, operand: Any) -> dict[str, Any]:
        return {"field_filter": {"field": {"field_path": field}, "op": op, "value": messages.value(operand)}}
