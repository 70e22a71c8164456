"""Locks, victims and the life of transaction ids (reference 6.2 to 6.8), by raw calls on connections of their own.

That a call waits is shown by what happens before it answers, not by the clock: a call that must wait is started, the
event that it waits for is produced, and the times of the two commits are compared.
"""

import grpc
import pytest
from grpc import StatusCode

from support import messages
from support.messages import StructuredQuery, delete_write, microseconds, retry_of, set_write, verify_write
from support.wire import Database

ABORTED = StatusCode.ABORTED
INVALID = StatusCode.INVALID_ARGUMENT
EXPIRED = "The referenced transaction has expired or is no longer valid."
UNKNOWN = "Invalid transaction."
CONTENTION = "Aborted due to cross-transaction contention."


def n(content: int) -> dict[str, int]:
    return {"n": content}


def number_in(outcome) -> int | None:
    """The `n` of the one document that a batch get answered with."""
    (answer,) = outcome.stream
    return answer.found.fields["n"].integer_value if answer.HasField("found") else None


@pytest.fixture
def others(database, wires):
    """Makes further connections to the test's database, open before they are used: their calls keep their order."""

    def connect():
        wire = wires()
        grpc.channel_ready_future(wire.channel).result(timeout=30)
        return database.through(wire)

    return connect


def wait_until_queued(database, path: str) -> None:
    """Returns when the server has handled what was sent before on the same connection.

    One connection's calls start in the order in which they were sent, so an answered plain read means that the call
    before it has reached its queue.
    """
    assert database.batch_get(path).ok


# Waiting


def test_a_writer_waits_for_a_reader_and_then_succeeds(database, others):
    database.set("a/b", n(1))
    reader = database.begin()
    assert number_in(database.batch_get("a/b", transaction=reader)) == 1
    writer = others()
    pending = writer.start_commit(set_write(database.doc("a/b"), n(2)))
    wait_until_queued(writer, "a/b")
    # Plain reads do not wait, and see nothing of the write that does.
    assert number_in(database.batch_get("a/b")) == 1
    assert number_in(database.batch_get("a/b", transaction=reader)) == 1
    assert not pending.done
    ended = database.commit(set_write(database.doc("a/other"), n(1)), transaction=reader).message.commit_time
    written = pending.outcome().message.commit_time
    assert microseconds(written) > microseconds(ended)
    assert database.fields("a/b")["n"].integer_value == 2


@pytest.mark.parametrize("end", ["rollback", "empty commit"])
def test_a_writer_goes_on_when_the_reader_ends_without_writing(database, others, end):
    database.set("a/b", n(1))
    reader = database.begin()
    database.batch_get("a/b", transaction=reader)
    writer = others()
    pending = writer.start_commit(set_write(database.doc("a/b"), n(2)))
    wait_until_queued(writer, "a/b")
    assert not pending.done
    assert database.rollback(reader).ok if end == "rollback" else database.commit(transaction=reader).ok
    assert pending.outcome().ok


@pytest.mark.parametrize("kind", ["Create", "Update", "Delete", "BatchWrite"])
def test_every_kind_of_plain_write_waits_for_readers(database, others, kind):
    if kind != "Create":
        database.set("a/b", n(1))
    reader = database.begin()
    database.batch_get("a/b", transaction=reader)
    writer = others()
    name = database.doc("a/b")
    document = messages.Document(name=name, fields=messages.fields(n(2)))
    unnamed = messages.Document(fields=messages.fields(n(2)))
    pending = {
        "Create": lambda: writer.wire.start(
            "CreateDocument", parent=database.root, collection_id="a", document_id="b", document=unnamed
        ),
        "Update": lambda: writer.wire.start("UpdateDocument", document=document),
        "Delete": lambda: writer.wire.start("DeleteDocument", name=name),
        "BatchWrite": lambda: writer.wire.start("BatchWrite", database=database.name, writes=[set_write(name, n(2))]),
    }[kind]()
    wait_until_queued(writer, "a/b")
    assert not pending.done
    assert database.rollback(reader).ok
    assert pending.outcome().ok


def test_a_missing_document_is_locked_as_well(database, others):
    reader = database.begin()
    assert number_in(database.batch_get("a/none", transaction=reader)) is None
    writer = others()
    pending = writer.start_commit(set_write(database.doc("a/none"), n(1)))
    wait_until_queued(writer, "a/none")
    assert number_in(database.batch_get("a/none", transaction=reader)) is None
    assert not pending.done
    assert database.rollback(reader).ok
    assert pending.outcome().ok


