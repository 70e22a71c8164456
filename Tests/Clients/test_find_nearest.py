"""Vector search (reference 7.10), by the official client and by raw calls."""

import math

import pytest
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector
from grpc import StatusCode

from support import messages
from support.messages import StructuredQuery, message
from support.queries import TIMES, collection, compare, cursor, fill, ids, names, order, padding, vector, where

EUCLIDEAN = DistanceMeasure.EUCLIDEAN
COSINE = DistanceMeasure.COSINE
DOT_PRODUCT = DistanceMeasure.DOT_PRODUCT

POINTS = {
    "east": {"v": Vector([1.0, 0.0]), "kind": "unit", "rank": 1},
    "north": {"v": Vector([0.0, 1.0]), "kind": "unit", "rank": 2},
    "west": {"v": Vector([-1.0, 0.0]), "kind": "unit", "rank": 3},
    "far": {"v": Vector([30.0, 40.0]), "kind": "far", "rank": 4},
    "far east": {"v": Vector([50.0, 0.0]), "kind": "far", "rank": 5},
    # No candidates: another dimension, no vector, nothing at all.
    "space": {"v": Vector([1.0, 0.0, 0.0]), "kind": "unit"},
    "list": {"v": [1.0, 0.0], "kind": "unit"},
    "number": {"v": 1.0, "kind": "unit"},
    "none": {"kind": "unit"},
    "nested": {"m": {"v": Vector([1.0, 0.0])}},
}


@pytest.fixture
def points(client):
    fill(client, {f"points/{name}": content for name, content in POINTS.items()} | padding("points"))
    return client.collection("points")


def nearest(query, at, measure, limit=10, **options):
    """The ids, nearest first, the same each time."""
    asked = query.find_nearest("v", Vector(at), limit=limit, distance_measure=measure, **options)
    found = [ids(asked.stream()) for _ in range(TIMES)]
    assert found == found[:1] * TIMES
    return found[0]


@pytest.mark.parametrize(
    "at, measure, expected",
    [
        ([2.0, 0.0], EUCLIDEAN, ["east", "north", "west", "far east", "far"]),
        ([40.0, 20.0], EUCLIDEAN, ["far", "far east", "east", "north", "west"]),
        ([-9.0, 0.0], COSINE, ["west", "north", "far", "east", "far east"]),
        ([3.0, 4.1], COSINE, ["far", "north", "east", "far east", "west"]),
        ([1.0, 1.0], DOT_PRODUCT, ["far", "far east", "east", "north", "west"]),
        ([-1.0, 0.5], DOT_PRODUCT, ["west", "north", "east", "far", "far east"]),
        ([1.0, 0.0, 0.0], EUCLIDEAN, ["space"]),
        ([1.0, 0.0, 0.0, 0.0], EUCLIDEAN, []),
    ],
)
def test_the_nearest_of_all(points, at, measure, expected):
    assert nearest(points, at, measure) == expected
    assert nearest(points, at, measure, limit=2) == expected[:2]


@pytest.mark.parametrize(
    "measure, threshold, expected",
    [
        (EUCLIDEAN, 1.0, ["east"]),
        (EUCLIDEAN, 3.0, ["east", "north", "west"]),
        (EUCLIDEAN, 0.5, []),
        (COSINE, 0.0, ["east", "far east"]),
        (COSINE, 1.0, ["east", "far east", "far", "north"]),
        (DOT_PRODUCT, 60.0, ["far east", "far"]),
        (DOT_PRODUCT, 61.0, ["far east"]),
        (DOT_PRODUCT, -2.0, ["far east", "far", "east", "north", "west"]),
    ],
)
def test_threshold(points, measure, threshold, expected):
    assert nearest(points, [2.0, 0.0], measure, distance_threshold=threshold) == expected


@pytest.mark.parametrize(
    "measure, distances",
    [
        (
            EUCLIDEAN,
            {"east": 1.0, "north": math.sqrt(5), "west": 3.0, "far east": 48.0, "far": math.sqrt(28**2 + 40**2)},
        ),
        (COSINE, {"east": 0.0, "far east": 0.0, "far": 0.4, "north": 1.0, "west": 2.0}),
        (DOT_PRODUCT, {"far east": 100.0, "far": 60.0, "east": 2.0, "north": 0.0, "west": -2.0}),
    ],
)
def test_result_field(points, measure, distances):
    asked = points.find_nearest(
        "v", Vector([2.0, 0.0]), limit=10, distance_measure=measure, distance_result_field="distance"
    )
    found = {snapshot.id: snapshot.to_dict() for snapshot in asked.stream()}
    assert list(found) == list(distances)
    for name, content in found.items():
        assert content.pop("distance") == pytest.approx(distances[name])
        assert content == POINTS[name]


def test_result_field_replaces_and_projects(points):
    query = points.where(filter=where("rank", "<=", 2)).select(["rank", "distance"])
    asked = query.find_nearest(
        "v", Vector([1.0, 0.0]), limit=10, distance_measure=EUCLIDEAN, distance_result_field="distance"
    )
    assert [snapshot.to_dict() for snapshot in asked.stream()] == [
        {"rank": 1, "distance": 0.0},
        {"rank": 2, "distance": pytest.approx(math.sqrt(2))},
    ]
    over = points.find_nearest(
        "v", Vector([1.0, 0.0]), limit=1, distance_measure=EUCLIDEAN, distance_result_field="kind"
    )
    assert [snapshot.to_dict() for snapshot in over.stream()] == [POINTS["east"] | {"kind": 0.0}]


