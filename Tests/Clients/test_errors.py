"""What is refused, with which status, and with which text where the reference fixes it (reference 3, 5.6, 11.2)."""

import struct

import pytest
from grpc import StatusCode

from support import messages
from support.messages import Document, DocumentMask, Geo, Precondition, Raw, Reference, Timestamp, Write
from support.messages import delete_write, increment, set_write, union, varint, verify_write

INVALID = StatusCode.INVALID_ARGUMENT
NOT_FOUND = StatusCode.NOT_FOUND
EXISTS = StatusCode.ALREADY_EXISTS
FAILED = StatusCode.FAILED_PRECONDITION
STALE = Timestamp(seconds=1_600_000_000, nanos=1000)
FUTURE = Timestamp(seconds=16_000_000_000, nanos=1000)


def nested_maps(depth: int) -> object:
    content: object = 1
    for _ in range(depth):
        content = {"m": content}
    return content


# Values


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"a": Raw(b"")}, "type unset"),
        ({"a": [Raw(b"")]}, "type unset"),
        ({"a": {"b": Raw(b"")}}, "type unset"),
        ({"a": [[1]]}, ""),
        ({"a": [{"b": [[1]]}]}, ""),
        ({"a": nested_maps(21)}, ""),
        ({"a": Geo((91.0, 0.0))}, ""),
        ({"a": Geo((-90.5, 0.0))}, ""),
        ({"a": Geo((0.0, 180.5))}, ""),
        ({"a": Geo((float("nan"), 0.0))}, ""),
        ({"__a__": 1}, ""),
        ({"a": {"__b__": 1}}, ""),
        ({"": 1}, ""),
        ({"a": {"": 1}}, ""),
        ({"x" * 1501: 1}, ""),
        ({"a": Timestamp(seconds=253402300800)}, ""),
        ({"a": Timestamp(seconds=-62135596801)}, ""),
        ({"a": Timestamp(nanos=1_000_000_000)}, ""),
        ({"a": Timestamp(nanos=-1)}, ""),
        ({"a": Reference("projects/p/databases/d/documents/collection")}, ""),
        ({"a": Reference("collection/document")}, ""),
        ({"a": Raw(b"\x9a\x01\x01x")}, ""),
        ({"a": "x" * 1_048_488}, ""),
        ({"a": "x" * 600_000, "b": "x" * 600_000}, ""),
    ],
    ids=lambda content: repr(content)[:60],
)
def test_values_that_no_document_may_hold(database, content, text):
    database.commit(set_write(database.doc("a/b"), content)).refused(INVALID, text)
    database.get("a/b").refused(NOT_FOUND)


@pytest.mark.hosted("11.2: texts of the hosted service")
@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"a": Raw(b"")}, "Cannot convert firestore.v1.Value with type unset."),
        ({"a": [[1]]}, "Nested arrays are not allowed"),
        ({"a": nested_maps(21)}, "Property a contains an invalid nested entity."),
        ({"a": Geo((91.0, 0.0))}, "Geo point latitude '91.0' outside permitted range -90.0 to 90.0."),
        ({"__id__": 1}, "field name __id__ is reserved"),
        ({"": 1}, "The property.name is the empty string."),
        ({"x" * 1501: 1}, "The property.name is longer than 1500 bytes."),
        ({"blob": "x" * 1_048_488}, 'The value of property "blob" is longer than 1048487 bytes.'),
        ({"a": "x" * 600_000, "b": "x" * 600_000}, "exceeds the maximum allowed size of 1,048,576 bytes."),
    ],
    ids=lambda content: repr(content)[:60],
)
def test_the_texts_of_refused_values(database, content, text):
    database.commit(set_write(database.doc("a/b"), content)).refused(INVALID, text)


@pytest.mark.parametrize("depth", [20, 19, 1])
def test_nesting_is_allowed_to_the_limit(database, depth):
    database.set("a/b", {"a": nested_maps(depth)})


