"""Every operator of a field filter on every type of value: which documents match, and in which order they come."""

import datetime

import pytest
from google.cloud.firestore import GeoPoint
from google.cloud.firestore_v1.vector import Vector

from support.clients import client_for, close_client
from support.messages import Timestamp
from support.queries import answer, collection, compare, fill, ids, moment, names, order, padding, unary, where
from support.wire import Database, Wire

NAN = float("nan")
INFINITY = float("inf")


def values(client):
    """By id, in the total order of the reference (4.2, 4.3), equal ones by id."""
    return {
        "null": None,
        "false": False,
        "true": True,
        "nan": NAN,
        "-inf": -INFINITY,
        "-2.5": -2.5,
        "0": 0,
        "0-": -0.0,
        "1": 1,
        "1.0": 1.0,
        "2^53": 2**53,
        "2^53.0": float(2**53),
        "2^53+1": 2**53 + 1,
        "2^63-1": 2**63 - 1,
        "2^63": float(2**63),
        "inf": INFINITY,
        "t0": moment(2000, 1, 1),
        "t1": moment(2000, 1, 1) + datetime.timedelta(microseconds=1),
        "s": "",
        "s-a": "a",
        "s-ab": "ab",
        "s-uffee": "\uffee",
        "s-emoji": "😀",
        "b": b"",
        "b-a": b"a",
        "b-ff": b"\xff",
        "r-a/b": client.document("a/b"),
        "r-a/b/c/d": client.document("a/b/c/d"),
        "r-a-c/d": client.document("a-c/d"),
        "g1": GeoPoint(-10.0, 0.0),
        "g2": GeoPoint(0.0, -5.0),
        "g3": GeoPoint(0.0, 5.0),
        "[]": [],
        "[null]": [None],
        "[1]": [1],
        "[1,x]": [1.0, "x"],
        "[2]": [2],
        "v1": Vector([5.0]),
        "v2-a": Vector([1.0, 2.0]),
        "v2-b": Vector([1.0, 3.0]),
        "{}": {},
        "{a1,b0}": {"a": 1, "b": 0},
        "{a2}": {"a": 2},
        "{b0}": {"b": 0},
    }


NUMBERS = "-inf -2.5 0 0- 1 1.0 2^53 2^53.0 2^53+1 2^63-1 2^63 inf"
STRINGS = "s s-a s-ab s-uffee s-emoji"
BYTES = "b b-a b-ff"
REFERENCES = "r-a/b r-a/b/c/d r-a-c/d"
POINTS = "g1 g2 g3"
ARRAYS = "[] [null] [1] [1,x] [2]"
VECTORS = "v1 v2-a v2-b"
MAPS = "{} {a1,b0} {a2} {b0}"
AFTER_NUMBERS = f"t0 t1 {STRINGS} {BYTES} {REFERENCES} {POINTS} {ARRAYS} {VECTORS} {MAPS}"
NOT_NULL = f"false true nan {NUMBERS} {AFTER_NUMBERS}"
EVERYTHING = f"null {NOT_NULL}"

NAN_OUT = "7.3: NOT_IN with NaN excludes NaN"
NANOSECONDS = "4.1: times in filters are cut to the microsecond"


def hosted(section, *parameters):
    return pytest.param(*parameters, marks=pytest.mark.hosted(section))


