"""Large answers: they stream in order, from one state, at the reader's pace, and end with the reader."""

import itertools
import threading
from pathlib import Path

import pytest
from grpc import StatusCode

from support.messages import set_write
from support.queries import TIMES, collection, compare, order
from support.wire import Database, Wire

COUNT = 10_000
BYTES = 2_000


def load(database, count, size, batch=500):
    text = "x" * size
    for start in range(0, count, batch):
        numbers = range(start, min(count, start + batch))
        # Names and numbers run against each other, so that an order by number is not the order of names.
        writes = [
            set_write(database.doc(f"rows/{number * 7919 % count:06}"), {"n": number, "odd": number % 2, "text": text})
            for number in numbers
        ]
        assert database.commit(*writes).ok


@pytest.fixture(scope="module")
def rows(address):
    wire = Wire(address)
    database = Database(wire)
    load(database, COUNT, 20)
    yield database
    wire.close()


def numbers(stream):
    return [each.document.fields["n"].integer_value for each in stream if each.HasField("document")]


def call(database, query, timeout=60):
    """The call itself, to be read message by message."""
    return database.wire.start("RunQuery", parent=database.root, structured_query=query, timeout=timeout)._call


ORDERED = collection("rows", order_by=[order("n")])
BACKWARDS = collection("rows", order_by=[order("n", 2)])
ODD = collection("rows", compare("odd", "EQUAL", 1), order_by=[order("n")])


def test_all_in_order(rows):
    for _ in range(TIMES):
        assert numbers(call(rows, ORDERED)) == list(range(COUNT))
        assert numbers(call(rows, BACKWARDS)) == list(range(COUNT))[::-1]
        assert numbers(call(rows, ODD)) == list(range(1, COUNT, 2))
    assert sorted(numbers(call(rows, collection("rows")))) == list(range(COUNT))


@pytest.mark.parametrize("query", [ORDERED, BACKWARDS, collection("rows")])
def test_an_answer_is_one_state(rows, wires, query):
    others = rows.through(wires())
    stream = call(rows, query)
    first = next(stream)
    names = [rows.doc(f"rows/{number:06}") for number in range(0, COUNT, 1000)]
    fields = [others.get(name.removeprefix(f"{rows.root}/")).message.fields for name in names]
    before = [{key: content for key, content in each.items()} for each in fields]
    # While the answer is under way, documents go to its end, and a new one comes.
    for name in names:
        assert others.commit(set_write(name, {"n": 10**9, "odd": 3})).ok
    others.set("rows/zzz", {"n": -1})
    found = numbers(itertools.chain([first], stream))
    assert sorted(found) == list(range(COUNT))
    restored = [set_write(name, content) for name, content in zip(names, before)]
    assert others.commit(*restored).ok
    others.delete("rows/zzz")
    assert numbers(call(rows, ORDERED)) == list(range(COUNT))


def test_readers_that_leave(rows):
    for query in itertools.islice(itertools.cycle([ORDERED, ODD, collection("rows")]), 30):
        stream = call(rows, query)
        assert next(stream).HasField("document")
        stream.cancel()
    outcome = rows.query(collection("rows", compare("n", "EQUAL", 77)))
    assert numbers(outcome.stream) == [77]


def test_readers_that_never_begin(rows):
    for _ in range(60):
        call(rows, ORDERED).cancel()
    assert numbers(rows.query(collection("rows", compare("n", "EQUAL", 78))).stream) == [78]


def test_a_deadline_ends_a_query(rows):
    stream = call(rows, BACKWARDS, timeout=2)
    assert next(stream).HasField("document")
    ended = threading.Event()
    stream.add_callback(ended.set)
    # Whoever does not read gets no more; the deadline ends the call on both sides.
    assert ended.wait(60)
    assert stream.code() is StatusCode.DEADLINE_EXCEEDED
    assert numbers(rows.query(collection("rows", compare("n", "EQUAL", 79))).stream) == [79]


def resident(server):
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


@pytest.mark.hosted("the emulator promises nothing about memory")
@pytest.mark.parametrize("query", [ORDERED, ODD, collection("rows")])
def test_large_answers_need_little_memory(start_server, query):
    """Eight answers of 80 MB that nobody reads to the end."""
    server = start_server("--durability", "memory", "--emulator")
    wire = Wire(server.address)
    database = Database(wire)
    load(database, 40_000, BYTES)
    numbers(call(database, query))
    before = resident(server)
    streams = [call(database, query) for _ in range(8)]
    for stream in streams:
        for _ in range(3):
            assert next(stream).HasField("document")
    after = resident(server)
    for stream in streams:
        stream.cancel()
    wire.close()
    assert after - before < 48 * 2**20, f"{(after - before) / 2**20:.1f} MB for eight streams"