def test_transactions_that_only_read_do_not_block_each_other(database, others):
    database.set("a/b", n(1))
    first, second = database.begin(), others()
    other = second.begin()
    assert number_in(database.batch_get("a/b", transaction=first, timeout=10)) == 1
    assert number_in(second.batch_get("a/b", transaction=other, timeout=10)) == 1
    assert second.commit(transaction=other, timeout=10).ok
    assert database.commit(transaction=first, timeout=10).ok


def test_transactions_on_different_documents_do_not_block_each_other(database, others):
    first, second = database.begin(), others()
    other = second.begin()
    database.batch_get("a/1", transaction=first)
    second.batch_get("a/2", transaction=other)
    assert second.commit(set_write(database.doc("a/2"), n(1)), transaction=other, timeout=10).ok
    assert database.commit(set_write(database.doc("a/1"), n(1)), transaction=first, timeout=10).ok


@pytest.mark.hosted("6.2.6: first come, first served; no writer starves")
def test_a_later_reader_waits_behind_a_queued_writer(database, others):
    database.set("a/b", n(1))
    early = database.begin()
    assert number_in(database.batch_get("a/b", transaction=early)) == 1
    writer = others()
    write = writer.start_commit(set_write(database.doc("a/b"), n(2)))
    wait_until_queued(writer, "a/b")
    later = others()
    transaction = later.begin()
    read = later.start_batch_get("a/b", transaction=transaction)
    wait_until_queued(later, "a/b")
    # The earlier reader is unaffected; plain reads still do not wait.
    assert number_in(database.batch_get("a/b", transaction=early, timeout=10)) == 1
    assert number_in(database.batch_get("a/b", timeout=10)) == 1
    assert not write.done
    assert database.commit(transaction=early).ok
    assert write.outcome().ok
    assert number_in(read.outcome()) == 2
    assert later.rollback(transaction).ok


@pytest.mark.hosted("6.2.1: the snapshot of a transaction begins at its first read")
def test_the_snapshot_begins_at_the_first_read(database):
    database.set("a/b", n(1))
    transaction = database.begin()
    database.set("a/b", n(2))
    assert number_in(database.batch_get("a/b", transaction=transaction)) == 2
    assert database.commit(set_write(database.doc("a/b"), n(3)), transaction=transaction).ok


# Victims


@pytest.mark.hosted("6.2.7: the older transaction wins")
def test_the_younger_of_two_that_read_and_write_one_document_is_the_victim(database, others):
    database.set("a/b", n(1))
    older, younger = database.begin(), others()
    database.batch_get("a/b", transaction=older)
    victim = younger.begin()
    younger.batch_get("a/b", transaction=victim)
    pending = younger.start_commit(set_write(database.doc("a/b"), n(10)), transaction=victim)
    wait_until_queued(younger, "a/b")
    assert database.commit(set_write(database.doc("a/b"), n(2)), transaction=older).ok
    pending.outcome().refused(ABORTED, CONTENTION)
    younger.commit(transaction=victim).refused(ABORTED)
    assert younger.rollback(victim).ok
    assert database.fields("a/b")["n"].integer_value == 2


@pytest.mark.hosted("6.2.7: the older transaction wins")
def test_a_waiting_transaction_succeeds_when_the_older_one_does_not_write(database, others):
    database.set("a/b", n(1))
    older, younger = database.begin(), others()
    database.batch_get("a/b", transaction=older)
    other = younger.begin()
    younger.batch_get("a/b", transaction=other)
    pending = younger.start_commit(set_write(database.doc("a/b"), n(10)), transaction=other)
    wait_until_queued(younger, "a/b")
    assert not pending.done
    assert database.commit(set_write(database.doc("a/c"), n(1)), transaction=older).ok
    assert pending.outcome().ok


