"""Listening goes on where it ended: by token and by time, over restarts, and with filters (reference 8.5 and 8.6)."""

import random

import pytest
from google.protobuf import wrappers_pb2
from grpc import StatusCode

from differential.steps import collection_query
from support import bloom, messages
from support.assembly import AssembledStream, Listened
from support.listening import REMOVE, Target, collection_target, documents_target, is_change, query_target, shape
from support.messages import Timestamp, delete_write, microseconds, set_write, timestamp
from support.wire import Database, Wire
from test_http import request as http_request

pytestmark = pytest.mark.hosted("8.5: a resumed target is told what changed; the emulator tells all anew")
BY_NUMBER = [{"field": {"field_path": "n"}, "direction": 1}]


def small(database: Database, number: int, **members) -> Target:
    """Documents of `c` whose n is below 10."""
    below = {"field_filter": {"field": {"field_path": "n"}, "op": "LESS_THAN", "value": messages.value(10)}}
    return query_target(database, collection_query("c", where=below), number, **members)


def lowest(database: Database, number: int, **members) -> Target:
    """The three documents of `c` with the lowest n."""
    query = collection_query("c", order_by=BY_NUMBER, limit={"value": 3})
    return query_target(database, query, number, **members)


def listened(database: Database, target: Target) -> Listened:
    """What a listener knows that is told of the target's present state and goes."""
    with AssembledStream(database, target) as stream:
        stream.until_current(target.target_id)
        return stream[target.target_id]


def told(database: Database, target: Target, known: Listened | None = None) -> tuple[list[str], Listened]:
    """What a new listener is told up to the target's present state, and what it knows then."""
    with AssembledStream(database, target, known=known) as stream:
        return shape(stream.until_current(target.target_id)), stream[target.target_id]


def differences(lines: list[str]) -> list[str]:
    """What is told of documents after ADD and before CURRENT, in no order."""
    assert lines[0].startswith("ADD") and lines[-2].startswith("CURRENT") and lines[-1] == "SNAPSHOT", lines
    return sorted(line for line in lines[1:-2] if line != "SNAPSHOT")


# Differences


def test_a_target_that_missed_nothing_is_told_nothing(database):
    database.set("c/a", {"n": 1})
    known = listened(database, small(database, 1))
    database.set("d/elsewhere")
    lines, again = told(database, small(database, 1, resume_token=known.token), known)
    assert differences(lines) == []
    assert again.times() == known.times()


@pytest.mark.parametrize("by", ["token", "time"])
def test_a_resumed_target_is_told_what_changed(database, by):
    for path, number in (("same", 1), ("changed", 2), ("leaves", 3), ("deleted", 4), ("enters", 50), ("never", 60)):
        database.set(f"c/{path}", {"n": number})
    with AssembledStream(database, small(database, 1)) as stream:
        stream.until_current(1)
        known, time = stream[1], stream.assembly.read_time
    database.set("c/changed", {"n": 5})
    database.set("c/leaves", {"n": 30})
    database.delete("c/deleted")
    database.set("c/enters", {"n": 6})
    database.set("c/new", {"n": 7})
    database.set("c/never", {"n": 61})
    database.set("c/passing", {"n": 8})
    database.delete("c/passing")
    start = {"resume_token": known.token} if by == "token" else {"read_time": time}
    lines, again = told(database, small(database, 1, **start), known)
    expected = ["c/changed +1", "c/deleted deleted -1", "c/enters +1", "c/leaves -1", "c/new +1"]
    assert differences(lines) == sorted(expected)
    assert again.times() == listened(database, small(database, 1)).times()
    # From there on it is a target like any other.
    with AssembledStream(database, small(database, 1, **start), known=known) as stream:
        stream.until_current(1)
        change = stream.until_snapshot(database.set("c/new", {"n": 8}))
        assert [line for line in shape(change) if line != "SNAPSHOT"] == ["c/new +1"]


