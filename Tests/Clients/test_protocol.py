"""gRPC as clients speak it: compression, sizes, deadlines, metadata, statuses, health and reflection (reference 1)."""

import concurrent.futures
import dataclasses
import gzip
import http.client
import re
import shutil
import subprocess

import grpc
import pytest
from grpc import StatusCode

from support import messages
from support.messages import set_write
from support.wire import METHODS, SERVICE, STREAM

MEBIBYTE = 1 << 20


def raw_unary(wire, path: str, request: bytes = b"", **options):
    """An arbitrary unary call: (code, text, response)."""
    call = wire.channel.unary_unary(path)
    try:
        return StatusCode.OK, "", call(request, timeout=30, **options)
    except grpc.RpcError as error:
        return error.code(), error.details(), None


# Methods


@pytest.mark.parametrize(
    "path",
    [
        f"/{SERVICE}/NoSuchMethod",
        f"/{SERVICE}/",
        pytest.param(
            "/google.firestore.v1beta1.Firestore/GetDocument", marks=pytest.mark.hosted("1.1: v1beta1 is unimplemented")
        ),
        "/no.such.Service/GetDocument",
        "/",
    ],
)
def test_unknown_methods_are_unimplemented(wire, path):
    assert raw_unary(wire, path)[0] is StatusCode.UNIMPLEMENTED


@pytest.mark.hosted("issue: later RPCs are UNIMPLEMENTED until they come")
@pytest.mark.parametrize("method", ["PartitionQuery", "RunAggregationQuery", "ExecutePipeline", "Listen"])
def test_declared_methods_without_a_body_answer(wire, method):
    code, _, _ = raw_unary(wire, f"/{SERVICE}/{method}")
    assert code not in (StatusCode.OK, StatusCode.INTERNAL, StatusCode.UNAVAILABLE, StatusCode.UNKNOWN)


# Statuses


@pytest.mark.parametrize("character", ["%", "?#&= ", "é", "🎉", "\n", '"'], ids=range(6))
def test_messages_of_errors_survive_their_encoding(database, character):
    outcome = database.get(f"a/none{character}")
    outcome.refused(StatusCode.NOT_FOUND)
    assert f"a/none{character}" in outcome.text


@pytest.mark.hosted("1.2: errors of streaming calls follow initial headers")
def test_errors_of_streaming_calls_follow_initial_headers(address, database, tmp_path):
    request = messages.message("BatchGetDocumentsRequest")(database=database.name, documents=["bad"])
    call = database.wire.stub("BatchGetDocuments")(request, timeout=30)
    call.initial_metadata()
    assert call.code() is StatusCode.INVALID_ARGUMENT
    answer = by_nghttp(address, "BatchGetDocuments", framed(request.SerializeToString()), tmp_path)
    assert answer.frames[0] == ("HEADERS", False), "the first headers must not end the stream"
    assert answer.frames[-1] == ("HEADERS", True)


@dataclasses.dataclass
class Answer:
    """What nghttp saw of one call: the frames (type, END_STREAM) of its stream, headers and trailers together."""

    frames: list[tuple[str, bool]]
    headers: dict[str, str]


def framed(message: bytes, flag: bytes = b"\0") -> bytes:
    return flag + len(message).to_bytes(4, "big") + message


def by_nghttp(address: str, method: str, body: bytes, folder, content_type="application/grpc", *more: str) -> Answer:
    """Makes a call that grpcio would not make, or shows what it would hide."""
    if shutil.which("nghttp") is None:
        pytest.skip("nghttp is not installed (apt install nghttp2-client)")
    sent = folder / "body"
    sent.write_bytes(body)
    command = ["nghttp", "-nv", "-d", str(sent)]
    for header in (":method: POST", f"content-type: {content_type}", "te: trailers", *more):
        command += ["-H", header]
    command.append(f"http://{address}/{SERVICE}/{method}")
    # It counts an answer that comes before the whole request as a failure; the test does not.
    run = subprocess.run(command, capture_output=True, timeout=30, check=False)
    lines = run.stdout.decode(errors="replace").splitlines()
    frames = [
        (found[1], "END_STREAM" in following)
        for line, following in zip(lines, [*lines[1:], ""])
        if (found := re.search(r"recv (HEADERS|DATA) frame .* stream_id=[1-9]", line))
    ]
    pairs = (re.search(r"recv \(stream_id=\d+\) (:?[^:]+): (.*)", line) for line in lines)
    return Answer(frames, {pair[1]: pair[2] for pair in pairs if pair})


# Metadata