@pytest.mark.hosted("6.2.7: the older transaction wins a deadlock")
@pytest.mark.parametrize("waiting_is_older", [False, True], ids=["waiting is younger", "waiting is older"])
def test_age_decides_a_deadlock(database, others, waiting_is_older):
    database.set("a/a", n(1))
    database.set("a/b", n(1))
    first, second = database, others()
    early, late = first.begin(), second.begin()
    # Age is the time of the first read.
    if waiting_is_older:
        second.batch_get("a/b", transaction=late)
        first.batch_get("a/a", transaction=early)
    else:
        first.batch_get("a/a", transaction=early)
        second.batch_get("a/b", transaction=late)
    pending = second.start_commit(set_write(database.doc("a/a"), n(2)), transaction=late)
    wait_until_queued(second, "a/a")
    closing = first.commit(set_write(database.doc("a/b"), n(2)), transaction=early)
    if waiting_is_older:
        closing.refused(ABORTED, CONTENTION)
        assert pending.outcome().ok
    else:
        assert closing.ok
        pending.outcome().refused(ABORTED, CONTENTION)


@pytest.mark.hosted("6.6: a retry inherits the age of the first attempt")
def test_a_retry_keeps_its_place_in_line(database, others):
    database.set("a/b", n(1))
    first = database.begin()
    database.batch_get("a/b", transaction=first)
    assert database.rollback(first).ok
    younger = others()
    other = younger.begin()
    younger.batch_get("a/b", transaction=other)
    retry = database.begin(retry_of(first))
    assert retry != first
    assert number_in(database.batch_get("a/b", transaction=retry)) == 1
    pending = younger.start_commit(set_write(database.doc("a/b"), n(10)), transaction=other)
    wait_until_queued(younger, "a/b")
    assert database.commit(set_write(database.doc("a/b"), n(2)), transaction=retry).ok
    pending.outcome().refused(ABORTED, CONTENTION)


@pytest.mark.hosted("6.2.5: a writer that waits too long gives up; the reader can still commit")
@pytest.mark.timeout(120)
def test_a_writer_gives_up_in_the_end(database, others):
    database.set("a/b", n(1))
    reader = database.begin()
    database.batch_get("a/b", transaction=reader)
    text = "Too much contention on these documents. Please try again."
    others().start_commit(set_write(database.doc("a/b"), n(2)), timeout=60).outcome().refused(ABORTED, text)
    assert database.commit(set_write(database.doc("a/b"), n(3)), transaction=reader).ok


def test_writes_that_no_state_accepts_do_not_wait(database, others):
    database.set("a/b", n(1))
    reader = database.begin()
    database.batch_get("a/b", transaction=reader)
    name = database.doc("a/b")
    refused = others().commit(delete_write(name), set_write(name, n(2), exists=True), timeout=10)
    refused.refused(INVALID)
    assert database.commit(set_write(name, n(3)), transaction=reader).ok


def test_the_deadline_of_a_waiting_writer_ends_its_wait(database, others):
    database.set("a/b", n(1))
    reader = database.begin()
    database.batch_get("a/b", transaction=reader)
    waiting = others().start_commit(set_write(database.doc("a/b"), n(2)), timeout=1)
    waiting.outcome().refused(StatusCode.DEADLINE_EXCEEDED)
    assert database.commit(transaction=reader).ok
    final = database.set("a/b", n(3))
    assert database.get("a/b").message.update_time == final


@pytest.mark.hosted("1.2: a cancelled call leaves its queue")
def test_a_cancelled_writer_leaves_the_queue(database, others):
    database.set("a/b", n(1))
    reader = database.begin()
    database.batch_get("a/b", transaction=reader)
    writer = others()
    pending = writer.start_commit(set_write(database.doc("a/b"), n(2)))
    wait_until_queued(writer, "a/b")
    pending.cancel()
    wait_until_queued(writer, "a/b")
    # Nobody is queued any more, so another reader need not wait.
    later = others()
    transaction = later.begin()
    assert number_in(later.batch_get("a/b", transaction=transaction, timeout=10)) == 1
    assert later.rollback(transaction).ok
    assert database.commit(set_write(database.doc("a/b"), n(3)), transaction=reader).ok
    assert database.fields("a/b")["n"].integer_value == 3


# Queries


def everything_in(collection: str) -> StructuredQuery:
    return StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id=collection)])


