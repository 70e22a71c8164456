"""Count, sum and average (reference 7.9), by the official client and by raw calls."""

import pytest
from google.cloud.firestore import transactional
from google.cloud.firestore_v1.base_aggregation import AvgAggregation, SumAggregation
from grpc import StatusCode

from support import messages
from support.messages import moment
from support.queries import TIMES, all_of, any_of, collection, compare, cursor, every, fill, order, padding, where

NAN = float("nan")
INFINITY = float("inf")
LARGEST = 2**63 - 1
SMALLEST = -(2**63)
LARGEST_DOUBLE = 1.7976931348623157e308

BOOKS = {
    "a": {"kind": "novel", "pages": 300, "year": 1900, "price": 10.5},
    "b": {"kind": "novel", "pages": 200, "year": 1950, "price": 4},
    "c": {"kind": "poems", "pages": 80, "price": "gift"},
    "d": {"kind": "poems", "pages": None, "year": 1800, "price": 7.25},
    "e": {"kind": "atlas", "year": 2000},
}


@pytest.fixture
def books(client):
    fill(client, {f"books/{name}": content for name, content in BOOKS.items()} | padding("books"))
    return client.collection("books")


def results(query, **options):
    """The values by alias: the same each time."""
    taken = [{each.alias: each.value for row in query.get(**options) for each in row} for _ in range(TIMES)]
    assert all(repr(again) == repr(taken[0]) for again in taken)
    return taken[0]


def all_kinds(query):
    return query.count(alias="n").sum("pages", alias="pages").avg("year", alias="year")


@pytest.mark.parametrize(
    "build, expected",
    [
        (lambda c: c, len(BOOKS) + 150),
        (lambda c: c.where(filter=where("kind", "==", "novel")), 2),
        (lambda c: c.where(filter=where("kind", "in", ["novel", "atlas"])), 3),
        (lambda c: c.where(filter=where("year", ">=", 1900)), 3),
        (lambda c: c.where(filter=every(where("kind", "==", "novel"), where("year", ">", 1900))), 1),
        (lambda c: c.where(filter=where("kind", "==", "none")), 0),
        (lambda c: c.order_by("price"), 4),
        (lambda c: c.order_by("year").limit(3), 3),
        (lambda c: c.order_by("year").limit(0), 0),
        (lambda c: c.order_by("year").limit(30), 4),
        (lambda c: c.order_by("year").offset(3), 1),
        (lambda c: c.order_by("year").offset(30), 0),
        (lambda c: c.order_by("year").offset(1).limit(2), 2),
        (lambda c: c.order_by("year").start_after({"year": 1900}), 2),
        (lambda c: c.order_by("year").start_at({"year": 1850}).end_before({"year": 2000}), 2),
    ],
)
def test_count(books, build, expected):
    assert results(build(books).count(alias="n")) == {"n": expected}


def test_several_at_once(books):
    novels = books.where(filter=where("kind", "==", "novel"))
    assert results(all_kinds(novels)) == {"n": 2, "pages": 500, "year": 1925.0}


def test_documents_without_a_summed_field_are_left_out_of_all(books):
    # `c` has no year, `e` no pages; the pages of `d` are no number, yet they are there.
    assert results(all_kinds(books)) == {"n": 3, "pages": 500, "year": (1900 + 1950 + 1800) / 3}
    assert results(books.sum("pages", alias="pages")) == {"pages": 580}
    assert results(books.count(alias="n").sum("price", alias="price")) == {"n": 4, "price": 21.75}


def test_a_limit_applies_before(books):
    first = books.order_by("year").limit(2)
    assert results(first.sum("year", alias="sum").avg("year", alias="avg")) == {
        "sum": 3700,
        "avg": 1850.0,
    }


def test_a_group(client):
    fill(client, {"a/1/n/1": {"x": 1}, "b/1/n/1": {"x": 2}, "n/1": {"x": 4}, "m/1": {"x": 8}} | padding("n"))
    group = client.collection_group("n").where(filter=where("x", ">", 0))
    query = group.count(alias="n").sum("x", alias="sum").avg("x", alias="avg")
    assert results(query) == {"n": 3, "sum": 7, "avg": 7 / 3}


def sum_of(path, alias=""):
    return {"alias": alias, "sum": {"field": {"field_path": path}}}


def average_of(path, alias=""):
    return {"alias": alias, "avg": {"field": {"field_path": path}}}


