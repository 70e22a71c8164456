"""TLS, keys and tokens: the official client with a key file, and who is refused what."""

from __future__ import annotations

import json
import ssl
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import grpc
import pytest
from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from support.identity import Authority, Issuer, Signer, make_key, run_keys
from support.listening import ListenStream, StreamEnded, collection_target
from support.messages import set_write
from support.secure import DENIED, REFUSED, SOON_SECONDS, Secure
from support.servers import clean_environment, free_port
from support.wire import Database, Wire

SYNC = """
import sys
from google.cloud import firestore
client = firestore.Client(project="demo", client_options={"api_endpoint": sys.argv[1]})
city = client.document("cities/SF")
city.set({"population": 860000})
print(city.get().to_dict())
print([found.id for found in client.collection("cities").where("population", ">", 1).stream()])
"""

ASYNC = """
import asyncio, sys
from google.cloud import firestore

async def main():
    client = firestore.AsyncClient(project="demo", client_options={"api_endpoint": sys.argv[1]})
    city = client.document("cities/SF")
    await city.set({"population": 860000})
    print((await city.get()).to_dict())
    print([found.id async for found in client.collection("cities").where("population", ">", 1).stream()])

asyncio.run(main())
"""

# Signs its own tokens, where the others exchange one.
GENERATED = """
import sys
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.types import Document, Value
client = FirestoreClient(client_options={"api_endpoint": sys.argv[1]})
parent = "projects/demo/databases/(default)/documents"
document = Document(fields={"population": Value(integer_value=860000)})
made = client.create_document(request={"parent": parent, "collection_id": "cities", "document_id": "SF", "document": document})
print({"population": client.get_document(request={"name": made.name}).fields["population"].integer_value})
print([found.name.split("/")[-1] for found in client.list_documents(request={"parent": parent, "collection_id": "cities"})])
"""


def listening(database: Database) -> ListenStream:
    """A stream that has heard all there is."""
    stream = ListenStream(database, collection_target(database, "c", 1))
    stream.until_current(1)
    return stream


def ended(stream: ListenStream) -> StreamEnded:
    """How it ends."""
    with pytest.raises(StreamEnded) as caught:
        stream.until(lambda _: False)
    return caught.value


@pytest.mark.parametrize("program", [SYNC, ASYNC, GENERATED], ids=["sync", "async", "generated"])
def test_an_official_client_with_a_key_file_needs_nothing_else(secure, program):
    server = secure()
    printed = server.authority.run(program, server.key, server.address)
    assert printed.splitlines() == ["{'population': 860000}", "['SF']"]


def test_a_token_that_is_no_good_is_refused_without_a_reason(secure):
    server = secure()
    now = int(time.time())
    other = Signer(server.key.signer.name)
    head, body, signature = server.key.token().split(".")
    wrong = {
        "expired": server.key.token(iat=now - 3601, exp=now - 1),
        "from the future": server.key.token(iat=now + 120, exp=now + 3600),
        "for too long": server.key.token(exp=now + 7200),
        "for another service": server.key.token(aud="https://pubsub.googleapis.com/"),
        "for nobody": server.key.token(aud=None),
        "with another scope": server.key.token(aud=None, scope="https://www.googleapis.com/auth/pubsub"),
        "for the exchange": server.key.token(aud="https://oauth2.googleapis.com/token"),
        "of another project": server.key.token(iss="app@other.brasa", sub="app@other.brasa"),
        "for somebody else": server.key.token(sub="web@demo.brasa"),
        "signed by another key": other.token(server.key.claims()),
        "of an unknown key": Signer("unknown").token(server.key.claims()),
        "unsigned": f"{head}.{body}.",
        "changed": f"{head}.{body[:-4]}AAAA.{signature}",
        "by no algorithm": server.key.signer.token(server.key.claims(), alg="none"),
        "by a shared secret": server.key.signer.token(server.key.claims(), alg="HS256"),
        "the emulator's": "owner",
        "no token": "x",
    }
    for name, token in wrong.items():
        outcome = server.get(token)
        assert (name, outcome.code, outcome.text) == (name, StatusCode.UNAUTHENTICATED, REFUSED)
    assert server.get(server.key.token()).code is StatusCode.NOT_FOUND
    log = server.server.log.read_text()
    for reason in ("has expired", "signature is wrong", "key is not known", "is for somebody else"):
        assert reason in log
    assert not any(token in log for token in wrong.values() if len(token) > 10)


