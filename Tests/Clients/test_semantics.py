"""Rules of reads and writes that clients rely on (reference 5 and appendix B), by raw calls."""

import struct

import pytest
from grpc import StatusCode

from support import messages
from support.messages import DocumentMask, StructuredQuery, Write, delete_write, set_write, verify_write
from support.messages import increment, maximum, microseconds, minimum, removal, server_time, timestamp, union
from support.wire import Database


def whole_collection(collection: str, **members) -> StructuredQuery:
    return StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id=collection)], **members)


def test_commit_times_strictly_increase(database):
    times = [microseconds(database.set("a/b", {"n": number})) for number in range(200)]
    assert all(earlier < later for earlier, later in zip(times, times[1:]))


def test_reads_never_precede_acknowledged_commits(database):
    for number in range(100):
        committed = microseconds(database.set("a/b", {"n": number}))
        (answer,) = database.batch_get("a/b").stream
        assert microseconds(answer.read_time) >= committed
        assert answer.found.fields["n"].integer_value == number


@pytest.mark.hosted("5.6: no read time is at or after a commit that the read did not see")
def test_commits_are_later_than_all_reads_before_them(database):
    for number in range(100):
        database.set("a/b", {"n": number})
        (answer,) = database.batch_get("a/b").stream
        assert microseconds(database.set("a/c", {"n": number})) > microseconds(answer.read_time)


def test_a_write_without_effect_makes_no_version(database):
    first = database.set("a/b", {"n": 1, "m": {"x": 1}, "list": [1, 2]})
    name = database.doc("a/b")
    writes = [
        set_write(name, {"m": {"x": 1}, "list": [1, 2], "n": 1}),
        set_write(name, {"n": 1}, mask=["n"]),
        set_write(name, {}, mask=[]),
        set_write(name, {}, mask=["missing"]),
        set_write(name, {"m": {"x": 1}}, mask=["m.x"]),
        set_write(name, mask=[], transforms=[increment("n", 0)]),
        set_write(name, mask=[], transforms=[union("list", [1, 2.0]), removal("list", [3])]),
        set_write(name, mask=[], transforms=[maximum("n", 0), minimum("n", 5)]),
        verify_write(name, exists=True),
    ]
    for write in writes:
        response = database.commit(write).message
        assert response.write_results[0].update_time == first, write
    assert database.get("a/b").message.update_time == first


@pytest.mark.hosted("5.6: a sequence of writes that changes nothing makes no version")
def test_writes_that_undo_each_other_make_no_version(database):
    first = database.set("a/b", {"n": 1})
    name = database.doc("a/b")
    response = database.commit(set_write(name, {"n": 5}), set_write(name, {"n": 1})).message
    assert [result.update_time for result in response.write_results] == [first, first]
    assert database.get("a/b").message.update_time == first


@pytest.mark.hosted("4.5: no-ops are compared strictly (unconfirmed)")
def test_a_change_of_number_type_is_a_change(database):
    for before, after in [(3, 3.0), (0.0, -0.0)]:
        first = database.set("a/b", {"n": before})
        second = database.set("a/b", {"n": after})
        assert microseconds(second) > microseconds(first)
        stored = database.fields("a/b")["n"]
        assert stored.SerializeToString() == messages.value(after).SerializeToString()


def test_create_and_update_times(database):
    created = database.set("a/b", {"n": 1})
    updated = database.set("a/b", {"n": 2})
    document = database.get("a/b").message
    assert (document.create_time, document.update_time) == (created, updated)
    database.delete("a/b")
    recreated = database.set("a/b", {"n": 2})
    document = database.get("a/b").message
    assert (document.create_time, document.update_time) == (recreated, recreated)


def test_times_sent_by_the_client_are_ignored(database):
    write = set_write(database.doc("a/b"), {"n": 1})
    write.update.create_time.FromSeconds(5)
    write.update.update_time.FromSeconds(5)
    response = database.commit(write).message
    document = database.get("a/b").message
    assert document.create_time == document.update_time == response.commit_time


