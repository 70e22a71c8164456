"""What one client of the Realtime Database writes the other reads equal: the Swift library beside the official one for
administrators, of Python."""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from support.servers import BrasaServer
from support.tree_values import VALUES, read, text, written
from support.tree_worker import SECONDS, TreeFailed, TreeWorker
from support.trees import Tree

admin = pytest.importorskip("firebase_admin")
from firebase_admin import db, exceptions  # noqa: E402

RULES = {"list": {"$list": {".indexOn": ["n", "deep/n", ".value"]}}}
INCREMENT = {".sv": {"increment": 2}}
TIMESTAMP = {".sv": "timestamp"}
PRIORITIES = [1, -2.5, "first", "é🎉", ""]
MIXED = {
    "a": {"n": 3, "deep": {"n": "x"}},
    "b": {"n": 1.5, "deep": {"n": 2}},
    "c": {"n": "text"},
    "d": {"n": True},
    "e": {"n": {"map": 1}},
    "f": {"m": 1},
    "g": {"n": 3, "deep": {"n": False}},
    "h": {"n": False},
    "i": {"n": -7},
    # The library for administrators orders keys as texts, so there is one number alone.
    "9": {"n": 3},
}
SCALARS = {"a": 3, "b": 1.5, "c": "text", "d": True, "e": {"map": 1}, "f": "", "g": 3, "h": False, "i": -7, "9": "Text"}