SUMS = [
    ([], 0, None),
    (["text", None, True], 0, None),
    ([1, 2, 3], 6, 2.0),
    ([1, 2.0], 3.0, 1.5),
    ([1.5, 2.5], 4.0, 2.0),
    ([1, "text", 2], 3, 1.5),
    ([0.0], 0.0, 0.0),
    ([LARGEST, 0], LARGEST, float(LARGEST) / 2),
    ([LARGEST, LARGEST], float(2**64 - 2), float(LARGEST)),
    ([LARGEST, 1], float(2**63), float(2**62)),
    ([SMALLEST, -1], float(-(2**63) - 1), float(SMALLEST) / 2),
    ([NAN, 1], NAN, NAN),
    ([INFINITY, 1], INFINITY, INFINITY),
    ([INFINITY, -INFINITY], NAN, NAN),
    ([-INFINITY, 2**60], -INFINITY, -INFINITY),
    ([1, NAN, INFINITY], NAN, NAN),
    ([LARGEST_DOUBLE, LARGEST_DOUBLE], INFINITY, INFINITY),
]


# By raw calls: the library does not tell zero, 0.0 and null apart.
@pytest.mark.parametrize("numbers, total, average", SUMS)
def test_sum_and_average(client, database, numbers, total, average):
    fill(client, {f"n/{index}": {"x": number} for index, number in enumerate(numbers)})
    (only,) = database.aggregate(collection("n"), sum_of("x", "sum"), average_of("x", "avg")).stream
    found = only.result.aggregate_fields
    assert repr(found["sum"]) == repr(messages.value(total))
    assert repr(found["avg"]) == repr(messages.value(average))


@pytest.mark.hosted("7.9: totals of integers are exact although parts of them overflow")
def test_partial_sums_may_overflow(client):
    numbers = [LARGEST, LARGEST, SMALLEST, SMALLEST, 2, 5]
    fill(client, {f"n/{index}": {"x": number} for index, number in enumerate(numbers)})
    assert results(client.collection("n").sum("x", alias="sum")) == {"sum": 5}


def test_a_nested_field(client):
    fill(client, {"n/1": {"m": {"x": 1}}, "n/2": {"m": {"x": 2}}, "n/3": {"m": 3}, "n/4": {}})
    query = client.collection("n").count(alias="n").sum("m.x", alias="sum")
    assert results(query) == {"n": 2, "sum": 3}


def test_aliases(books):
    query = books.count()
    query.add_aggregations([SumAggregation("pages", alias="x"), AvgAggregation("year")])
    assert results(query) == {"field_1": 3, "x": 500, "field_2": (1900 + 1950 + 1800) / 3}


def test_the_answer_has_a_time(books, database):
    (row,) = books.count().get()
    assert row[0].read_time is not None
    outcome = database.aggregate(collection("books"), {"count": {}})
    (only,) = outcome.stream
    assert only.HasField("read_time") and not only.transaction
    assert set(only.result.aggregate_fields) == {"field_1"}


@pytest.mark.parametrize("bound, expected", [(0, 0), (1, 1), (4, 4), (5, 5), (6, 5), (2**63 - 1, 5)])
def test_count_up_to(database, books, bound, expected):
    query = collection("books", order_by=[order("kind")])
    for _ in range(TIMES):
        (only,) = database.aggregate(query, {"alias": "n", "count": {"up_to": {"value": bound}}}).stream
        assert only.result.aggregate_fields["n"].integer_value == expected


def test_the_same_aggregation_twice(database, books):
    asked = [{"alias": "a", "count": {}}, {"alias": "b", "count": {"up_to": {"value": 2}}}]
    (only,) = database.aggregate(collection("books", order_by=[order("kind")]), *asked).stream
    found = {alias: value.integer_value for alias, value in only.result.aggregate_fields.items()}
    assert found == {"a": 5, "b": 2}


def test_clauses_of_the_query_inside(database, books):
    query = collection(
        "books",
        any_of(
            compare("kind", "EQUAL", "novel"),
            all_of(compare("kind", "EQUAL", "poems"), compare("year", "LESS_THAN", 1850)),
        ),
        order_by=[order("year")],
        start_at=cursor(1800, before=False),
    )
    for _ in range(TIMES):
        (only,) = database.aggregate(query, {"alias": "n", "count": {}}).stream
        assert only.result.aggregate_fields["n"].integer_value == 2


REFUSED = [
    ([], "Aggregations can not be empty."),
    pytest.param(
        [{"count": {}}] * 6,
        "The maximum number of aggregations allowed in an aggregation query is 5. Received: 6",
        marks=pytest.mark.hosted("1.5: INVALID_ARGUMENT, not UNKNOWN"),
    ),
    ([{"alias": "x"}], "Operator field in Aggregation is not set."),
    ([{"alias": "x", "count": {}}, sum_of("a", "x")], "Aggregation aliases contain duplicate alias: x."),
    ([sum_of("__name__")], "Aggregations are not supported for the property: __key__"),
    ([average_of("__name__")], "Aggregations are not supported for the property: __key__"),
    ([{"count": {"up_to": {"value": -1}}}], ""),
    ([sum_of("a..b")], "Invalid property path"),
    ([sum_of("")], ""),
    ([{"alias": "__x__", "count": {}}], ""),
    ([{"alias": "x" * 1501, "count": {}}], ""),
]