def test_documents_and_windows_resume(database):
    for number in range(5):
        database.set(f"c/{number}", {"n": number})
    names = documents_target(database, ["c/0", "c/1", "c/9"], 1)
    known = listened(database, names)
    known_window = listened(database, lowest(database, 1))
    database.delete("c/0")
    database.set("c/9", {"n": 9})
    names.resume_token = known.token
    lines, _ = told(database, names, known)
    assert differences(lines) == ["c/0 deleted -1", "c/9 +1"]
    lines, again = told(database, lowest(database, 1, resume_token=known_window.token), known_window)
    assert differences(lines) == ["c/0 deleted -1", "c/3 +1"]
    assert set(again.documents) == {database.doc(f"c/{number}") for number in (1, 2, 3)}


@pytest.mark.parametrize("target", [small, lowest], ids=["query", "window"])
def test_every_token_resumes_to_the_same_state(database, target):
    """Tokens of all snapshots of a random history, each with what was known then."""
    chances = random.Random(4)
    moments: list[tuple[bytes, Timestamp, Listened]] = []
    with AssembledStream(database, target(database, 1)) as stream:

        def note(assembly, time):
            if 1 in assembly.targets and assembly.targets[1].is_current:
                moments.append((assembly.token, time, Listened(documents=dict(assembly.targets[1].documents))))

        stream.assembly.heard = note
        stream.until_current(1)
        for _ in range(60):
            writes = []
            for path in chances.sample([f"c/{number}" for number in range(9)], chances.choice([1, 1, 2, 4])):
                name = database.doc(path)
                is_set = chances.random() < 0.7
                writes.append(set_write(name, {"n": chances.randint(0, 15)}) if is_set else delete_write(name))
            database.commit(*writes)
        stream.until_snapshot(database.set("c/last", {"n": 1}))
        final = stream[1].times()
    assert len(moments) > 20
    for number, (token, time, known) in enumerate(moments):
        start = {"read_time": time} if number % 3 == 0 else {"resume_token": token}
        lines, again = told(database, target(database, 1, **start), known)
        assert "RESET 1" not in lines
        assert again.times() == final, lines


# Tokens of no use


def begun_anew(database: Database, token: bytes) -> None:
    """The token is answered by a reset and all documents, and not by an error."""
    lines, again = told(database, collection_target(database, "c", 1, resume_token=token), Listened())
    assert lines == ["ADD 1", "RESET 1", "c/a +1", "c/b +1", "CURRENT 1", "SNAPSHOT"]
    assert set(again.documents) == {database.doc("c/a"), database.doc("c/b")}


@pytest.fixture
def two(database) -> bytes:
    """Two documents in `c`; a token from before."""
    token = listened(database, collection_target(database, "c", 1)).token
    database.set("c/a")
    database.set("c/b")
    return token


def test_forged_tokens_begin_anew(database, two):
    forged = [b"nonsense", b"\0", b"\xff" * 200, two[:-1], two + b"\0", two[::-1]]
    forged += [two[:place] + bytes([two[place] ^ 1 << place % 8]) + two[place + 1 :] for place in range(len(two))]
    for token in forged:
        begun_anew(database, token)


def test_a_token_of_another_database_begins_anew(database, two):
    other = Database(database.wire, database.project, "other")
    begun_anew(database, listened(other, collection_target(other, "c", 1)).token)


def test_a_token_of_another_server_begins_anew(database, two, start_server):
    wire = Wire(start_server(data="elsewhere").address)
    begun_anew(database, listened(Database(wire, database.project), collection_target(database, "c", 1)).token)
    wire.close()


