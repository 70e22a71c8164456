"""gRPC as clients speak it: compression, sizes, deadlines, metadata, statuses, health and reflection (reference 1)."""

import concurrent.futures
import gzip
import http.client
import shutil
import subprocess

import grpc
import pytest
from grpc import StatusCode

from support import messages
from support.messages import set_write
from support.wire import SERVICE

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
@pytest.mark.parametrize("method", ["PartitionQuery", "RunAggregationQuery", "ExecutePipeline", "Listen", "Write"])
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
def test_errors_of_streaming_calls_follow_initial_headers(address, database, curl):
    """Raw bytes would show it; grpcio shows that initial metadata arrived before the trailers."""
    request = messages.message("BatchGetDocumentsRequest")(database=database.name, documents=["bad"])
    stub = database.wire.stub("BatchGetDocuments")
    call = stub(request, timeout=30)
    call.initial_metadata()
    assert call.code() is StatusCode.INVALID_ARGUMENT
    frames = frames_of(address, f"/{SERVICE}/BatchGetDocuments", request.SerializeToString())
    kinds = [kind for kind, _ in frames]
    assert kinds[0] == "HEADERS" and not frames[0][1], "the first headers must not end the stream"
    assert frames[-1] == ("HEADERS", True)


def frames_of(address: str, path: str, message: bytes) -> list[tuple[str, bool]]:
    """The frames (type, END_STREAM) that answer one call, as nghttp reports them."""
    if shutil.which("nghttp") is None:
        pytest.skip("nghttp is not installed (apt install nghttp2-client)")
    framed = b"\0" + len(message).to_bytes(4, "big") + message
    command = ["nghttp", "-nv", "-H:method: POST", "-Hcontent-type: application/grpc", "-Hte: trailers", "-d-"]
    command.append(f"http://{address}{path}")
    run = subprocess.run(command, input=framed, capture_output=True, timeout=30, check=True)
    frames = []
    lines = run.stdout.decode(errors="replace").splitlines()
    for index, line in enumerate(lines):
        for kind in ("HEADERS", "DATA"):
            if f"recv {kind} frame" in line and "stream_id=0" not in line:
                frames.append((kind, any("END_STREAM" in after for after in lines[index + 1 : index + 2])))
    return frames


# Metadata


@pytest.mark.hosted("1.3: routing headers are hints; the emulator believes them")
@pytest.mark.parametrize(
    "metadata",
    [
        [("x-goog-request-params", "projects/p/databases/d")],
        [("x-goog-request-params", "database=projects%2Fp%2Fdatabases%2F%28default%29&x")],
        [("google-cloud-resource-prefix", "nonsense")],
        [("authorization", "Bearer eyJhbGciOiJub25lIn0.e30.")],
        [("authorization", "nonsense")],
        [("x-unknown", "plain")],
        [("x-unknown-bin", b"\0\xff\x10")],
        [("x-goog-api-client", "x" * 4000)],
    ],
    ids=range(8),
)
def test_headers_of_every_kind_are_accepted(database, metadata):
    database.set("a/b")
    assert database.get("a/b", metadata=metadata).ok


def test_a_call_without_credentials_is_served(database):
    call = database.wire.stub("GetDocument").future(messages.message("GetDocumentRequest")(name=database.doc("a/b")))
    assert call.exception(timeout=30).code() is StatusCode.NOT_FOUND


def test_content_types_of_grpc(address, database, curl):
    for content_type in ("application/grpc", "application/grpc+proto"):
        headers, _ = curl(address, "GetDocument", b"", content_type)
        assert "HTTP/2 200" in headers and "grpc-status: 3" in headers.lower()


@pytest.mark.hosted("1.2: a wrong content type is 415 without a gRPC status")
def test_a_wrong_content_type_is_refused(address, database, curl):
    headers, _ = curl(address, "GetDocument", b"", "application/json")
    assert "HTTP/2 415" in headers and "grpc-status" not in headers.lower()