def deeply_nested(depth: int) -> bytes:
    """A Value of maps in maps, encoded by hand, since no library would. Its heads come from the inside out."""
    heads = [b"\x08\x01"]
    length = len(heads[0])
    for _ in range(depth):
        entry = b"\x0a\x01m\x12" + varint(length)
        fields = b"\x0a" + varint(length + len(entry))
        head = b"\x32" + varint(length + len(entry) + len(fields)) + fields + entry
        heads.append(head)
        length += len(head)
    return b"".join(reversed(heads))


@pytest.mark.hosted("1.5: never INTERNAL for a bad request; the emulator answers UNKNOWN")
@pytest.mark.parametrize("depth", [21, 100, 5_000, 100_000])
def test_nesting_far_beyond_the_limit_is_refused(database, depth):
    content = deeply_nested(depth)
    entry = b"\x0a\x01f\x12" + varint(len(content)) + content
    name = database.doc("a/b").encode()
    document = b"\x0a" + varint(len(name)) + name + b"\x12" + varint(len(entry)) + entry
    database.wire.call("Commit", commit_of(database, document)).refused(INVALID)
    database.set("a/b", {"still": "there"})


def commit_of(database, document: bytes) -> bytes:
    """A CommitRequest that updates a document encoded by hand."""
    write = b"\x0a" + varint(len(document)) + document
    return b"\x0a" + varint(len(database.name)) + database.name.encode() + b"\x12" + varint(len(write)) + write


# Names

BAD_NAMES = [
    "",
    "documents/a/b",
    "projects/p",
    "projects/p/databases/(default)",
    "{root}",
    "{root}/",
    "{root}/a",
    "{root}/a/b/c",
    "{root}/a/b/",
    "{root}//b",
    "{root}/a//b/c",
    "{root}/a/.",
    "{root}/a/..",
    "{root}/./b",
    "{root}/../b",
    "{root}/__a__/b",
    "{root}/a/__b__",
    "{root}/a/_____",
    "/{root}/a/b",
]


@pytest.mark.parametrize("pattern", BAD_NAMES, ids=range(len(BAD_NAMES)))
def test_names_that_name_no_document(database, pattern):
    name = pattern.format(root=database.root)
    database.wire.call("GetDocument", name=name).refused(INVALID)
    database.wire.call("BatchGetDocuments", database=database.name, documents=[name]).refused(INVALID)
    database.wire.call("DeleteDocument", name=name).refused(INVALID)
    if name:
        database.commit(set_write(name, {})).refused(INVALID)
        database.commit(delete_write(name)).refused(INVALID)


@pytest.mark.hosted("3.1, 3.2: texts of the hosted service")
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("x{root}/a/b", 'lacks "projects" at index 0.'),
        ("{root}/a", 'lacks "/" at index'),
        ("{root}/a/..", 'contains a resource id ".." at index'),
        ("{root}/a/__x__", 'Resource id "__x__" is invalid because it is reserved.'),
        ("{root}/a/" + "x" * 1501, "The key path element name is longer than 1500 bytes."),
    ],
)
def test_the_texts_of_refused_names(database, pattern, text):
    name = pattern.format(root=database.root)
    database.wire.call("GetDocument", name=name).refused(INVALID, text)
    database.commit(set_write(name, {})).refused(INVALID, text)


@pytest.mark.hosted("3.1, 11.3: the emulator accepts writes to another database")
@pytest.mark.parametrize("other", ["projects/other/databases/(default)", "{project}/databases/other"])
def test_names_in_another_database(database, other):
    elsewhere = other.format(project=f"projects/{database.project}") + "/documents/a/b"
    text = f"The request was for database '{database.name}' but was attempting to access database '"
    database.commit(set_write(elsewhere, {})).refused(INVALID, text)
    database.wire.call("BatchGetDocuments", database=database.name, documents=[elsewhere]).refused(INVALID, text)


@pytest.mark.parametrize("collection", ["..", "a/b", "__a__", "x" * 1501])
def test_collections_that_do_not_exist_by_rule(database, collection):
    create = {"parent": database.root, "collection_id": collection, "document_id": "x", "document": Document()}
    database.wire.call("CreateDocument", **create).refused(INVALID)
    selector = messages.StructuredQuery.CollectionSelector(collection_id=collection)
    database.query(messages.StructuredQuery(from_=[selector])).refused(INVALID)


