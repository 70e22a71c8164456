"""Contended transactions do not stall: many clients on one document get along nearly as fast as one alone."""

import threading
import time

import pytest
from grpc import StatusCode

from support import messages
from support.messages import retry_of, set_write
from support.wire import Database

CLIENTS = 8
ALONE = 100
TOGETHER = 25


def increment_by_transactions(database: Database, count: int) -> None:
    """As a client library does it: an attempt that is aborted is made again, in its place in line."""
    done = 0
    options = messages.READ_WRITE
    while done < count:
        transaction = database.begin(options)
        options = retry_of(transaction)
        read = database.batch_get("counters/shared", transaction=transaction)
        if read.ok:
            (answer,) = read.stream
            value = answer.found.fields["n"].integer_value + 1
            outcome = database.commit(set_write(database.doc("counters/shared"), {"n": value}), transaction=transaction)
        else:
            outcome = read
        if outcome.ok:
            done += 1
            options = messages.READ_WRITE
        else:
            outcome.refused(StatusCode.ABORTED)


@pytest.mark.hosted("6.2: contended transactions do not stall")
@pytest.mark.timeout(180)
def test_contended_increments_keep_a_fifth_of_the_pace(database, wires):
    database.set("counters/shared", {"n": 0})
    connections = [database.through(wires()) for _ in range(CLIENTS)]
    increment_by_transactions(connections[0], 10)

    began = time.monotonic()
    increment_by_transactions(connections[0], ALONE)
    alone = ALONE / (time.monotonic() - began)

    threads = [
        threading.Thread(target=increment_by_transactions, args=(connection, TOGETHER)) for connection in connections
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = CLIENTS * TOGETHER / (time.monotonic() - began)

    print(f"one client: {alone:.0f} transactions a second; {CLIENTS} clients: {together:.0f}")
    assert database.fields("counters/shared")["n"].integer_value == 10 + ALONE + CLIENTS * TOGETHER
    assert together >= alone / 5
