"""Queries in transactions: what is read is protected, phantoms included; and queries at earlier times."""

import pytest
from google.cloud.firestore import transactional

from support import messages
from support.clients import client_for, close_client
from support.messages import delete_write, moment, set_write
from support.queries import TIMES, collection, compare, fill, ids, names, order, padding, where


@pytest.fixture
def others(database, wires):
    """The same database, on a connection of somebody else's."""
    return database.through(wires())


@pytest.fixture
def stock(database, client):
    contents = {f"stock/{index}": {"kind": "tea" if index % 2 else "salt", "n": index} for index in range(10)}
    fill(client, contents | padding("stock"))
    return client.collection("stock")


TEA = collection("stock", compare("kind", "EQUAL", "tea"))
MUCH = collection("stock", compare("n", "GREATER_THAN", 6))
FIRST = collection("stock", compare("kind", "EQUAL", "tea"), order_by=[order("n")], limit={"value": 2})

# A query, and writes that would change its answer.
INTO = {
    "a new match": (TEA, ("stock/new", {"kind": "tea"})),
    "a new match of a range": (MUCH, ("stock/new", {"n": 7.5})),
    "a match that changes": (TEA, ("stock/1", {"kind": "tea", "n": 100})),
    "a match that changes into none": (TEA, ("stock/1", {"kind": "salt", "n": 1})),
    "a match that goes": (TEA, ("stock/1", None)),
    "a document that becomes a match": (TEA, ("stock/2", {"kind": "tea"})),
    "a document that comes before others": (FIRST, ("stock/2", {"kind": "tea", "n": -1})),
}

# And writes that would not.
OUTSIDE = {
    "a new document without a match": (TEA, ("stock/new", {"kind": "salt"})),
    "a document that goes on not matching": (TEA, ("stock/2", {"kind": "pepper"})),
    "a document without a match that goes": (TEA, ("stock/2", None)),
    "just outside of the range": (MUCH, ("stock/new", {"n": 6})),
    "another type": (MUCH, ("stock/new", {"n": "7"})),
    "another collection": (TEA, ("stocks/new", {"kind": "tea"})),
    "a collection below": (TEA, ("stock/1/stock/1", {"kind": "tea"})),
}


def write(database, path, content):
    name = database.doc(path)
    return delete_write(name) if content is None else set_write(name, content)


@pytest.mark.parametrize("case", INTO)
@pytest.mark.parametrize("asked", [1, TIMES])
def test_a_write_into_the_answer_waits(database, others, stock, case, asked):
    query, (path, content) = INTO[case]
    for _ in range(asked - 1):
        names(database.query(query))
    transaction = database.begin()
    seen = names(database.query(query, transaction=transaction))
    waiting = others.start_commit(write(others, path, content))
    # It is there when the transaction reads again, and not before that has ended.
    assert names(database.query(query, transaction=transaction)) == seen
    assert database.commit(set_write(database.doc("seen/1"), {"n": len(seen)}), transaction=transaction).ok
    assert waiting.outcome().ok
    assert names(database.query(query)) != seen or database.get("stock/1").message.fields["n"].integer_value == 100


@pytest.mark.hosted("6.2: a write that enters no range goes on at once")
@pytest.mark.parametrize("case", OUTSIDE)
def test_a_write_outside_of_the_answer_goes_on(database, others, stock, case):
    query, (path, content) = OUTSIDE[case]
    transaction = database.begin()
    seen = names(database.query(query, transaction=transaction))
    assert others.commit(write(others, path, content)).ok
    assert database.commit(set_write(database.doc("seen/1"), {"n": len(seen)}), transaction=transaction).ok


@pytest.mark.hosted("6.2: what lies beyond a limit was not read")
def test_a_write_beyond_the_limit_goes_on(database, others, stock):
    transaction = database.begin()
    assert names(database.query(FIRST, transaction=transaction)) == ["stock/1", "stock/3"]
    assert others.commit(set_write(database.doc("stock/new"), {"kind": "tea", "n": 4})).ok
    assert others.commit(delete_write(database.doc("stock/9"))).ok
    assert database.commit(set_write(database.doc("seen/1")), transaction=transaction).ok


