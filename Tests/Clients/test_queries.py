"""Queries by the official client, each with the ids that it must return: every clause of the reference's section 7."""

import pytest

from support.clients import client_for, close_client
from support.queries import DESCENDING, TIMES, all_of, any_of, answer, collection, compare, cursor, either, every
from support.queries import fill, ids, names, order, padding, unary, where
from support.wire import Database, Wire

DOWN = "DESCENDING"
BELOW_DOCUMENTS = "7.2: a collection group may be asked for below a document"

CITIES = {
    "SF": dict(state="CA", country="USA", pop=860_000, capital=False, tags=["coast", "hills"], at={"x": 1, "y": 9}),
    "LA": dict(state="CA", country="USA", pop=3_900_000, capital=False, tags=["coast", "film"], at={"x": 1, "y": 2}),
    "DC": dict(state=None, country="USA", pop=680_000, capital=True, tags=["east"], at={"x": 2}),
    "TOK": dict(state=None, country="Japan", pop=9_000_000.0, capital=True, tags=["coast", "rail"], rank=1),
    "BJ": dict(state=None, country="China", pop=21_500_000, capital=True, tags=["rail", "wall", "hills"], rank=2),
    "KYO": dict(country="Japan", pop=860_000.0, capital=False, tags=[], rank=1.0),
    "ROM": dict(country="Italy", pop=2_800_000, capital=True, tags=["hills", 7], rank=float("nan")),
    "PAR": dict(country="France", pop="many", capital=True, rank="high", at={"x": 1, "y": 2}),
}

