"""Splitting a collection group (reference 7.11), by the official client and by raw calls."""

import pytest
from grpc import StatusCode

from support.messages import Reference
from support.queries import collection, compare, cursor, fill, order

COUNT = 1500

pytestmark = pytest.mark.hosted("11.3: PartitionQuery works")


@pytest.fixture
def group(client):
    """Three parents with documents of a group, and other documents around them."""
    parents = ["many/a", "many/b", "other/c/deep/d"]
    contents = {f"{parents[index % 3]}/rows/{index:05}": {"n": index} for index in range(COUNT)}
    contents |= {f"{parents[0]}/rowdy/{index}": {"n": index} for index in range(50)}
    fill(client, contents)
    return client.collection_group("rows")


def test_partitions_are_the_whole(client, group):
    whole = [snapshot.reference.path for snapshot in group.stream()]
    assert len(whole) == COUNT
    for count in (1, 2, 5):
        partitions = list(group.get_partitions(count))
        assert 1 <= len(partitions) <= count + 1
        parts = [[snapshot.reference.path for snapshot in partition.query().stream()] for partition in partitions]
        assert [path for part in parts for path in part] == whole


def test_partitions_are_even(group):
    # Four places to cut make five parts.
    partitions = list(group.get_partitions(4))
    assert len(partitions) == 5
    sizes = [len(list(partition.query().stream())) for partition in partitions]
    assert max(sizes) <= 2 * COUNT / 5 and min(sizes) >= COUNT / 5 / 2


def test_small_groups_are_one_partition(client):
    fill(client, {f"a/{index}/few/x": {} for index in range(3)})
    (only,) = client.collection_group("few").get_partitions(10)
    assert len(list(only.query().stream())) == 3
    (none,) = client.collection_group("none").get_partitions(10)
    assert list(none.query().stream()) == []


def by_name(identifier="rows", filter=None, **clauses):
    return collection(identifier, filter, group=True, order_by=[order("__name__")], **clauses)


def references(outcome):
    for partition in outcome.message.partitions:
        (position,) = partition.values
        yield position.reference_value


def test_cursors_are_sorted_references(database, group):
    outcome = database.partition(by_name(), 6)
    found = list(references(outcome))
    assert 1 <= len(found) <= 6
    assert found == sorted(found)
    assert all(name.startswith(f"{database.root}/") and name.split("/")[-2] == "rows" for name in found)
    assert not outcome.message.next_page_token


def test_pages(database, group):
    whole = list(references(database.partition(by_name(), 7)))
    assert len(whole) > 3
    paged, token = [], ""
    while True:
        outcome = database.partition(by_name(), 7, page_size=2, page_token=token)
        page = list(references(outcome))
        assert len(page) <= 2
        paged += page
        token = outcome.message.next_page_token
        if not token:
            break
    assert paged == whole


def test_at_an_earlier_time(database, group):
    before = database.set("many/a/rows/zz", {})
    whole = list(references(database.partition(by_name(), 4, read_time=before)))
    for index in range(20):
        database.delete(f"many/a/rows/{index * 3:05}")
    assert list(references(database.partition(by_name(), 4, read_time=before))) == whole


INVALID = StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "query, text",
    [
        (by_name(limit={"value": 3}), "Query limit is not supported."),
        (by_name(offset=3), ""),
        (by_name(select={"fields": [{"field_path": "n"}]}), "Property masks are not supported."),
        (by_name(start_at=cursor(Reference("projects/p/databases/d/documents/a/b"))), ""),
        (by_name(end_at=cursor(Reference("projects/p/databases/d/documents/a/b"))), ""),
        (collection("rows", order_by=[order("__name__")]), "Query must select all descendant collections."),
        (collection("rows", group=True, order_by=[order("n")]), ""),
        (collection("rows", group=True, order_by=[order("__name__", 2)]), ""),
        (by_name(filter=compare("n", "GREATER_THAN", 3)), ""),
    ],
)
def test_refused(database, query, text):
    database.partition(query, 3).refused(INVALID, text)


def test_other_refusals(database):
    database.partition(by_name(), 0).refused(INVALID, "Partition count must be greater than zero.")
    database.partition(by_name(), -1).refused(INVALID, "Partition count must be greater than zero.")
    database.partition(by_name(), 3, parent="a/b").refused(INVALID, "Ancestor queries are not supported.")
    database.wire.call("PartitionQuery", parent=database.root, partition_count=3).refused(INVALID, "Query is required.")
    database.partition(by_name(), 3, page_token="nonsense").refused(INVALID)
    database.partition(by_name(), 3, page_size=-1).refused(INVALID)