@pytest.mark.hosted("6.2.2: phantoms are excluded")
@pytest.mark.parametrize("write", ["insert", "change", "delete"])
def test_a_query_in_a_transaction_is_protected_from_outside_writes(database, others, write):
    """An outside write into the range either waits for the transaction, or makes its commit fail."""
    database.set("a/1", n(1))
    transaction = database.begin()
    found = database.query(everything_in("a"), transaction=transaction).stream
    assert [response.document.name for response in found] == [database.doc("a/1")]
    writer = others()
    outside = {
        "insert": set_write(database.doc("a/2"), n(2)),
        "change": set_write(database.doc("a/1"), n(2)),
        "delete": delete_write(database.doc("a/1")),
    }[write]
    pending = writer.start_commit(outside)
    wait_until_queued(writer, "a/1")
    outcome = database.commit(set_write(database.doc("b/sum"), n(1)), transaction=transaction)
    written = pending.outcome().message.commit_time
    if outcome.ok:
        assert microseconds(outcome.message.commit_time) < microseconds(written)
    else:
        outcome.refused(ABORTED)


@pytest.mark.hosted("6.2.2: a write that enters no scanned range proceeds; the emulator locks what is below as well")
def test_writes_outside_the_range_of_a_query_go_on(database, others):
    database.set("a/1", n(1))
    transaction = database.begin()
    database.query(everything_in("a"), transaction=transaction).stream
    assert others().commit(set_write(database.doc("b/1"), n(1)), timeout=10).ok
    assert others().commit(set_write(database.doc("a/1/a/1"), n(1)), timeout=10).ok
    assert database.commit(set_write(database.doc("c/1"), n(1)), transaction=transaction).ok


# Read-only transactions


def test_a_read_only_transaction_takes_no_locks(database, others):
    database.set("a/b", n(1))
    transaction = database.begin(messages.READ_ONLY)
    assert number_in(database.batch_get("a/b", transaction=transaction)) == 1
    assert others().commit(set_write(database.doc("a/b"), n(2)), timeout=10).ok
    assert number_in(database.batch_get("a/b", transaction=transaction)) == 1
    found = database.query(everything_in("a"), transaction=transaction).stream
    assert [response.document.fields["n"].integer_value for response in found] == [1]
    assert database.commit(transaction=transaction).ok


def test_a_read_only_transaction_at_a_read_time(database):
    first = database.set("a/b", n(1))
    database.set("a/b", n(2))
    options = messages.TransactionOptions(read_only=messages.TransactionOptions.ReadOnly(read_time=first))
    transaction = database.begin(options)
    assert number_in(database.batch_get("a/b", transaction=transaction)) == 1
    assert database.get("a/b", transaction=transaction).message.update_time == first
    assert database.rollback(transaction).ok


def test_a_read_only_transaction_cannot_write(database):
    transaction = database.begin(messages.READ_ONLY)
    database.batch_get("a/b", transaction=transaction)
    text = "Cannot modify entities in a read-only transaction."
    database.commit(set_write(database.doc("a/b"), n(1)), transaction=transaction).refused(INVALID, text)
    assert database.rollback(transaction).ok


@pytest.mark.hosted("6.4, 11.3: a refused read-only transaction is dead")
def test_a_read_only_transaction_that_tried_to_write_is_dead(database):
    transaction = database.begin(messages.READ_ONLY)
    database.commit(set_write(database.doc("a/b"), n(1)), transaction=transaction).refused(INVALID)
    database.commit(transaction=transaction).refused(INVALID, EXPIRED)
    database.batch_get("a/b", transaction=transaction).refused(INVALID, EXPIRED)
    assert database.rollback(transaction).ok
    database.start_transaction(retry_of(transaction)).refused(INVALID)


@pytest.mark.hosted("6.4: texts of the hosted service")
def test_a_read_only_transaction_cannot_be_retried(database):
    transaction = database.begin(messages.READ_ONLY)
    text = "Cannot retry a read-only transaction"
    database.start_transaction(retry_of(transaction)).refused(INVALID, text)


@pytest.mark.hosted("2.5: new_transaction without a mode is read-only")
def test_the_default_modes_of_transactions(database):
    plain = database.wire.call("BeginTransaction", database=database.name).message.transaction
    assert database.commit(set_write(database.doc("a/b"), n(1)), transaction=plain).ok
    first, *_ = database.batch_get("a/b", new_transaction=messages.TransactionOptions()).stream
    database.commit(set_write(database.doc("a/b"), n(1)), transaction=first.transaction).refused(INVALID)
    first, *_ = database.batch_get("a/b", new_transaction=messages.READ_WRITE).stream
    assert database.commit(set_write(database.doc("a/b"), n(2)), transaction=first.transaction).ok


# The life of an id (6.7)


def after_commit(database, transaction):
    database.batch_get("a/b", transaction=transaction)
    assert database.commit(set_write(database.doc("a/b"), n(1)), transaction=transaction).ok


