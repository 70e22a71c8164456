"""Listen, message by message: their order and target ids (reference 8.2 to 8.4), and targets and streams that fail."""

import pytest
from grpc import StatusCode

from differential.steps import collection_query
from support import messages
from support.assembly import AssembledStream
from support.listening import ADD, CURRENT, REMOVE, ListenRequest, Target, collection_target, documents_target
from support.listening import is_change, is_snapshot, query_target, shape
from support.messages import StructuredQuery, delete_write, microseconds, set_write

pytestmark = pytest.mark.hosted("8.3: changes are told as what they are; the emulator tells all anew")

BY_NUMBER = [{"field": {"field_path": "n"}, "direction": 1}]


@pytest.fixture
def listen(database):
    """Opens streams that are checked, and closes them."""
    opened = []

    def open_stream(*targets, **options) -> AssembledStream:
        opened.append(AssembledStream(database, *targets, **options))
        return opened[-1]

    yield open_stream
    for stream in opened:
        stream.close()


def first_two(database, number: int) -> Target:
    return query_target(database, collection_query("c", order_by=BY_NUMBER, limit={"value": 2}), number)


# The first state


def test_a_new_target_is_told_of_its_documents_then_that_it_is_current(database, listen):
    database.set("c/b")
    database.set("c/a")
    database.set("d/a")
    told = listen(collection_target(database, "c", 7)).until_current(7)
    assert shape(told) == ["ADD 7", "c/a +7", "c/b +7", "CURRENT 7", "SNAPSHOT"]
    current, snapshot = (response.target_change for response in told[-2:])
    assert (current.read_time, current.resume_token) == (snapshot.read_time, snapshot.resume_token)


def test_an_empty_result_is_current_at_once(database, listen):
    told = listen(collection_target(database, "c", 7)).until_current(7)
    assert shape(told) == ["ADD 7", "CURRENT 7", "SNAPSHOT"]


def test_an_ordered_query_is_told_in_its_order(database, listen):
    for path, number in (("c/a", 3), ("c/b", 1), ("c/c", 2)):
        database.set(path, {"n": number})
    target = query_target(database, collection_query("c", order_by=BY_NUMBER, limit={"value": 5}), 1)
    told = listen(target).until_current(1)
    assert shape(told) == ["ADD 1", "c/b +1", "c/c +1", "c/a +1", "CURRENT 1", "SNAPSHOT"]


def test_missing_documents_of_a_documents_target_are_told_as_deleted(database, listen):
    database.set("c/b")
    told = listen(documents_target(database, ["c/a", "c/b", "d/x"], 2)).until_current(2)
    assert shape(told) == ["ADD 2", "c/a deleted -2", "c/b +2", "d/x deleted -2", "CURRENT 2", "SNAPSHOT"]


def test_a_projection_brings_the_selected_fields_only(database, listen):
    database.set("c/a", {"n": 1, "m": 2})
    query = collection_query("c", select={"fields": [{"field_path": "n"}]})
    stream = listen(query_target(database, query, 1))
    stream.until_current(1)
    assert stream[1].fields() == {"c/a": messages.fields({"n": 1})}
    time = database.set("c/a", {"n": 2, "m": 3})
    stream.until_snapshot(time)
    assert stream[1].fields() == {"c/a": messages.fields({"n": 2})}


# Changes


def test_a_commit_is_one_group_before_one_snapshot(database, listen):
    database.set("c/a", {"n": 1})
    database.set("c/gone")
    stream = listen(collection_target(database, "c", 1))
    stream.until_current(1)
    time = database.commit(
        set_write(database.doc("c/new")),
        set_write(database.doc("d/elsewhere")),
        delete_write(database.doc("c/gone")),
        set_write(database.doc("c/a"), {"n": 2}),
        delete_write(database.doc("c/never")),
    ).message.commit_time
    told = stream.until_snapshot(time)
    assert sorted(shape(told[:-1])) == ["c/a +1", "c/gone deleted -1", "c/new +1"]
    assert is_snapshot(told[-1])
    assert stream[1].times() == {"c/a": microseconds(time), "c/new": microseconds(time)}


def test_a_write_that_changes_nothing_is_told_nothing(database, listen):
    database.set("c/a", {"n": 1})
    stream = listen(collection_target(database, "c", 1))
    stream.until_current(1)
    database.set("c/a", {"n": 1})
    time = database.set("c/b")
    assert [line for line in shape(stream.until_snapshot(time)) if line != "SNAPSHOT"] == ["c/b +1"]