# Field paths

BAD_PATHS = [
    *("", "a..b", ".a", "a.", "a-b", "0a", "a[0]", "a b", "é", "*"),
    *("`a", "a`b`", "``", "`a`b", "a`", "__a__", "a.__b__"),
]


@pytest.mark.parametrize("path", BAD_PATHS, ids=range(len(BAD_PATHS)))
def test_field_paths_outside_the_grammar(database, path):
    database.set("a/b", {"a": 1})
    database.commit(set_write(database.doc("a/b"), {"a": 2}, mask=[path])).refused(INVALID)
    database.commit(set_write(database.doc("a/b"), transforms=[increment(path, 1)], mask=[])).refused(INVALID)
    database.get("a/b", mask=DocumentMask(field_paths=[path])).refused(INVALID)
    assert database.fields("a/b")["a"].integer_value == 1


@pytest.mark.hosted("3.3: texts of the hosted service")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a..b", 'Invalid property path "a..b". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*)'),
        ("", "Invalid empty property path string."),
        ("__x__", "Invalid reserved name in field path __x__"),
        ("a[0]", "Invalid property path"),
    ],
)
def test_the_texts_of_refused_field_paths(database, path, text):
    database.commit(set_write(database.doc("a/b"), {"a": 2}, mask=[path])).refused(INVALID, text)


# Preconditions



@pytest.mark.parametrize(
    ("make", "condition", "on_missing", "on_existing"),
    [
        (make, condition, on_missing, on_existing)
        for make in ("update", "delete", "verify", "transform")
        for condition, on_missing, on_existing in [
            ({"exists": True}, NOT_FOUND, None),
            ({"exists": False}, None, EXISTS),
            ({"update_time": STALE}, FAILED, FAILED),
            ({"update_time": FUTURE}, FAILED, INVALID),
        ]
    ],
)
def test_failed_preconditions(database, make, condition, on_missing, on_existing):
    database.set("a/existing", {"n": 1})
    for path, expected in [("a/missing", on_missing), ("a/existing", on_existing)]:
        outcome = database.commit(conditional_write(make, database.doc(path), **condition))
        assert outcome.code is (expected or StatusCode.OK), (path, outcome.text)


def conditional_write(make: str, name: str, **condition) -> Write:
    if make == "update":
        return set_write(name, {"n": 2}, **condition)
    if make == "delete":
        return delete_write(name, **condition)
    if make == "verify":
        return verify_write(name, **condition)
    return Write(
        transform={"document": name, "field_transforms": [increment("n", 1)]},
        current_document=messages.precondition(**condition),
    )


@pytest.mark.parametrize("make", ["update", "delete", "verify", "transform"])
def test_a_precondition_on_a_later_version_than_the_stored_one_is_an_invalid_argument(database, make):
    """Reference 5.6; as the emulator reads it, what is later than the document's newest version is in the future."""
    name = database.doc("a/b")
    stored = messages.microseconds(database.set("a/b", {"n": 1}))
    for later in (messages.timestamp(stored + 1), FUTURE):
        write = conditional_write(make, name, update_time=later)
        database.commit(write).refused(INVALID, "Invalid base version, it is greater than the stored version")
        database.commit(set_write(database.doc("a/other")), write).refused(INVALID)
        batch = database.batch_write(write, set_write(database.doc("a/batched")))
        assert [status.code for status in batch.message.status] == [INVALID.value[0], 0]
        transaction = database.begin()
        database.batch_get("a/b", transaction=transaction)
        database.commit(write, transaction=transaction).refused(INVALID)
        database.rollback(transaction)
    assert database.fields("a/b")["n"].integer_value == 1
    database.get("a/other").refused(NOT_FOUND)


def test_the_calls_on_one_document_refuse_a_later_version_than_the_stored_one(database):
    database.set("a/b", {"n": 1})
    name, condition = database.doc("a/b"), messages.precondition(update_time=FUTURE)
    changed = Document(name=name, fields=messages.fields({"n": 2}))
    database.wire.call("UpdateDocument", document=changed, current_document=condition).refused(INVALID)
    database.wire.call("DeleteDocument", name=name, current_document=condition).refused(INVALID)
    assert database.fields("a/b")["n"].integer_value == 1


