"""The documented programs by the official asynchronous client."""

import asyncio

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.async_transaction import async_transactional
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector

from support.clients import async_client_for, close_async_client
from support.queries import where

RACERS = 8
ROUNDS = 25


async def test_set_get_update_delete(async_client):
    city = async_client.collection("cities").document("LA")
    written = await city.set({"name": "Los Angeles", "state": "CA"})
    snapshot = await city.get()
    assert snapshot.to_dict() == {"name": "Los Angeles", "state": "CA"}
    assert snapshot.update_time == written.update_time
    await city.update({"capital": True, "state": firestore.DELETE_FIELD})
    await city.set({"more": {"n": 1}}, merge=True)
    assert (await city.get()).to_dict() == {"name": "Los Angeles", "capital": True, "more": {"n": 1}}
    await city.delete()
    assert not (await city.get()).exists


async def test_errors_have_their_types(async_client):
    city = async_client.document("cities/LA")
    with pytest.raises(exceptions.NotFound):
        await city.update({"n": 1})
    await city.create({"n": 1})
    with pytest.raises(exceptions.AlreadyExists):
        await city.create({"n": 2})


async def test_transforms(async_client):
    city = async_client.document("cities/LA")
    await city.set({"n": 1, "list": ["a"]})
    await city.update(
        {
            "n": firestore.Increment(4),
            "list": firestore.ArrayUnion(["b"]),
            "low": firestore.Minimum(3),
            "high": firestore.Maximum(3),
            "time": firestore.SERVER_TIMESTAMP,
        }
    )
    stored = (await city.get()).to_dict()
    assert stored.pop("time") is not None
    assert stored == {"n": 5, "list": ["a", "b"], "low": 3, "high": 3}


async def test_transactions(async_client):
    city = async_client.document("cities/SF")
    await city.set({"population": 999_999})

    @async_transactional
    async def raise_population(transaction):
        population = (await city.get(transaction=transaction)).get("population") + 1
        if population > 1_000_000:
            raise ValueError("too big")
        transaction.update(city, {"population": population})
        return population

    assert await raise_population(async_client.transaction()) == 1_000_000
    with pytest.raises(ValueError, match="too big"):
        await raise_population(async_client.transaction())
    assert (await city.get()).get("population") == 1_000_000


async def test_a_read_only_transaction(async_client):
    city = async_client.document("cities/SF")
    await city.set({"n": 1})

    @async_transactional
    async def look(transaction):
        first = (await city.get(transaction=transaction)).get("n")
        await city.set({"n": 2}, timeout=10)
        return first, (await city.get(transaction=transaction)).get("n")

    assert await look(async_client.transaction(read_only=True)) == (1, 1)


async def test_batches(async_client):
    batch = async_client.batch()
    batch.set(async_client.document("cities/NYC"), {"n": 1})
    batch.update(async_client.document("cities/none"), {"n": 1})
    with pytest.raises(exceptions.NotFound):
        await batch.commit()
    assert not (await async_client.document("cities/NYC").get()).exists
    batch = async_client.batch()
    batch.set(async_client.document("cities/NYC"), {"n": 1})
    batch.delete(async_client.document("cities/none"))
    assert len(await batch.commit()) == 2
    assert (await async_client.document("cities/NYC").get()).exists


async def test_collections(async_client):
    for name in ("a", "b", "c"):
        await async_client.document(f"letters/{name}").set({"name": name})
        await async_client.document(f"letters/{name}/more/{name}").set({})
    assert [snapshot.id async for snapshot in async_client.collection("letters").stream()] == ["a", "b", "c"]
    assert [snapshot.id async for snapshot in async_client.collection_group("more").stream()] == ["a", "b", "c"]
    assert [snapshot.id for snapshot in await async_client.collection("letters").limit(2).get()] == ["a", "b"]
    assert [collection.id async for collection in async_client.collections()] == ["letters"]
    assert [reference.id async for reference in async_client.collection("letters").list_documents()] == ["a", "b", "c"]
    found = [snapshot.exists async for snapshot in async_client.get_all([async_client.document("letters/none")])]
    assert found == [False]


async def test_recursive_delete(async_client):
    for path in ("letters/a", "letters/a/more/b", "letters/missing/more/c", "kept/d"):
        await async_client.document(path).set({})
    await async_client.recursive_delete(async_client.collection("letters"))
    assert [collection.id async for collection in async_client.collections()] == ["kept"]


@pytest.mark.hosted("6.2: contended transactions do not stall")
@pytest.mark.timeout(180)
async def test_racing_clients_reach_the_exact_total(async_client, address, database):
    await async_client.document("counters/shared").set({"value": 0})

    async def race() -> None:
        client = async_client_for(address, database.project)
        counter = client.document("counters/shared")

        @async_transactional
        async def add_one(transaction):
            value = (await counter.get(transaction=transaction)).get("value")
            transaction.update(counter, {"value": value + 1})

        done = 0
        while done < ROUNDS:
            try:
                await add_one(client.transaction(max_attempts=50))
                done += 1
            except exceptions.Aborted:
                continue
        await close_async_client(client)

    async with asyncio.timeout(150):
        await asyncio.gather(*(race() for _ in range(RACERS)))
    assert (await async_client.document("counters/shared").get()).get("value") == RACERS * ROUNDS


async def test_queries_and_aggregations(async_client):
    for number in range(10):
        await async_client.document(f"n/{number}").set({"x": number, "odd": number % 2, "v": Vector([float(number)])})
    odd = async_client.collection("n").where(filter=where("odd", "==", 1)).order_by("x", direction="DESCENDING")
    assert [snapshot.id async for snapshot in odd.limit(3).stream()] == ["9", "7", "5"]
    after = odd.start_after({"x": 7}).end_at({"x": 3})
    assert [snapshot.id for snapshot in await after.get()] == ["5", "3"]
    (row,) = await odd.count(alias="n").sum("x", alias="sum").avg("x", alias="avg").get()
    assert {each.alias: each.value for each in row} == {"n": 5, "sum": 25, "avg": 5.0}
    nearest = async_client.collection("n").find_nearest(
        "v", Vector([6.4]), limit=2, distance_measure=DistanceMeasure.EUCLIDEAN
    )
    assert [snapshot.id for snapshot in await nearest.get()] == ["6", "7"]