def test_a_document_that_stops_matching_is_told_with_its_new_state(database, listen):
    database.set("c/a", {"n": 1})
    query = collection_query(
        "c", where={"field_filter": {"field": {"field_path": "n"}, "op": "LESS_THAN", "value": messages.value(5)}}
    )
    stream = listen(query_target(database, query, 1))
    stream.until_current(1)
    told = stream.until_snapshot(database.set("c/a", {"n": 9}))
    assert shape(told) == ["c/a -1", "SNAPSHOT"]
    assert dict(told[0].document_change.document.fields) == messages.fields({"n": 9})
    # Outside of the target nothing is told of it, until it comes back.
    database.set("c/a", {"n": 10})
    told = stream.until_snapshot(database.set("c/a", {"n": 2}))
    assert [line for line in shape(told) if line != "SNAPSHOT"] == ["c/a +1"]


def test_documents_of_a_documents_target_come_and_go(database, listen):
    stream = listen(documents_target(database, ["c/a"], 3))
    stream.until_current(3)
    assert shape(stream.until_snapshot(database.set("c/a"))) == ["c/a +3", "SNAPSHOT"]
    assert shape(stream.until_snapshot(database.delete("c/a"))) == ["c/a deleted -3", "SNAPSHOT"]
    assert shape(stream.until_snapshot(database.set("c/a"))) == ["c/a +3", "SNAPSHOT"]


def test_a_snapshot_covers_all_targets(database, listen):
    stream = listen(
        collection_target(database, "c", 2), documents_target(database, ["c/a"], 4), first_two(database, 6)
    )
    for number in (2, 4, 6):
        if not stream.assembly.targets.get(number) or not stream[number].is_current:
            stream.until_current(number)
    time = database.set("c/a", {"n": 1})
    told = stream.until_snapshot(time)
    assert is_snapshot(told[-1]) and not any(map(is_snapshot, told[:-1]))
    for number in (2, 4, 6):
        assert stream[number].times() == {"c/a": microseconds(time)}


def test_a_transaction_is_one_group(database, listen):
    stream = listen(collection_target(database, "c", 1), collection_target(database, "d", 2))
    stream.until_current(2)
    transaction = database.begin()
    database.batch_get("c/a", transaction=transaction)
    writes = [set_write(database.doc(path)) for path in ("c/a", "d/a", "c/b")]
    time = database.commit(*writes, transaction=transaction).message.commit_time
    told = [line for line in shape(stream.until_snapshot(time)) if line != "SNAPSHOT"]
    assert sorted(told) == ["c/a +1", "c/b +1", "d/a +2"]


# Limits


def test_a_window_is_refilled_before_the_snapshot(database, listen):
    for path, number in (("c/a", 1), ("c/b", 2), ("c/c", 3)):
        database.set(path, {"n": number})
    stream = listen(first_two(database, 1))
    assert shape(stream.until_current(1)) == ["ADD 1", "c/a +1", "c/b +1", "CURRENT 1", "SNAPSHOT"]
    told = stream.until_snapshot(database.delete("c/a"))
    assert sorted(shape(told)) == ["SNAPSHOT", "c/a deleted -1", "c/c +1"] and is_snapshot(told[-1])
    # One that enters displaces another, which still exists.
    told = stream.until_snapshot(database.set("c/d", {"n": 0}))
    assert sorted(shape(told)) == ["SNAPSHOT", "c/c -1", "c/d +1"] and is_snapshot(told[-1])
    # One that moves out of the window makes room as well.
    told = stream.until_snapshot(database.set("c/d", {"n": 9}))
    assert sorted(shape(told)) == ["SNAPSHOT", "c/c +1", "c/d -1"] and is_snapshot(told[-1])
    # Behind the window nothing is told.
    database.set("c/e", {"n": 7})
    told = stream.until_snapshot(database.set("c/b", {"n": 2, "m": 1}))
    assert [line for line in shape(told) if line != "SNAPSHOT"] == ["c/b +1"]


def test_a_window_that_is_exchanged_as_a_whole(database, listen):
    for number in range(6):
        database.set(f"c/{number}", {"n": number})
    stream = listen(first_two(database, 1))
    stream.until_current(1)
    told = stream.until_snapshot(
        database.commit(*(delete_write(database.doc(f"c/{number}")) for number in range(3))).message.commit_time
    )
    assert sorted(shape(told)) == ["SNAPSHOT", "c/0 deleted -1", "c/1 deleted -1", "c/3 +1", "c/4 +1"]
    assert is_snapshot(told[-1])


# Requests


def test_a_removed_target_is_told_nothing_more(database, listen):
    stream = listen(collection_target(database, "c", 2), collection_target(database, "d", 4))
    stream.until_current(4)
    stream.remove(2)
    told = stream.until(lambda response: is_change(response, REMOVE, 2))
    assert shape(told)[-1] == "REMOVE 2"
    database.set("c/a")
    told = stream.until_snapshot(database.set("d/a"))
    assert [line for line in shape(told) if line != "SNAPSHOT"] == ["d/a +4"]