@pytest.mark.hosted("11.2, 11.3: texts of the hosted service")
def test_the_texts_of_failed_preconditions(database):
    written = database.set("a/b", {"n": 1})
    missing, existing = database.doc("a/none"), database.doc("a/b")
    database.get("a/none").refused(NOT_FOUND, f'Document "{missing}" not found.')
    database.commit(set_write(missing, {}, exists=True)).refused(NOT_FOUND, f"No document to update: {missing}")
    database.commit(set_write(existing, {}, exists=False)).refused(EXISTS, f"Document already exists: {existing}")
    stored, required = messages.microseconds(written), messages.microseconds(STALE)
    text = "the stored version ({}) does not match the required base version ({})"
    database.commit(set_write(existing, {}, update_time=STALE)).refused(FAILED, text.format(stored, required))
    database.commit(set_write(missing, {}, update_time=STALE)).refused(FAILED, text.format(0, required))


def test_a_precondition_sees_the_earlier_writes_of_its_commit(database):
    name = database.doc("a/b")
    written = database.commit(set_write(name, {"n": 1}), set_write(name, {"n": 2}, mask=["n"], exists=True)).message
    assert written.write_results[0].update_time == written.write_results[1].update_time
    assert database.fields("a/b")["n"].integer_value == 2
    database.commit(set_write(database.doc("a/c"), {}, mask=[], exists=True), set_write(database.doc("a/c"))).refused(
        NOT_FOUND
    )


def test_delete_then_update_of_one_document_is_an_invalid_argument(database):
    database.set("a/b", {"n": 1})
    name = database.doc("a/b")
    database.commit(delete_write(name), set_write(name, {"n": 2}, exists=True)).refused(INVALID)
    assert database.fields("a/b")["n"].integer_value == 1
    database.commit(delete_write(name), set_write(name, {"n": 3})).message
    assert database.fields("a/b")["n"].integer_value == 3


def test_update_time_preconditions_hold_and_fail(database):
    first = database.set("a/b", {"n": 1})
    second = database.set("a/b", {"n": 2}, update_time=first)
    database.commit(set_write(database.doc("a/b"), {"n": 3}, update_time=first)).refused(FAILED)
    database.commit(delete_write(database.doc("a/b"), update_time=second)).message
    database.get("a/b").refused(NOT_FOUND)


# Writes


def test_writes_that_are_not_writes(database):
    name = database.doc("a/b")
    database.commit(Write()).refused(INVALID)
    masked = delete_write(name)
    masked.update_mask.CopyFrom(DocumentMask(field_paths=["a"]))
    database.commit(masked).refused(INVALID)
    transformed = delete_write(name)
    transformed.update_transforms.append(increment("a", 1))
    database.commit(transformed).refused(INVALID)


@pytest.mark.hosted("5.6: texts of the hosted service")
def test_the_texts_of_refused_writes(database):
    name = database.doc("a/b")
    database.commit(Write()).refused(INVALID, "empty write operation")
    masked = delete_write(name)
    masked.update_mask.CopyFrom(DocumentMask(field_paths=["a"]))
    database.commit(masked).refused(INVALID, "a delete must not specify a document mask.")
    transformed = delete_write(name)
    transformed.update_transforms.append(increment("a", 1))
    database.commit(transformed).refused(INVALID, "a delete must not specify a update transform.")
    too_many = set_write(name, transforms=[increment("a", 1)] * 501)
    text = "cannot have more than 500 field transforms on a single document"
    database.commit(too_many).refused(INVALID, text)
    not_a_number = set_write(name, transforms=[increment("a", "x")])
    database.commit(not_a_number).refused(INVALID, "Input must be int64 or double.")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {"exists": False}),
        ({"exists": True}, {"exists": False}),
        ({}, {"update_time": STALE}),
        ({"exists": True}, {"update_time": STALE}),
    ],
    ids=str,
)
def test_writes_to_one_document_may_not_contradict_each_other(database, first, second):
    database.set("a/b", {"n": 1})
    name = database.doc("a/b")
    database.commit(set_write(name, {"n": 2}, **first), set_write(name, {"n": 3}, **second)).refused(INVALID)
    assert database.fields("a/b")["n"].integer_value == 1


