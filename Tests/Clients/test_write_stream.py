"""The streaming Write RPC as the mobile and web clients use it (reference 5.8)."""

import queue
import threading

import grpc
import pytest
from grpc import StatusCode

from support import messages
from support.messages import delete_write, increment, message, set_write, verify_write
from support.wire import CALL_SECONDS, SERVICE

WriteRequest = message("WriteRequest")
WriteResponse = message("WriteResponse")


class WriteStream:
    """One stream: requests go out when they are sent, responses are read when they are asked for."""

    def __init__(self, database):
        self.database = database
        self._requests = queue.SimpleQueue()
        stub = database.wire.channel.stream_stream(
            f"/{SERVICE}/Write",
            request_serializer=WriteRequest.SerializeToString,
            response_deserializer=WriteResponse.FromString,
        )
        # As all clients, since the emulator takes the database from there.
        metadata = [("authorization", "Bearer owner"), ("google-cloud-resource-prefix", database.name)]
        self.call = stub(iter(self._requests.get, None), timeout=CALL_SECONDS, metadata=metadata)
        self.token = b""

    def send(self, *writes, **members) -> None:
        """One batch, with the last token that was seen."""
        members.setdefault("stream_token", self.token)
        self._requests.put(WriteRequest(writes=writes, **members))

    def receive(self):
        response = next(self.call)
        self.token = response.stream_token
        return response

    def shake_hands(self):
        self.send(database=self.database.name)
        return self.receive()

    def half_close(self) -> None:
        self._requests.put(None)

    def status(self) -> StatusCode:
        """How the stream ended; there must be no further response."""
        try:
            assert next(self.call, None) is None
        except grpc.RpcError:
            pass
        return self.call.code()


@pytest.fixture
def stream(database):
    stream = WriteStream(database)
    yield stream
    stream.call.cancel()
    stream.half_close()


def test_a_handshake_is_answered_with_id_and_token_only(stream):
    response = stream.shake_hands()
    assert response.stream_id and response.stream_token
    assert not response.write_results and not response.HasField("commit_time")


def test_batches_are_answered_in_order_with_results_and_new_tokens(stream, database):
    tokens = [stream.shake_hands().stream_token]
    times = []
    for number in range(5):
        stream.send(set_write(database.doc("c/a"), {"n": number}), increment_write(database, "c/count"))
        response = stream.receive()
        assert len(response.write_results) == 2
        assert response.write_results[0].update_time == response.commit_time
        assert response.write_results[1].transform_results[0].integer_value == number + 1
        assert not response.stream_id
        tokens.append(response.stream_token)
        times.append(messages.microseconds(response.commit_time))
    assert all(tokens) and len(set(tokens)) == 6
    assert times == sorted(set(times))
    assert database.fields("c/a")["n"].integer_value == 4


def increment_write(database, path):
    return set_write(database.doc(path), mask=[], transforms=[increment("n", 1)])


def test_pipelined_batches_with_one_token_are_committed_in_order(stream, database):
    token = stream.shake_hands().stream_token
    for number in range(50):
        stream.send(set_write(database.doc("c/a"), {"n": number}), stream_token=token)
    stream.half_close()
    times = [messages.microseconds(stream.receive().commit_time) for _ in range(50)]
    assert stream.status() is StatusCode.OK
    assert times == sorted(set(times))
    assert database.fields("c/a")["n"].integer_value == 49


def test_a_goodbye_is_answered_and_a_half_close_ends_the_stream_well(stream, database):
    stream.shake_hands()
    stream.send(set_write(database.doc("c/a")))
    stream.receive()
    stream.send()
    goodbye = stream.receive()
    assert goodbye.stream_token and not goodbye.write_results
    stream.half_close()
    assert stream.status() is StatusCode.OK


@pytest.mark.parametrize(
    "write, code",
    [
        (lambda name: set_write(name, mask=["a"], exists=True), StatusCode.NOT_FOUND),
        (lambda name: delete_write(name, exists=True), StatusCode.NOT_FOUND),
        (lambda name: verify_write(name, exists=True), StatusCode.NOT_FOUND),
        (lambda name: messages.Write(), StatusCode.INVALID_ARGUMENT),
        (
            lambda name: set_write(name.replace("none", "before"), update_time=messages.timestamp(2**53)),
            StatusCode.INVALID_ARGUMENT,
        ),
        (lambda name: delete_write(name + "/c"), StatusCode.INVALID_ARGUMENT),
    ],
    ids=["update", "delete", "verify", "no operation", "an update of a later version", "a collection's name"],
)
def test_a_failed_batch_ends_the_stream_and_nothing_behind_it_happens(stream, database, write, code):
    stream.shake_hands()
    stream.send(set_write(database.doc("c/before")))
    stream.send(set_write(database.doc("c/with")), write(database.doc("c/none")))
    stream.send(set_write(database.doc("c/behind")))
    stream.receive()
    assert stream.status() is code
    assert database.get("c/before").ok
    assert database.get("c/with").code is StatusCode.NOT_FOUND
    assert database.get("c/behind").code is StatusCode.NOT_FOUND


