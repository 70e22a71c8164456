"""Batches and the bulk writer by the official client."""

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.bulk_writer import BulkWriterOptions, SendMode


def test_a_batch_sets_updates_and_deletes(client):
    client.document("cities/SF").set({"name": "San Francisco"})
    client.document("cities/DEN").set({"name": "Denver"})
    batch = client.batch()
    batch.set(client.document("cities/NYC"), {"name": "New York City"})
    batch.update(client.document("cities/SF"), {"population": 1000000})
    batch.delete(client.document("cities/DEN"))
    results = batch.commit()
    assert len(results) == 3
    assert results[0].update_time == results[1].update_time == batch.commit_time
    assert client.document("cities/NYC").get().to_dict() == {"name": "New York City"}
    assert client.document("cities/SF").get().to_dict() == {"name": "San Francisco", "population": 1000000}
    assert not client.document("cities/DEN").get().exists


def test_a_batch_fails_as_a_whole(client):
    client.document("cities/DEN").set({"name": "Denver"})
    batch = client.batch()
    batch.set(client.document("cities/NYC"), {"name": "New York City"})
    batch.delete(client.document("cities/DEN"))
    batch.update(client.document("cities/none"), {"population": 1})
    with pytest.raises(exceptions.NotFound):
        batch.commit()
    assert not client.document("cities/NYC").get().exists
    assert client.document("cities/DEN").get().exists


def test_writes_of_a_batch_to_one_document_take_effect_in_order(client):
    document = client.document("cities/SF")
    batch = client.batch()
    batch.set(document, {"n": 1, "gone": 1})
    batch.update(document, {"n": firestore.Increment(1), "gone": firestore.DELETE_FIELD})
    batch.set(document, {"last": True}, merge=True)
    batch.commit()
    snapshot = document.get()
    assert snapshot.to_dict() == {"n": 2, "last": True}
    assert snapshot.create_time == snapshot.update_time


def test_a_batch_of_five_hundred_and_more(client):
    batch = client.batch()
    for number in range(750):
        batch.set(client.document(f"many/{number:04}"), {"n": number})
    assert len(batch.commit()) == 750
    found = [snapshot.get("n") for snapshot in client.collection("many").stream()]
    assert found == list(range(750))


def test_an_empty_batch_commits(client):
    assert list(client.batch().commit()) == []


@pytest.mark.parametrize("mode", list(SendMode), ids=lambda mode: mode.name)
def test_the_bulk_writer_writes_everything(client, mode):
    for number in range(10):
        client.document(f"old/{number}").set({"n": number})
    writer = client.bulk_writer(options=BulkWriterOptions(mode=mode))
    for number in range(95):
        writer.set(client.document(f"bulk/{number:03}"), {"n": number})
    for number in range(10):
        writer.delete(client.document(f"old/{number}"))
    writer.flush()
    for number in range(0, 95, 2):
        writer.update(client.document(f"bulk/{number:03}"), {"even": True})
    writer.close()
    snapshots = list(client.collection("bulk").stream())
    assert [snapshot.get("n") for snapshot in snapshots] == list(range(95))
    assert sum("even" in snapshot.to_dict() for snapshot in snapshots) == 48
    assert list(client.collection("old").stream()) == []


def test_the_bulk_writer_reports_each_failure_and_applies_the_rest(client):
    failures = []

    def failed(failure, writer) -> bool:
        failures.append((failure.operation.reference.id, failure.code))
        return False

    client.document("bulk/taken").set({})
    writer = client.bulk_writer()
    writer.on_write_error(failed)
    writer.create(client.document("bulk/new"), {"n": 1})
    writer.create(client.document("bulk/taken"), {"n": 1})
    writer.update(client.document("bulk/none"), {"n": 1})
    writer.close()
    assert sorted(failures) == [("none", 5), ("taken", 6)]
    assert client.document("bulk/new").get().to_dict() == {"n": 1}
    assert client.document("bulk/taken").get().to_dict() == {}
    assert not client.document("bulk/none").get().exists