def test_a_document_is_verified_or_written(database):
    written = database.set("a/b", {"n": 1})
    name = database.doc("a/b")
    verify = verify_write(name, update_time=written)
    database.commit(verify, set_write(name, {"n": 2})).refused(INVALID)
    database.commit(set_write(name, {"n": 2}), verify).refused(INVALID)
    database.commit(verify_write(name)).refused(INVALID)
    assert database.commit(set_write(name, {"n": 2}, update_time=written), set_write(name, {"n": 3})).ok


def test_transforms_of_a_field_and_of_one_inside_it(database):
    name = database.doc("a/b")
    for paths in (("m", "m.n"), ("m.n", "x", "m")):
        transforms = [increment(path, 1) for path in paths]
        database.commit(set_write(name, transforms=transforms)).refused(INVALID)
    database.commit(set_write(name, transforms=[increment("m.n", 1), increment("m.n", 1), increment("mm", 1)])).message


@pytest.mark.parametrize(
    "vector",
    [
        {"__type__": "__vector__", "value": []},
        {"__type__": "__vector__", "value": [float("nan")]},
        {"__type__": "__vector__", "value": ["x"]},
        {"__type__": "__vector__", "value": [1.0] * 2049},
        {"__type__": "__vector__", "value": [1.0], "more": 1},
        {"__type__": "__vector__"},
        {"__type__": "other", "value": [1.0]},
        [{"__type__": "__vector__", "value": [1.0]}],
    ],
    ids=lambda vector: str(vector)[:50],
)
def test_vectors_that_are_refused(database, vector):
    database.commit(set_write(database.doc("a/b"), {"v": vector})).refused(INVALID)


def test_nothing_reaches_inside_a_vector(database):
    name = database.doc("a/b")
    database.set("a/b", {"v": {"__type__": "__vector__", "value": [1.0]}})
    assert not database.get("a/b", mask=DocumentMask(field_paths=["v.value"])).message.fields
    database.commit(set_write(name, {"v": {"x": 1}}, mask=["v.x"])).message
    assert database.fields("a/b") == messages.fields({"v": {"x": 1}})


def test_five_hundred_transforms_of_one_document(database):
    outcome = database.commit(set_write(database.doc("a/b"), transforms=[increment("n", 1)] * 500)).message
    assert len(outcome.write_results[0].transform_results) == 500
    assert database.fields("a/b")["n"].integer_value == 500


@pytest.mark.parametrize(
    "transform",
    [
        messages.FieldTransform(field_path="a"),
        messages.FieldTransform(field_path="a", set_to_server_value=0),
        messages.FieldTransform(field_path="a", increment=messages.value("x")),
        messages.FieldTransform(field_path="a", increment=messages.Value()),
        messages.FieldTransform(field_path="a", maximum=messages.value("x")),
        messages.FieldTransform(field_path="", increment=messages.value(1)),
    ],
    ids=lambda transform: str(transform).replace("\n", " ")[:60],
)
def test_transforms_that_are_refused(database, transform):
    database.commit(set_write(database.doc("a/b"), transforms=[transform])).refused(INVALID)


def test_a_failed_commit_changes_nothing_at_all(database):
    before = database.set("a/b", {"n": 1})
    bad = [set_write(database.doc("a/none"), {}, exists=True), set_write(database.doc("a/__x__"), {}), Write()]
    for write in bad:
        assert not database.commit(set_write(database.doc("a/b"), {"n": 2}), write).ok
        assert not database.commit(write, set_write(database.doc("a/b"), {"n": 2})).ok
    document = database.get("a/b").message
    assert document.update_time == before and document.fields["n"].integer_value == 1


# BatchWrite