@pytest.mark.hosted("a verified document that is missing has an update time")
def test_verify_is_supported(stream, database):
    stream.shake_hands()
    time = database.set("c/a")
    stream.send(verify_write(database.doc("c/a"), update_time=time), verify_write(database.doc("c/b"), exists=False))
    response = stream.receive()
    assert response.write_results[0].update_time == time
    assert not response.write_results[1].HasField("update_time")


def test_a_batch_waits_for_locks_and_holds_back_those_behind_it(stream, database):
    stream.shake_hands()
    database.set("c/locked", {"n": 0})
    transaction = database.begin()
    database.batch_get("c/locked", transaction=transaction)
    stream.send(set_write(database.doc("c/locked"), {"n": 1}))
    stream.send(set_write(database.doc("c/free")))
    # Whatever a whole further call takes, the stream's second batch has not happened.
    assert database.get("c/free").code is StatusCode.NOT_FOUND
    assert database.commit(transaction=transaction).ok
    first, second = stream.receive(), stream.receive()
    assert messages.microseconds(first.commit_time) < messages.microseconds(second.commit_time)


@pytest.mark.hosted("5.8: of this server only")
@pytest.mark.parametrize("seen", range(4))
def test_a_stream_goes_on_behind_the_last_answer_that_was_seen(stream, database, seen):
    handshake = stream.shake_hands()
    stream_id = handshake.stream_id
    tokens = [handshake.stream_token]
    times = []
    for _ in range(3):
        stream.send(increment_write(database, "c/count"), stream_token=tokens[0])
        response = stream.receive()
        tokens.append(response.stream_token)
        times.append(response.commit_time)
    stream.call.cancel()
    later = WriteStream(database)
    later.send(database=database.name, stream_id=stream_id, stream_token=tokens[seen])
    # What was applied is answered again; then comes the answer to the handshake.
    assert [later.receive().commit_time for _ in times[seen:]] == times[seen:]
    handshake = later.receive()
    assert handshake.stream_id == stream_id and not handshake.HasField("commit_time")
    later.send(increment_write(database, "c/count"))
    assert later.receive().write_results[0].transform_results[0].integer_value == 4
    later.half_close()


@pytest.mark.hosted("5.8: of this server only")
@pytest.mark.parametrize("stream_id", ["brasa-another", "", None])
def test_a_stream_that_nobody_knows_is_not_resumed(stream, database, stream_id):
    handshake = stream.shake_hands()
    later = WriteStream(database)
    token = handshake.stream_token if stream_id is not None else b"\x7f" * 8
    later.send(
        database=database.name,
        stream_id=handshake.stream_id if stream_id is None else stream_id,
        stream_token=token,
    )
    assert later.status() is StatusCode.ABORTED
    later.half_close()


def test_a_stream_without_database_is_refused(stream, database):
    stream.send(set_write(database.doc("c/a")))
    assert stream.status() is StatusCode.INVALID_ARGUMENT
    assert database.get("c/a").code is StatusCode.NOT_FOUND


def test_streams_of_one_connection_do_not_wait_for_each_other(database):
    """As many streams as a connection may have write at once, each in its own order."""
    streams = [WriteStream(database) for _ in range(50)]
    for stream in streams:
        stream.send(database=database.name)
    for stream in streams:
        stream.receive()
    for number in range(20):
        for index, stream in enumerate(streams):
            stream.send(set_write(database.doc(f"c/{index}"), {"n": number}))
    for stream in streams:
        stream.half_close()
    for index, stream in enumerate(streams):
        for _ in range(20):
            stream.receive()
        assert stream.status() is StatusCode.OK
        assert database.fields(f"c/{index}")["n"].integer_value == 19


def test_a_client_that_reads_nothing_is_answered_when_it_reads(stream, database):
    stream.shake_hands()
    sent = 3_000
    for number in range(sent):
        stream.send(increment_write(database, "c/count"))
    # The answers are read only now, while another client is served all along.
    assert database.set("c/other")
    stream.half_close()
    results = [stream.receive().write_results[0].transform_results[0].integer_value for _ in range(sent)]
    assert results == list(range(1, sent + 1))
    assert stream.status() is StatusCode.OK


def test_a_killed_server_has_kept_what_the_stream_was_told(start_server):
    from support.wire import Database, Wire

    server = start_server()
    wire = Wire(server.address)
    database = Database(wire)
    stream = WriteStream(database)
    stream.shake_hands()
    acknowledged = 0

    def read():
        nonlocal acknowledged
        try:
            while True:
                acknowledged = stream.receive().write_results[0].transform_results[0].integer_value
                reached.set() if acknowledged >= 20 else None
        except (grpc.RpcError, StopIteration):
            pass

    reached = threading.Event()
    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(2_000):
        stream.send(increment_write(database, "c/count"))
    assert reached.wait(CALL_SECONDS)
    server.kill()
    reader.join()
    stream.half_close()
    wire.close()
    again = Wire(start_server().address)
    kept = database.through(again).fields("c/count")["n"].integer_value
    again.close()
    assert acknowledged <= kept <= 2_000