@pytest.mark.parametrize("aggregations, text", REFUSED)
def test_refused(database, aggregations, text):
    database.aggregate(collection("c"), *aggregations).refused(StatusCode.INVALID_ARGUMENT, text)


def test_no_query_at_all(database):
    outcome = database.wire.call("RunAggregationQuery", parent=database.root)
    outcome.refused(StatusCode.INVALID_ARGUMENT, "Only structured aggregation queries are supported.")


def test_no_query_inside_means_all_children(database):
    for path in ("a/1", "b/1", "a/1/c/1"):
        database.set(path, {})
    asked = {"aggregations": [{"alias": "n", "count": {}}]}
    outcome = database.wire.call("RunAggregationQuery", parent=database.root, structured_aggregation_query=asked)
    (only,) = outcome.stream
    assert only.result.aggregate_fields["n"].integer_value == 2


# What a limit and an offset take


def number_of(database, alias, query, *asked):
    """One result: the same by a scan and by an index."""
    taken = [database.aggregate(query, *asked).message.result.aggregate_fields[alias] for _ in range(TIMES)]
    assert all(again == taken[0] for again in taken)
    return taken[0].integer_value


# Of each document's fields only `bit` tells in a sum which documents were taken.
BOUNDED = {
    "a": {"x": 5, "y": 1, "bit": 1},
    "b": {"x": 4, "y": 1, "bit": 2},
    "c": {"x": 3, "y": 2, "bit": 4},
    "d": {"x": 2, "y": 2, "bit": 8},
    "e": {"x": 1, "y": 3, "bit": 16},
    "without": {"y": 0, "bit": 1024},
}


@pytest.mark.parametrize(
    "asked, clauses, expected",
    [
        ([sum_of("x", "it")], {"limit": {"value": 2}}, 1 + 2),
        ([sum_of("x", "it")], {"offset": 3}, 4 + 5),
        ([sum_of("x", "it")], {"offset": 1, "limit": {"value": 2}}, 2 + 3),
        ([sum_of("x", "it")], {"limit": {"value": 9}}, 15),
        ([{"alias": "it", "count": {}}, average_of("x")], {"limit": {"value": 9}}, 5),
        ([{"alias": "it", "count": {}}], {"limit": {"value": 9}}, 6),
        # Several fields are in the order by their names, however they were asked for: `bit`, `x`, `y`.
        ([sum_of("x", "it"), sum_of("bit")], {"limit": {"value": 1}}, 5),
        ([sum_of("y"), sum_of("x", "it")], {"limit": {"value": 1}}, 1),
        ([sum_of("y", "it"), average_of("x")], {"limit": {"value": 1}}, 3),
        # Behind the query's own order, in its last direction, and behind what an inequality adds.
        ([sum_of("x", "it")], {"order_by": [order("y")], "limit": {"value": 1}}, 4),
        ([sum_of("x", "it")], {"order_by": [order("y", 2)], "limit": {"value": 2}}, 1 + 3),
        ([sum_of("x", "it")], {"where": compare("y", "GREATER_THAN", 1), "limit": {"value": 1}}, 2),
        ([sum_of("x", "it")], {"where": compare("y", "EQUAL", 1), "limit": {"value": 1}}, 4),
        ([sum_of("x", "it")], {"where": compare("y", "IN", [1, 3]), "limit": {"value": 2}}, 1 + 4),
        ([sum_of("x", "it")], {"order_by": [order("y")], "start_at": cursor(2), "limit": {"value": 1}}, 2),
    ],
)
def test_a_bound_takes_what_is_summed_from_the_smallest_on(client, database, asked, clauses, expected):
    fill(client, {f"n/{name}": content for name, content in BOUNDED.items()})
    clauses = dict(clauses)
    query = collection("n", clauses.pop("where", None), **clauses)
    assert number_of(database, "it", query, *asked) == expected


def test_zeros_come_first(client):
    numbers = [3, 0, 2, 0, 1, 0, 5, 4]
    fill(client, {f"n/{index}": {"x": number} for index, number in enumerate(numbers)})
    assert results(client.collection("n").limit(4).sum("x", alias="sum").avg("x", alias="avg")) == {
        "sum": 1,
        "avg": 0.25,
    }


def test_any_collection_is_bounded_alike(database):
    for number in range(5):
        database.set(f"c{number}/d", {"x": 5 - number})
    query = messages.message("StructuredQuery")(from_=[{"all_descendants": True}], limit={"value": 2})
    assert number_of(database, "sum", query, sum_of("x", "sum")) == 3