def test_batch_write_answers_each_write(database):
    database.set("a/existing", {"n": 1})
    response = database.batch_write(
        set_write(database.doc("a/new"), {"n": 1}),
        set_write(database.doc("a/existing"), {"n": 2}, exists=False),
        set_write(database.doc("a/none"), {"n": 2}, exists=True),
        delete_write(database.doc("a/gone")),
    ).message
    assert [status.code for status in response.status] == [0, 6, 5, 0]
    assert len(response.write_results) == 4
    assert database.fields("a/new")["n"].integer_value == 1
    assert database.fields("a/existing")["n"].integer_value == 1
    database.batch_write().message


@pytest.mark.hosted("5.7: a malformed write fails alone")
def test_a_malformed_write_of_a_batch_write_fails_alone(database):
    response = database.batch_write(
        set_write(database.doc("a/__reserved__"), {}),
        set_write(database.doc("a/good"), {"n": 1}),
        Write(),
        set_write(database.doc("a/field"), {"__reserved__": 1}),
        set_write(database.doc("a/nested"), {"a": [[1]]}),
    ).message
    assert [status.code for status in response.status] == [3, 0, 3, 3, 3]
    assert len(response.write_results) == 5
    assert database.fields("a/good")["n"].integer_value == 1


def test_batch_write_refuses_a_document_twice(database):
    write = set_write(database.doc("a/b"), {})
    text = "the same document cannot be written more than once in a single request"
    database.batch_write(write, delete_write(database.doc("a/b"))).refused(INVALID, text)
    database.get("a/b").refused(NOT_FOUND)


# Single-document calls


def test_create_document(database):
    def create(**members):
        return database.wire.call("CreateDocument", parent=database.root, collection_id="a", **members)

    made = create(document_id="x", document=Document(fields=messages.fields({"n": 1, "m": 2}))).message
    assert made.name == database.doc("a/x") and made.create_time == made.update_time
    create(document_id="x", document=Document()).refused(EXISTS)
    mask = DocumentMask(field_paths=["n"])
    masked = create(document_id="y", document=Document(fields=messages.fields({"n": 1, "m": 2})), mask=mask).message
    assert list(masked.fields) == ["n"]
    assert sorted(database.fields("a/y")) == ["m", "n"]
    chosen = create(document=Document(fields=messages.fields({"n": 1}))).message.name.rpartition("/")[2]
    assert len(chosen) == 20 and chosen.isalnum()


def test_update_document(database):
    def update(path, content, **members):
        document = Document(name=database.doc(path), fields=messages.fields(content))
        return database.wire.call("UpdateDocument", document=document, **members)

    assert update("a/b", {"n": 1}).message.fields["n"].integer_value == 1
    changed = update("a/b", {"m": 2}, update_mask=DocumentMask(field_paths=["m"])).message
    assert sorted(changed.fields) == ["m", "n"]
    empty = update("a/b", {"m": 3}, update_mask=DocumentMask(field_paths=["m"]), mask=DocumentMask()).message
    assert not empty.fields
    assert messages.microseconds(empty.update_time) > messages.microseconds(changed.update_time)
    update("a/none", {}, current_document=Precondition(exists=True)).refused(NOT_FOUND)
    update("a/b", {}, current_document=Precondition(exists=False)).refused(EXISTS)


def test_delete_document(database):
    database.set("a/b")
    database.wire.call("DeleteDocument", name=database.doc("a/b")).message
    database.wire.call("DeleteDocument", name=database.doc("a/b")).message
    condition = Precondition(exists=True)
    database.wire.call("DeleteDocument", name=database.doc("a/b"), current_document=condition).refused(NOT_FOUND)


# Reads


def test_lists_that_are_refused(database):
    for name in "abc":
        database.set(f"a/{name}")
    database.list("a", page_size=-1).refused(INVALID)
    database.list("a", order_by="a sideways").refused(INVALID)
    database.list("a", parent="a").refused(INVALID)
    database.collections(parent="a").refused(INVALID)


