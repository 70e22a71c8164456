"""Queries that are refused, and the text that names the clause (reference 7.2 to 7.6)."""

import pytest
from grpc import StatusCode

from support import messages
from support.messages import Reference, StructuredQuery
from support.queries import DESCENDING, all_of, any_of, collection, compare, composite, cursor, order, unary

EXCLUSIVE = "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."
ONE_CONTAINS = "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
NOT_WITH_OR = "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
DUPLICATE_KEY = (
    "Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities."
)
AFTER_KEY = "order by clause cannot contain more fields after the key"


def member(count):
    return list(range(count))


def named(database):
    return Reference(database.doc("c/1"))


def fields(count, operator="GREATER_THAN"):
    return [compare(f"f{number:02}", operator, 0) for number in range(count)]


# Clauses of a query of collection "c" (functions get the database), and the text of the refusal.
REFUSED = {
    "in without an array": (dict(filter=compare("a", "IN", 1)), "'IN' requires an ArrayValue."),
    "not in without an array": (dict(filter=compare("a", "NOT_IN", "x")), "'NOT_IN' requires an ArrayValue."),
    "contains any without an array": (
        dict(filter=compare("a", "ARRAY_CONTAINS_ANY", None)),
        "'ARRAY_CONTAINS_ANY' requires an ArrayValue.",
    ),
    "in nothing": (dict(filter=compare("a", "IN", [])), "'IN' requires an non-empty ArrayValue."),
    "not in nothing": (dict(filter=compare("a", "NOT_IN", [])), "'NOT_IN' requires an non-empty ArrayValue."),
    "contains any of nothing": (
        dict(filter=compare("a", "ARRAY_CONTAINS_ANY", [])),
        "'ARRAY_CONTAINS_ANY' requires an non-empty ArrayValue.",
    ),
    "in 31": (dict(filter=compare("a", "IN", member(31))), "'IN' supports up to 30 comparison values."),
    "contains any of 31": (
        dict(filter=compare("a", "ARRAY_CONTAINS_ANY", member(31))),
        "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values.",
    ),
    "not in 11": (dict(filter=compare("a", "NOT_IN", member(11))), "'NOT_IN' supports up to 10 comparison values."),
    "31 branches": (
        dict(filter=any_of(*(compare("a", "EQUAL", number) for number in range(31)))),
        "Too many disjunctions after normalization. Result had 31 disjunctions which is more than the maximum of 30",
    ),
    "a product of branches": (
        dict(filter=all_of(compare("a", "IN", member(8)), compare("b", "IN", member(4)))),
        "Too many disjunctions after normalization. Result had 32 disjunctions which is more than the maximum of 30",
    ),
    "two array contains": (
        dict(filter=all_of(compare("a", "ARRAY_CONTAINS", 1), compare("b", "ARRAY_CONTAINS", 2))),
        ONE_CONTAINS,
    ),
    "array contains and contains any": (
        dict(filter=all_of(compare("a", "ARRAY_CONTAINS", 1), compare("a", "ARRAY_CONTAINS_ANY", [2]))),
        ONE_CONTAINS,
    ),
    "two unequal": (dict(filter=all_of(compare("a", "NOT_EQUAL", 1), compare("b", "NOT_EQUAL", 2))), EXCLUSIVE),
    "unequal and not null": (dict(filter=all_of(compare("a", "NOT_EQUAL", 1), unary("a", "IS_NOT_NULL"))), EXCLUSIVE),
    "not in and not NaN": (dict(filter=all_of(compare("a", "NOT_IN", [1]), unary("a", "IS_NOT_NAN"))), EXCLUSIVE),
    "not in and in": (dict(filter=all_of(compare("a", "NOT_IN", [1]), compare("b", "IN", [1]))), NOT_WITH_OR),
    "not in and contains any": (
        dict(filter=all_of(compare("a", "NOT_IN", [1]), compare("b", "ARRAY_CONTAINS_ANY", [1]))),
        NOT_WITH_OR,
    ),
    "not in within or": (
        dict(filter=any_of(compare("a", "NOT_IN", [1]), compare("b", "EQUAL", 1))),
        NOT_WITH_OR,
    ),
    "11 inequality fields": (dict(filter=all_of(*fields(11))), "11 distinct inequality fields"),
    "an OR of nothing": (dict(filter=any_of()), "Composite filter must have at least one sub-filter."),
    "a filter of no type": (dict(filter=StructuredQuery.Filter()), "Unknown Filter type."),
    "a filter of no type among others": (
        dict(filter=all_of(StructuredQuery.Filter(), compare("a", "EQUAL", 1))),
        "Unknown Filter type.",
    ),
    "a composite without operator": (
        dict(filter=composite(0, compare("a", "EQUAL", 1))),
        "Unsupported CompositeFilter operator.",
    ),
    "a field filter without operator": (dict(filter=compare("a", 0, 1)), "Unknown FieldFilter operator."),
    "a bad path in a filter": (dict(filter=compare("a..b", "EQUAL", 1)), 'Invalid property path "a..b".'),
    "a bad path in an order": (dict(order_by=[order("a-b")]), 'Invalid property path "a-b".'),
    "a bad path in a projection": (
        dict(select={"fields": [{"field_path": "1"}]}),
        'Invalid property path "1".',
    ),
    "a value of no type": (
        dict(filter=compare("a", "EQUAL", messages.Value())),
        "Cannot convert firestore.v1.Value with type unset.",
    ),
    "the same order twice": (
        dict(order_by=[order("a"), order("b"), order("a", DESCENDING)]),
        "order by clause cannot contain duplicate fields a",
    ),
    "an order after the name": (dict(order_by=[order("__name__"), order("a")]), AFTER_KEY),
    "an inequality after the name": (
        dict(filter=compare("a", "GREATER_THAN", 1), order_by=[order("__name__")]),
        AFTER_KEY,
    ),
    "a name that is none": (
        dict(filter=compare("__name__", "EQUAL", "text")),
        "__key__ filter value must be a Key",
    ),
    "names that are none": (
        dict(filter=compare("__name__", "IN", ["text"])),
        "__key__ filter value must be a Key",
    ),
    "array contains on names": (
        lambda database: dict(filter=compare("__name__", "ARRAY_CONTAINS", named(database))),
        "the name __key__ is reserved",
    ),
    "a name and an inequality": (
        lambda database: dict(
            filter=all_of(compare("__name__", "EQUAL", named(database)), compare("a", "GREATER_THAN", 1))
        ),
        DUPLICATE_KEY,
    ),
    "a negative limit": (dict(limit={"value": -1}), "limit is negative"),
    "a negative offset": (dict(offset=-1), "offset is negative"),
    "a cursor with too many values": (
        dict(order_by=[order("a")], start_at=cursor(1, 2, 3)),
        "Cursor has too many values.",
    ),
    "an end with too many values": (
        dict(order_by=[order("a")], end_at=cursor(1, 2, 3)),
        "Cursor has too many values.",
    ),
    "a cursor whose name is none": (
        dict(order_by=[order("a"), order("__name__")], start_at=cursor(1, "text")),
        "Cursor __key__ value is not a document reference.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(database, case):
    clauses, text = REFUSED[case]
    query = collection("c", **(clauses(database) if callable(clauses) else clauses))
    database.query(query).refused(StatusCode.INVALID_ARGUMENT, text)
    # The same in an aggregation.
    database.aggregate(query, {"count": {}}).refused(StatusCode.INVALID_ARGUMENT, text)


# What stands just below a limit.
ACCEPTED = {
    "in 30": dict(filter=compare("a", "IN", member(30))),
    "not in 10": dict(filter=compare("a", "NOT_IN", member(10))),
    "30 branches": dict(filter=any_of(*(compare("a", "EQUAL", number) for number in range(30)))),
    "10 inequality fields": dict(filter=all_of(*fields(10))),
    "array contains in each branch": dict(
        filter=any_of(compare("a", "ARRAY_CONTAINS", 1), compare("b", "ARRAY_CONTAINS", 2))
    ),
    "an AND of nothing": dict(filter=all_of()),
    "unequal and ranges": dict(filter=all_of(compare("a", "NOT_EQUAL", 1), compare("b", "LESS_THAN", 2))),
    "a limit of none": dict(limit={"value": 0}),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(database, case):
    (only,) = database.query(collection("c", **ACCEPTED[case])).stream
    assert not only.HasField("document")


def test_100_filters_and_orders(database):
    filters = [compare(f"f{number}", "EQUAL", 0) for number in range(101)]
    outcome = database.query(collection("c", all_of(*filters)))
    outcome.refused(
        StatusCode.INVALID_ARGUMENT, "The query may not have more than 100 filters + sort orders + ancestor total."
    )
    assert database.query(collection("c", all_of(*filters[:90]))).ok


# Sources


def test_sources_that_are_refused(database):
    two = StructuredQuery(from_=[{"collection_id": "a"}, {"collection_id": "b"}])
    text = "StructuredQuery.from cannot have more than one collection selector."
    database.query(two).refused(StatusCode.INVALID_ARGUMENT, text)
    database.wire.call("RunQuery", parent=database.root).refused(
        StatusCode.INVALID_ARGUMENT, "only structured queries are supported"
    )
    below_a_collection = database.query(collection("c"), parent="a/b/c")
    below_a_collection.refused(StatusCode.INVALID_ARGUMENT, f'"{database.doc("a/b/c")}" lacks "/" at index')


def test_kindless_queries_know_names_only(database):
    filtered = collection("", compare("x", "EQUAL", 1), group=True)
    database.query(filtered).refused(StatusCode.INVALID_ARGUMENT, "kind is required for filter: x")
    text = "kind is required for all orders except __key__ ascending"
    database.query(collection("", order_by=[order("x")], group=True)).refused(StatusCode.INVALID_ARGUMENT, text)
    descending = collection("", order_by=[order("__name__", DESCENDING)], group=True)
    database.query(descending).refused(StatusCode.INVALID_ARGUMENT, text)
    named = compare("__name__", "GREATER_THAN", Reference(database.doc("c/1")))
    assert database.query(collection("", named, group=True, order_by=[order("__name__")])).ok