def test_requests_are_answered_in_their_order(database, listen):
    """As clients do after a filter that does not agree: remove, and add again under the same id."""
    database.set("c/a")
    stream = listen(collection_target(database, "c", 2))
    stream.until_current(2)
    for _ in range(3):
        stream.remove(2)
        stream.add(collection_target(database, "c", 2))
    told = []
    for _ in range(3):
        told += stream.until(lambda response: is_change(response, REMOVE, 2))
        told += stream.until(lambda response: is_change(response, ADD, 2))
    told += stream.until_current(2)
    assert [line for line in shape(told) if line.startswith(("ADD", "REMOVE"))] == ["REMOVE 2", "ADD 2"] * 3
    assert shape(told)[-3:] == ["c/a +2", "CURRENT 2", "SNAPSHOT"]


def test_removing_an_unknown_target_is_acknowledged(database, listen):
    stream = listen(collection_target(database, "c", 2))
    stream.until_current(2)
    stream.remove(77)
    assert shape([stream.take()]) == ["REMOVE 77"]


def test_a_target_that_is_listened_to_once(database, listen):
    database.set("c/a")
    stream = listen(collection_target(database, "c", 2, once=True))
    told = stream.until(lambda response: is_change(response, REMOVE, 2))
    assert shape(told) == ["ADD 2", "c/a +2", "CURRENT 2", "SNAPSHOT", "REMOVE 2"]
    # Its id is free, and the stream goes on.
    database.set("c/b")
    stream.add(collection_target(database, "c", 2))
    assert shape(stream.until_current(2)) == ["ADD 2", "c/a +2", "c/b +2", "CURRENT 2", "SNAPSHOT"]


def test_a_duplicate_id(database, listen):
    stream = listen(collection_target(database, "c", 2))
    stream.until_current(2)
    stream.add(collection_target(database, "d", 2))
    (refused,) = stream.until(lambda response: is_change(response, REMOVE, 2))
    assert refused.target_change.cause.code == 6
    assert refused.target_change.cause.message == "Target ID already exists: 2"
    assert shape(stream.until_snapshot(database.set("c/a"))) == ["c/a +2", "SNAPSHOT"]


def test_the_server_chooses_ids(database, listen):
    database.set("c/a")
    database.set("d/a")
    stream = listen(collection_target(database, "c", 0))
    assert shape(stream.until_current(1)) == ["ADD 1", "c/a +1", "CURRENT 1", "SNAPSHOT"]
    stream.add(collection_target(database, "d", 0))
    assert shape(stream.until_current(2)) == ["ADD 2", "d/a +2", "CURRENT 2", "SNAPSHOT"]


def test_equal_targets_on_one_stream(database, listen):
    stream = listen(*(collection_target(database, "c", number) for number in (2, 4, 6)))
    stream.until_current(6)
    time = database.set("c/a")
    stream.until_snapshot(time)
    for number in (2, 4, 6):
        assert stream[number].times() == {"c/a": microseconds(time)}


def test_many_targets_on_one_stream(database, listen):
    database.set("c/a")
    targets = [collection_target(database, "c", number) for number in range(2, 202)]
    stream = listen(*targets)
    stream.until(lambda _: all(stream.assembly.targets.get(number, None) for number in range(2, 202)))
    stream.until(lambda _: all(stream[number].is_current for number in range(2, 202)))
    time = database.set("c/a", {"n": 1})
    stream.until_snapshot(time)
    assert all(stream[number].times() == {"c/a": microseconds(time)} for number in range(2, 202))


# Targets that fail


def bad_query(**members) -> StructuredQuery:
    return StructuredQuery(from_=[{"collection_id": "c"}], **members)


NEAREST = {
    "vector_field": {"field_path": "v"},
    "query_vector": messages.value({"__type__": "__vector__", "value": [1.0]}),
    "distance_measure": 1,
    "limit": {"value": 1},
}
FAILING = {
    "no collection": ({"structured_query": StructuredQuery()}, None, 3),
    "nearest": ({"structured_query": bad_query(find_nearest=NEAREST)}, None, 3),
    "a bad filter": ({"structured_query": bad_query(where={"field_filter": {"field": {"field_path": ""}}})}, None, 3),
    "a bad cursor": ({"structured_query": bad_query(start_at={"values": [messages.value(1)] * 2})}, None, 3),
    "a negative limit": ({"structured_query": bad_query(limit={"value": -1})}, None, 3),
    "a bad parent": ({"parent": "nonsense", "structured_query": bad_query()}, None, 3),
    "no query": ({}, None, 3),
    "neither a query nor documents": (None, None, 3),
    "a bad name": (None, ["nonsense"], 3),
    "a collection's name": (None, ["{root}/c"], 3),
    "a document elsewhere": (None, ["projects/other/databases/(default)/documents/c/a"], 3),
}