@pytest.mark.hosted("5.3, 11.3: an unreadable page token is an invalid argument, and a full last page has no token")
def test_page_tokens(database):
    for name in "abcd":
        database.set(f"a/{name}")
    for name in "bcd":
        database.set(f"{name}/x")
    database.list("a", page_token="nonsense").refused(INVALID)
    database.collections(page_token="nonsense").refused(INVALID)
    first = database.list("a", page_size=2).message
    assert len(first.documents) == 2 and first.next_page_token
    last = database.list("a", page_size=2, page_token=first.next_page_token).message
    assert len(last.documents) == 2 and not last.next_page_token
    ids = database.collections(page_size=2).message
    assert list(ids.collection_ids) == ["a", "b"] and ids.next_page_token
    rest = database.collections(page_size=2, page_token=ids.next_page_token).message
    assert list(rest.collection_ids) == ["c", "d"] and not rest.next_page_token


def test_read_times_outside_the_history(database):
    database.set("a/b", {"n": 1})
    ancient = Timestamp(seconds=1)
    future = Timestamp(seconds=7_000_000_000)
    refused = database.get("a/b", read_time=ancient)
    assert refused.code in (INVALID, FAILED)
    database.get("a/b", read_time=future).refused(INVALID)


@pytest.mark.hosted("6.5: texts of the hosted service")
def test_a_read_time_in_the_future(database):
    database.set("a/b", {"n": 1})
    text = "The requested 'read_time' cannot be in the future."
    database.get("a/b", read_time=Timestamp(seconds=7_000_000_000)).refused(INVALID, text)


def test_queries_that_are_refused(database):
    query = messages.StructuredQuery
    selector = query.CollectionSelector(collection_id="a")
    database.query(query(from_=[selector, selector])).refused(INVALID)
    database.query(query(from_=[selector], limit={"value": -1})).refused(INVALID)
    database.query(query(from_=[selector], offset=-1)).refused(INVALID)
    database.query(query(from_=[selector]), parent="a").refused(INVALID)
    outside = query.Order(field={"field_path": "__name__"}), query.Order(field={"field_path": "a"})
    database.query(query(from_=[selector], order_by=outside)).refused(INVALID)
    database.wire.call("RunQuery", parent=database.root).refused(INVALID)


# Bytes


@pytest.mark.hosted("1.5: a bad request is never INTERNAL; the emulator answers UNKNOWN")
def test_invalid_utf8_in_names_fields_and_values(database):
    name = database.doc("a/b").encode()

    def commit(document: bytes) -> None:
        database.wire.call("Commit", commit_of(database, document)).refused(INVALID)

    def document(name: bytes, key: bytes, value: bytes) -> bytes:
        entry = b"\x0a" + varint(len(key)) + key + b"\x12" + varint(len(value)) + value
        return b"\x0a" + varint(len(name)) + name + b"\x12" + varint(len(entry)) + entry

    text = b"\x8a\x01\x02\xff\xfe"
    commit(document(name, b"f", text))
    commit(document(name, b"\xff", b"\x08\x01"))
    commit(document(name + b"\xff", b"f", b"\x08\x01"))
    commit(document(name, b"f", b"\x8a\x01\x03\xed\xa0\x80"))
    database.get("a/b").refused(NOT_FOUND)


@pytest.mark.parametrize(
    "request_bytes",
    [b"\xff", b"\x0a", b"\x0a" + b"\xff" * 9 + b"\x01", b"\x0b", b"\x07", struct.pack("<I", 7), b"\x00"],
    ids=range(7),
)
def test_requests_that_are_no_protobuf(database, request_bytes):
    for method in ("Commit", "GetDocument", "BatchGetDocuments", "BeginTransaction", "RunQuery"):
        refused = database.wire.call(method, request_bytes)
        assert not refused.ok and refused.code is not StatusCode.UNAVAILABLE, (method, refused)
    database.set("a/b", {"still": "there"})


@pytest.mark.hosted("4.1: an array directly inside an array is illegal; the emulator stores it")
def test_no_union_puts_an_array_into_an_array(database):
    database.set("a/b", {"list": [1]})
    database.commit(set_write(database.doc("a/b"), mask=[], transforms=[union("list", [[1]])])).refused(INVALID)
