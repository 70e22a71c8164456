"""What the official Python client should tell its listeners: queries evaluated naively over every state that there was,
and the steps between the states that it showed."""

from __future__ import annotations

import bisect
import dataclasses
from typing import Any, Callable

from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

Fields = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Stored:
    fields: Fields
    update_time: int


# Documents by path.
State = dict[str, Stored]


class History:
    """Every state since the beginning, by the time of the commit that made it."""

    def __init__(self):
        self.times: list[int] = [0]
        self.states: list[State] = [{}]

    @property
    def state(self) -> State:
        return self.states[-1]

    def commit(self, time: int, writes: dict[str, Fields | None]) -> None:
        """The new fields of documents, or None for a deletion. What changes nothing keeps its time."""
        state = dict(self.state)
        for path, fields in writes.items():
            if fields is None:
                state.pop(path, None)
            elif path not in state or not same(state[path].fields, fields):
                state[path] = Stored(fields, time)
        assert time > self.times[-1]
        self.times.append(time)
        self.states.append(state)

    def number_at(self, time: int) -> int:
        """Which state there was at a time."""
        return bisect.bisect_right(self.times, time) - 1


def same(left: Any, right: Any) -> bool:
    return repr(left) == repr(right)


def rank(value: Any) -> tuple:
    """The order of values across types, of those types that the tests use."""
    if value is None:
        return (0,)
    if isinstance(value, bool):
        return (1, value)
    if isinstance(value, (int, float)):
        return (2, value)
    if isinstance(value, str):
        return (3, value.encode())
    assert isinstance(value, list)
    return (4, [rank(member) for member in value])


class Descending:
    def __init__(self, key: Any):
        self.key = key

    def __lt__(self, other: "Descending") -> bool:
        return other.key < self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Descending) and self.key == other.key


def satisfies(value: Any, operator: str, operand: Any) -> bool:
    if operator == "==":
        return rank(value) == rank(operand)
    if operator == "!=":
        return value is not None and rank(value) != rank(operand)
    if operator == "in":
        return any(rank(value) == rank(one) for one in operand)
    if operator == "array_contains":
        return isinstance(value, list) and any(rank(member) == rank(operand) for member in value)
    if rank(value)[0] != rank(operand)[0]:
        return False
    compare: dict[str, Callable[[Any, Any], bool]] = {"<": lambda a, b: a < b, ">=": lambda a, b: a >= b}
    return compare[operator](rank(value), rank(operand))


@dataclasses.dataclass(frozen=True)
class Asked:
    """A query, or a single document."""

    name: str
    collection: str = ""
    document: str = ""
    group: bool = False
    filters: tuple[tuple[str, str, Any], ...] = ()
    orders: tuple[tuple[str, str], ...] = ()
    limit: int | None = None
    start_at: Any = None

    def reference(self, client: firestore.Client) -> Any:
        """The same for the official client."""
        if self.document:
            return client.document(self.document)
        query: Any = client.collection_group(self.collection) if self.group else client.collection(self.collection)
        for path, operator, operand in self.filters:
            query = query.where(filter=FieldFilter(path, operator, operand))
        for path, direction in self.orders:
            query = query.order_by(path, direction=direction)
        if self.start_at is not None:
            query = query.start_at({self.orders[0][0]: self.start_at})
        return query if self.limit is None else query.limit(self.limit)

    def matches(self, path: str, fields: Fields) -> bool:
        if self.document:
            return path == self.document
        segments = path.split("/")
        if segments[-2] != self.collection or not self.group and len(segments) != 2:
            return False
        if any(field not in fields or not satisfies(fields[field], op, operand) for field, op, operand in self.filters):
            return False
        return all(field in fields for field, _ in self.orders)

    def key(self, orders: tuple[tuple[str, str], ...], path: str, fields: Fields) -> list[Any]:
        """What results are sorted by: the orders, then names in the last one's direction."""
        keys = [self.directed(rank(fields[field]), direction) for field, direction in orders]
        last = orders[-1][1] if orders else firestore.Query.ASCENDING
        return keys + [self.directed(tuple(path.split("/")), last)]

    @staticmethod
    def directed(key: Any, direction: str) -> Any:
        return Descending(key) if direction == firestore.Query.DESCENDING else key

    def results(self, state: State) -> list[tuple[str, int]]:
        """Paths and update times in the order in which the client shows them."""
        # An inequality orders the server's results, and with it what a limit keeps; the client sorts as it was told.
        unequal = [field for field, op, _ in self.filters if op in ("<", ">=", "!=")]
        orders = self.orders or tuple((field, firestore.Query.ASCENDING) for field in dict.fromkeys(unequal))
        found = [path for path, stored in state.items() if self.matches(path, stored.fields)]
        found.sort(key=lambda path: self.key(orders, path, state[path].fields))
        if self.start_at is not None:
            first = self.directed(rank(self.start_at), self.orders[0][1])
            found = [path for path in found if not self.key(orders, path, state[path].fields)[0] < first]
        found = found[: self.limit]
        # The client takes every direction of its own order for ascending.
        ascending = tuple((field, firestore.Query.ASCENDING) for field, _ in self.orders)
        found.sort(key=lambda path: self.key(ascending, path, state[path].fields))
        return [(path, state[path].update_time) for path in found]


@dataclasses.dataclass(frozen=True)
class Step:
    kind: str
    path: str
    update_time: int
    old_index: int
    new_index: int


class Shown:
    """What the client has shown a listener. Its indexes are not places: they count what was ever put in."""

    def __init__(self):
        self.documents: dict[str, tuple[int, int]] = {}
        self.inserted = 0

    def steps_to(self, results: list[tuple[str, int]]) -> list[Step]:
        """What leads from here to other results: removals by name, then what is new, then what changed, in order."""
        steps: list[Step] = []
        wanted = dict(results)
        for path in sorted(set(self.documents) - set(wanted)):
            time, index = self.documents.pop(path)
            steps.append(Step("REMOVED", path, time, index, -1))
        new = [entry for entry in results if entry[0] not in self.documents]
        changed = [(path, time) for path, time in results if self.documents.get(path, (time, 0))[0] != time]
        for path, time in new:
            steps.append(Step("ADDED", path, time, -1, self.insert(path, time)))
        for path, time in changed:
            _, old = self.documents[path]
            steps.append(Step("MODIFIED", path, time, old, self.insert(path, time)))
        return steps

    def insert(self, path: str, time: int) -> int:
        index = self.inserted
        self.inserted += 1
        self.documents[path] = (time, index)
        return index
