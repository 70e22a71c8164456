"""Field transforms by the official client: server time, increments, array union and removal, minimum and maximum."""

import datetime
import math

import pytest
from google.cloud import firestore


def test_increments_add_up(client):
    city = client.document("cities/DC")
    city.set({"population": 10, "area": 1.5})
    city.update({"population": firestore.Increment(50), "area": firestore.Increment(1), "new": firestore.Increment(7)})
    city.update({"population": firestore.Increment(-5.5)})
    assert city.get().to_dict() == {"population": 54.5, "area": 2.5, "new": 7}


def test_integer_increments_saturate(client):
    counter = client.document("counters/one")
    counter.set({"up": 2**63 - 2, "down": -(2**63) + 1})
    counter.update({"up": firestore.Increment(5), "down": firestore.Increment(-5)})
    assert counter.get().to_dict() == {"up": 2**63 - 1, "down": -(2**63)}


def test_an_increment_replaces_what_is_not_a_number(client):
    counter = client.document("counters/one")
    counter.set({"value": "text"})
    counter.update({"value": firestore.Increment(3)})
    assert counter.get().to_dict() == {"value": 3}


def test_array_union_and_removal(client):
    city = client.document("cities/DC")
    city.set({"regions": ["west_coast"]})
    city.update({"regions": firestore.ArrayUnion(["greater_virginia", "west_coast", "greater_virginia"])})
    assert city.get().get("regions") == ["west_coast", "greater_virginia"]
    city.update({"regions": firestore.ArrayRemove(["west_coast", "unknown"])})
    assert city.get().get("regions") == ["greater_virginia"]
    city.update({"made": firestore.ArrayUnion([1]), "emptied": firestore.ArrayRemove([1])})
    assert city.get().to_dict() == {"regions": ["greater_virginia"], "made": [1], "emptied": []}


def test_array_transforms_use_the_equality_of_queries(client):
    document = client.document("arrays/one")
    document.set({"values": [3, math.nan, None, {"a": 1}]})
    document.update({"values": firestore.ArrayUnion([3.0, math.nan, None, {"a": 1.0}])})
    assert len(document.get().get("values")) == 4
    document.update({"values": firestore.ArrayRemove([3.0, None])})
    values = document.get().get("values")
    assert math.isnan(values[0]) and values[1:] == [{"a": 1}]


@pytest.mark.hosted("5.6: the server time is the commit time or its millisecond")
def test_the_server_time_is_the_commit_time_or_its_millisecond(client):
    document = client.document("times/one")
    document.set({"made": firestore.SERVER_TIMESTAMP, "nested": {"also": firestore.SERVER_TIMESTAMP}})
    snapshot = document.get()
    made = snapshot.get("made")
    assert made == snapshot.get("nested.also")
    lag = snapshot.update_time - made
    assert datetime.timedelta(0) <= lag < datetime.timedelta(milliseconds=1)


def test_one_commit_has_one_server_time(client):
    batch = client.batch()
    for name in ("a", "b"):
        batch.set(client.document(f"times/{name}"), {"time": firestore.SERVER_TIMESTAMP})
    batch.commit()
    assert client.document("times/a").get().get("time") == client.document("times/b").get().get("time")


@pytest.mark.parametrize(
    ("stored", "operand", "smaller", "larger"),
    [
        (3, 5, 3, 5),
        (3, 2.5, 2.5, 3),
        (3, 3.0, 3, 3),
        (2**53 + 1, float(2**53), float(2**53), 2**53 + 1),
        ("text", 4, 4, 4),
        (-math.inf, 0, -math.inf, 0),
    ],
)
def test_minimum_and_maximum_keep_the_type_of_the_winner(client, stored, operand, smaller, larger):
    document = client.document("bounds/one")
    document.set({"low": stored, "high": stored})
    document.update({"low": firestore.Minimum(operand), "high": firestore.Maximum(operand)})
    found = document.get().to_dict()
    assert found == {"low": smaller, "high": larger}
    assert [type(found[name]) for name in ("low", "high")] == [type(smaller), type(larger)]


def test_minimum_and_maximum_of_a_missing_field_are_the_operand(client):
    document = client.document("bounds/one")
    document.set({"low": firestore.Minimum(3), "high": firestore.Maximum(4)})
    assert document.get().to_dict() == {"low": 3, "high": 4}


def test_a_transform_without_effect_leaves_the_update_time(client):
    document = client.document("counters/one")
    written = document.set({"n": 1, "list": ["a"]})
    again = document.update({"n": firestore.Increment(0), "list": firestore.ArrayUnion(["a"])})
    assert again.update_time == written.update_time
    assert document.get().update_time == written.update_time


def test_transforms_in_a_merge_create_the_document(client):
    document = client.document("counters/new")
    document.set({"stats": {"n": firestore.Increment(2)}, "name": "x"}, merge=True)
    assert document.get().to_dict() == {"stats": {"n": 2}, "name": "x"}