@pytest.fixture(scope="module")
def tree(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    server = BrasaServer(binary, tmp_path_factory.mktemp("interoperation") / "data", "--emulator").start()
    yield Tree(server.address).with_rules(RULES)
    assert server.stop() == 0, server.log.read_text()


@pytest.fixture(scope="module")
def swift(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TreeWorker]:
    log = tmp_path_factory.mktemp("worker") / "log"
    worker = TreeWorker(tree.address, tree.name, log)
    yield worker
    assert worker.stop() == 0, log.read_text()
    assert log.read_text() == ""


@pytest.fixture(scope="module")
def python(tree: Tree) -> Iterator[Callable[[str], db.Reference]]:
    before = os.environ.get("FIREBASE_DATABASE_EMULATOR_HOST")
    os.environ["FIREBASE_DATABASE_EMULATOR_HOST"] = tree.address
    options = {"databaseURL": f"http://{tree.address}?ns={tree.name}", "projectId": "demo"}
    app = admin.initialize_app(options=options, name=tree.name)
    yield lambda path: db.reference(path, app=app)
    admin.delete_app(app)
    if before is None:
        del os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
    else:
        os.environ["FIREBASE_DATABASE_EMULATOR_HOST"] = before


@pytest.fixture
def place() -> str:
    """The path of a list of the test's own."""
    return f"/list/l{uuid.uuid4().hex[:12]}"


@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_equal_on_both_sides(swift, python, tree, place, name):
    if written(name) is None:
        # The library has another word for it.
        python(f"{place}/python").delete()
    else:
        python(f"{place}/python").set(written(name))
    swift.ask("set", path=f"{place}/swift", value=written(name))
    for writer in ("python", "swift"):
        path = f"{place}/{writer}"
        assert text(python(path).get()) == text(read(name)), writer
        assert text(swift.ask("get", path=path)["value"]) == text(read(name)), writer
    # To the last digit, and in the form that says what is an array.
    assert tree.get(f"{place}/swift", format="export") == tree.get(f"{place}/python", format="export")
    assert python(f"{place}/swift").get(etag=True) == python(f"{place}/python").get(etag=True)


def test_all_values_of_one_place_are_equal_on_both_sides(swift, python, place):
    wanted = {f"v{number}": read(name) for number, name in enumerate(VALUES) if read(name) is not None}
    values = {f"v{number}": written(name) for number, name in enumerate(VALUES)}
    python(f"{place}/python").update(values)
    swift.ask("update", path=f"{place}/swift", values=values)
    for path in (f"{place}/python", f"{place}/swift"):
        assert text(python(path).get()) == text(wanted)
        assert text(swift.ask("get", path=path)["value"]) == text(wanted)


def test_deep_updates_are_equal_on_both_sides(swift, python, place):
    changes = {"a/b/c": 1, "a/x": None, "list/1": "b", "🎉": {"y": [True]}}
    for path in (f"{place}/python", f"{place}/swift"):
        python(path).set({"a": {"b": 0, "x": 1}, "list": ["a", "-"], "kept": 1})
    python(f"{place}/python").update(changes)
    swift.ask("update", path=f"{place}/swift", values=changes)
    wanted = {"a": {"b": {"c": 1}}, "list": ["a", "b"], "🎉": {"y": [True]}, "kept": 1}
    for path in (f"{place}/python", f"{place}/swift"):
        assert text(python(path).get()) == text(swift.ask("get", path=path)["value"]) == text(wanted)


def test_keys_that_swift_takes_for_equal_texts_are_two_children(swift, python, place):
    keys = ["e\u0301", "\u00e9"]
    python(place).set({keys[0]: 1, keys[1]: 2})
    # A dictionary of Swift has room for one of them: the children have both.
    assert swift.ask("get", path=place)["keys"] == keys
    assert [swift.ask("get", path=f"{place}/{key}")["value"] for key in keys] == [1, 2]
    swift.ask("update", path=place, values={keys[0]: 3})
    assert python(place).get() == {keys[0]: 3, keys[1]: 2}


def test_what_one_cannot_write_neither_can_the_other(swift, python, place):
    for value in ({"a.b": 1}, {"": 1}, {"a/b": 1}, {"$": 1}, {"[": 1}, {"#": 1}, {"k" * 769: 1}):
        with pytest.raises(TreeFailed):
            swift.ask("set", path=place, value=value)
        with pytest.raises(exceptions.InvalidArgumentError):
            python(place).set(value)
    assert python(place).get() is None


# MARK: Priorities


@pytest.mark.parametrize("priority", PRIORITIES)
@pytest.mark.parametrize("value", [1, "text", False, {"a": 1, "b": {"c": 2}}, ["x", "y"]])
def test_priorities_are_equal_on_both_sides(swift, python, tree, place, value, priority):
    if isinstance(value, dict):
        exported = {**value, ".priority": priority}
    elif isinstance(value, list):
        exported = {**{str(index): element for index, element in enumerate(value)}, ".priority": priority}
    else:
        exported = {".value": value, ".priority": priority}
    python(f"{place}/python").set(exported)
    swift.ask("set", path=f"{place}/swift", value=value, priority=priority)
    # The library for administrators has no words for them when it reads.
    assert tree.get(place, format="export") == {"python": exported, "swift": exported}
    for writer in ("python", "swift"):
        assert text(python(f"{place}/{writer}").get()) == text(value)
        shown = swift.ask("get", path=f"{place}/{writer}")
        assert (text(shown["value"]), text(shown["priority"])) == (text(value), text(priority))
        assert text(shown["export"]) == text(exported)


def test_a_priority_is_changed_and_goes_in_the_same_ways(swift, python, tree, place):
    python(place).set({".value": 1, ".priority": "first"})
    swift.ask("setPriority", path=place, priority=7)
    assert tree.get(place, format="export") == {".value": 1, ".priority": 7}
    assert tree.ask("PUT", f"{place}/.priority", 8)[0] == 200
    assert swift.ask("get", path=place)["priority"] == 8
    swift.ask("setPriority", path=place, priority=None)
    assert tree.get(place, format="export") == 1
    swift.ask("set", path=place, value=2, priority=3)
    python(place).set(4)
    assert swift.ask("get", path=place)["export"] == 4
    python(place).set({".value": 5, ".priority": 6})
    swift.ask("set", path=place, value=7)
    assert tree.get(place, format="export") == 7


def test_children_are_in_the_order_of_their_priorities_on_both_sides(swift, python, tree, place):
    python(place).update({"a": {".value": 1, ".priority": "x"}, "b": {".value": 2, ".priority": 3}, "c": 3})
    for key, priority in [("d", -1), ("e", "b"), ("f", None), ("10", 3), ("9", 3)]:
        swift.ask("set", path=f"{place}/{key}", value=0, priority=priority)
    order = ["c", "f", "d", "9", "10", "b", "e", "a"]
    assert swift.ask("get", path=place)["keys"] == order
    for bound, keys in [({"startAt": 3}, order[3:]), ({"endAt": 3}, order[:6]), ({"equalTo": "b"}, ["e"])]:
        assert swift.ask("get", path=place, query={"orderBy": "$priority", **bound})["keys"] == keys
        answer = tree.get(place, orderBy='"$priority"', **{name: json.dumps(value) for name, value in bound.items()})
        assert answer.keys() == set(keys)


# MARK: What the server works out


@pytest.mark.parametrize("writer", ["swift", "python"])
def test_server_values_are_equal_on_both_sides(swift, python, place, writer):
    new = {"at": TIMESTAMP, "deep": {"at": TIMESTAMP}, "n": INCREMENT}
    update = {"n": INCREMENT, "half": {".sv": {"increment": 0.5}}, "deep/m": {".sv": {"increment": -3}}}
    before = int(time.time() * 1_000)
    if writer == "swift":
        swift.ask("set", path=place, value=new)
    else:
        python(place).set(new)
    found = python(place).get()
    assert text(swift.ask("get", path=place)["value"]) == text(found)
    assert before <= found["at"] <= int(time.time() * 1_000)
    assert found == {"at": found["at"], "deep": {"at": found["at"]}, "n": 2}
    if writer == "swift":
        swift.ask("update", path=place, values=update)
    else:
        python(place).update(update)
    wanted = {"at": found["at"], "deep": {"at": found["at"], "m": -3}, "n": 4, "half": 0.5}
    assert text(python(place).get()) == text(swift.ask("get", path=place)["value"]) == text(wanted)


def test_increments_of_both_are_added(swift, python, place):
    asked = [swift.send("set", path=place, value=INCREMENT) for _ in range(20)]
    for _ in range(20):
        python(place).set(INCREMENT)
    # One of them alone may have been sent twice, if its connection broke: it did not.
    assert [swift.outcome(number)["connections"] for number in asked] == [1] * 20
    assert python(place).get() == swift.ask("get", path=place)["value"] == 80


# MARK: Lists


def test_pushed_keys_of_both_are_in_one_order(swift, python, place):
    ours, theirs = [], []
    for number in range(10):
        ours.append(swift.ask("push", path=place, value=2 * number)["key"])
        theirs.append(python(place).push(2 * number + 1).key)
    assert ours == sorted(set(ours)) and theirs == sorted(set(theirs))
    order = sorted(ours + theirs)
    assert swift.ask("get", path=place)["keys"] == order
    assert list(python(place).order_by_key().get()) == order
    assert {len(key) for key in order} == {20}


def ordered(reference: db.Reference, bounds: dict[str, Any]) -> db.Query:
    by = bounds["orderBy"]
    query = {"$key": reference.order_by_key, "$value": reference.order_by_value}.get(by, lambda: reference.order_by_child(by))()
    for name, method in {
        "startAt": "start_at", "endAt": "end_at", "equalTo": "equal_to", "limitToFirst": "limit_to_first",
        "limitToLast": "limit_to_last",
    }.items():
        if name in bounds:
            query = getattr(query, method)(bounds[name])
    return query


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"limitToFirst": 4},
        {"limitToLast": 4},
        {"limitToFirst": 100},
        {"startAt": 1.5},
        {"startAt": 3, "limitToFirst": 2},
        {"endAt": 3},
        {"endAt": 3, "limitToLast": 2},
        {"startAt": False, "endAt": True},
        {"equalTo": 3},
        {"equalTo": "text"},
        {"equalTo": True},
        {"startAt": "te"},
        {"equalTo": "nowhere"},
    ],
)
@pytest.mark.parametrize("order", ["n", "deep/n", "$value"])
def test_queries_give_the_same_in_the_same_order(swift, python, place, order, bounds):
    data = SCALARS if order == "$value" else MIXED
    for key, value in data.items():
        if key < "e":
            swift.ask("set", path=f"{place}/{key}", value=value)
        else:
            python(f"{place}/{key}").set(value)
    bounds = {"orderBy": order, **bounds}
    found = ordered(python(place), bounds).get() or {}
    shown = swift.ask("get", path=place, query=bounds)
    assert shown["keys"] == list(found)
    assert text(shown["value"] or {}) == text(dict(found))
    # Also by what a listener of everything has: then it is the Swift client itself that finds and orders.
    swift.ask("observe", name=place, path=place)
    swift.ask("get", path=place)
    assert swift.ask("get", path=place, query=bounds)["keys"] == list(found)