def test_masks_write_and_delete_exactly_what_they_name(database):
    name = database.doc("a/b")
    database.set("a/b", {"a": {"x": 1, "y": 2}, "b": 3, "c.d": 4})
    database.commit(set_write(name, {"a": {"x": 9, "z": 9}, "b": 9}, mask=["a.x", "a.y", "`c.d`"])).message
    assert messages.value({"a": {"x": 9}, "b": 3}).map_value.fields == database.fields("a/b")
    database.commit(set_write(name, {}, mask=["a.x"])).message
    assert messages.value({"a": {}, "b": 3}).map_value.fields == database.fields("a/b")
    database.commit(set_write(name, {"b": {"deep": {"er": 1}}}, mask=["b.deep.er"])).message
    assert messages.value({"a": {}, "b": {"deep": {"er": 1}}}).map_value.fields == database.fields("a/b")
    database.commit(set_write(database.doc("a/new"), {"x": 1, "y": 2}, mask=["y"])).message
    assert messages.value({"y": 2}).map_value.fields == database.fields("a/new")


def test_masks_of_reads_select_exactly_what_they_name(database):
    database.set("a/b", {"a": {"x": 1, "y": 2}, "b": 3, "c.d": 4})

    def masked(*paths: str):
        return database.get("a/b", mask=DocumentMask(field_paths=paths)).message

    assert masked("a.x", "none", "b.none").fields == messages.fields({"a": {"x": 1}})
    assert masked("`c.d`", "a").fields == messages.fields({"c.d": 4, "a": {"x": 1, "y": 2}})
    empty = masked()
    assert not empty.fields and empty.name == database.doc("a/b") and empty.HasField("update_time")
    (answer,) = database.batch_get("a/b", mask=DocumentMask()).stream
    assert not answer.found.fields
    (listed,) = database.list("a", mask=DocumentMask()).message.documents
    assert not listed.fields and listed.HasField("update_time")


def test_select_of_nothing_returns_no_fields(database):
    database.set("a/b", {"n": 1})
    for select in ({}, {"fields": [{"field_path": "__name__"}]}):
        responses = database.query(whole_collection("a", select=select)).stream
        assert [response.document.name for response in responses] == [database.doc("a/b")]
        assert responses[0].document.HasField("update_time")


@pytest.mark.hosted("7.6: a present but empty select returns no fields")
def test_select_of_nothing_has_no_fields(database):
    database.set("a/b", {"n": 1})
    for select in ({}, {"fields": [{"field_path": "__name__"}]}):
        (response,) = database.query(whole_collection("a", select=select)).stream
        assert not response.document.fields


def test_batch_get_answers_each_distinct_name_at_one_time(database):
    database.set("a/1", {"n": 1})
    database.set("a/2", {"n": 2})
    answers = database.batch_get("a/2", "a/none", "a/1", "a/2", "a/none").stream
    found = sorted(answer.found.name for answer in answers if answer.HasField("found"))
    missing = [answer.missing for answer in answers if not answer.HasField("found")]
    assert found == [database.doc("a/1"), database.doc("a/2")] and missing == [database.doc("a/none")]
    assert len({microseconds(answer.read_time) for answer in answers}) == 1
    assert all(answer.HasField("read_time") for answer in answers)
    assert database.batch_get().stream == ()


def test_a_new_transaction_comes_first_and_alone(database):
    database.set("a/1", {"n": 1})
    first, *rest = database.batch_get("a/1", new_transaction=messages.READ_ONLY).stream
    assert first.transaction and first.WhichOneof("result") is None
    assert len(rest) == 1 and not rest[0].transaction
    assert database.rollback(first.transaction).ok


def test_an_empty_query_answers_with_its_time(database):
    (response,) = database.query(whole_collection("none")).stream
    assert response.HasField("read_time") and not response.HasField("document")