@pytest.fixture
def curl():
    """Calls a method by curl: (headers and trailers, body)."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")

    def run(address: str, method: str, message: bytes, content_type: str) -> tuple[str, bytes]:
        framed = b"\0" + len(message).to_bytes(4, "big") + message
        command = ["curl", "-sS", "--max-time", "20", "--http2-prior-knowledge", "-D", "/dev/stderr"]
        command += ["--data-binary", "@-", "-H", f"content-type: {content_type}", "-H", "te: trailers"]
        command.append(f"http://{address}/{SERVICE}/{method}")
        done = subprocess.run(command, input=framed, capture_output=True, timeout=30, check=True)
        return done.stderr.decode(), done.stdout

    return run


# Compression


def test_compressed_requests_are_understood(database):
    write = set_write(database.doc("a/b"), {"text": "compress me " * 1000})
    request = messages.message("CommitRequest")(database=database.name, writes=[write])
    stub = database.wire.stub("Commit")
    assert stub(request, timeout=30, compression=grpc.Compression.Gzip).write_results
    assert database.fields("a/b") == write.update.fields
    assert stub(request, timeout=30, compression=grpc.Compression.NoCompression).write_results


@pytest.mark.hosted("1.2: an unknown encoding is UNIMPLEMENTED")
def test_an_unknown_encoding_is_unimplemented(address, database):
    headers = grpc_headers(address, database, encoding="snappy", flag=b"\1", body=b"whatever")
    assert headers["grpc-status"] == "12" and "gzip" in headers["grpc-accept-encoding"]


@pytest.mark.hosted("1.2: a compressed flag without an encoding is INTERNAL")
def test_a_compressed_message_without_an_encoding_is_refused(address, database):
    assert grpc_headers(address, database, encoding=None, flag=b"\1", body=b"whatever")["grpc-status"] == "13"


@pytest.mark.hosted("10 MiB bound the request also after decompression")
def test_a_compression_bomb_is_refused(address, database):
    bomb = gzip.compress(b"\0" * (64 * MEBIBYTE))
    status = grpc_headers(address, database, encoding="gzip", flag=b"\1", body=bomb)["grpc-status"]
    assert status in ("3", "8")
    database.set("a/b", {"still": "there"})


def grpc_headers(address: str, database, *, encoding: str | None, flag: bytes, body: bytes) -> dict[str, str]:
    """Headers and trailers of a GetDocument call whose message has this flag and these bytes."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    framed = flag + len(body).to_bytes(4, "big") + body
    command = ["curl", "-sS", "--max-time", "20", "--http2-prior-knowledge", "-D", "-", "-o", "/dev/null"]
    command += ["--data-binary", "@-", "-H", "content-type: application/grpc", "-H", "te: trailers"]
    command += ["-H", f"grpc-encoding: {encoding}"] if encoding else []
    command.append(f"http://{address}/{SERVICE}/GetDocument")
    done = subprocess.run(command, input=framed, capture_output=True, timeout=30, check=False)
    pairs = (line.split(":", 1) for line in done.stdout.decode().splitlines() if ":" in line)
    return {name.strip().lower(): text.strip() for name, text in pairs}


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


# Deadlines


def test_a_deadline_that_has_passed(database):
    outcome = database.commit(set_write(database.doc("a/b")), timeout=0.000001)
    outcome.refused(StatusCode.DEADLINE_EXCEEDED)


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


@pytest.mark.hosted("grpc.reflection.v1 answers")
def test_reflection_describes_the_service(wire):
    from google.protobuf.descriptor_pool import DescriptorPool
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

    database = ProtoReflectionDescriptorDatabase(wire.channel)
    services = set(database.get_services())
    assert {SERVICE, "grpc.health.v1.Health"} <= services
    service = DescriptorPool(database).FindServiceByName(SERVICE)
    official = messages.message("CommitRequest").DESCRIPTOR.file.pool.FindServiceByName(SERVICE)
    described = {method.name: method for method in service.methods}
    for method in official.methods:
        found = described[method.name]
        assert found.input_type.full_name == method.input_type.full_name
        assert found.output_type.full_name == method.output_type.full_name
        assert (found.client_streaming, found.server_streaming) == (method.client_streaming, method.server_streaming)


@pytest.mark.hosted("the messages on the wire are those of the official client")
def test_reflection_agrees_with_the_official_messages(wire):
    """Every field that the server declares has the number and wire type that the official client gives it."""
    from google.protobuf.descriptor_pool import DescriptorPool
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(wire.channel))
    official = messages.message("CommitRequest").DESCRIPTOR.file.pool.FindServiceByName(SERVICE)
    ours = pool.FindServiceByName(SERVICE)
    pending = [
        (theirs, mine)
        for method in official.methods
        for theirs, mine in [
            (method.input_type, ours.methods_by_name[method.name].input_type),
            (method.output_type, ours.methods_by_name[method.name].output_type),
        ]
    ]
    seen = set()
    while pending:
        theirs, mine = pending.pop()
        if theirs.full_name in seen:
            continue
        seen.add(theirs.full_name)
        for field in theirs.fields:
            found = mine.fields_by_name.get(field.name)
            if found is None:
                continue
            assert found.number == field.number, field.full_name
            assert found.is_repeated == field.is_repeated, field.full_name
            if field.message_type and found.message_type:
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