@pytest.mark.parametrize(
    "bounds",
    [{}, {"limitToFirst": 3}, {"limitToLast": 3}, {"startAt": "b"}, {"startAt": "9", "endAt": "b"}, {"equalTo": "é"}],
)
def test_queries_by_key_give_the_same_in_the_same_order(swift, python, place, bounds):
    keys = ["b", "10", "a", "9", "-1", "é", "🎉", "z", "2147483648", "aa", "A"]
    for number, key in enumerate(keys):
        if number % 2:
            swift.ask("set", path=f"{place}/{key}", value=number)
        else:
            python(f"{place}/{key}").set(number)
    bounds = {"orderBy": "$key", **bounds}
    found = ordered(python(place), bounds).get() or {}
    shown = swift.ask("get", path=place, query=bounds)
    # The library for administrators orders keys as texts.
    assert sorted(shown["keys"]) == sorted(found)
    assert text(shown["value"] or {}) == text(dict(found))


# MARK: Both at once


def test_transactions_of_both_count_exactly(swift, python, place):
    failures: list[Exception] = []

    def count() -> None:
        for _ in range(20):
            while True:
                try:
                    python(place).transaction(lambda value: (value or 0) + 1)
                    break
                except db.TransactionAbortedError:
                    # It gives up after 25 tries; so the program goes on.
                    continue
                except Exception as failure:  # noqa: BLE001
                    failures.append(failure)
                    return

    thread = threading.Thread(target=count)
    thread.start()
    committed = 0
    while committed < 40:
        asked = [swift.send("add", path=place, amount=1) for _ in range(5)]
        outcomes = [swift.outcome(number) for number in asked]
        assert {outcome.get("error") for outcome in outcomes} <= {None, "maxretry"}
        committed += sum(outcome["committed"] for outcome in outcomes)
    thread.join(timeout=SECONDS)
    assert failures == [] and not thread.is_alive()
    assert python(place).get() == swift.ask("get", path=place)["value"] == 20 + committed