# What a query of the cities returns.
TABLE = {
    "one equality": (lambda c: c.where(filter=where("country", "==", "USA")), "DC LA SF"),
    "equality on a nested field": (lambda c: c.where(filter=where("at.x", "==", 1)), "LA PAR SF"),
    "equality on a whole map": (lambda c: c.where(filter=where("at", "==", {"y": 2, "x": 1.0})), "LA PAR"),
    "equality of integers and doubles": (lambda c: c.where(filter=where("pop", "==", 860_000)), "KYO SF"),
    "equality with nothing": (lambda c: c.where(filter=where("country", "==", "Peru")), ""),
    "a field that nobody has": (lambda c: c.where(filter=where("none.at.all", "==", 1)), ""),
    "null is a value": (lambda c: c.where(filter=where("state", "==", None)), "BJ DC TOK"),
    "not null leaves out the missing": (lambda c: c.where(filter=where("state", "!=", None)), "LA SF"),
    "NaN": (lambda c: c.where(filter=where("rank", "==", float("nan"))), "ROM"),
    "not NaN": (lambda c: c.where(filter=where("rank", "!=", float("nan"))), "KYO TOK BJ PAR"),
    "unequal": (lambda c: c.where(filter=where("rank", "!=", 1)), "ROM BJ PAR"),
    "in": (lambda c: c.where(filter=where("country", "in", ["Japan", "Italy", "Peru"])), "KYO ROM TOK"),
    "in with one member": (lambda c: c.where(filter=where("country", "in", ["Japan"])), "KYO TOK"),
    "in with 30 members": (
        lambda c: c.where(filter=where("country", "in", ["Japan", *map(str, range(29))])),
        "KYO TOK",
    ),
    "not in": (lambda c: c.where(filter=where("country", "not-in", ["USA", "Japan"])), "BJ PAR ROM"),
    "array contains": (lambda c: c.where(filter=where("tags", "array_contains", "hills")), "BJ ROM SF"),
    "array contains a number": (lambda c: c.where(filter=where("tags", "array_contains", 7.0)), "ROM"),
    "array contains any": (
        lambda c: c.where(filter=where("tags", "array_contains_any", ["rail", "hills", "wall"])),
        "BJ ROM SF TOK",
    ),
    # and
    "two equalities": (
        lambda c: c.where(filter=where("country", "==", "USA")).where(filter=where("capital", "==", True)),
        "DC",
    ),
    "three equalities": (
        lambda c: c.where(
            filter=every(where("state", "==", "CA"), where("capital", "==", False), where("at.y", "==", 2))
        ),
        "LA",
    ),
    "equalities that contradict": (
        lambda c: c.where(filter=every(where("country", "==", "USA"), where("country", "==", "Japan"))),
        "",
    ),
    "equality and array contains": (
        lambda c: c.where(filter=every(where("capital", "==", True), where("tags", "array_contains", "rail"))),
        "BJ TOK",
    ),
    "equality and range": (
        lambda c: c.where(filter=every(where("capital", "==", True), where("pop", ">", 1_000_000))),
        "ROM TOK BJ",
    ),
    "a range from both sides": (
        lambda c: c.where(filter=every(where("pop", ">=", 860_000), where("pop", "<", 3_900_000))),
        "KYO SF ROM",
    ),
    "an empty range": (
        lambda c: c.where(filter=every(where("pop", ">", 5), where("pop", "<", 5))),
        "",
    ),
    "a range of one value": (
        lambda c: c.where(filter=every(where("pop", ">=", 860_000), where("pop", "<=", 860_000.0))),
        "KYO SF",
    ),
    "a range over two types": (
        lambda c: c.where(filter=every(where("pop", ">", 0), where("pop", "<", "z"))),
        "",
    ),
    "a range that three filters narrow": (
        lambda c: c.where(filter=every(where("pop", ">", 1), where("pop", ">=", 2_800_000), where("pop", "<=", 9e6))),
        "ROM LA TOK",
    ),
    "a range and an inequality on one field": (
        lambda c: c.where(filter=every(where("pop", ">=", 860_000), where("pop", "!=", 2_800_000))),
        "KYO SF LA TOK BJ",
    ),
    "in and range": (
        lambda c: c.where(filter=every(where("country", "in", ["USA", "Japan"]), where("pop", ">", 700_000))),
        "KYO SF LA TOK",
    ),
    "in and array contains any": (
        lambda c: c.where(
            filter=every(
                where("country", "in", ["USA", "Japan", "China"]),
                where("tags", "array_contains_any", ["hills", "rail"]),
            )
        ),
        "BJ SF TOK",
    ),
    "two ins": (
        lambda c: c.where(filter=every(where("country", "in", ["USA", "Japan"]), where("at.x", "in", [1, 2, 3]))),
        "DC LA SF",
    ),
    "in and equality on one field": (
        lambda c: c.where(filter=every(where("country", "in", ["USA", "Japan"]), where("country", "==", "USA"))),
        "DC LA SF",
    ),
    # or
    "either of two fields": (
        lambda c: c.where(filter=either(where("country", "==", "Japan"), where("capital", "==", True))),
        "BJ DC KYO PAR ROM TOK",
    ),
    "a document in every branch comes once": (
        lambda c: c.where(
            filter=either(where("capital", "==", True), where("state", "==", None), where("rank", "==", 1))
        ),
        "BJ DC KYO PAR ROM TOK",
    ),
    "either of two ranges of one field": (
        lambda c: c.where(filter=either(where("pop", "<", 700_000), where("pop", ">", 5_000_000))),
        "DC TOK BJ",
    ),
    "ranges that overlap": (
        lambda c: c.where(filter=either(where("pop", "<", 3_000_000), where("pop", ">=", 860_000))),
        "DC KYO SF ROM LA TOK BJ",
    ),
    "or within and": (
        lambda c: c.where(
            filter=every(
                where("capital", "==", True),
                either(where("country", "==", "USA"), where("tags", "array_contains", "wall")),
            )
        ),
        "BJ DC",
    ),
    "and within or": (
        lambda c: c.where(
            filter=either(
                every(where("country", "==", "USA"), where("pop", ">", 1_000_000)),
                every(where("country", "==", "Japan"), where("pop", "<", 1_000_000)),
            )
        ),
        "KYO LA",
    ),
    "or within and within or": (
        lambda c: c.where(
            filter=either(
                where("country", "==", "Italy"),
                every(
                    where("capital", "==", False),
                    either(where("state", "==", "CA"), every(where("rank", "==", 1), where("pop", ">", 0))),
                ),
            )
        ),
        # `pop` is in the order, so all have it.
        "KYO SF ROM LA",
    ),
    "the order's field must exist in every branch": (
        lambda c: c.where(filter=either(where("rank", ">", 1), where("country", "==", "USA"))),
        "BJ",
    ),
    "in within or": (
        lambda c: c.where(filter=either(where("country", "in", ["Italy", "France"]), where("pop", "==", 860_000))),
        "KYO PAR ROM SF",
    ),
    # several inequality fields: ordered by their names in turn
    "two inequality fields": (
        lambda c: c.where(filter=every(where("pop", ">", 700_000), where("country", ">", "China"))),
        "ROM KYO TOK SF LA",
    ),
    "three inequality fields": (
        lambda c: c.where(filter=every(where("at.y", ">", 0), where("at.x", "<", 3), where("country", "!=", "Japan"))),
        "PAR LA SF",
    ),
    "two inequality fields, explicit order of one": (
        lambda c: c.where(filter=every(where("pop", ">", 700_000), where("country", ">", "China"))).order_by("pop"),
        "KYO SF ROM LA TOK",
    ),
    "two inequality fields, descending": (
        lambda c: c.where(filter=every(where("pop", ">", 700_000), where("country", ">", "China"))).order_by(
            "country", direction=DOWN
        ),
        "LA SF TOK KYO ROM",
    ),
    # orders
    "ordered by a field that some lack": (lambda c: c.order_by("rank"), "ROM KYO TOK BJ PAR"),
    "ordered descending": (lambda c: c.order_by("rank", direction=DOWN), "PAR BJ TOK KYO ROM"),
    "ordered by null and strings": (lambda c: c.order_by("state"), "BJ DC TOK LA SF"),
    "ordered by two fields": (
        lambda c: c.order_by("country").order_by("pop", direction=DOWN),
        "BJ PAR ROM TOK KYO LA SF DC",
    ),
    "ordered by two fields, both descending": (
        lambda c: c.order_by("capital", direction=DOWN).order_by("country", direction=DOWN),
        "DC TOK ROM PAR BJ SF LA KYO",
    ),
    "ordered by a nested field": (lambda c: c.order_by("at.y"), "LA PAR SF"),
    "ordered by maps": (lambda c: c.order_by("at"), "LA PAR SF DC"),
    "ordered by arrays": (lambda c: c.order_by("tags", direction=DOWN), "BJ ROM DC TOK SF LA KYO"),
    "equality and order": (
        lambda c: c.where(filter=where("capital", "==", True)).order_by("pop", direction=DOWN),
        "PAR BJ TOK ROM DC",
    ),
    "equality and an order by the same field": (
        lambda c: c.where(filter=where("country", "==", "USA")).order_by("country"),
        "DC LA SF",
    ),
    "equality, range and order, limited": (
        lambda c: c.where(filter=where("country", "==", "USA"))
        .where(filter=where("pop", ">", 1))
        .order_by("pop")
        .limit(2),
        "DC SF",
    ),
    "array contains and order": (
        lambda c: c.where(filter=where("tags", "array_contains", "coast")).order_by("pop", direction=DOWN),
        "TOK LA SF",
    ),
    "array contains any and order": (
        lambda c: c.where(filter=where("tags", "array_contains_any", ["coast", "hills"])).order_by("pop"),
        "SF ROM LA TOK BJ",
    ),
    "in and order": (
        lambda c: c.where(filter=where("country", "in", ["USA", "Japan"])).order_by("pop", direction=DOWN).limit(3),
        "TOK LA SF",
    ),
    "or and order": (
        lambda c: c.where(filter=either(where("country", "==", "USA"), where("rank", "==", 1))).order_by("pop"),
        "DC KYO SF LA TOK",
    ),
    "an order and its names": (
        lambda c: c.order_by("capital").order_by("__name__", direction=DOWN),
        "SF LA KYO TOK ROM PAR DC BJ",
    ),
    # limits and offsets
    "limit": (lambda c: c.order_by("pop").limit(3), "DC KYO SF"),
    "limit none": (lambda c: c.order_by("pop").limit(0), ""),
    "limit more": (lambda c: c.order_by("rank").limit(100), "ROM KYO TOK BJ PAR"),
    "offset": (lambda c: c.order_by("pop").offset(5), "TOK BJ PAR"),
    "offset and limit": (lambda c: c.order_by("pop").offset(2).limit(2), "SF ROM"),
    "offset past the end": (lambda c: c.order_by("pop").offset(10), ""),
    # cursors
    "start at": (lambda c: c.order_by("pop").start_at({"pop": 2_800_000}), "ROM LA TOK BJ PAR"),
    "start after": (lambda c: c.order_by("pop").start_after({"pop": 2_800_000}), "LA TOK BJ PAR"),
    "end at": (lambda c: c.order_by("pop").end_at({"pop": 2_800_000.0}), "DC KYO SF ROM"),
    "end before": (lambda c: c.order_by("pop").end_before({"pop": 2_800_000}), "DC KYO SF"),
    "start at several": (lambda c: c.order_by("pop").start_at({"pop": 860_000}), "KYO SF ROM LA TOK BJ PAR"),
    "start after several": (lambda c: c.order_by("pop").start_after({"pop": 860_000}), "ROM LA TOK BJ PAR"),
    "between places where nothing is": (lambda c: c.order_by("pop").start_at({"pop": 1}).end_at({"pop": 7e5}), "DC"),
    "an end before the start": (lambda c: c.order_by("pop").start_at({"pop": 9e6}).end_at({"pop": 1}), ""),
    "start at, descending": (
        lambda c: c.order_by("pop", direction=DOWN).start_at({"pop": 3_900_000}),
        "LA ROM SF KYO DC",
    ),
    "end before, descending": (
        lambda c: c.order_by("pop", direction=DOWN).end_before({"pop": 3_900_000}),
        "PAR BJ TOK",
    ),
    "a cursor of another type": (lambda c: c.order_by("pop").start_at({"pop": "a"}), "PAR"),
    "a cursor on two fields": (
        lambda c: c.order_by("country").order_by("pop").start_after({"country": "Japan", "pop": 860_000}),
        "TOK DC SF LA",
    ),
    "a cursor on the first of two fields": (
        lambda c: c.order_by("country").order_by("pop").start_after({"country": "Japan"}),
        "DC SF LA",
    ),
    "an end on the first of two fields": (
        lambda c: c.order_by("country").order_by("pop").end_at({"country": "Japan"}),
        "BJ PAR ROM KYO TOK",
    ),
    "a cursor in mixed directions": (
        lambda c: c.order_by("country").order_by("pop", direction=DOWN).start_at({"country": "Japan", "pop": 1e6}),
        "KYO LA SF DC",
    ),
    "two cursors in mixed directions": (
        lambda c: c.order_by("country", direction=DOWN)
        .order_by("pop")
        .start_after({"country": "USA", "pop": 680_000})
        .end_before({"country": "Japan", "pop": 9_000_000}),
        "SF LA KYO",
    ),
    "a cursor on a field and the name": (
        lambda c: c.order_by("pop").order_by("__name__").start_after({"pop": 860_000, "__name__": c.document("KYO")}),
        "SF ROM LA TOK BJ PAR",
    ),
    "a cursor on a field and the name, descending": (
        lambda c: c.order_by("pop", direction=DOWN)
        .order_by("__name__", direction=DOWN)
        .start_at({"pop": 860_000, "__name__": c.document("LOS")}),
        "KYO DC",
    ),
    "a cursor, a filter, an offset and a limit": (
        lambda c: c.where(filter=where("pop", ">", 0)).order_by("pop").start_after({"pop": 680_000}).offset(1).limit(2),
        "SF ROM",
    ),
    "a cursor outside of the range": (
        lambda c: c.where(filter=where("pop", ">", 3_000_000)).order_by("pop").start_at({"pop": 5}),
        "LA TOK BJ",
    ),
    "a cursor with a disjunction": (
        lambda c: c.where(filter=where("country", "in", ["USA", "Japan"]))
        .order_by("pop", direction=DOWN)
        .start_after({"pop": 3_900_000})
        .end_at({"pop": 860_000}),
        "SF KYO",
    ),
    # names
    "a range of names": (
        lambda c: c.where(
            filter=every(where("__name__", ">", c.document("KYO")), where("__name__", "<", c.document("ROM")))
        ),
        "LA PAR",
    ),
    "one name": (lambda c: c.where(filter=where("__name__", "==", c.document("ROM"))), "ROM"),
    "one name that is not there": (lambda c: c.where(filter=where("__name__", "==", c.document("none"))), ""),
    "names in": (
        lambda c: c.where(filter=where("__name__", "in", [c.document(each) for each in ("TOK", "BJ", "none")])),
        "BJ TOK",
    ),
    "names not in": (
        lambda c: c.where(filter=where("__name__", "not-in", [c.document("TOK"), c.document("BJ")])).limit(3),
        "DC KYO LA",
    ),
    "names that contradict but for one": (
        lambda c: c.where(
            filter=every(
                where("__name__", ">", c.document("DC")),
                where("__name__", "in", [c.document("ROM"), c.document("BJ")]),
            )
        ),
        "ROM",
    ),
    "one name beside what contradicts itself": (
        lambda c: c.where(
            filter=either(
                where("__name__", "==", c.document("ROM")),
                every(where("pop", "==", 1), where("pop", "==", 2)),
            )
        ),
        "ROM",
    ),
    "a name and a field": (
        lambda c: c.where(filter=every(where("__name__", ">", c.document("LA")), where("country", "==", "USA"))),
        "SF",
    ),
    "a range of names and a range of a field": (
        lambda c: c.where(filter=every(where("__name__", ">", c.document("LA")), where("pop", "<", 3_000_000))),
        "SF ROM",
    ),
    "a name among several": (
        lambda c: c.where(filter=either(where("__name__", "==", c.document("BJ")), where("country", "==", "Japan"))),
        "BJ KYO TOK",
    ),
    "limit to last": (lambda c: c.order_by("pop").limit_to_last(2), "BJ PAR"),
    "limit to last, descending": (lambda c: c.order_by("pop", direction=DOWN).limit_to_last(2), "KYO DC"),
}


