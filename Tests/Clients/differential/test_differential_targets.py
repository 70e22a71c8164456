"""Requests for targets, one by one, to the server under test and to Google's emulator: what becomes of each.

Most come to the same. For the others it stands here what the emulator does, and which section of the reference decides.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import pytest
from google.protobuf import wrappers_pb2

from differential.steps import collection_query
from support import messages
from support.assembly import ALREADY_EXISTS
from support.listening import ADD, CURRENT, NO_CHANGE, REMOVE, RESET, ListenRequest, ListenStream, StreamEnded, Target
from support.listening import collection_target, documents_target, query_target
from support.messages import StructuredQuery
from support.wire import Database, Wire

FENCE = "fence/f"
FENCE_NUMBER = 1_000


class Heard:
    """What is known of each target of a stream: whether it is listened to, and its documents."""

    def __init__(self):
        self.state: dict[int, str] = {}
        self.documents: dict[int, set[str]] = {}

    def apply(self, response: Any) -> None:
        kind = response.WhichOneof("response_type")
        content = getattr(response, kind)
        if kind == "target_change":
            return self._target_change(content)
        if kind == "filter":
            self.state[content.target_id] = f"filtered to {content.count}, current"
            return None
        name = content.document.name if kind == "document_change" else content.document
        for number in content.removed_target_ids:
            self.documents[number].discard(name)
        for number in getattr(content, "target_ids", ()):
            self.documents[number].add(name)
        return None

    def _target_change(self, change: Any) -> None:
        if change.target_change_type == NO_CHANGE:
            return
        (number,) = change.target_ids
        if change.target_change_type in (ADD, RESET):
            self.documents[number] = set()
        if change.target_change_type == ADD:
            self.state[number] = ""
        elif change.target_change_type == REMOVE:
            self.state[number] = f"refused {change.cause.code}" if change.cause.code else "removed"
            if change.cause.code != ALREADY_EXISTS:
                self.documents.pop(number, None)
        elif change.target_change_type == CURRENT:
            self.state[number] = self.state[number] or "current"

    def plain(self) -> dict[int, str]:
        return {number: " ".join([state, *self._paths(number)]) for number, state in self.state.items()}

    def _paths(self, number: int) -> list[str]:
        return sorted(name.partition("/documents/")[2] for name in self.documents.get(number, ()))


@dataclasses.dataclass(frozen=True)
class Case:
    """Requests, and what comes of them: a state for each target, or the status with which the stream ends."""

    requests: Callable[["Requests"], list]
    result: dict[int, str] | str
    # What the emulator makes of them where it differs, and the section that decides.
    emulator: dict[int, str] | str | None = None
    section: str = ""


class Requests:
    """Ways to ask, in one database."""

    def __init__(self, database: Database):
        self.database = database

    def c(self, number: int, **members) -> Target:
        return collection_target(self.database, "c", number, **members)

    def query(self, number: int, **members) -> Target:
        return query_target(self.database, collection_query("c", **members), number)

    def documents(self, number: int, *names: str) -> Target:
        return Target(documents={"documents": names}, target_id=number)

    def resumed(self, number: int, expected: int) -> Target:
        """A target that goes on from now, and says how many documents it has."""
        with ListenStream(self.database, self.c(2)) as stream:
            token = stream.until_current(2)[-1].target_change.resume_token
        return self.c(number, resume_token=token, expected_count=wrappers_pb2.Int32Value(value=expected))


def where(path: str, op: str, operand: Any) -> dict[str, Any]:
    return {"field_filter": {"field": {"field_path": path}, "op": op, "value": messages.value(operand)}}


def order(path: str, direction: int) -> list[dict[str, Any]]:
    return [{"field": {"field_path": path}, "direction": direction}]


def nearest(to: list[float]) -> dict[str, Any]:
    vector = messages.value({"__type__": "__vector__", "value": to})
    return {"vector_field": {"field_path": "v"}, "query_vector": vector, "distance_measure": 1, "limit": {"value": 1}}


ALL = "current c/a c/b c/c"
INVALID, UNKNOWN = "INVALID_ARGUMENT", "UNKNOWN"

CASES = {
    # What is listened to
    "a collection": Case(lambda r: [r.c(2)], {2: ALL}),
    "an empty collection": Case(lambda r: [collection_target(r.database, "none", 2)], {2: "current"}),
    "nothing of a collection": Case(lambda r: [r.query(2, limit={"value": 0})], {2: "current"}),
    "an offset": Case(lambda r: [r.query(2, offset=1)], {2: "current c/b c/c"}),
    "a group": Case(lambda r: [r.query(2, group=True)], {2: ALL}),
    "fields": Case(lambda r: [r.query(2, select={"fields": [{"field_path": "m"}]})], {2: ALL}),
    "documents": Case(lambda r: [documents_target(r.database, ["c/a", "c/x"], 2)], {2: "current c/a"}),
    "one document twice": Case(lambda r: [documents_target(r.database, ["c/a"] * 2, 2)], {2: "current c/a"}),
    "no documents": Case(lambda r: [r.documents(2)], {2: "current"}),
    "names from the last": Case(
        lambda r: [r.query(2, order_by=order("__name__", 2))], {2: ALL}, {2: "refused 9"}, "11.3"
    ),
    "all collections": Case(
        lambda r: [query_target(r.database, StructuredQuery(), 2)], {2: "refused 3"}, {2: ALL}, "8.1"
    ),
    "what is nearest": Case(
        lambda r: [r.query(2, find_nearest=nearest([1.0]))], {2: "refused 3"}, {2: "current"}, "8.1"
    ),
    "documents of another database": Case(
        lambda r: [r.documents(2, "projects/other/databases/(default)/documents/c/a")],
        {2: "refused 3"},
        {2: "current"},
        "8.3",
    ),
    # What is malformed
    "an empty field path": Case(lambda r: [r.query(2, where=where("", "EQUAL", 1))], {2: "refused 3"}),
    "too long a cursor": Case(lambda r: [r.query(2, start_at={"values": [messages.value(1)] * 2})], {2: "refused 3"}),
    "a bad parent": Case(
        lambda r: [Target(query={"parent": "x", "structured_query": collection_query("c")}, target_id=2)],
        {2: "refused 3"},
    ),
    "a bad name": Case(lambda r: [r.documents(2, "nonsense")], {2: "refused 3"}),
    "the name of a collection": Case(lambda r: [r.documents(2, r.database.doc("c"))], {2: "refused 3"}),
    "a negative limit": Case(lambda r: [r.query(2, limit={"value": -1})], {2: "refused 3"}, UNKNOWN, "8.4"),
    "a target of nothing": Case(lambda r: [Target(target_id=2)], {2: "refused 3"}, UNKNOWN, "8.4"),
    "a target of no query": Case(
        lambda r: [Target(query={"parent": r.database.root}, target_id=2)], {2: "refused 3"}, {2: ALL}, "8.1"
    ),
    # Ids
    "removal": Case(lambda r: [r.c(2), 2], {2: "removed"}),
    "removal and return": Case(lambda r: [r.c(2), 2, r.c(2)], {2: ALL}),
    "removal of what is unknown": Case(lambda r: [9], {9: "removed"}, {}, "8.2"),
    "an id that is taken": Case(lambda r: [r.c(2), r.c(2)], {2: "refused 6 c/a c/b c/c"}, UNKNOWN, "8.3"),
    "a negative id": Case(lambda r: [r.c(-1)], INVALID, UNKNOWN, "8.1"),
    "ids of both's choice": Case(lambda r: [r.c(0), r.c(7)], INVALID, {1: ALL, 7: ALL}, "8.1"),
    "once": Case(lambda r: [r.c(2, once=True)], {2: "removed"}, {2: ALL}, "8.3"),
    # Continuation
    "a forged token": Case(lambda r: [r.c(2, resume_token=b"nonsense")], {2: ALL}),
    "a count that is right": Case(lambda r: [r.resumed(2, 3)], {2: "current"}, {2: ALL}, "8.5"),
    "a count that is wrong": Case(lambda r: [r.resumed(2, 5)], {2: "filtered to 3, current"}, {2: ALL}, "8.6"),
    # Requests
    "no database": Case(lambda r: [ListenRequest(add_target=r.c(2))], INVALID, {2: ALL}, "8.1"),
    "nothing asked": Case(lambda r: [ListenRequest(database=r.database.name)], INVALID, UNKNOWN, "1.5"),
    "no message": Case(lambda r: [b"\xff\xff\xff"], INVALID, UNKNOWN, "1.5"),
}


def result(database: Database, case: Case) -> dict[int, str] | str:
    for path in ("c/a", "c/b", "c/c"):
        database.set(path, {"n": 1})
    heard = Heard()
    requests = case.requests(Requests(database))
    with ListenStream(database) as stream:
        for request in requests:
            if isinstance(request, Target):
                stream.add(request)
            elif isinstance(request, int):
                stream.remove(request)
            else:
                stream.send(request)
        stream.add(documents_target(database, [FENCE], FENCE_NUMBER))
        try:
            stream.until_current(FENCE_NUMBER)
            stream.until_snapshot(database.set(FENCE))
        except StreamEnded as ended:
            return ended.code.name
        for response in stream.received:
            heard.apply(response)
    return {number: state for number, state in heard.plain().items() if number != FENCE_NUMBER}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_requests_for_targets(database, peer, case):
    wire = Wire(peer)
    theirs = result(Database(wire, database.project), case)
    wire.close()
    assert result(database, case) == case.result
    assert theirs == (case.result if case.emulator is None else case.emulator), case.section