@pytest.mark.parametrize("distance", [-7_200, -86_400 * 400, 3_600], ids=["old", "very old", "to come"])
def test_a_time_out_of_reach_begins_anew(database, distance):
    now = database.set("c/a")
    target = collection_target(database, "c", 1, read_time=timestamp(microseconds(now) + distance * 1_000_000))
    # What was known, rightly or not, is void.
    known = listened(database, collection_target(database, "c", 1))
    known.documents[database.doc("c/ghost")] = known.documents[database.doc("c/a")]
    lines, again = told(database, target, known)
    assert lines == ["ADD 1", "RESET 1", "c/a +1", "CURRENT 1", "SNAPSHOT"]
    assert set(again.documents) == {database.doc("c/a")}


def test_a_token_older_than_the_history_begins_anew(start_server):
    wire = Wire(start_server("--history", "1s").address)
    database = Database(wire)
    database.set("c/a", {"n": 0})
    known = listened(database, collection_target(database, "c", 1))
    # The server's clock goes on with its commits: when it is past the window, so is the token.
    start = microseconds(database.set("c/b"))
    while microseconds(database.set("c/a", {"n": random.random()})) < start + 2_500_000:
        pass
    lines, again = told(database, collection_target(database, "c", 1, resume_token=known.token), known)
    assert lines == ["ADD 1", "RESET 1", "c/a +1", "c/b +1", "CURRENT 1", "SNAPSHOT"]
    assert again.times() == listened(database, collection_target(database, "c", 1)).times()
    wire.close()


def test_an_empty_token_is_none(database):
    database.set("c/a")
    target = collection_target(database, "c", 1)
    target.resume_token = b""
    assert told(database, target)[0] == ["ADD 1", "c/a +1", "CURRENT 1", "SNAPSHOT"]


# Restarts


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_tokens_outlive_the_server(start_server, ending):
    """Three lives: what changed in one is told in the next, and nothing else."""
    project, known = "outlives", None
    for life in range(3):
        server = start_server()
        wire = Wire(server.address)
        database = Database(wire, project)
        if known is None:
            for path in ("c/same", "c/changed", "c/deleted"):
                database.set(path, {"n": 0})
            known = listened(database, collection_target(database, "c", 1))
        else:
            target = collection_target(database, "c", 1, resume_token=known.token)
            lines, known = told(database, target, known)
            new = f"c/new-{life - 1} +1"
            assert differences(lines) == (
                ["c/changed +1", "c/deleted deleted -1", new] if life == 1 else ["c/changed +1", new]
            )
        database.commit(
            set_write(database.doc("c/changed"), {"n": life + 1}),
            delete_write(database.doc("c/deleted")),
            set_write(database.doc(f"c/new-{life}")),
        )
        wire.close()
        getattr(server, ending)()


def test_a_server_that_stops_tells_its_listeners_to_come_back(start_server):
    server = start_server()
    wire = Wire(server.address)
    database = Database(wire)
    streams = [AssembledStream(database, collection_target(database, "c", 1)) for _ in range(20)]
    for stream in streams:
        stream.until_current(1)
    server.terminate()
    for stream in streams:
        assert stream.end().code is StatusCode.UNAVAILABLE
    assert server.wait() == 0
    wire.close()


def test_clearing_a_database_is_told(address, database):
    for path in ("c/a", "c/b"):
        database.set(path)
    with AssembledStream(database, collection_target(database, "c", 1)) as stream:
        stream.until_current(1)
        known = stream[1].token
        status, _ = http_request(address, "DELETE", f"/emulator/v1/{database.name}/documents")
        assert status == 200
        stream.until_snapshot(database.set("c/new"))
        assert set(stream[1].documents) == {database.doc("c/new")}
    _, again = told(database, collection_target(database, "c", 1, resume_token=known), Listened())
    assert set(again.documents) == {database.doc("c/new")}


# Filters


def resumed_with(database: Database, known: Listened, expected: int, **members):
    """What a listener that holds `expected` documents is told; the stream's filters come with it."""
    count = wrappers_pb2.Int32Value(value=expected)
    target = collection_target(database, "c", 1, resume_token=known.token, expected_count=count, **members)
    with AssembledStream(database, target, known=known) as stream:
        stream.until_current(1)
        return stream.assembly.filters, stream[1]


