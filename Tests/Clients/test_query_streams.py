"""Large answers: they stream in order, from one state, at the reader's pace, and end with the reader."""

import itertools
import threading
from pathlib import Path

import pytest

from support.messages import set_write
from support.queries import TIMES, collection, compare, order
from support.wire import Database, Wire
from test_http import request as http_request

COUNT = 10_000
BYTES = 2_000
# 20,000 documents of them are many times what a client takes before somebody reads, 16 MiB and more.
LONG_BYTES = 4_000


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


def pins(server):
    """How many states the server keeps for answers under way."""
    status, body = http_request(server.address, "GET", "/metrics")
    assert status == 200
    (line,) = [line for line in body.decode().splitlines() if line.startswith("brasa_snapshot_pins ")]
    return int(line.split()[1])


def await_pins(server, are_right):
    for _ in range(6_000):
        found = pins(server)
        if are_right(found):
            return
        threading.Event().wait(0.01)
    raise AssertionError(f"{found} states are kept")


def await_answers(server, count):
    """Each keeps its state, and for its scan perhaps once more."""
    await_pins(server, lambda found: found >= count)


def await_no_answers(server):
    await_pins(server, lambda found: found == 0)


@pytest.fixture
def long(start_server):
    """A server whose answers are longer than what is on its way to a client that does not read."""
    server = start_server("--durability", "memory", "--emulator")
    wire = Wire(server.address)
    database = Database(wire)
    load(database, 2 * COUNT, LONG_BYTES)
    await_no_answers(server)
    yield server, database
    wire.close()


# In the order of names everything is sent before anybody asks for the second document.
ENDINGS = pytest.mark.parametrize("query", [ORDERED, ODD])
OPERATED = pytest.mark.hosted("the emulator has no figures for operators")


@OPERATED
@ENDINGS
def test_readers_that_leave(long, query):
    server, database = long
    streams = [call(database, query) for _ in range(5)]
    for stream in streams:
        assert next(stream).HasField("document")
    await_answers(server, len(streams))
    for stream in streams:
        stream.cancel()
    await_no_answers(server)
    assert numbers(database.query(collection("rows", compare("n", "EQUAL", 77))).stream) == [77]


@OPERATED
@ENDINGS
def test_readers_that_never_begin(long, query):
    server, database = long
    for _ in range(60):
        call(database, query).cancel()
    streams = [call(database, query) for _ in range(5)]
    # They are under way, whether or not anybody looks.
    await_answers(server, len(streams))
    for stream in streams:
        stream.cancel()
    await_no_answers(server)


@OPERATED
def test_a_deadline_ends_a_query(long):
    """The client has no timer of its own, and reads no further: the server's ends the call."""
    server, database = long
    request = {"parent": database.root, "structured_query": ORDERED}
    stream = database.wire.start("RunQuery", timeout=None, metadata=[("grpc-timeout", "15S")], **request)._call
    assert next(stream).HasField("document")
    await_answers(server, 1)
    await_no_answers(server)


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
