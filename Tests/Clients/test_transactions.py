"""Transactions by the official client: the documented programs, and clients that race."""

import concurrent.futures

import pytest
from google.api_core import exceptions
from google.cloud import firestore

from support.clients import client_for, close_client
from support.messages import moment

RACERS = 8
ROUNDS = 25


@firestore.transactional
def raise_population(transaction, city):
    snapshot = city.get(transaction=transaction)
    transaction.update(city, {"population": snapshot.get("population") + 1})


@firestore.transactional
def raise_population_up_to_a_million(transaction, city):
    population = city.get(transaction=transaction).get("population") + 1
    if population <= 1_000_000:
        transaction.update(city, {"population": population})
        return population
    return None


def test_a_transaction_raises_the_population(client):
    city = client.document("cities/SF")
    city.set({"name": "San Francisco", "population": 860000})
    raise_population(client.transaction(), city)
    assert city.get().to_dict() == {"name": "San Francisco", "population": 860001}


def test_a_transaction_returns_a_value_and_obeys_its_guard(client):
    city = client.document("cities/SF")
    city.set({"population": 999_999})
    assert raise_population_up_to_a_million(client.transaction(), city) == 1_000_000
    before = city.get().update_time
    assert raise_population_up_to_a_million(client.transaction(), city) is None
    after = city.get()
    assert after.get("population") == 1_000_000
    assert after.update_time == before


def test_a_transaction_whose_function_throws_writes_nothing(client):
    class Refused(Exception):
        pass

    @firestore.transactional
    def refuse(transaction, city):
        city.get(transaction=transaction)
        transaction.update(city, {"population": 0})
        raise Refused

    city = client.document("cities/SF")
    city.set({"population": 1})
    with pytest.raises(Refused):
        refuse(client.transaction(), city)
    assert city.get().get("population") == 1
    # The rollback released the lock: another writer does not wait for it.
    city.set({"population": 2}, timeout=10)


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (lambda transaction, city: transaction.create(city.parent.document("LA"), {}), exceptions.AlreadyExists),
        (lambda transaction, city: transaction.update(city.parent.document("none"), {"a": 1}), exceptions.NotFound),
    ],
    ids=["already exists", "not found"],
)
def test_a_transaction_whose_commit_fails_reports_that_failure(client, operation, error):
    @firestore.transactional
    def fail(transaction, city):
        city.get(transaction=transaction)
        transaction.set(city, {"population": 0})
        operation(transaction, city)

    city = client.document("cities/SF")
    city.set({"population": 1})
    client.document("cities/LA").set({})
    with pytest.raises(error):
        fail(client.transaction(), city)
    assert city.get().to_dict() == {"population": 1}
    city.set({"population": 2}, timeout=10)


@firestore.transactional
def add_rating(transaction, restaurant, rating):
    """The documented write-time aggregation: a rating and the averages of its restaurant, together."""
    known = restaurant.get(transaction=transaction).to_dict()
    count = known["numRatings"] + 1
    total = known["avgRating"] * known["numRatings"] + rating
    transaction.set(restaurant.collection("ratings").document(f"rating-{count}"), {"rating": rating})
    transaction.update(restaurant, {"numRatings": count, "avgRating": total / count})
    return count


def test_ratings_are_aggregated_at_write_time(client):
    restaurant = client.document("restaurants/arinell-pizza")
    restaurant.set({"name": "Arinell Pizza", "avgRating": 0, "numRatings": 0})
    for rating in (5, 3, 4, 4):
        add_rating(client.transaction(), restaurant, rating)
    assert restaurant.get().to_dict() == {"name": "Arinell Pizza", "avgRating": 4, "numRatings": 4}
    ratings = [snapshot.get("rating") for snapshot in restaurant.collection("ratings").stream()]
    assert ratings == [5, 3, 4, 4]