def after_rollback(database, transaction):
    database.batch_get("a/b", transaction=transaction)
    assert database.rollback(transaction).ok


def after_failed_commit(database, transaction):
    database.batch_get("a/b", transaction=transaction)
    assert not database.commit(set_write(database.doc("a/none"), exists=True), transaction=transaction).ok


LIVES = [
    (after_commit, (ABORTED, EXPIRED), (ABORTED, EXPIRED)),
    (after_rollback, (ABORTED, EXPIRED), None),
    (after_failed_commit, (INVALID, EXPIRED), None),
]


@pytest.mark.hosted("6.7: the life cycle of an id")
@pytest.mark.parametrize(("end", "use", "rollback"), LIVES, ids=lambda entry: getattr(entry, "__name__", ""))
def test_an_id_that_has_ended(database, end, use, rollback):
    database.set("a/b", n(0))
    transaction = database.begin()
    end(database, transaction)
    database.commit(transaction=transaction).refused(*use)
    database.commit(set_write(database.doc("a/b"), n(9)), transaction=transaction).refused(*use)
    database.batch_get("a/b", transaction=transaction).refused(*use)
    database.get("a/b", transaction=transaction).refused(*use)
    database.query(everything_in("a"), transaction=transaction).refused(*use)
    for _ in range(2):
        outcome = database.rollback(transaction)
        assert outcome.ok if rollback is None else outcome.refused(*rollback)
    assert database.fields("a/b")["n"].integer_value != 9
    # Its locks are gone, and it may be named as the attempt that is retried.
    assert database.commit(set_write(database.doc("a/b"), n(5)), timeout=10).ok
    assert database.start_transaction(retry_of(transaction)).ok


def test_rollback_after_a_failed_commit_is_fine(database):
    transaction = database.begin()
    failing = set_write(database.doc("a/none"), exists=True)
    database.commit(failing, transaction=transaction).refused(StatusCode.NOT_FOUND)
    assert database.rollback(transaction).ok


@pytest.mark.hosted("6.7: an id that was never issued is invalid")
@pytest.mark.parametrize("transaction", [b"x", b"\0" * 16, b"never issued, and rather long" * 10], ids=range(3))
def test_an_id_that_was_never_issued(database, transaction):
    write = set_write(database.doc("a/b"))
    database.commit(write, transaction=transaction).refused(INVALID, UNKNOWN)
    database.batch_get("a/b", transaction=transaction).refused(INVALID, UNKNOWN)
    database.rollback(transaction).refused(INVALID, UNKNOWN)
    database.start_transaction(retry_of(transaction)).refused(INVALID, UNKNOWN)


@pytest.mark.hosted("6.7: an id belongs to its database")
def test_an_id_of_another_database(database, wire):
    elsewhere = Database(wire)
    transaction = elsewhere.begin()
    database.commit(set_write(database.doc("a/b")), transaction=transaction).refused(INVALID, UNKNOWN)
    database.rollback(transaction).refused(INVALID, UNKNOWN)
    assert elsewhere.rollback(transaction).ok


@pytest.mark.hosted("6.8: a read that is refused does not end its transaction (unconfirmed)")
def test_a_refused_read_leaves_the_transaction_open(database):
    transaction = database.begin()
    database.batch_get("a/__bad__", transaction=transaction).refused(INVALID)
    assert database.commit(set_write(database.doc("a/b"), n(1)), transaction=transaction).ok


def test_a_transaction_that_read_nothing_commits_as_a_plain_write(database, others):
    database.set("a/b", n(1))
    transaction = database.begin()
    assert others().commit(set_write(database.doc("a/b"), n(2)), timeout=10).ok
    assert database.commit(set_write(database.doc("a/b"), n(3)), transaction=transaction, timeout=10).ok
    assert database.fields("a/b")["n"].integer_value == 3


def test_verification_in_a_commit_without_transaction(database):
    """What the mobile and web clients do in place of locks (6.9)."""
    read = database.set("a/b", n(1))
    checked = verify_write(database.doc("a/b"), update_time=read)
    assert database.commit(set_write(database.doc("a/c"), n(1)), checked).ok
    database.set("a/b", n(2))
    refused = database.commit(set_write(database.doc("a/c"), n(2)), checked)
    refused.refused(StatusCode.FAILED_PRECONDITION)
    assert database.fields("a/c")["n"].integer_value == 1