@pytest.mark.parametrize("query, names, code", FAILING.values(), ids=FAILING)
def test_a_bad_target_fails_alone(database, listen, query, names, code):
    stream = listen(collection_target(database, "d", 2))
    stream.until_current(2)
    target = Target(target_id=4)
    if query is not None:
        target.query.CopyFrom(Target.QueryTarget(**{"parent": database.root, **query}))
    if names is not None:
        target.documents.documents.extend(name.format(root=database.root) for name in names)
    stream.add(target)
    refused = stream.until(lambda response: is_change(response, REMOVE, 4))[-1].target_change.cause
    assert refused.code == code and refused.message
    # The stream goes on, and so does the id.
    assert shape(stream.until_snapshot(database.set("d/a"))) == ["d/a +2", "SNAPSHOT"]
    stream.add(collection_target(database, "d", 4))
    assert shape(stream.until_current(4)) == ["ADD 4", "d/a +4", "CURRENT 4", "SNAPSHOT"]


def test_a_query_of_all_collections_is_refused_by_its_text(database, listen):
    stream = listen(query_target(database, StructuredQuery(), 4))
    refused = stream.until(lambda response: is_change(response, REMOVE, 4))[-1].target_change.cause
    assert refused.message == "All-collection queries are not supported by real-time queries."


def test_too_many_targets_are_refused_one_by_one(database, listen):
    stream = listen(*(documents_target(database, ["c/a"], number) for number in range(1, 1_102)))
    refused = stream.until(lambda response: is_change(response, REMOVE, 1_101))[-1].target_change.cause
    assert refused.code == 8
    # The others may have become current before the last refusal, and then nothing more is to come.
    stream.until_snapshot(database.set("c/a"))
    assert all(stream[number].is_current for number in range(1, 1_001))
    assert stream[1].documents and stream[1_000].documents


# Streams that fail

ENDING = {
    "no database": ListenRequest(add_target=Target(target_id=1)),
    "a bad database": ListenRequest(database="nonsense", add_target=Target(target_id=1)),
    "nothing asked": "database only",
    "not a message": b"\xff\xff\xff",
    "a negative id": "negative",
}


@pytest.mark.parametrize("request_", ENDING.values(), ids=ENDING)
def test_a_bad_first_request_ends_the_stream(database, listen, request_):
    if request_ == "database only":
        request_ = ListenRequest(database=database.name)
    elif request_ == "negative":
        request_ = ListenRequest(database=database.name, add_target=collection_target(database, "c", -1))
    stream = listen()
    stream.send_unchecked(request_)
    ended = stream.end()
    assert ended.code is StatusCode.INVALID_ARGUMENT and ended.text
    assert stream.received == []


@pytest.mark.parametrize("first, second", [(1, 0), (0, 7), (1, -1), (0, -1)])
def test_bad_ids_end_the_stream(database, listen, first, second):
    stream = listen(collection_target(database, "c", first))
    stream.until_current(1)
    stream.add(collection_target(database, "c", second))
    assert stream.end().code is StatusCode.INVALID_ARGUMENT


def test_later_requests_may_leave_out_the_database(database, listen):
    stream = listen(collection_target(database, "c", 1))
    stream.until_current(1)
    stream.send(ListenRequest(add_target=collection_target(database, "c", 3)))
    stream.until_current(3)
    stream.send(ListenRequest(database=f"{database.name}x", add_target=collection_target(database, "c", 5)))
    assert stream.end().code is StatusCode.INVALID_ARGUMENT


def test_cancelled_streams_leave_the_connection_usable(database, listen):
    database.set("c/a")
    for _ in range(30):
        stream = listen(collection_target(database, "c", 1))
        stream.take()
        stream.close()
    stream = listen(collection_target(database, "c", 1))
    assert shape(stream.until_current(1)) == ["ADD 1", "c/a +1", "CURRENT 1", "SNAPSHOT"]


def test_a_listener_that_does_not_read_is_told_of_the_newest_state(database, listen, wires):
    """What it missed is coalesced: it hears of far fewer states than there were."""
    stalled = AssembledStream(database.through(wires()), collection_target(database, "c", 1), reading=False)
    other = listen(collection_target(database, "c", 1))
    other.until_current(1)
    blob = b"x" * 100_000
    for number in range(400):
        time = database.set(f"c/{number % 4}", {"n": number, "blob": blob})
    other.until_snapshot(time)
    stalled.start_reading()
    stalled.until_snapshot(time)
    numbers = {path: fields["n"].integer_value for path, fields in stalled[1].fields().items()}
    assert numbers == {f"c/{number % 4}": number for number in range(396, 400)}
    assert len(stalled.received) < 200
    stalled.close()