def test_a_transaction_runs_on_what_the_other_wrote(swift, python, place):
    python(place).set(40)
    assert swift.ask("add", path=place, amount=2)["value"] == 42
    assert python(place).transaction(lambda value: value * 2) == 84
    assert swift.ask("add", path=place, amount=1)["value"] == 85


# The client's own thread falls over its connection when it is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_official_client_hears_what_swift_writes(swift, python, place):
    told: list[tuple[str, str, Any]] = []
    changed = threading.Condition()

    def hear(event: db.Event) -> None:
        with changed:
            told.append((event.event_type, event.path, event.data))
            changed.notify_all()

    registration = python(place).listen(hear)
    steps = [
        (None, ("put", "/", None)),
        (("set", {"path": f"{place}/a", "value": {"b": [1, "é🎉"]}}), ("put", "/a", {"b": [1, "é🎉"]})),
        (("update", {"path": place, "values": {"a/b/0": 2, "c": True}}), ("patch", "/", {"a/b/0": 2, "c": True})),
        (("add", {"path": f"{place}/n", "amount": 5}), ("put", "/n", 5)),
        (("set", {"path": f"{place}/n", "value": INCREMENT}), ("put", "/n", 7)),
        (("set", {"path": f"{place}/c", "value": None}), ("put", "/c", None)),
    ]
    for number, (call, _) in enumerate(steps):
        if call is not None:
            swift.ask(call[0], **call[1])
        with changed:
            assert changed.wait_for(lambda: len(told) > number, timeout=SECONDS), told
    assert told == [event for _, event in steps]
    # It waits for the next event before it ends.
    end = threading.Thread(target=registration.close)
    end.start()
    while end.is_alive():
        swift.ask("set", path=place, value=TIMESTAMP)
        end.join(timeout=0.1)


def test_swift_hears_what_the_official_client_writes(swift, python, place):
    swift.ask("observe", name=place, path=place, tell=True)

    def heard(value: Any) -> None:
        swift.wait(lambda: place in swift.told and text(swift.told[place][-1]) == text(value))

    heard(None)
    python(place).set({"a": [1, "é🎉"]})
    heard({"a": [1, "é🎉"]})
    python(place).update({"a/0": 2, "c": True})
    heard({"a": [2, "é🎉"], "c": True})
    python(f"{place}/n").transaction(lambda value: (value or 0) + 5)
    heard({"a": [2, "é🎉"], "c": True, "n": 5})
    python(place).delete()
    heard(None)
    assert len(swift.told[place]) == 5
    assert "fault" not in swift.ask("show")["observers"][place]