class World:
    """The cities, padded, and what lies around them."""

    def __init__(self, address):
        self.wire = Wire(address)
        self.database = Database(self.wire)
        self.client = client_for(address, self.database.project)
        self.cities = self.client.collection("cities")
        fill(self.client, {f"cities/{name}": content for name, content in CITIES.items()})
        fill(self.client, padding("cities"))
        landmarks = {
            "cities/SF/landmarks/bridge": {"kind": "bridge", "stars": 5},
            "cities/LA/landmarks/bridge": {"kind": "bridge", "stars": 3},
            "cities/TOK/landmarks/tower": {"kind": "tower", "stars": 5.0},
            "cities/TOK/landmarks/tower/landmarks/lift": {"kind": "lift", "stars": 1},
            "landmarks/moon": {"kind": "rock", "stars": 4},
            "nowhere/near/landmarks/bridge": {"kind": "bridge", "stars": 2},
            "cities/SF/parks/gate": {"kind": "bridge", "stars": 9},
            "landmark/x": {"kind": "bridge", "stars": 5},
        }
        fill(self.client, landmarks)
        fill(self.client, padding("cities/SF/landmarks"))

    def close(self):
        close_client(self.client)
        self.wire.close()


@pytest.fixture(scope="module")
def world(address):
    world = World(address)
    yield world
    world.close()


