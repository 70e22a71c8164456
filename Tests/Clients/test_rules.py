"""Security rules: the official client as users, against a server with `--rules`; unsigned tokens say who they are."""

from __future__ import annotations

import json
import signal
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Callable, Iterator

import grpc
import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports.grpc import FirestoreGrpcTransport

from support.servers import BrasaServer, ServerFailed
from support.tokens import unsigned as token

SOON_SECONDS = 30

RULES = """
rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    function member(room) {
      return exists(/databases/$(database)/documents/rooms/$(room)/members/$(request.auth.uid));
    }
    match /users/{id} {
      allow read, write: if request.auth.uid == id;
    }
    match /rooms/{room} {
      allow get: if member(room);
      match /members/{id} { allow read, write: if request.auth.token.staff == true; }
      match /notes/{id} {
        allow read: if member(room);
        allow create: if member(room) && request.resource.data.by == request.auth.uid
          && getAfter(/databases/$(database)/documents/rooms/$(room)).data.last == request.time;
      }
      allow update: if member(room);
    }
    match /posts/{id} {
      allow list: if resource.data.public == true;
    }
    match /doors/{id} {
      allow update: if request.resource.data.by == request.auth.uid
        && get(/databases/$(database)/documents/keys/$(id)).data.owner == request.auth.uid;
    }
  }
}
"""


class _Authorization(
    grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor, grpc.StreamStreamClientInterceptor
):
    """Shows a token with each call."""

    def __init__(self, token: str):
        self.token = token

    def _shown(self, details):
        metadata = [*(details.metadata or []), ("authorization", f"Bearer {self.token}")]
        return details._replace(metadata=metadata)

    def intercept_unary_unary(self, continuation, details, request):
        return continuation(self._shown(details), request)

    def intercept_unary_stream(self, continuation, details, request):
        return continuation(self._shown(details), request)

    def intercept_stream_stream(self, continuation, details, requests):
        return continuation(self._shown(details), requests)


class Ruled:
    """A server with rules, and its clients."""

    def __init__(self, server: BrasaServer):
        self.server = server
        self.clients: list[firestore.Client] = []

    def client(self, shown: str | None) -> firestore.Client:
        channel = grpc.insecure_channel(self.server.address)
        if shown is not None:
            channel = grpc.intercept_channel(channel, _Authorization(shown))
        client = firestore.Client(project="demo", credentials=AnonymousCredentials())
        client._firestore_api_internal = FirestoreClient(transport=FirestoreGrpcTransport(channel=channel))
        self.clients.append(client)
        return client

    def user(self, uid: str, **claims) -> firestore.Client:
        return self.client(token(uid, **claims))

    @property
    def owner(self) -> firestore.Client:
        return self.client("owner")


@pytest.fixture
def ruled(tmp_path: Path, start_server) -> Iterator[Ruled]:
    rules = tmp_path / "rules"
    rules.write_text(RULES)
    made = Ruled(start_server("--emulator", "--rules", str(rules)))
    owner = made.owner
    owner.document("rooms/r/members/ann").set({})
    owner.document("rooms/r").set({"last": firestore.SERVER_TIMESTAMP})
    yield made
    for client in made.clients:
        client._firestore_api.transport.close()


def denied(call: Callable[[], object]) -> None:
    with pytest.raises(exceptions.PermissionDenied):
        call()


def test_users_read_and_write_what_is_theirs(ruled: Ruled) -> None:
    ann, bob, nobody = ruled.user("ann"), ruled.user("bob"), ruled.client(None)
    ann.document("users/ann").set({"n": 1})
    ann.document("users/ann").update({"n": firestore.Increment(2)})
    assert ann.document("users/ann").get().to_dict() == {"n": 3}
    for other in (bob, nobody):
        denied(lambda: other.document("users/ann").get())
        denied(lambda: other.document("users/ann").set({"n": 0}))
        denied(lambda: other.document("users/ann").delete())
        denied(lambda: list(other.get_all([other.document("users/bob"), other.document("users/ann")])))
    assert ruled.owner.document("users/ann").get().to_dict() == {"n": 3}
    assert not bob.document("users/bob").get().exists
    with pytest.raises(exceptions.NotFound):
        bob.document("users/bob").update({"n": 1})
    denied(lambda: bob.document("users/none").update({"n": 1}))


