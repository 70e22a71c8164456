"""Documents by the official client: set, get, update, delete, and every value there is."""

import datetime
import math
import struct

import pytest
from google.api_core import exceptions
from google.cloud import firestore

from support.clients import client_for, close_client
from support.messages import Reference, Timestamp
from support.values import VALUES

LOS_ANGELES = {"name": "Los Angeles", "state": "CA", "country": "USA"}


def test_a_document_is_set_and_read_back(client):
    city = client.collection("cities").document("LA")
    written = city.set(LOS_ANGELES)
    snapshot = city.get()
    assert snapshot.exists
    assert snapshot.id == "LA"
    assert snapshot.to_dict() == LOS_ANGELES
    assert snapshot.create_time == snapshot.update_time == written.update_time
    assert snapshot.read_time >= snapshot.update_time


def test_a_missing_document_is_a_snapshot_that_does_not_exist(client):
    snapshot = client.document("cities/none").get()
    assert not snapshot.exists
    assert snapshot.to_dict() is None
    assert snapshot.read_time is not None


def test_set_replaces_the_document_and_keeps_its_creation_time(client):
    city = client.document("cities/LA")
    city.set(LOS_ANGELES)
    first = city.get()
    city.set({"capital": True})
    second = city.get()
    assert second.to_dict() == {"capital": True}
    assert second.create_time == first.create_time
    assert second.update_time > first.update_time


def test_set_with_merge_changes_only_what_it_names(client):
    city = client.document("cities/LA")
    city.set({"name": "Los Angeles", "info": {"population": 1, "area": 2}})
    city.set({"info": {"population": 3}}, merge=True)
    assert city.get().to_dict() == {"name": "Los Angeles", "info": {"population": 3, "area": 2}}
    city.set({"name": "ignored", "info": {"area": 4}}, merge=["info.area"])
    assert city.get().to_dict() == {"name": "Los Angeles", "info": {"population": 3, "area": 4}}


def test_an_empty_merge_creates_a_document(client):
    city = client.document("cities/empty")
    city.set({}, merge=True)
    assert city.get().to_dict() == {}


def test_update_changes_nested_fields_and_deletes_others(client):
    user = client.document("users/frank")
    user.set({"name": "Frank", "favorites": {"food": "Pizza", "color": "Blue"}, "age": 12, "gone": 1})
    user.update({"age": 13, "favorites.color": "Red", "gone": firestore.DELETE_FIELD})
    assert user.get().to_dict() == {"name": "Frank", "favorites": {"food": "Pizza", "color": "Red"}, "age": 13}


def test_update_of_a_missing_document_is_not_found(client):
    with pytest.raises(exceptions.NotFound):
        client.document("users/none").update({"age": 1})
    assert not client.document("users/none").get().exists


def test_update_reaches_field_names_that_need_quotes(client):
    user = client.document("users/quoted")
    user.set({"a.b": 1, "`": {"\\": 1}, "0": 1, "é": 1})
    user.update(
        {
            client.field_path("a.b"): 2,
            client.field_path("`", "\\"): 2,
            client.field_path("0"): firestore.DELETE_FIELD,
            client.field_path("é"): 2,
        }
    )
    assert user.get().to_dict() == {"a.b": 2, "`": {"\\": 2}, "é": 2}


def test_create_refuses_an_existing_document(client):
    city = client.document("cities/LA")
    city.create(LOS_ANGELES)
    with pytest.raises(exceptions.AlreadyExists):
        city.create({"name": "another"})
    assert city.get().to_dict() == LOS_ANGELES


def test_add_chooses_an_id(client):
    cities = client.collection("cities")
    _, first = cities.add(LOS_ANGELES)
    _, second = cities.add(LOS_ANGELES)
    assert first.id != second.id
    assert len(first.id) == 20
    assert first.get().to_dict() == LOS_ANGELES


def test_a_deleted_document_is_gone_and_deleting_it_again_is_fine(client):
    city = client.document("cities/LA")
    city.set(LOS_ANGELES)
    city.delete()
    assert not city.get().exists
    city.delete()
    created = city.set(LOS_ANGELES)
    assert city.get().create_time == created.update_time


def test_deleting_a_document_leaves_its_subcollections(client):
    client.document("cities/LA").set(LOS_ANGELES)
    landmark = client.document("cities/LA/landmarks/sign")
    landmark.set({"name": "Hollywood Sign"})
    client.document("cities/LA").delete()
    assert landmark.get().exists


def test_a_precondition_on_the_update_time_guards_update_and_delete(client):
    city = client.document("cities/LA")
    first = city.set(LOS_ANGELES)
    second = city.update({"state": "California"})
    stale = client.write_option(last_update_time=first.update_time)
    fresh = client.write_option(last_update_time=second.update_time)
    with pytest.raises(exceptions.FailedPrecondition):
        city.update({"state": "x"}, option=stale)
    with pytest.raises(exceptions.FailedPrecondition):
        city.delete(option=stale)
    assert city.get().get("state") == "California"
    city.delete(option=fresh)
    with pytest.raises(exceptions.NotFound):
        city.delete(option=client.write_option(exists=True))