@pytest.mark.parametrize(
    "condition, clauses",
    [
        (None, {"order_by": [order("__name__")]}),
        (None, {"order_by": [order("y"), order("__name__")]}),
        ("EQUAL", {}),
        ("GREATER_THAN", {}),
        ("GREATER_THAN", {"order_by": [order("y")], "limit": {"value": 1}}),
    ],
)
def test_what_is_summed_cannot_follow_names_that_are_asked_for(database, condition, clauses):
    named = messages.Reference(database.doc("n/a"))
    filter = compare("__name__", condition, named) if condition else None
    query = collection("n", filter, **clauses)
    text = "This query requires an index that has fields [x] after __name__"
    database.aggregate(query, sum_of("x")).refused(StatusCode.INVALID_ARGUMENT, text)
    assert database.aggregate(query, {"count": {}}).ok
    ordered = collection("n", filter, order_by=[order("x"), order("__name__")])
    assert database.aggregate(ordered, sum_of("x")).ok


def test_what_is_summed_below_a_document_is_in_one_collection(database):
    for path in ("a/1/n/1", "a/1/m/1/n/2", "a/2/n/1"):
        database.set(path, {"x": 1})
    everywhere = collection("n", group=True)
    assert number_of(database, "sum", everywhere, sum_of("x", "sum")) == 3
    (here,) = database.aggregate(collection("n"), sum_of("x", "sum"), parent="a/1").stream
    assert here.result.aggregate_fields["sum"].integer_value == 1
    descendants = messages.message("StructuredQuery")(from_=[{"all_descendants": True}])
    refused = database.aggregate(descendants, sum_of("x"), parent="a/1")
    refused.refused(StatusCode.INVALID_ARGUMENT, "This query requires an index that has fields [x] after __name__")
    assert database.aggregate(descendants, {"count": {}}, parent="a/1").ok


# At a time, and in transactions


def test_at_an_earlier_time(client, database):
    for number in range(5):
        database.set(f"n/{number}", {"x": number})
    before = database.set("n/5", {"x": 5})
    database.set("n/0", {"x": 100})
    database.delete("n/5")
    query = client.collection("n").count(alias="n").sum("x", alias="sum")
    assert results(query) == {"n": 5, "sum": 110}
    assert results(query, read_time=moment(before)) == {"n": 6, "sum": 15}
    assert results(client.collection("n").where(filter=where("x", ">", 3)).count(alias="n")) == {"n": 2}


def test_in_a_transaction(client, database, books):
    novels = books.where(filter=where("kind", "==", "novel"))

    @transactional
    def count_and_add(transaction):
        (row,) = novels.count(alias="n").get(transaction=transaction)
        transaction.set(books.document("new"), {"kind": "novel", "number": row[0].value})

    count_and_add(client.transaction())
    count_and_add(client.transaction())
    assert books.document("new").get().to_dict() == {"kind": "novel", "number": 3}


def test_in_a_read_only_transaction(client, database):
    database.set("n/1", {"x": 1})
    transaction = client.transaction(read_only=True)

    @transactional
    def twice(transaction):
        (first,) = client.collection("n").count().get(transaction=transaction)
        database.set("n/2", {"x": 2})
        (second,) = client.collection("n").count().get(transaction=transaction)
        return first[0].value, second[0].value

    assert twice(transaction) == (1, 1)
    (row,) = client.collection("n").count().get()
    assert row[0].value == 2


def test_a_transaction_that_begins_with_an_aggregation(database):
    database.set("n/1", {"x": 1})
    answers = database.aggregate(collection("n"), {"count": {}}, new_transaction=messages.READ_WRITE).stream
    (transaction,) = [each.transaction for each in answers if each.transaction]
    assert [each.result.aggregate_fields["field_1"].integer_value for each in answers if each.HasField("result")] == [1]
    assert database.commit(messages.set_write(database.doc("n/2")), transaction=transaction).ok


def test_documents_without_a_summed_field_count_for_no_bound(client, database):
    fill(client, {f"n/{index}": {"y": -index} | ({"x": 1} if index >= 2 else {}) for index in range(6)})
    asked = [{"alias": "n", "count": {}}, sum_of("x", "sum")]
    for bounds, expected in (
        ({"limit": {"value": 3}}, 3),
        ({"offset": 1}, 3),
        ({"offset": 2, "limit": {"value": 1}}, 1),
    ):
        for ordered in ([], [order("y")], [order("y", 2)]):
            (only,) = database.aggregate(collection("n", order_by=ordered, **bounds), *asked).stream
            found = {alias: value.integer_value for alias, value in only.result.aggregate_fields.items()}
            assert found == {"n": expected, "sum": expected}, (bounds, ordered)