def test_who_shows_nothing_may_do_nothing_but_ask_for_health(secure):
    server = secure()
    server.get(None).refused(StatusCode.PERMISSION_DENIED, DENIED)
    channel = server.wire().channel
    health = health_pb2_grpc.HealthStub(channel)
    assert health.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.SERVING
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    for token, code in [(None, StatusCode.PERMISSION_DENIED), (server.key.token(), None)]:
        metadata = [("authorization", f"Bearer {token}")] if token else []
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        try:
            services = [service for answer in stub.ServerReflectionInfo(iter([request]), metadata=metadata)
                        for service in answer.list_services_response.service]
            assert code is None and services
        except grpc.RpcError as error:
            assert error.code() is code
    for headers, status in [({}, 403), ({"authorization": "Bearer x"}, 401),
                            ({"authorization": f"Bearer {server.key.token()}"}, 200)]:
        asked = urllib.request.Request(f"https://{server.address}/metrics", headers=headers)
        try:
            with urllib.request.urlopen(asked, context=server.authority.context(), timeout=20) as answer:
                assert answer.status == status
        except urllib.error.HTTPError as error:
            assert error.code == status


def exchanged(server: Secure, assertion: str) -> tuple[int, dict]:
    body = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
    asked = urllib.request.Request(server.key.members["token_uri"], urllib.parse.urlencode(body).encode())
    try:
        with urllib.request.urlopen(asked, context=server.authority.context(), timeout=20) as answer:
            assert answer.headers["cache-control"] == "no-store"
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error) if error.headers["content-type"] == "application/json" else {}


def test_a_signed_token_is_exchanged_for_one_that_ends_with_its_key(secure, binary):
    server = secure()
    for audience in ("https://oauth2.googleapis.com/token", server.key.members["token_uri"]):
        status, answer = exchanged(server, server.key.token(aud=audience, sub=None))
        assert (status, answer["token_type"], answer["expires_in"]) == (200, "Bearer", 3600)
    token = answer["access_token"]
    assert server.get(token).code is StatusCode.NOT_FOUND
    assert exchanged(server, server.key.token()) == (400, {"error": "invalid_grant"})
    assert exchanged(server, token) == (400, {"error": "invalid_grant"})
    assert exchanged(server, "x" * (16 << 10))[0] in (400, 413)
    run_keys(binary, server.data, "disable", "app")
    server.eventually(StatusCode.UNAUTHENTICATED, token)
    assert exchanged(server, server.key.token(aud=server.key.members["token_uri"]))[0] == 400


@pytest.mark.parametrize("command", ["disable", "delete"])
def test_a_key_that_is_withdrawn_ends_open_streams_and_calls(secure, binary, command):
    server = secure()
    token = server.key.token()
    stream = listening(Database(server.wire(token), "demo"))
    run_keys(binary, server.data, command, "app")
    assert ended(stream).code is StatusCode.UNAUTHENTICATED
    server.get(token).refused(StatusCode.UNAUTHENTICATED, REFUSED)
    if command == "disable":
        run_keys(binary, server.data, "enable", "app")
        server.eventually(StatusCode.NOT_FOUND, token)


def test_a_stream_ends_when_its_token_does(secure):
    server = secure()
    now = int(time.time())
    stream = listening(Database(server.wire(server.key.token(exp=now + 5)), "demo"))
    end = ended(stream)
    assert end.code is StatusCode.UNAUTHENTICATED and time.time() >= now + 5


def test_a_key_may_be_for_reading_only_or_for_some_databases(secure):
    server = secure()
    reader = server.make("reader", "--read-only")
    limited = server.make("limited", "--database", "projects/demo/databases/one")
    server.eventually(StatusCode.NOT_FOUND, reader.token())
    server.eventually(StatusCode.PERMISSION_DENIED, limited.token())
    reading = Database(server.wire(reader.token()), "demo")
    reading.commit(set_write(reading.doc("c/x"), {})).refused(StatusCode.PERMISSION_DENIED, DENIED)
    assert reading.commit().ok
    read_write = {"read_write": {}}
    reading.wire.call("BeginTransaction", database=reading.name, options=read_write).refused(StatusCode.PERMISSION_DENIED)
    assert reading.wire.call("BeginTransaction", database=reading.name, options={"read_only": {}}).ok
    one = Database(server.wire(limited.token()), "demo", "one")
    assert one.set("c/x")
    other = Database(one.wire, "demo")
    other.get("c/x").refused(StatusCode.PERMISSION_DENIED, DENIED)
    other.commit(set_write(other.doc("c/x"), {})).refused(StatusCode.PERMISSION_DENIED, DENIED)


def test_a_new_token_that_many_calls_show_at_once_holds_for_all_of_them(secure):
    server = secure()
    for _ in range(3):
        wires = [server.wire(server.key.token()) for _ in range(2)]
        for wire in wires:
            wire.authorization = wires[0].authorization
        calls = [Database(wire, "demo").start_batch_get("c/none") for _ in range(150) for wire in wires]
        for call in calls:
            assert (outcome := call.outcome()).ok, outcome


