"""Collections by the official client: streams in name order, groups, cursors, listing, recursive deletion."""

import pytest

from support.messages import moment

# In the order of names: numeric ids by value, then the bytes of UTF-8.
ORDERED = [
    *("__id-9223372036854775808__", "__id-2__", "__id7__", "__id12__"),
    *("12", "7", "A", "Aa", "__id", "__id1_", "_id1__", "a", "a b", "a-b", "ab", "é", "\uffee", "🎉"),
]


def ids(snapshots) -> list[str]:
    return [snapshot.id for snapshot in snapshots]


@pytest.fixture
def letters(client):
    """A collection of the letters a to j."""
    batch = client.batch()
    for letter in "jabcdefghi":
        batch.set(client.document(f"letters/{letter}"), {"letter": letter})
    batch.commit()
    return client.collection("letters")


def test_a_collection_streams_in_the_order_of_names(client):
    batch = client.batch()
    for identifier in reversed(ORDERED):
        batch.set(client.collection("ids").document(identifier), {"id": identifier})
    batch.commit()
    assert ids(client.collection("ids").stream()) == ORDERED
    assert ids(client.collection("ids").list_documents()) == ORDERED


@pytest.mark.hosted("7.2, 11.3: descending name order works")
def test_descending_name_order(client, letters):
    assert ids(letters.order_by("__name__", direction="DESCENDING").limit(3).stream()) == ["j", "i", "h"]
    assert ids(letters.order_by("__name__").limit_to_last(2).get()) == ["i", "j"]


def test_a_collection_has_only_its_own_documents(client):
    for path in ("a/1", "a/1/a/2", "a/3/b/4", "ab/5", "b/1/a/6"):
        client.document(path).set({})
    assert [s.reference.path for s in client.collection("a").stream()] == ["a/1"]
    assert [s.reference.path for s in client.collection("a/1/a").stream()] == ["a/1/a/2"]
    assert [s.reference.path for s in client.collection_group("a").stream()] == ["a/1", "a/1/a/2", "b/1/a/6"]
    assert ids(client.collection_group("none").stream()) == []
    assert ids(client.collection("none").stream()) == []


def test_limit_and_offset(letters):
    assert ids(letters.limit(3).stream()) == ["a", "b", "c"]
    assert ids(letters.offset(7).stream()) == ["h", "i", "j"]
    assert ids(letters.offset(2).limit(2).stream()) == ["c", "d"]
    assert ids(letters.offset(20).stream()) == []
    assert ids(letters.limit(100).stream()) == list("abcdefghij")


def test_cursors_on_names(client, letters):
    by_name = letters.order_by("__name__")
    at = {"__name__": client.document("letters/c")}
    until = {"__name__": client.document("letters/f")}
    assert ids(by_name.start_at(at).limit(2).stream()) == ["c", "d"]
    assert ids(by_name.start_after(at).limit(2).stream()) == ["d", "e"]
    assert ids(by_name.start_after(at).end_at(until).stream()) == ["d", "e", "f"]
    assert ids(by_name.start_at(at).end_before(until).stream()) == ["c", "d", "e"]
    assert ids(by_name.start_at(until).end_before(at).stream()) == []
    between = {"__name__": client.document("letters/cc")}
    assert ids(by_name.start_at(between).limit(1).stream()) == ["d"]


def test_pages_by_the_last_snapshot(letters):
    pages = []
    query = letters.limit(4)
    while page := list(query.stream()):
        pages.append("".join(ids(page)))
        query = letters.start_after(page[-1]).limit(4)
    assert pages == ["abcd", "efgh", "ij"]


def test_a_collection_is_read_at_an_earlier_time(client, database, letters):
    before = database.set("letters/k", {})
    database.delete("letters/a")
    database.set("letters/l", {})
    assert ids(letters.stream(read_time=moment(before))) == list("abcdefghijk")
    assert ids(letters.stream()) == list("bcdefghijkl")
    assert ids(letters.list_documents(read_time=moment(before))) == list("abcdefghijk")


def test_select_returns_only_the_selected_fields(letters, client):
    client.document("letters/a").set({"letter": "a", "more": {"x": 1, "y": 2}})
    assert next(iter(letters.select(["more.x"]).limit(1).stream())).to_dict() == {"more": {"x": 1}}
    assert next(iter(letters.select(["none"]).limit(1).stream())).to_dict() == {}


def test_list_documents_names_missing_ones(client):
    for path in ("a/1", "a/missing/b/2", "a/far/b/missing/c/3", "a/4"):
        client.document(path).set({})
    references = list(client.collection("a").list_documents())
    assert ids(references) == ["1", "4", "far", "missing"]
    assert [reference.get().exists for reference in references] == [True, True, False, False]
    assert ids(client.collection("a/far/b").list_documents()) == ["missing"]


def test_list_documents_pages(client, letters):
    pages = list(letters.list_documents(page_size=4))
    assert ids(pages) == list("abcdefghij")


def test_collections_are_listed_under_the_root_and_under_documents(client):
    for path in ("b/1", "a/1", "a/1/y/1", "a/1/x/1", "a/1/x/1/deeper/1", "c/missing/z/1"):
        client.document(path).set({})
    assert ids(client.collections()) == ["a", "b", "c"]
    assert ids(client.document("a/1").collections()) == ["x", "y"]
    assert ids(client.document("c/missing").collections()) == ["z"]
    assert ids(client.document("b/1").collections()) == []


def test_collections_vanish_with_their_last_document(client):
    client.document("a/1/b/2").set({})
    assert ids(client.collections()) == ["a"]
    client.document("a/1/b/2").delete()
    assert ids(client.collections()) == []
    assert ids(client.collection("a").list_documents()) == []


def test_collections_are_listed_at_an_earlier_time(client, database):
    first = database.set("a/1", {})
    database.set("b/1", {})
    assert ids(client.collections(read_time=moment(first))) == ["a"]


def test_many_collections_are_listed(client):
    batch = client.batch()
    names = [f"collection-{number:03}" for number in range(400)]
    for name in names:
        batch.set(client.document(f"{name}/x"), {})
    batch.commit()
    assert ids(client.collections()) == names


def test_recursive_delete_of_a_collection_and_of_a_document(client):
    paths = ["a/1", "a/1/b/2", "a/1/b/2/c/3", "a/missing/b/4", "a/5", "kept/1", "kept/1/a/2"]
    for path in paths:
        client.document(path).set({})
    assert client.recursive_delete(client.document("a/1")) == 3
    assert not client.document("a/1/b/2/c/3").get().exists
    assert client.recursive_delete(client.collection("a")) == 2
    assert ids(client.collections()) == ["kept"]
    assert client.document("kept/1/a/2").get().exists


def test_recursive_delete_of_more_than_one_batch(client):
    for chunk in range(3):
        batch = client.batch()
        for number in range(200):
            batch.set(client.document(f"a/{chunk}/b/{number}"), {})
        batch.commit()
    assert client.recursive_delete(client.collection("a"), chunk_size=150) == 600
    assert ids(client.collections()) == []


def test_a_thousand_large_documents_stream(client):
    blob = b"x" * 20_000
    for chunk in range(5):
        batch = client.batch()
        for number in range(200):
            batch.set(client.document(f"large/{chunk * 200 + number:04}"), {"blob": blob})
        batch.commit()
    found = [snapshot.id for snapshot in client.collection("large").stream() if snapshot.get("blob") == blob]
    assert found == [f"{number:04}" for number in range(1000)]