@pytest.mark.parametrize("case", TABLE)
def test_query(world, case):
    build, expected = TABLE[case]
    for _ in range(TIMES):
        assert ids(build(world.cities).get()) == expected.split()


def test_the_same_queries_once_more_and_among_writes(world):
    """By now there are indexes for them: documents come, change and go."""
    extra = world.cities.document("AAA")
    for case, (build, expected) in TABLE.items():
        extra.set(CITIES["DC"] | {"country": "Japan", "rank": 2, "tags": ["hills", "film"]})
        extra.update({"pop": 1, "country": "Italy"})
        extra.delete()
        assert ids(build(world.cities).get()) == expected.split(), case


# Sources


def paths(snapshots):
    return [snapshot.reference.path for snapshot in snapshots]


def test_a_group_at_the_root(world):
    group = world.client.collection_group("landmarks")
    bridges = group.where(filter=where("kind", "==", "bridge"))
    expected = ["cities/LA/landmarks/bridge", "cities/SF/landmarks/bridge", "nowhere/near/landmarks/bridge"]
    for _ in range(TIMES):
        assert paths(bridges.stream()) == expected
    starred = group.where(filter=where("stars", ">=", 3)).order_by("stars", direction=DOWN)
    expected = [
        "cities/TOK/landmarks/tower",
        "cities/SF/landmarks/bridge",
        "landmarks/moon",
        "cities/LA/landmarks/bridge",
    ]
    for _ in range(TIMES):
        assert paths(starred.stream()) == expected
        assert paths(starred.limit(2).stream()) == expected[:2]


