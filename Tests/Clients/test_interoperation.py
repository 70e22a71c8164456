"""What one client writes the other reads equal: the Swift library beside the official Python client."""

from __future__ import annotations

import uuid
from typing import Any, Iterator

import pytest
from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.vector import Vector

from support.clients import client_for, close_client
from support.interop import SwiftClient, SwiftFailed
from support.values import MOMENT, ODD_NUMBERS, TEXTS, VALUES, tagged
from support.wire import Database, Wire

WRITE_WAYS = ("set", "transaction", "bulk")
READ_WAYS = ("document", "query", "transaction")
ALL = VALUES | ODD_NUMBERS | TEXTS
# A document path in place of a reference, which needs a client.
REFERENCES = {"reference": "a/b", "deep reference": "a/b/c/d", "reference of odd names": "a b/🎉/é.`/__x"}


@pytest.fixture(scope="module")
def shared_database(address: str) -> Iterator[Database]:
    wire = Wire(address)
    yield Database(wire)
    wire.close()


@pytest.fixture(scope="module")
def python(address: str, shared_database: Database) -> Iterator[firestore.Client]:
    client = client_for(address, shared_database.project)
    yield client
    close_client(client)


@pytest.fixture(scope="module")
def swift(address: str, shared_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SwiftClient]:
    log = tmp_path_factory.mktemp("interop") / "log"
    client = SwiftClient(address, shared_database.project, log)
    yield client
    assert client.stop() == 0, log.read_text()
    assert log.read_text() == ""


@pytest.fixture
def collection() -> str:
    """The name of a collection of the test's own."""
    return f"c{uuid.uuid4().hex[:12]}"


def both_ways(
    swift: SwiftClient, python: firestore.Client, database: Database, collection: str, content: dict[str, Any]
) -> None:
    expected = tagged(content)["map"]
    python.document(f"{collection}/python").set(content)
    for way in READ_WAYS:
        assert swift.read(way, f"{collection}/python") == expected, way
    stored = encoded(database, f"{collection}/python")
    for way in WRITE_WAYS:
        path = f"{collection}/swift-{way}"
        swift.write(way, path, content)
        assert tagged(python.document(path).get().to_dict()) == {"map": expected}, way
        assert encoded(database, path) == stored, way


def encoded(database: Database, path: str) -> dict[str, bytes]:
    """A document's fields as the server sends them: bytes tell numbers apart that are not equal to themselves."""
    return {name: value.SerializeToString(deterministic=True) for name, value in database.fields(path).items()}


@pytest.mark.parametrize("name", ALL)
def test_every_value_is_equal_on_both_sides(swift, python, shared_database, collection, name):
    both_ways(swift, python, shared_database, collection, {"value": ALL[name]})


@pytest.mark.parametrize("name", REFERENCES)
def test_references_are_equal_on_both_sides(swift, python, shared_database, collection, name):
    both_ways(swift, python, shared_database, collection, {"value": python.document(REFERENCES[name])})


def test_all_values_of_one_document_are_equal_on_both_sides(swift, python, shared_database, collection):
    both_ways(swift, python, shared_database, collection, {**ALL, "all": [*filter(is_element, ALL.values())]})


def is_element(content: Any) -> bool:
    """Whether an array may hold it: no array, and no vector."""
    return not isinstance(content, (list, Vector))


def test_an_empty_document_and_a_missing_one_are_told_apart(swift, python, shared_database, collection):
    both_ways(swift, python, shared_database, collection, {})
    for way in READ_WAYS:
        assert swift.read(way, f"{collection}/missing") is None


@pytest.mark.parametrize("name", ALL)
def test_each_finds_what_the_other_wrote_by_its_value(swift, python, collection, name):
    python.document(f"{collection}/python").set({"value": ALL[name]})
    swift.write("set", f"{collection}/swift", {"value": ALL[name]})
    python.document(f"{collection}/other").set({"value": "another"})
    written = ["python", "swift"]
    assert swift.find(collection, "value", ALL[name]) == written
    query = python.collection(collection).where(filter=FieldFilter("value", "==", ALL[name]))
    assert [found.id for found in query.stream()] == written


def test_times_finer_than_microseconds_are_cut_alike(swift, python, collection):
    moment = DatetimeWithNanoseconds.from_rfc3339("2024-02-29T23:59:59.123456789Z")
    python.document(f"{collection}/python").set({"value": moment})
    swift.write("set", f"{collection}/swift", {"value": moment})
    for path in (f"{collection}/python", f"{collection}/swift"):
        assert tagged(python.document(path).get().get("value")) == {"timestamp": ["1709251199", "123456000"]}
        for way in READ_WAYS:
            assert swift.read(way, path) == {"value": {"timestamp": ["1709251199", "123456000"]}}


START = {"n": 1, "d": 0.5, "list": [1, 2, "x"], "text": "t", "map": {"a": 1, "b": 2}, "top": 2**63 - 1, "gone": 1}
CHANGES = {
    "n": firestore.Increment(2**53),
    "d": firestore.Increment(-0.25),
    "top": firestore.Increment(1),
    "fresh": firestore.Increment(7),
    "text": firestore.Increment(1.5),
    "list": firestore.ArrayUnion([2, "y", {"k": [MOMENT]}]),
    "rest": firestore.ArrayRemove([1]),
    "map.a": firestore.Maximum(3),
    "map.b": firestore.Minimum(1.5),
    "gone": firestore.DELETE_FIELD,
    "value": Vector([1.0]),
}


def test_operations_come_to_the_same_on_both_sides(swift, python, collection):
    paths = [f"{collection}/python", f"{collection}/swift"]
    for path in paths:
        python.document(path).set(START)
    python.document(paths[0]).update(CHANGES)
    swift.update(paths[1], CHANGES)
    fields = python.document(paths[0]).get().to_dict()
    assert (fields["n"], fields["top"], fields["d"], fields["map"]) == (2**53 + 1, 2**63 - 1, 0.25, {"a": 3, "b": 1.5})
    assert (fields["list"], fields["rest"]) == ([1, 2, "x", "y", {"k": [MOMENT]}], [])
    assert "gone" not in fields
    assert tagged(python.document(paths[1]).get().to_dict()) == tagged(fields)
    for path in paths:
        for way in READ_WAYS:
            assert swift.read(way, path) == tagged(fields)["map"]


def test_server_times_are_those_of_the_commit_on_both_sides(swift, python, collection):
    path = f"{collection}/one"
    content = {"n": 1, "map": {"time": firestore.SERVER_TIMESTAMP}}
    for write in (python.document(path).set, lambda content: swift.write("set", path, content)):
        write(content)
        snapshot = python.document(path).get()
        assert snapshot.get("map.time") == snapshot.update_time
        for way in READ_WAYS:
            assert swift.read(way, path) == tagged({"n": 1, "map": {"time": snapshot.update_time}})["map"]


def test_a_refusal_of_the_server_comes_through(swift, collection):
    with pytest.raises(SwiftFailed, match="No document to update"):
        swift.update(f"{collection}/missing", {"n": 1})