def test_a_field_mask_selects_what_is_read(client):
    user = client.document("users/frank")
    user.set({"name": "Frank", "favorites": {"food": "Pizza", "color": "Blue"}})
    assert user.get(["favorites.food", "missing"]).to_dict() == {"favorites": {"food": "Pizza"}}
    assert user.get([]).to_dict() is not None


def test_get_all_reads_found_and_missing_documents_at_one_time(client):
    for name in ("a", "b"):
        client.document(f"letters/{name}").set({"name": name})
    references = [client.document(f"letters/{name}") for name in ("a", "missing", "b")]
    snapshots = {snapshot.id: snapshot for snapshot in client.get_all(references)}
    assert {name: snapshot.exists for name, snapshot in snapshots.items()} == {"a": True, "missing": False, "b": True}
    assert len({snapshot.read_time for snapshot in snapshots.values()}) == 1


def test_reads_at_an_update_time_see_that_version(client):
    city = client.document("cities/LA")
    first = city.set({"version": 1}).update_time
    second = city.set({"version": 2}).update_time
    city.delete()
    assert city.get(read_time=first).to_dict() == {"version": 1}
    assert city.get(read_time=second).to_dict() == {"version": 2}
    assert city.get(read_time=second - datetime.timedelta(microseconds=1)).to_dict() == {"version": 1}
    assert not city.get(read_time=first - datetime.timedelta(microseconds=1)).exists
    assert not city.get().exists
    assert [s.to_dict() for s in client.get_all([city], read_time=first)] == [{"version": 1}]


@pytest.mark.parametrize("name", VALUES)
def test_every_value_comes_back_as_it_was_written(client, name):
    document = client.document("values/one")
    document.set({"value": VALUES[name]})
    stored = document.get().to_dict()
    assert stored == {"value": VALUES[name]}
    assert type(stored["value"]) is type(VALUES[name]) or isinstance(stored["value"], datetime.datetime)


def test_nan_and_negative_zero_come_back(client):
    document = client.document("values/numbers")
    document.set({"nan": math.nan, "zero": -0.0, "list": [math.nan, -0.0]})
    stored = document.get().to_dict()
    assert math.isnan(stored["nan"]) and math.isnan(stored["list"][0])
    assert struct.pack("<d", stored["zero"]) == struct.pack("<d", -0.0)
    assert struct.pack("<d", stored["list"][1]) == struct.pack("<d", -0.0)


def test_references_come_back_also_those_into_other_databases(client, database):
    document = client.document("values/references")
    document.set({"here": client.document("a/b/c/d")})
    assert document.get().get("here") == client.document("a/b/c/d")
    elsewhere = Reference("projects/another/databases/named/documents/a/b")
    database.set("values/references", {"there": elsewhere})
    assert database.fields("values/references")["there"].reference_value == elsewhere


def test_timestamps_are_truncated_to_microseconds(database):
    for seconds, nanos, kept in [(1704067200, 123456789, 123456000), (-1, 999_999_999, 999_999_000), (0, 999, 0)]:
        database.set("values/time", {"time": Timestamp(seconds=seconds, nanos=nanos)})
        stored = database.fields("values/time")["time"].timestamp_value
        assert (stored.seconds, stored.nanos) == (seconds, kept)


IDS = [
    *("a", "🎉", "é", "with space", "\u00a0", "\x01", "z" * 1500),
    *("__id7__", "__id-9223372036854775808__", "__id__x", "____", "__x", "x__", ".a", "..."),
    *("a\\b", '"', "'", "`", "a,b", "a:b", "%2F", "?", "#"),
]


@pytest.mark.parametrize("identifier", IDS, ids=range(len(IDS)))
def test_ids_of_every_kind_name_documents(client, identifier):
    document = client.collection("ids").document(identifier)
    document.set({"id": identifier[:10]})
    assert document.get().to_dict() == {"id": identifier[:10]}
    assert [found.id for found in client.collection("ids").stream()] == [identifier]


def test_collection_ids_of_every_kind_name_collections(client):
    for identifier in ("🎉", "with space", "____", "a.b"):
        document = client.collection(identifier).document("x").collection(identifier).document("y")
        document.set({"a": 1})
        assert document.get().exists


def test_databases_are_independent(address, database, client):
    named = client_for(address, database.project, "named-database")
    try:
        named.document("a/b").set({"where": "named"})
        assert not client.document("a/b").get().exists
        client.document("a/b").set({"where": "default"})
        assert named.document("a/b").get().to_dict() == {"where": "named"}
        assert named.document("a/b").get().reference.path == "a/b"
    finally:
        close_client(named)


def test_a_large_document_comes_back(client):
    document = client.document("values/large")
    content = {"blob": b"\xff" * 1_000_000, "name": "large"}
    document.set(content)
    assert document.get().to_dict() == content