def test_a_group_with_cursors_on_names(world):
    group = world.client.collection_group("landmarks").order_by("stars").order_by("__name__")
    at = {"stars": 5, "__name__": world.client.document("cities/SF/landmarks/bridge")}
    for _ in range(TIMES):
        assert paths(group.start_at(at).stream()) == ["cities/SF/landmarks/bridge", "cities/TOK/landmarks/tower"]
        assert paths(group.start_after(at).stream()) == ["cities/TOK/landmarks/tower"]


def test_a_group_with_a_range_of_names(world):
    group = world.client.collection_group("landmarks").where(filter=where("kind", "in", ["bridge", "lift", "tower"]))
    after = world.client.document("cities/SF/zzz/zzz")
    expected = [
        "cities/TOK/landmarks/tower",
        "cities/TOK/landmarks/tower/landmarks/lift",
        "nowhere/near/landmarks/bridge",
    ]
    for _ in range(TIMES):
        assert paths(group.where(filter=where("__name__", ">", after)).stream()) == expected


@pytest.mark.hosted(BELOW_DOCUMENTS)
@pytest.mark.parametrize(
    "parent, expected",
    [
        ("", "LA/bridge SF/bridge near/bridge"),
        ("cities/LA", "LA/bridge"),
        ("cities/SF", "SF/bridge"),
        ("nowhere/near", "near/bridge"),
        ("cities/none", ""),
    ],
)
def test_a_group_below_a_document(world, parent, expected):
    query = collection("landmarks", compare("kind", "EQUAL", "bridge"), group=True)
    outcome = world.database.query(query, parent=parent)
    found = [path.replace("/landmarks", "").partition("/")[2] for path in names(outcome)]
    assert found == expected.split()