@pytest.mark.hosted("7.7, 11.3: skipped results are announced")
def test_skipped_results_are_announced(database):
    for name in "abcd":
        database.set(f"a/{name}")
    first, *rest = database.query(whole_collection("a", offset=2, limit={"value": 1})).stream
    assert first.skipped_results == 2 and not first.HasField("document") and first.HasField("read_time")
    assert [response.document.name for response in rest] == [database.doc("a/c")]
    (only,) = database.query(whole_collection("a", offset=9)).stream
    assert only.skipped_results == 4 and not only.HasField("document")


def test_all_documents_of_a_query_share_a_time(database):
    for number in range(50):
        database.set(f"a/{number}")
    responses = database.query(whole_collection("a")).stream
    assert len(responses) == 50
    assert len({microseconds(response.read_time) for response in responses}) == 1


def test_transform_results(database):
    database.set("a/b", {"n": 1, "x": 2.5, "list": [1]})
    transforms = [
        increment("n", 4),
        increment("n", 1),
        maximum("x", 7),
        minimum("low", -0.0),
        union("list", [2]),
        removal("list", [1]),
        server_time("when"),
        increment("nan", float("nan")),
    ]
    response = database.commit(set_write(database.doc("a/b"), {"n": 10}, mask=["n"], transforms=transforms)).message
    results = [result.SerializeToString() for result in response.write_results[0].transform_results]
    stored = database.fields("a/b")
    assert results[:6] == [
        messages.value(content).SerializeToString() for content in (14, 15, 7, -0.0, None, None)
    ]
    assert results[6] == stored["when"].SerializeToString()
    assert struct.unpack("<d", results[7][1:]) != struct.unpack("<d", results[7][1:])
    assert stored["list"] == messages.value([2])
    assert len(results) == len(transforms)


@pytest.mark.hosted("5.6: update_time is unset for deletes and for the verification of what is missing")
def test_write_results_of_deletes_and_verifications(database):
    written = database.set("a/b", {"n": 1})
    response = database.commit(
        delete_write(database.doc("a/none")),
        verify_write(database.doc("a/b"), update_time=written),
        verify_write(database.doc("a/absent"), exists=False),
        set_write(database.doc("a/c")),
    ).message
    deleted, verified, absent, made = response.write_results
    assert not deleted.HasField("update_time")
    assert verified.update_time == written
    assert not absent.HasField("update_time")
    assert made.update_time == response.commit_time


def test_the_legacy_transform_operation(database):
    write = Write(transform={"document": database.doc("a/b"), "field_transforms": [increment("n", 2), union("l", [1])]})
    response = database.commit(write, write).message
    assert [len(result.transform_results) for result in response.write_results] == [2, 2]
    assert database.fields("a/b") == messages.fields({"n": 4, "l": [1]})


def test_unknown_fields_are_ignored(database):
    unknown = b"\xfa\x7f\x05hello\xf0\x7f\x2a\xfd\x7fabcd\xf9\x7fabcdefgh"
    for method, request in [
        ("Commit", messages.message("CommitRequest")(database=database.name, writes=[set_write(database.doc("a/b"))])),
        ("GetDocument", messages.message("GetDocumentRequest")(name=database.doc("a/b"))),
        ("BatchGetDocuments", messages.message("BatchGetDocumentsRequest")(database=database.name)),
        ("BeginTransaction", messages.message("BeginTransactionRequest")(database=database.name)),
        ("ListDocuments", messages.message("ListDocumentsRequest")(parent=database.root, collection_id="a")),
        ("ListCollectionIds", messages.message("ListCollectionIdsRequest")(parent=database.root)),
        ("BatchWrite", messages.message("BatchWriteRequest")(database=database.name)),
    ]:
        outcome = database.wire.call(method, request.SerializeToString() + unknown)
        assert outcome.ok, (method, outcome)