def test_queries_prove_what_they_ask(ruled: Ruled) -> None:
    for number in range(6):
        ruled.owner.document(f"posts/{number}").set({"public": number % 2 == 0})
    posts = ruled.client(None).collection("posts")
    proven = posts.where(filter=firestore.FieldFilter("public", "==", True))
    assert sorted(found.id for found in proven.stream()) == ["0", "2", "4"]
    assert proven.count().get()[0][0].value == 3
    for query in (posts, posts.where(filter=firestore.FieldFilter("public", "==", False)), posts.limit(1)):
        denied(lambda: list(query.stream()))
        denied(lambda: query.count().get())
    denied(lambda: list(posts.document("0").collections()))


def test_documents_change_together(ruled: Ruled) -> None:
    ann = ruled.user("ann")
    denied(lambda: ann.document("rooms/r/notes/1").set({"by": "ann"}))
    batch = ann.batch()
    batch.set(ann.document("rooms/r/notes/1"), {"by": "ann"})
    batch.update(ann.document("rooms/r"), {"last": firestore.SERVER_TIMESTAMP})
    batch.commit()
    assert [note.id for note in ann.collection("rooms/r/notes").stream()] == ["1"]
    writer = ann.bulk_writer()
    writer.on_write_error(lambda error, _: False)
    with pytest.raises(exceptions.PermissionDenied):
        ann._firestore_api.batch_write(request={"database": ann._database_string, "writes": []})


def test_transactions_are_judged_when_they_read_and_when_they_commit(ruled: Ruled) -> None:
    ann = ruled.user("ann")

    @firestore.transactional
    def note(transaction, name: str, by: str) -> None:
        ann.document("rooms/r").get(transaction=transaction)
        transaction.set(ann.document(f"rooms/r/notes/{name}"), {"by": by})
        transaction.update(ann.document("rooms/r"), {"last": firestore.SERVER_TIMESTAMP})

    note(ann.transaction(), "1", "ann")
    denied(lambda: note(ann.transaction(), "2", "bob"))

    @firestore.transactional
    def peek(transaction) -> None:
        ann.document("users/bob").get(transaction=transaction)

    denied(lambda: peek(ann.transaction()))
    assert [found.id for found in ruled.owner.collection("rooms/r/notes").stream()] == ["1"]


def test_a_claim_opens_what_it_names(ruled: Ruled) -> None:
    path = "rooms/r/members/bob"
    denied(lambda: ruled.user("cid").document(path).set({}))
    ruled.user("cid", staff=True).document(path).set({})
    assert ruled.user("bob").document("rooms/r").get().exists


def test_a_listener_ends_when_it_may_not_go_on(ruled: Ruled) -> None:
    ann = ruled.user("ann")
    seen: list[list[str]] = []
    watch = ann.collection("rooms/r/notes").on_snapshot(lambda found, _, __: seen.append([one.id for one in found]))
    deadline = time.monotonic() + SOON_SECONDS
    while not seen:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    owner = ruled.owner
    owner.document("rooms/r/members/ann").delete()
    owner.document("rooms/r/notes/secret").set({"by": "bob"})
    while watch.is_active:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert seen == [[]]