@pytest.mark.hosted(BELOW_DOCUMENTS)
def test_a_group_below_a_document_holds_what_lies_deeper(world):
    query = collection("landmarks", compare("stars", "GREATER_THAN", 0), group=True)
    expected = ["cities/TOK/landmarks/tower/landmarks/lift", "cities/TOK/landmarks/tower"]
    for _ in range(TIMES):
        assert names(world.database.query(query, parent="cities/TOK")) == expected


def test_collections_of_one_id_are_apart(world):
    for parent, expected in [
        ("cities/SF", ["bridge"]),
        ("cities/LA", ["bridge"]),
        ("cities/TOK", ["tower"]),
        ("cities/BJ", []),
    ]:
        below = world.client.document(parent).collection("landmarks")
        assert answer(below.where(filter=where("stars", ">", 0))) == expected


def test_everything_below_a_document(world):
    below = collection("", group=True)
    assert names(world.database.query(below, parent="cities/TOK")) == [
        "cities/TOK/landmarks/tower",
        "cities/TOK/landmarks/tower/landmarks/lift",
    ]


def test_children_of_all_collections(world):
    children = collection("")
    found = names(world.database.query(children, parent="cities/TOK/landmarks/tower"))
    assert found == ["cities/TOK/landmarks/tower/landmarks/lift"]


# Projections


def test_projection(world):
    chosen = world.cities.where(filter=where("country", "==", "USA")).order_by("pop").select(["at.x", "state", "none"])
    found = {snapshot.id: snapshot.to_dict() for snapshot in chosen.stream()}
    assert found == {
        "DC": {"at": {"x": 2}, "state": None},
        "SF": {"at": {"x": 1}, "state": "CA"},
        "LA": {"at": {"x": 1}, "state": "CA"},
    }
    whole = {snapshot.id: snapshot for snapshot in world.cities.where(filter=where("country", "==", "USA")).stream()}
    for snapshot in chosen.stream():
        assert snapshot.update_time == whole[snapshot.id].update_time
        assert snapshot.create_time == whole[snapshot.id].create_time


@pytest.mark.parametrize("paths", [[], ["__name__"]])
def test_projection_to_names(world, paths):
    query = world.cities.where(filter=where("country", "==", "USA")).select(paths)
    for snapshot in query.stream():
        assert snapshot.to_dict() == {}
        assert snapshot.update_time is not None
    assert answer(query) == ["DC", "LA", "SF"]


@pytest.mark.parametrize("select, expected", [({}, {}), ({"fields": [{"field_path": "__name__"}]}, {})])
def test_raw_projection_to_names(world, select, expected):
    query = collection("cities", compare("rank", "EQUAL", "high"), select=select)
    (message,) = [each for each in world.database.query(query).stream if each.HasField("document")]
    assert dict(message.document.fields) == expected
    assert message.document.HasField("create_time")