def test_users_of_two_issuers_are_known_and_may_nothing_without_rules(secure, tmp_path):
    issuers = [Issuer(tmp_path, f"https://{name}.example", name) for name in ("one", "two")]
    listed = tmp_path / "issuers.json"
    listed.write_text(json.dumps({"issuers": [issuer.entry for issuer in issuers]}))
    server = secure("--issuers", str(listed))
    for issuer, other in (issuers, issuers[::-1]):
        server.get(issuer.token("u")).refused(StatusCode.PERMISSION_DENIED, DENIED)
        for wrong in (
            other.signer.token({"iss": issuer.name, "aud": issuer.audience, "sub": "u", "exp": int(time.time()) + 60}),
            issuer.token("u", aud=other.audience),
            issuer.token("u", exp=int(time.time()) - 1),
            issuer.token("u", iss="https://three.example"),
        ):
            server.get(wrong).refused(StatusCode.UNAUTHENTICATED, REFUSED)
    assert server.get(server.key.token()).code is StatusCode.NOT_FOUND


def test_a_clients_certificate_names_an_administrator(secure, tmp_path):
    authority = Authority(tmp_path / "clients")
    authority.issue("operator")
    server = secure("--tls-client-ca", authority.path("ca.pem"))
    for name in ("operator.pem", "operator.key"):
        (server.authority.folder / name).write_bytes((authority.folder / name).read_bytes())
    assert server.get(None, client="operator").code is StatusCode.NOT_FOUND
    server.get("x", client="operator").refused(StatusCode.UNAUTHENTICATED)
    server.get(None).refused(StatusCode.PERMISSION_DENIED)
    assert server.get(server.key.token()).code is StatusCode.NOT_FOUND
    server.authority.issue("stranger")
    server.get(None, client="stranger").refused(StatusCode.UNAVAILABLE)


def test_a_certificate_is_renewed_while_calls_go_on(secure):
    server = secure()
    shown = ssl.get_server_certificate(("localhost", server.port))
    old = Database(server.wire(server.key.token()), "demo")
    server.authority.issue("server")
    deadline = time.monotonic() + SOON_SECONDS
    while ssl.get_server_certificate(("localhost", server.port)) == shown:
        assert old.set("c/x")
        assert time.monotonic() < deadline
    assert old.set("c/x")
    assert Database(server.wire(server.key.token()), "demo").get("c/x").ok


def test_an_operator_lists_indexes_with_a_key(secure, binary):
    server = secure()
    command = [str(binary), "indexes", "--address", server.address, "--ca", server.authority.path("ca.pem")]
    for key, status in [(["--key", str(server.key.path)], 0), ([], 1)]:
        done = subprocess.run([*command, *key], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, done.stderr
        assert (DENIED in done.stderr) == bool(status)


def test_the_binary_asks_for_health_over_tls_where_the_server_speaks_it(secure, binary):
    server = secure("--metrics-address", metrics := f"127.0.0.1:{free_port()}")
    served = {"BRASA_LISTEN": f"0.0.0.0:{server.port}", "BRASA_TLS_CERTIFICATE": server.authority.path("server.pem")}
    for arguments, variables, status in [
        (["--address", f"127.0.0.1:{server.port}", "--tls"], {}, 0),
        (["--address", f"127.0.0.1:{server.port}"], {}, 1),
        ([], served, 0),
        ([], {**served, "BRASA_METRICS_ADDRESS": metrics}, 0),
    ]:
        done = subprocess.run(
            [str(binary), "health", *arguments],
            env={**clean_environment(), **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (status, "" if status else "ready\n"), done.stderr


def test_plain_text_is_not_answered_where_tls_is_served(secure):
    server = secure()
    wire = Wire(f"127.0.0.1:{server.port}")
    Database(wire, "demo").get("c/x").refused(StatusCode.UNAVAILABLE)
    wire.close()


def test_a_first_key_closes_a_server_that_was_open(binary, start_server):
    server = start_server()
    wire = Wire(server.address, authorization=None)
    database = Database(wire, "demo")
    assert database.set("c/x")
    stream = listening(database)
    key = make_key(binary, server.data_directory, "app", f"http://{server.address}")
    assert ended(stream).code is StatusCode.UNAUTHENTICATED
    database.get("c/x").refused(StatusCode.PERMISSION_DENIED, DENIED)
    assert database.get("c/x", metadata=[("authorization", f"Bearer {key.token()}")]).ok
    # Also without any key: a list is there.
    run_keys(binary, server.data_directory, "delete", "app")
    assert server.stop() == 0
    again = start_server()
    wire.close()
    wire = Wire(again.address, authorization=None)
    Database(wire, "demo").get("c/x").refused(StatusCode.PERMISSION_DENIED, DENIED)
    wire.close()
    assert again.stop() == 0


def test_the_emulators_words_hold_on_loopback_with_the_flag_only(start_server):
    server = start_server("--emulator")
    unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1In0."
    for authorization, code in [
        ("Bearer owner", StatusCode.NOT_FOUND),
        (None, StatusCode.NOT_FOUND),
        (f"Bearer {unsigned}", StatusCode.PERMISSION_DENIED),
        ("Bearer x", StatusCode.UNAUTHENTICATED),
    ]:
        wire = Wire(server.address, authorization=authorization)
        assert (authorization, Database(wire, "demo").get("c/x").code) == (authorization, code)
        wire.close()
    assert server.stop() == 0