@pytest.mark.hosted("1.3: routing headers are hints; the emulator believes them")
@pytest.mark.parametrize(
    "metadata",
    [
        [("x-goog-request-params", "projects/p/databases/d")],
        [("x-goog-request-params", "database=projects%2Fp%2Fdatabases%2F%28default%29&x")],
        [("google-cloud-resource-prefix", "nonsense")],
        [("x-unknown", "plain")],
        [("x-unknown-bin", b"\0\xff\x10")],
        [("x-goog-api-client", "x" * 4000)],
    ],
    ids=range(6),
)
def test_headers_of_every_kind_are_accepted(database, metadata):
    database.set("a/b")
    assert database.get("a/b", metadata=metadata).ok


@pytest.mark.hosted("the emulator looks at no token but for rules")
@pytest.mark.parametrize("authorization", ["Bearer eyJhbGciOiJub25lIn0.e30.", "nonsense"])
def test_credentials_that_name_nobody_are_refused(database, authorization):
    assert database.get("a/b", metadata=[("authorization", authorization)]).code is StatusCode.UNAUTHENTICATED


def test_a_call_without_credentials_is_served(database):
    call = database.wire.stub("GetDocument").future(messages.message("GetDocumentRequest")(name=database.doc("a/b")))
    assert call.exception(timeout=30).code() is StatusCode.NOT_FOUND


@pytest.mark.parametrize("content_type", ["application/grpc", "application/grpc+proto"])
def test_content_types_of_grpc(address, tmp_path, content_type):
    headers = by_nghttp(address, "GetDocument", framed(b""), tmp_path, content_type).headers
    assert (headers[":status"], headers["grpc-status"]) == ("200", "3")


@pytest.mark.hosted("1.2: a wrong content type is 415 without a gRPC status")
def test_a_wrong_content_type_is_refused(address, tmp_path):
    headers = by_nghttp(address, "GetDocument", framed(b""), tmp_path, "application/json").headers
    assert headers[":status"] == "415" and "grpc-status" not in headers


# Compression


def test_compressed_requests_are_understood(database):
    write = set_write(database.doc("a/b"), {"text": "compress me " * 1000})
    request = messages.message("CommitRequest")(database=database.name, writes=[write])
    stub = database.wire.stub("Commit")
    assert stub(request, timeout=30, compression=grpc.Compression.Gzip).write_results
    assert database.fields("a/b") == write.update.fields
    assert stub(request, timeout=30, compression=grpc.Compression.NoCompression).write_results


@pytest.mark.hosted("1.2: an unknown encoding is UNIMPLEMENTED")
def test_an_unknown_encoding_is_unimplemented(address, tmp_path):
    body = framed(b"whatever", flag=b"\1")
    answer = by_nghttp(address, "GetDocument", body, tmp_path, "application/grpc", "grpc-encoding: snappy")
    assert answer.headers["grpc-status"] == "12" and "gzip" in answer.headers["grpc-accept-encoding"]


@pytest.mark.hosted("1.2: a compressed flag without an encoding is INTERNAL")
def test_a_compressed_message_without_an_encoding_is_refused(address, tmp_path):
    answer = by_nghttp(address, "GetDocument", framed(b"whatever", flag=b"\1"), tmp_path)
    assert answer.headers["grpc-status"] == "13"


@pytest.mark.hosted("10 MiB bound the request also after decompression")
def test_a_compression_bomb_is_refused(address, database, tmp_path):
    bomb = framed(gzip.compress(b"\0" * (64 * MEBIBYTE)), flag=b"\1")
    answer = by_nghttp(address, "GetDocument", bomb, tmp_path, "application/grpc", "grpc-encoding: gzip")
    assert answer.headers["grpc-status"] in ("3", "8")
    database.set("a/b", {"still": "there"})


# Sizes


@pytest.mark.hosted("1.2: requests up to 10 MiB; the emulator stops at 4")
def test_a_request_below_the_limit_is_served(database):
    writes = [set_write(database.doc(f"a/{number}"), {"blob": b"x" * (MEBIBYTE - 2000)}) for number in range(9)]
    assert len(database.commit(*writes).message.write_results) == 9
    answers = database.batch_get(*(f"a/{number}" for number in range(9))).stream
    assert all(len(answer.found.fields["blob"].bytes_value) == MEBIBYTE - 2000 for answer in answers)


@pytest.mark.parametrize("mebibytes", [11, 40])
@pytest.mark.hosted("1.2: 10 MiB bound a request; the emulator takes more")
def test_an_oversized_request_is_refused(database, mebibytes):
    writes = [set_write(database.doc(f"a/{number}"), {"b": b"x" * (MEBIBYTE - 2000)}) for number in range(mebibytes)]
    refused = database.commit(*writes)
    assert refused.code in (StatusCode.INVALID_ARGUMENT, StatusCode.RESOURCE_EXHAUSTED)
    refused.refused(StatusCode.INVALID_ARGUMENT, "Request payload size exceeds the limit: 10485760 bytes.")
    database.set("a/b", {"still": "there"})


def test_many_calls_share_a_connection(database):
    database.set("a/b", {"n": 1})
    pending = [database.wire.start("GetDocument", name=database.doc("a/b")) for _ in range(500)]
    assert all(call.outcome().ok for call in pending)