def test_a_projection_without_the_result_field(points):
    query = points.select(["rank"])
    asked = query.find_nearest(
        "v", Vector([1.0, 0.0]), limit=1, distance_measure=EUCLIDEAN, distance_result_field="distance"
    )
    assert [snapshot.to_dict() for snapshot in asked.stream()] == [{"rank": 1}]


def test_with_filters(points):
    at = [2.0, 0.0]
    far = points.where(filter=where("kind", "==", "far"))
    assert nearest(far, at, EUCLIDEAN) == ["far east", "far"]
    ranked = points.where(filter=where("kind", "==", "unit")).where(filter=where("rank", ">", 1))
    assert nearest(ranked, at, EUCLIDEAN) == ["north", "west"]
    either = points.where(filter=where("kind", "in", ["far", "other"]))
    assert nearest(either, at, DOT_PRODUCT, limit=1) == ["far east"]
    assert nearest(points.where(filter=where("kind", "==", "none")), at, EUCLIDEAN) == []


@pytest.mark.hosted("7.10: any field may hold the vector")
def test_a_nested_field_and_a_group(client, points):
    fill(client, {"x/1/points/deep": {"m": {"v": Vector([5.0, 5.0])}}})
    group = client.collection_group("points")
    asked = group.find_nearest("m.v", Vector([4.0, 4.0]), limit=5, distance_measure=EUCLIDEAN)
    assert ids(asked.stream()) == ["deep", "nested"]


def test_many_dimensions(client):
    size = 2048
    contents = {f"n/{index:03}": {"v": Vector([float(index)] * size)} for index in range(40)}
    fill(client, contents)
    asked = client.collection("n").find_nearest("v", Vector([17.2] * size), limit=3, distance_measure=EUCLIDEAN)
    assert ids(asked.stream()) == ["017", "018", "016"]


def test_after_writes(client, points):
    assert nearest(points, [9.0, 9.5], EUCLIDEAN, limit=1) == ["north"]
    points.document("new").set({"v": Vector([9.0, 9.5]), "kind": "unit"})
    assert nearest(points, [9.0, 9.0], EUCLIDEAN, limit=1) == ["new"]
    points.document("new").update({"v": Vector([100.0, 100.0])})
    assert nearest(points, [100.0, 99.0], EUCLIDEAN, limit=1) == ["new"]
    points.document("new").delete()
    assert "new" not in nearest(points, [100.0, 99.0], EUCLIDEAN)


@pytest.mark.hosted("7.10: a cosine needs a magnitude")
def test_a_vector_of_no_magnitude_has_no_cosine(points, database):
    asked = find(query_vector=messages.value(vector(0.0, 0.0)), distance_measure=2)
    text = "Cannot compute cosine distance against a vector with a magnitude of zero."
    database.query(collection("points", find_nearest=asked)).refused(StatusCode.FAILED_PRECONDITION, text)


def find(**members):
    chosen = {
        "vector_field": {"field_path": "v"},
        "query_vector": messages.value(vector(1.0, 0.0)),
        "distance_measure": 1,
        "limit": {"value": 3},
    }
    chosen.update(members)
    return StructuredQuery.FindNearest(**{name: content for name, content in chosen.items() if content is not None})


LIMIT = "FindNearest.limit must be a positive integer of no more than 1000"
REFUSED = {
    "no limit": (find(limit=None), {}, LIMIT),
    "a limit of 0": (find(limit={"value": 0}), {}, LIMIT),
    "a limit of 1001": (find(limit={"value": 1001}), {}, LIMIT),
    "no measure": (find(distance_measure=0), {}, "Unknown Distance Measure."),
    "no vector": (find(query_vector=None), {}, ""),
    "an array": (find(query_vector=messages.value([1.0])), {}, ""),
    "a number": (find(query_vector=messages.value(1)), {}, ""),
    "no dimension": (find(query_vector=messages.value(vector())), {}, "Cannot have a zero length vector."),
    "too many dimensions": (find(query_vector=messages.value(vector(*[1.0] * 2049))), {}, "2048 dimensions"),
    "no field": (find(vector_field=None), {}, ""),
    "a bad field": (find(vector_field={"field_path": "a..b"}), {}, "Invalid property path"),
    "the name as a result field": (find(distance_result_field="__name__"), {}, ""),
    "a query's limit": (find(), {"limit": {"value": 1}}, "A query limit cannot be used with FindNearest"),
    "an offset": (find(), {"offset": 1}, ""),
    "a cursor": (find(), {"order_by": [order("a")], "start_at": cursor(1)}, ""),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(database, case):
    asked, clauses, text = REFUSED[case]
    query = collection("points", find_nearest=asked, **clauses)
    database.query(query).refused(StatusCode.INVALID_ARGUMENT, text)


def test_in_a_transaction(database, client, points):
    asked = collection("points", compare("kind", "EQUAL", "far"), find_nearest=find())
    transaction = database.begin()
    found = names(database.query(asked, transaction=transaction))
    assert found == ["points/far east", "points/far"]
    written = messages.set_write(database.doc("points/far"), {"kind": "near"})
    assert database.commit(written, transaction=transaction).ok
    assert names(database.query(asked)) == ["points/far east"]