def test_an_expected_count_that_is_right_needs_no_filter(database):
    for number in range(5):
        database.set(f"c/{number}")
    known = listened(database, collection_target(database, "c", 1))
    filters, _ = resumed_with(database, known, 5)
    assert filters == []


@pytest.mark.parametrize("count", [0, 1, 2, 3, 40, 500])
def test_a_filter_tells_which_documents_are_left(database, count):
    """A client that missed deletions, and whose count tells: what the filter does not have is gone."""
    paths = [f"c/{number}" for number in range(count)]
    for start in range(0, count, 250):
        database.commit(*(set_write(database.doc(path)) for path in paths[start : start + 250]))
    known = listened(database, collection_target(database, "c", 1))
    changed = paths[: count // 4]
    if changed:
        database.commit(*(set_write(database.doc(path), {"n": 1}) for path in changed))
    filters, again = resumed_with(database, known, count + 30)
    assert len(filters) == 1 and (filters[0].target_id, filters[0].count) == (1, count)
    names, unchanged = set(again.documents), {database.doc(path) for path in paths[count // 4 :]}
    assert names == {database.doc(path) for path in paths}
    if count == 0:
        assert not filters[0].unchanged_names.bits.bitmap
        return
    bits = bloom.Filter(filters[0].unchanged_names)
    assert bits.is_of(names) or bits.is_of(unchanged)
    assert all(bits.may_contain(name) for name in unchanged)
    absent = [database.doc(f"c/absent-{number}") for number in range(1_000)]
    # With few bits the hashes' steps repeat each other.
    assert sum(bits.may_contain(name) for name in absent) <= (150 if count <= 3 else 10)


def test_a_filter_stands_after_the_changes_that_it_counts(database):
    for number in range(4):
        database.set(f"c/{number}")
    known = listened(database, collection_target(database, "c", 1))
    database.delete("c/0")
    database.set("c/4")
    database.set("c/5")
    count = wrappers_pb2.Int32Value(value=9)
    target = collection_target(database, "c", 1, resume_token=known.token, expected_count=count)
    lines, _ = told(database, target, known)
    assert sorted(lines[1:-3]) == ["c/0 deleted -1", "c/4 +1", "c/5 +1"]
    assert lines[-3:] == ["FILTER 1 5", "CURRENT 1", "SNAPSHOT"]


def test_the_bloom_filter_of_the_reference():
    """The vectors of reference 8.6: what computes the filters above is right."""
    name = "projects/p/databases/(default)/documents/c/a"
    assert bloom.positions(name, 25, 12) == [0, 12, 24, 11, 23, 1, 13, 0, 12, 24, 11, 23]
    assert bloom.bitmap([name], 25, 12) == bytes.fromhex("03388001")
    assert bloom.bitmap([name, f"{name[:-1]}b"], 61, 13) == bytes.fromhex("851c73c400126904")


def test_a_filter_of_a_window_counts_the_window(database):
    for number in range(9):
        database.set(f"c/{number}", {"n": number})
    known = listened(database, lowest(database, 1))
    target = lowest(database, 1, resume_token=known.token, expected_count=wrappers_pb2.Int32Value(value=7))
    with AssembledStream(database, target, known=known) as stream:
        stream.until_current(1)
        (existence,) = stream.assembly.filters
    assert existence.count == 3
    assert bloom.Filter(existence.unchanged_names).is_of({database.doc(f"c/{number}") for number in range(3)})


def test_once_and_a_token(database):
    database.set("c/a")
    known = listened(database, collection_target(database, "c", 1))
    database.set("c/b")
    target = collection_target(database, "c", 1, resume_token=known.token, once=True)
    with AssembledStream(database, target, known=known) as stream:
        lines = shape(stream.until(lambda response: is_change(response, REMOVE, 1)))
    assert differences(lines[:-1]) == ["c/b +1"]