# Operator, the id of the operand (several for operators on arrays), the ids of the answer.
FILTERS = [
    # Equality is by value: integers and doubles, zeros, and what arrays and maps hold.
    ("==", "false", "false"),
    ("==", "true", "true"),
    ("==", "0", "0 0-"),
    ("==", "0-", "0 0-"),
    ("==", "1", "1 1.0"),
    ("==", "1.0", "1 1.0"),
    ("==", "2^53", "2^53 2^53.0"),
    ("==", "2^53.0", "2^53 2^53.0"),
    ("==", "2^53+1", "2^53+1"),
    ("==", "2^63-1", "2^63-1"),
    ("==", "2^63", "2^63"),
    ("==", "inf", "inf"),
    ("==", "t1", "t1"),
    ("==", "s", "s"),
    ("==", "s-a", "s-a"),
    ("==", "b", "b"),
    ("==", "b-a", "b-a"),
    ("==", "r-a/b", "r-a/b"),
    ("==", "g2", "g2"),
    ("==", "[]", "[]"),
    ("==", "[null]", "[null]"),
    ("==", "[1]", "[1]"),
    ("==", "[1,x]", "[1,x]"),
    ("==", "v2-a", "v2-a"),
    ("==", "{}", "{}"),
    ("==", "{a1,b0}", "{a1,b0}"),
    # The library sends these as IS_NULL and IS_NAN.
    ("==", "null", "null"),
    ("==", "nan", "nan"),
    # Ranges stay within the operand's type.
    ("<", "true", "false"),
    ("<=", "true", "false true"),
    (">", "false", "true"),
    (">=", "false", "false true"),
    ("<", "1", "-inf -2.5 0 0-"),
    ("<=", "1.0", "-inf -2.5 0 0- 1 1.0"),
    (">", "1.0", "2^53 2^53.0 2^53+1 2^63-1 2^63 inf"),
    (">=", "1", "1 1.0 2^53 2^53.0 2^53+1 2^63-1 2^63 inf"),
    ("<", "0", "-inf -2.5"),
    (">", "0-", "1 1.0 2^53 2^53.0 2^53+1 2^63-1 2^63 inf"),
    (">", "2^53", "2^53+1 2^63-1 2^63 inf"),
    ("<", "2^53+1", "-inf -2.5 0 0- 1 1.0 2^53 2^53.0"),
    (">", "2^63-1", "2^63 inf"),
    ("<", "2^63", "-inf -2.5 0 0- 1 1.0 2^53 2^53.0 2^53+1 2^63-1"),
    (">", "-inf", "-2.5 0 0- 1 1.0 2^53 2^53.0 2^53+1 2^63-1 2^63 inf"),
    (">=", "-inf", NUMBERS),
    ("<=", "inf", NUMBERS),
    ("<", "-inf", ""),
    (">", "inf", ""),
    ("<", "t1", "t0"),
    (">=", "t0", "t0 t1"),
    (">", "t1", ""),
    ("<", "s-ab", "s s-a"),
    (">=", "s", STRINGS),
    (">", "s-ab", "s-uffee s-emoji"),
    ("<", "s", ""),
    ("<", "b-ff", "b b-a"),
    (">=", "b", BYTES),
    ("<", "r-a-c/d", "r-a/b r-a/b/c/d"),
    (">", "r-a/b", "r-a/b/c/d r-a-c/d"),
    (">=", "r-a/b", REFERENCES),
    ("<", "g3", "g1 g2"),
    (">=", "g1", POINTS),
    ("<", "[1,x]", "[] [null] [1]"),
    ("<=", "[1,x]", "[] [null] [1] [1,x]"),
    (">", "[1]", "[1,x] [2]"),
    (">=", "[]", ARRAYS),
    ("<", "v2-b", "v1 v2-a"),
    (">=", "v1", VECTORS),
    ("<", "{b0}", "{} {a1,b0} {a2}"),
    (">=", "{}", MAPS),
    (">", "{a1,b0}", "{a2} {b0}"),
    # Unequal to: everything else that is there and not null, NaN among it.
    ("!=", "true", f"false nan {NUMBERS} {AFTER_NUMBERS}"),
    ("!=", "1", f"false true nan -inf -2.5 0 0- 2^53 2^53.0 2^53+1 2^63-1 2^63 inf {AFTER_NUMBERS}"),
    ("!=", "{b0}", f"false true nan {NUMBERS} {AFTER_NUMBERS}".removesuffix(" {b0}")),
    # IS_NOT_NULL and IS_NOT_NAN.
    ("!=", "null", NOT_NULL),
    ("!=", "nan", f"false true {NUMBERS} {AFTER_NUMBERS}"),
    # Equal to one of several: no order of its own, so by name.
    ("in", ["1"], "1 1.0"),
    ("in", ["s-a", "true", "0-", "[1]"], "0 0- [1] s-a true"),
    ("in", ["s-a", "s-a", "1", "1.0"], "1 1.0 s-a"),
    ("in", ["{a2}", "v1", "g1", "r-a/b", "b-a", "t0"], "b-a g1 r-a/b t0 v1 {a2}"),
    ("in", ["null"], ""),
    ("in", ["null", "nan", "true"], "true"),
    # Equal to none of several, and not null.
    ("not-in", ["true", "1"], f"false nan -inf -2.5 0 0- 2^53 2^53.0 2^53+1 2^63-1 2^63 inf {AFTER_NUMBERS}"),
    hosted(NAN_OUT, "not-in", ["nan"], f"false true {NUMBERS} {AFTER_NUMBERS}"),
    hosted(NAN_OUT, "not-in", ["nan", "inf"], f"false true {NUMBERS} {AFTER_NUMBERS}".replace(" inf ", " ")),
    ("not-in", ["null"], ""),
    ("not-in", ["true", "null"], ""),
    # Arrays; a vector is none.
    ("array_contains", "1", "[1,x] [1]"),
    ("array_contains", "1.0", "[1,x] [1]"),
    ("array_contains", "s-a", ""),
    ("array_contains_any", ["1", "null", "s-a"], "[1,x] [1]"),
    ("array_contains_any", ["null"], ""),
]