def test_of_two_that_count_and_add_one_counts_again(address, database, stock):
    """Write skew by phantoms: both see the same answer, both would add to it."""
    clients = [client_for(address, database.project) for _ in range(2)]
    seen = []

    def adding(client, name, between):
        @transactional
        def add(transaction):
            query = client.collection("stock").where(filter=where("kind", "==", "rice"))
            found = ids(query.stream(transaction=transaction))
            seen.append((name, len(found)))
            between()
            transaction.set(client.document(f"stock/{name}"), {"kind": "rice", "n": len(found)})

        add(client.transaction())

    adding(clients[0], "first", lambda: None)
    adding(clients[1], "second", lambda: None)
    numbers = sorted(snapshot.get("n") for snapshot in stock.where(filter=where("kind", "==", "rice")).stream())
    assert numbers == [0, 1]
    for client in clients:
        close_client(client)


@pytest.mark.hosted("6.2: one of two goes on")
def test_two_transactions_that_would_both_add(database, others, stock):
    transactions = [database.begin(), others.begin()]
    for each, transaction in zip((database, others), transactions):
        assert names(each.query(TEA, transaction=transaction)) == [f"stock/{index}" for index in (1, 3, 5, 7, 9)]
    pending = [
        each.start_commit(set_write(each.doc(f"stock/new-{index}"), {"kind": "tea"}), transaction=transaction)
        for index, (each, transaction) in enumerate(zip((database, others), transactions))
    ]
    codes = sorted(each.outcome().code.name for each in pending)
    assert codes == ["ABORTED", "OK"]


def test_an_aggregation_is_protected_too(database, others, stock):
    transaction = database.begin()
    (only,) = database.aggregate(TEA, {"alias": "n", "count": {}}, transaction=transaction).stream
    assert only.result.aggregate_fields["n"].integer_value == 5
    waiting = others.start_commit(set_write(others.doc("stock/new"), {"kind": "tea"}))
    (only,) = database.aggregate(TEA, {"alias": "n", "count": {}}, transaction=transaction).stream
    assert only.result.aggregate_fields["n"].integer_value == 5
    assert database.commit(set_write(database.doc("seen/1")), transaction=transaction).ok
    assert waiting.outcome().ok
    (only,) = database.aggregate(TEA, {"alias": "n", "count": {}}).stream
    assert only.result.aggregate_fields["n"].integer_value == 6


def test_a_read_only_transaction_sees_one_state(database, others, stock):
    transaction = database.begin(messages.READ_ONLY)
    before = names(database.query(TEA, transaction=transaction))
    assert others.commit(set_write(others.doc("stock/0"), {"kind": "tea"}), delete_write(others.doc("stock/1"))).ok
    for _ in range(TIMES):
        assert names(database.query(TEA, transaction=transaction)) == before
    assert names(database.query(TEA)) != before


def test_a_transaction_that_begins_with_a_query(database, stock):
    first, *rest = database.query(TEA, new_transaction=messages.READ_WRITE).stream
    assert first.transaction and not first.HasField("document")
    assert len([each for each in rest if each.HasField("document")]) == 5
    assert database.commit(set_write(database.doc("stock/new")), transaction=first.transaction).ok


# At earlier times


def test_queries_at_earlier_times(database, client, stock):
    """Documents come, change and go; each state can be asked for, whichever indexes there are by then."""
    tea = stock.where(filter=where("kind", "==", "tea")).order_by("n")
    states = []

    def remember():
        time = database.set("clock/1", {"tick": len(states)})
        states.append((time, ids(tea.stream())))

    remember()
    for index in range(10):
        stock.document(f"{index}").update({"kind": "salt" if index % 2 else "tea"})
        remember()
    for index in range(10):
        stock.document(f"{index}").update({"n": -index})
        remember()
    for index in range(0, 10, 2):
        stock.document(f"{index}").delete()
        remember()
    assert states[0][1] == ["1", "3", "5", "7", "9"]
    assert states[10][1] == ["0", "2", "4", "6", "8"]
    assert states[20][1] == ["8", "6", "4", "2", "0"]
    assert states[-1][1] == []
    for _ in range(TIMES):
        for time, expected in states:
            assert ids(tea.stream(read_time=moment(time))) == expected


def test_a_time_before_the_index(database, client):
    """An index that a query asked for knows the versions from before it."""
    fill(client, padding("rows"))
    query = client.collection("rows").where(filter=where("n", ">", 10)).order_by("n", direction="DESCENDING")
    for number in range(100):
        database.set("rows/a", {"n": number})
    before = database.set("rows/b", {"n": 50})
    database.set("rows/a", {"n": 5})
    for _ in range(5 * TIMES):
        assert ids(query.stream()) == ["b"]
        assert ids(query.stream(read_time=moment(before))) == ["a", "b"]