def test_many_connections(database, wires):
    database.set("a/b", {"n": 1})
    connections = [database.through(wires()) for _ in range(50)]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert all(outcome.ok for outcome in pool.map(lambda one: one.get("a/b"), connections))


def test_a_stalled_reader_stalls_nobody_else(database, wires):
    for number in range(40):
        database.set(f"a/{number:02}", {"blob": b"x" * (MEBIBYTE - 2000)})
    query = messages.StructuredQuery(from_=[messages.StructuredQuery.CollectionSelector(collection_id="a")])
    request = messages.message("RunQueryRequest")(parent=database.root, structured_query=query)
    stalled = database.wire.stub("RunQuery")(request, timeout=60)
    first = next(iter(stalled))
    assert first.document.name == database.doc("a/00")
    # Megabytes wait in the stream that nobody reads; the same connection and others go on.
    for one in (database, database.through(wires())):
        for number in range(20):
            assert one.get("a/00", timeout=20, mask=messages.DocumentMask()).ok
    assert sum(1 for _ in stalled) == 39


@pytest.mark.hosted("1.2: cancelling is normal; the emulator closes the connection at times")
def test_a_cancelled_stream_leaves_the_connection_usable(database):
    for number in range(20):
        database.set(f"a/{number:02}", {"blob": b"x" * 500_000})
    query = messages.StructuredQuery(from_=[messages.StructuredQuery.CollectionSelector(collection_id="a")])
    request = messages.message("RunQueryRequest")(parent=database.root, structured_query=query)
    for _ in range(20):
        stream = database.wire.stub("RunQuery")(request, timeout=60)
        next(iter(stream))
        stream.cancel()
    assert database.get("a/00").ok


@pytest.mark.hosted("grpc.health.v1 answers")
@pytest.mark.parametrize("service", ["", SERVICE])
def test_health(wire, service):
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    stub = health_pb2_grpc.HealthStub(wire.channel)
    serving = health_pb2.HealthCheckResponse.SERVING
    assert stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=20).status == serving
    watch = stub.Watch(health_pb2.HealthCheckRequest(service=service), timeout=20)
    assert next(iter(watch)).status == serving
    watch.cancel()
    with pytest.raises(grpc.RpcError) as unknown:
        stub.Check(health_pb2.HealthCheckRequest(service="no.such.Service"), timeout=20)
    assert unknown.value.code() is StatusCode.NOT_FOUND


@pytest.fixture
def described(wire):
    """The service as reflection describes it."""
    from google.protobuf.descriptor_pool import DescriptorPool
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

    database = ProtoReflectionDescriptorDatabase(wire.channel)
    assert {SERVICE, "grpc.health.v1.Health"} <= set(database.get_services())
    pool = DescriptorPool(database)
    yield pool.FindServiceByName(SERVICE)


@pytest.mark.hosted("grpc.reflection.v1 answers")
def test_reflection_describes_the_service(described):
    for name, (kind, request, response) in METHODS.items():
        method = described.methods_by_name[name]
        assert method.input_type.full_name == request.DESCRIPTOR.full_name
        assert method.output_type.full_name == response.DESCRIPTOR.full_name
        assert (method.client_streaming, method.server_streaming) == (False, kind == STREAM)
    for name in ("Listen", "Write"):
        assert described.methods_by_name[name].client_streaming and described.methods_by_name[name].server_streaming
    assert len(described.methods) == 17


@pytest.mark.hosted("the messages on the wire are those of the official client")
def test_reflection_agrees_with_the_official_messages(described):
    """Every field of the official messages is declared, with its number and its kind."""
    pending = [
        (messages.message(mine.name).DESCRIPTOR, mine)
        for method in described.methods
        for mine in (method.input_type, method.output_type)
        if mine.full_name.startswith("google.firestore.")
    ]
    seen = set()
    while pending:
        official, mine = pending.pop()
        if official.full_name in seen:
            continue
        seen.add(official.full_name)
        for field in official.fields:
            # The library renames fields that are words of Python.
            found = mine.fields_by_name.get(field.name.rstrip("_"))
            assert found is not None, field.full_name
            assert (found.number, found.type) == (field.number, field.type), field.full_name
            assert found.is_repeated == field.is_repeated, field.full_name
            if field.message_type is not None:
                pending.append((field.message_type, found.message_type))
    assert {"google.firestore.v1.Write", "google.firestore.v1.Value", "google.firestore.v1.StructuredQuery"} <= seen


def test_http_1_and_http_2_share_the_port(address, database):
    host, _, port = address.rpartition(":")
    for _ in range(3):
        connection = http.client.HTTPConnection(host, int(port), timeout=20)
        connection.request("GET", "/")
        assert connection.getresponse().read().strip() == b"Ok"
        connection.close()
        assert database.set("a/b")