class Holding:
    """A collection with a document for each value, one without, and padding."""

    def __init__(self, address):
        self.wire = Wire(address)
        self.database = Database(self.wire)
        self.client = client_for(address, self.database.project)
        self.values = values(self.client)
        contents = {f"values/{escaped(name)}": {"v": content} for name, content in self.values.items()}
        fill(self.client, {**contents, "values/missing": {"w": 1}, **padding("values")})

    def close(self):
        close_client(self.client)
        self.wire.close()


def escaped(name):
    """Ids of references hold what no document id may."""
    return name.replace("/", "|")


def split(listed):
    return escaped(listed).split()


@pytest.fixture(scope="module")
def holding(address):
    holding = Holding(address)
    yield holding
    holding.close()


@pytest.mark.parametrize("operator, operand, expected", FILTERS)
def test_filter(holding, operator, operand, expected):
    wanted = [holding.values[each] for each in operand] if isinstance(operand, list) else holding.values[operand]
    query = holding.client.collection("values").where(filter=where("v", operator, wanted))
    assert answer(query) == split(expected)


def test_the_total_order(holding):
    by_value = holding.client.collection("values").order_by("v")
    assert answer(by_value) == split(EVERYTHING)


def test_the_total_order_backwards(holding):
    # The names go the way of the last clause.
    by_value = holding.client.collection("values").order_by("v", direction="DESCENDING")
    assert answer(by_value) == split(EVERYTHING)[::-1]


@pytest.mark.parametrize("name", EVERYTHING.split())
def test_a_cursor_of_any_type_is_a_place_in_the_total_order(holding, name):
    everything = split(EVERYTHING)
    by_value = holding.client.collection("values").order_by("v")
    at = {"v": holding.values[name]}
    before = ids(by_value.end_before(at).stream())
    after = ids(by_value.start_after(at).stream())
    assert before + ids(by_value.start_at(at).end_at(at).stream()) + after == everything
    assert escaped(name) not in before + after
    assert ids(by_value.start_at(at).stream()) == everything[len(before) :]
    assert ids(by_value.end_at(at).stream()) == everything[: len(everything) - len(after)]


RAW_FILTERS = [
    (compare("v", "EQUAL", None), ""),
    (compare("v", "EQUAL", NAN), ""),
    (compare("v", "NOT_EQUAL", None), ""),
    (compare("v", "LESS_THAN", None), ""),
    (compare("v", "LESS_THAN_OR_EQUAL", None), ""),
    (compare("v", "GREATER_THAN", None), ""),
    (compare("v", "GREATER_THAN_OR_EQUAL", NAN), ""),
    (compare("v", "GREATER_THAN", NAN), ""),
    (compare("v", "LESS_THAN", NAN), ""),
    (compare("v", "ARRAY_CONTAINS", None), ""),
    (compare("v", "ARRAY_CONTAINS", NAN), ""),
    (unary("v", "IS_NULL"), "null"),
    (unary("v", "IS_NAN"), "nan"),
    (unary("v", "IS_NOT_NULL"), NOT_NULL),
    (unary("v", "IS_NOT_NAN"), f"false true {NUMBERS} {AFTER_NUMBERS}"),
    # Digits below the microsecond do not count.
    hosted(NANOSECONDS, compare("v", "EQUAL", Timestamp(seconds=946_684_800, nanos=1_999)), "t1"),
    hosted(NANOSECONDS, compare("v", "LESS_THAN", Timestamp(seconds=946_684_800, nanos=1_999)), "t0"),
    # Integers in a vector are numbers.
    hosted("4.6: integers are numbers", compare("v", "EQUAL", {"__type__": "__vector__", "value": [5]}), "v1"),
]


@pytest.mark.parametrize("filter, expected", RAW_FILTERS)
def test_filters_that_the_library_does_not_send(holding, filter, expected):
    outcome = holding.database.query(collection("values", filter))
    assert [path.removeprefix("values/") for path in names(outcome)] == split(expected)


def test_descending_ranges(holding):
    query = holding.client.collection("values").where(filter=where("v", ">=", 0))
    backwards = query.order_by("v", direction="DESCENDING")
    assert answer(backwards) == split("inf 2^63 2^63-1 2^53+1 2^53.0 2^53 1.0 1 0- 0")
    raw = collection("values", compare("v", "NOT_EQUAL", 1), order_by=[order("v", 2)])
    found = [path.removeprefix("values/") for path in names(holding.database.query(raw))]
    assert found == [name for name in split(NOT_NULL)[::-1] if name not in ("1", "1.0")]
