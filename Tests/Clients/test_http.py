"""Plain HTTP on the same port, and the tools that operators reach for."""

import http.client
import json
import shutil
import socket
import subprocess

import pytest
from grpc import StatusCode

from support.messages import message, set_write
from support.wire import SERVICE, Database, Wire


def request(address: str, method: str, path: str, body: bytes = b"", headers=None) -> tuple[int, bytes]:
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    try:
        connection.request(method, path, body=body or None, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def tool(name: str, package: str) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed (apt install {package})")
    return name


def test_the_root_answers_ok(address):
    status, body = request(address, "GET", "/")
    assert (status, body.strip()) == (200, b"Ok")


def test_one_connection_serves_several_requests(address):
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    for _ in range(5):
        connection.request("GET", "/")
        response = connection.getresponse()
        assert (response.status, response.read().strip()) == (200, b"Ok")
    connection.close()


def test_clearing_a_database(address, database):
    for path in ("a/1", "a/1/b/2", "c/3"):
        database.set(path)
    other = Database(database.wire, database.project, "other")
    other.set("a/1")
    status, body = request(address, "DELETE", f"/emulator/v1/{database.name}/documents")
    assert (status, json.loads(body)) == (200, {})
    assert list(database.collections().message.collection_ids) == []
    database.get("a/1").refused(StatusCode.NOT_FOUND)
    assert other.get("a/1").ok
    assert database.set("a/1")


def test_clearing_a_database_that_nobody_used(address):
    status, body = request(address, "DELETE", "/emulator/v1/projects/nobody/databases/(default)/documents")
    assert (status, json.loads(body)) == (200, {})
    status, _ = request(address, "DELETE", "/emulator/v1/projects/nobody/databases/%28default%29/documents")
    assert status == 200


@pytest.mark.hosted("the endpoint exists only with --emulator")
def test_clearing_is_refused_without_the_flag(start_server):
    server = start_server()
    wire = Wire(server.address)
    database = Database(wire)
    database.set("a/1")
    status, _ = request(server.address, "DELETE", f"/emulator/v1/{database.name}/documents")
    assert status in (403, 404)
    assert database.get("a/1").ok
    wire.close()
    assert server.stop() == 0


def test_unknown_routes_are_not_found(address):
    status, _ = request(address, "GET", "/no/such/route")
    assert status == 404


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 64,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x00\x00\x00\x00\x00\x01",
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64,
        b"\0" * 1000,
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    ],
    ids=range(10),
)
def test_hostile_bytes_end_their_connection_only(address, database, sent):
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        except OSError:
            # The server may close before it was told everything.
            pass
    assert database.set("a/b")


@pytest.mark.parametrize("cut", [1, 3, 14, 23, 24, 30])
def test_connections_that_end_early_are_forgotten(address, database, cut):
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(preface[:cut])
    assert database.set("a/b")


@pytest.mark.hosted("1.2: the preface decides; the emulator wants it in one piece")
def test_a_slow_preface_is_understood(address):
    """A preface that arrives byte by byte is still HTTP/2."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0":
            connection.sendall(bytes([byte]))
        header = connection.makefile("rb").read(9)
    assert header[3:4] == b"\4", "the first frame of a server is SETTINGS"


def test_curl_speaks_http_2(address):
    command = [tool("curl", "curl"), "-sS", "--max-time", "20", "--http2-prior-knowledge", "-w", "%{http_version}"]
    done = subprocess.run([*command, f"http://{address}/"], capture_output=True, timeout=30, check=True)
    assert done.stdout.endswith(b"2")


@pytest.mark.hosted("GET / over HTTP/2")
def test_curl_gets_the_root_over_http_2(address):
    command = [tool("curl", "curl"), "-sS", "--max-time", "20", "--http2-prior-knowledge", "-w", " %{http_code}"]
    done = subprocess.run([*command, f"http://{address}/"], capture_output=True, timeout=30, check=True)
    assert done.stdout.split() == [b"Ok", b"200"]


def test_nghttp_makes_a_call(address, database, tmp_path):
    nghttp = tool("nghttp", "nghttp2-client")
    write = message("CommitRequest")(database=database.name, writes=[set_write(database.doc("a/b"), {"n": 1})])
    encoded = write.SerializeToString()
    body = tmp_path / "body"
    body.write_bytes(b"\0" + len(encoded).to_bytes(4, "big") + encoded)
    command = [nghttp, "-v", "-d", str(body), "-H", ":method: POST", "-H", "content-type: application/grpc"]
    command += ["-H", "te: trailers", f"http://{address}/{SERVICE}/Commit"]
    done = subprocess.run(command, capture_output=True, timeout=30, check=True)
    assert b"grpc-status: 0" in done.stdout
    assert database.fields("a/b")["n"].integer_value == 1


def test_h2load_finishes_every_request(address, database, tmp_path):
    h2load = tool("h2load", "nghttp2-client")
    database.set("a/b", {"n": 1})
    encoded = message("GetDocumentRequest")(name=database.doc("a/b")).SerializeToString()
    body = tmp_path / "body"
    body.write_bytes(b"\0" + len(encoded).to_bytes(4, "big") + encoded)
    command = [h2load, "-n", "2000", "-c", "4", "-m", "16", "-d", str(body), "-H", "content-type: application/grpc"]
    command += ["-H", "te: trailers", f"http://{address}/{SERVICE}/GetDocument"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert b"2000 succeeded, 0 failed, 0 errored" in done.stdout, done.stdout.decode()