def test_unknown_fields_inside_a_document_are_dropped(database):
    name = database.doc("a/b").encode()
    value = b"\x10\x07" + b"\xfa\x7f\x02hi"
    entry = b"\x0a\x01n\x12" + messages.varint(len(value)) + value + b"\xf0\x7f\x01"
    document = b"\x0a" + messages.varint(len(name)) + name + b"\x12" + messages.varint(len(entry)) + entry
    write = b"\x0a" + messages.varint(len(document)) + document
    request = b"\x0a" + messages.varint(len(database.name)) + database.name.encode()
    request += b"\x12" + messages.varint(len(write)) + write
    assert database.wire.call("Commit", request).ok
    assert database.fields("a/b")["n"].SerializeToString() == b"\x10\x07"


def test_a_key_that_comes_twice_has_its_last_value(database):
    document = messages.Document(name=database.doc("a/b"), fields=messages.fields({"n": 1})).SerializeToString()
    document += messages.Document(fields=messages.fields({"n": 2})).SerializeToString()
    write = b"\x0a" + messages.varint(len(document)) + document
    request = b"\x0a" + messages.varint(len(database.name)) + database.name.encode()
    request += b"\x12" + messages.varint(len(write)) + write
    assert database.wire.call("Commit", request).ok
    assert database.fields("a/b") == messages.fields({"n": 2})


def test_reads_at_the_times_of_versions(database):
    times = [microseconds(database.set("a/b", {"n": number})) for number in range(5)]
    for number, time in enumerate(times):
        document = database.get("a/b", read_time=timestamp(time)).message
        assert document.fields["n"].integer_value == number
        (answer,) = database.batch_get("a/b", read_time=timestamp(time)).stream
        assert answer.found.fields["n"].integer_value == number
        assert microseconds(answer.read_time) == time
    before = database.get("a/b", read_time=timestamp(times[0] - 1))
    assert before.code in (StatusCode.NOT_FOUND, StatusCode.FAILED_PRECONDITION)


def test_list_documents_pages_in_order(database):
    names = [f"{number:03}" for number in range(25)]
    for name in names:
        database.set(f"a/{name}")
        database.set(f"a/{name}/sub/x")
    seen, token = [], ""
    while True:
        page = database.list("a", page_size=7, page_token=token).message
        seen += [document.name.rpartition("/")[2] for document in page.documents]
        token = page.next_page_token
        if not token:
            break
    assert seen == names


def test_show_missing_names_documents_without_times(database):
    database.set("a/1")
    database.set("a/2/b/x")
    shown = database.list("a", show_missing=True).message.documents
    assert [(document.name, document.HasField("create_time")) for document in shown] == [
        (database.doc("a/1"), True),
        (database.doc("a/2"), False),
    ]
    assert [document.name for document in database.list("a").message.documents] == [database.doc("a/1")]


def test_list_documents_of_any_collection(database):
    for path in ("a/1", "b/1", "a/1/c/1"):
        database.set(path)
    names = [document.name for document in database.list("").message.documents]
    assert names == [database.doc("a/1"), database.doc("b/1")]


def test_kindless_queries_return_every_document_below(database):
    for path in ("a/1", "a/1/b/1", "c/1/d/1", "e/1"):
        database.set(path)
    everything = StructuredQuery(from_=[StructuredQuery.CollectionSelector(all_descendants=True)])
    names = [response.document.name for response in database.query(everything).stream]
    assert names == [database.doc(path) for path in ("a/1", "a/1/b/1", "c/1/d/1", "e/1")]
    below = [response.document.name for response in database.query(everything, parent="a/1").stream]
    assert below == [database.doc("a/1/b/1")]


def test_any_database_exists(wire, database):
    for project, name in [("example.com:p", "(default)"), ("p", "a-named-database"), (database.project, "x")]:
        elsewhere = Database(wire, f"{project}-{database.project}", name)
        elsewhere.set("a/b", {"n": 1})
        assert elsewhere.fields("a/b") == messages.fields({"n": 1})
        database.get("a/b").refused(StatusCode.NOT_FOUND)