def test_no_write_gets_through_that_the_rules_forbid_at_its_time(ruled: Ruled) -> None:
    """The owner hands a key around while everybody writes through the rule that reads it."""
    owner, users = ruled.owner, ["ann", "bob", "cid"]
    owner.document("keys/d").set({"owner": "ann"})
    owner.document("doors/d").set({"by": "ann", "n": 0})
    moves: list[tuple] = []
    writes: list[tuple] = []
    isOver = threading.Event()

    def hand_around() -> None:
        for number in range(60):
            name = users[number % 3]
            moves.append((owner.document("keys/d").set({"owner": name}).update_time, name))
        isOver.set()

    def write(name: str) -> None:
        client, number = ruled.user(name), 0
        while not isOver.is_set():
            number += 1
            try:
                result = client.document("doors/d").update({"by": name, "n": number})
                writes.append((result.update_time, name))
            except (exceptions.PermissionDenied, exceptions.Aborted):
                pass

    threads = [threading.Thread(target=hand_around), *(threading.Thread(target=write, args=(name,)) for name in users)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert writes
    for moment, name in writes:
        before = [mover for time_of_move, mover in moves if time_of_move < moment]
        assert (before or ["ann"])[-1] == name


def test_rules_are_read_again(ruled: Ruled, tmp_path: Path) -> None:
    path = tmp_path / "rules"
    nobody = ruled.client(None).document("users/x")
    denied(nobody.get)
    path.write_text("nothing that compiles")
    ruled.server.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + SOON_SECONDS
    while "the rules of before go on" not in ruled.server.log.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    denied(nobody.get)
    path.write_text(RULES.replace("request.auth.uid == id", "true"))
    while True:
        try:
            assert not nobody.get().exists
            return
        except exceptions.PermissionDenied:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_test_tools_load_rules_and_are_told_what_failed(start_server) -> None:
    made = Ruled(start_server("--emulator"))
    body = {"rules": {"files": [{"content": RULES}]}}
    request = urllib.request.Request(
        f"http://{made.server.address}/emulator/v1/projects/demo:securityRules",
        data=json.dumps(body).encode(),
        method="PUT",
    )
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer) == {}
    with pytest.raises(exceptions.PermissionDenied, match="false for 'get' @ L9|Null value error. for 'get' @ L9"):
        made.user("ann").document("users/bob").get()
    made.user("ann").document("users/ann").set({})


def test_a_session_of_the_rules_unit_testing_library(start_server) -> None:
    """What `@firebase/rules-unit-testing` sends, in its order: rules for the default database, contexts of users with
    claims and of nobody, the owner's word for what no rules are to judge, and clearing, which leaves the rules."""
    made = Ruled(start_server("--emulator"))
    at = f"http://{made.server.address}/emulator/v1/projects/demo"

    def ask(method: str, path: str, body: dict | None = None) -> tuple[int, dict]:
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(at + path, data=data, method=method)) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def load(text: str) -> tuple[int, dict]:
        return ask("PUT", ":securityRules", {"rules": {"files": [{"content": text}]}})

    assert load(RULES) == (200, {})
    claims = {
        "iss": "https://securetoken.google.com/demo", "aud": "demo", "auth_time": 0,
        "firebase": {"sign_in_provider": "custom", "identities": {}},
    }  # fmt: skip
    ann, staff, nobody = made.user("ann", **claims), made.user("eve", **claims, staff=True), made.client(None)
    made.owner.document("rooms/r/members/ann").set({})
    made.owner.document("rooms/r").set({"open": True})
    assert ann.document("rooms/r").get().to_dict() == {"open": True}
    denied(nobody.document("rooms/r").get)
    staff.document("rooms/r/members/eve").set({})
    denied(lambda: ann.document("rooms/r/members/bob").set({}))
    # Rules that do not compile change nothing, and the tool shows what it is told.
    status, told = load(RULES.replace("allow get: if member(room);", "allow get: if (;"))
    assert (status, told["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert told["error"]["message"].startswith("Error compiling rules:\nL12:22 ")
    assert ann.document("rooms/r").get().exists
    assert ask("DELETE", "/databases/(default)/documents") == (200, {})
    assert not made.owner.document("rooms/r").get().exists
    denied(ann.document("rooms/r").get)
    status, report = ask("GET", ":ruleCoverage")
    values = [value["value"] for node in report["report"] for value in node.get("values", [])]
    assert status == 200 and {"boolValue": True} in values


def test_rules_that_do_not_compile_stop_the_start(start_server, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.write_text("service cloud.firestore {\n  match /x {\n    allow read: if (;\n  }\n}\n")
    with pytest.raises(ServerFailed, match=r"rules:3:\d+: "):
        start_server("--rules", str(rules))