def test_a_transaction_reads_several_documents_and_a_collection(client):
    for number in range(5):
        client.document(f"accounts/{number}").set({"balance": 10})

    @firestore.transactional
    def settle(transaction):
        documents = list(transaction.get(client.collection("accounts").limit(10)))
        total = sum(document.get("balance") for document in documents)
        pair = list(transaction.get_all([client.document("accounts/0"), client.document("accounts/none")]))
        assert [snapshot.exists for snapshot in sorted(pair, key=lambda s: s.id)] == [True, False]
        for document in documents:
            transaction.delete(document.reference)
        transaction.set(client.document("accounts/total"), {"balance": total})

    settle(client.transaction())
    assert [snapshot.to_dict() for snapshot in client.collection("accounts").stream()] == [{"balance": 50}]


def test_a_transaction_without_reads_writes(client):
    @firestore.transactional
    def write(transaction):
        transaction.set(client.document("cities/SF"), {"n": 1})
        transaction.update(client.document("cities/SF"), {"n": firestore.Increment(1)})

    transaction = client.transaction()
    write(transaction)
    assert client.document("cities/SF").get().get("n") == 2
    assert transaction.commit_time == client.document("cities/SF").get().update_time


def test_a_read_only_transaction_sees_one_instant(client):
    city = client.document("cities/SF")
    other = client.document("cities/LA")
    city.set({"n": 1})
    other.set({"n": 1})

    @firestore.transactional
    def look(transaction):
        first = city.get(transaction=transaction).get("n")
        # Neither waits for the transaction, nor is seen by it.
        city.set({"n": 2}, timeout=10)
        other.set({"n": 2}, timeout=10)
        second = other.get(transaction=transaction).get("n")
        listed = [snapshot.get("n") for snapshot in transaction.get(client.collection("cities").limit(5))]
        return first, second, listed

    assert look(client.transaction(read_only=True)) == (1, 1, [1, 1])
    assert city.get().get("n") == 2


def test_a_read_only_transaction_refuses_writes(client):
    transaction = client.transaction(read_only=True)
    with pytest.raises(ValueError):
        transaction.set(client.document("cities/SF"), {})


def test_a_query_inside_a_transaction_reads_at_its_time(client, database):
    first = database.set("cities/a", {"n": 1})
    database.set("cities/b", {"n": 2})
    found = client.collection("cities").get(read_time=moment(first))
    assert [snapshot.id for snapshot in found] == ["a"]


def race(address: str, project: str, rounds: int) -> int:
    """One client, on a connection of its own, raising the counter until it has done so `rounds` times."""
    client = client_for(address, project)
    counter = client.document("counters/shared")

    @firestore.transactional
    def add_one(transaction):
        value = counter.get(transaction=transaction).get("value")
        transaction.update(counter, {"value": value + 1})

    done = 0
    try:
        while done < rounds:
            try:
                add_one(client.transaction(max_attempts=50))
                done += 1
            except exceptions.Aborted:
                # A read inside the transaction lost the race; the library retries only commits.
                continue
        return done
    finally:
        close_client(client)


@pytest.mark.hosted("6.2: contended transactions do not stall")
@pytest.mark.timeout(180)
def test_racing_clients_reach_the_exact_total(client, address, database):
    counter = client.document("counters/shared")
    counter.set({"value": 0})
    with concurrent.futures.ThreadPoolExecutor(RACERS) as pool:
        finished = [pool.submit(race, address, database.project, ROUNDS) for _ in range(RACERS)]
        assert sum(future.result(timeout=150) for future in finished) == RACERS * ROUNDS
    assert counter.get().get("value") == RACERS * ROUNDS


def test_increments_of_racing_clients_are_never_lost(client, address, database):
    counter = client.document("counters/shared")
    counter.set({"value": 0})

    def add() -> None:
        racer = client_for(address, database.project)
        for _ in range(ROUNDS):
            racer.document("counters/shared").update({"value": firestore.Increment(1)})
        close_client(racer)

    with concurrent.futures.ThreadPoolExecutor(RACERS) as pool:
        for future in [pool.submit(add) for _ in range(RACERS)]:
            future.result(timeout=60)
    assert counter.get().get("value") == RACERS * ROUNDS