def test_projection_with_the_name_among_fields(world):
    query = world.cities.where(filter=where("rank", "==", "high")).select(["__name__", "pop"])
    assert [snapshot.to_dict() for snapshot in query.stream()] == [{"pop": "many"}]


# What the library does not send


RAW = {
    "no filters in an AND": (dict(filter=all_of(), order_by=[order("rank")]), "ROM KYO TOK BJ PAR"),
    "an AND of one": (dict(filter=all_of(compare("state", "EQUAL", "CA"))), "LA SF"),
    "an OR of one": (dict(filter=any_of(compare("state", "EQUAL", "CA"))), "LA SF"),
    "deep nesting": (dict(filter=all_of(any_of(all_of(any_of(compare("state", "EQUAL", "CA")))))), "LA SF"),
    "an order without direction": (dict(order_by=[order("rank", 0)]), "ROM KYO TOK BJ PAR"),
    "a start without values": (dict(order_by=[order("rank")], start_at=cursor()), "ROM KYO TOK BJ PAR"),
    "null in equal": (dict(filter=compare("state", "EQUAL", None)), ""),
    "impossible in one branch": (
        dict(filter=any_of(compare("state", "EQUAL", None), compare("state", "EQUAL", "CA"))),
        "LA SF",
    ),
    "is null or is NaN": (dict(filter=any_of(unary("state", "IS_NULL"), unary("rank", "IS_NAN"))), "BJ DC ROM TOK"),
    "is not null, ordered": (dict(filter=unary("rank", "IS_NOT_NULL")), "ROM KYO TOK BJ PAR"),
    "a range on arrays": (dict(filter=compare("tags", "GREATER_THAN_OR_EQUAL", ["east"])), "DC ROM BJ"),
    "limit to last with cursors, as other libraries send it": (
        dict(
            order_by=[order("pop", DESCENDING)],
            start_at=cursor(9_000_000, before=False),
            end_at=cursor(860_000, before=False),
            limit={"value": 3},
        ),
        "LA ROM SF",
    ),
    "30 disjunctions by a product": (
        dict(
            filter=all_of(
                compare("country", "IN", ["USA", "Japan", "a", "b", "c"]),
                compare("rank", "IN", [1, 2, 3, 4, 5, 6]),
            )
        ),
        "KYO TOK",
    ),
}


@pytest.mark.parametrize("case", RAW)
def test_raw_query(world, case):
    clauses, expected = RAW[case]
    query = collection("cities", **clauses)
    for _ in range(TIMES):
        found = [path.removeprefix("cities/") for path in names(world.database.query(query))]
        assert found == expected.split()


@pytest.mark.hosted("11.3: names descending")
def test_names_descending(world):
    query = world.cities.where(filter=where("capital", "==", True)).order_by("__name__", direction=DOWN)
    assert answer(query) == ["TOK", "ROM", "PAR", "DC", "BJ"]
    group = world.client.collection_group("landmarks").where(filter=where("kind", "==", "bridge"))
    expected = ["nowhere/near/landmarks/bridge", "cities/SF/landmarks/bridge", "cities/LA/landmarks/bridge"]
    for _ in range(TIMES):
        assert paths(group.order_by("__name__", direction=DOWN).stream()) == expected


def test_pages_by_snapshots(world):
    """As the library's users do it: each page starts after the last document of the one before."""
    query = world.cities.where(filter=where("pop", ">", 0)).order_by("pop", direction=DOWN)
    for size in (1, 2, 3):
        seen, page = [], list(query.limit(size).stream())
        while page:
            seen += ids(page)
            page = list(query.start_after(page[-1]).limit(size).stream())
        assert seen == ["BJ", "TOK", "LA", "ROM", "SF", "KYO", "DC"]


def test_a_snapshot_as_an_end(world):
    query = world.cities.order_by("capital").order_by("country")
    rome = world.cities.document("ROM").get()
    assert answer(query.end_at(rome)) == ["KYO", "LA", "SF", "BJ", "PAR", "ROM"]
    assert answer(query.end_before(rome)) == ["KYO", "LA", "SF", "BJ", "PAR"]
    assert answer(query.start_at(rome)) == ["ROM", "TOK", "DC"]
