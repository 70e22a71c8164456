"""The Realtime Database's security rules, over REST and WebSocket, against a real server; unsigned tokens say who asks."""

from __future__ import annotations

import http.client
import json
import signal
import time
from pathlib import Path
from typing import Iterator

import pytest

from support.servers import BrasaServer, ServerFailed
from support.tokens import unsigned
from support.trees import Tree
from support.websocket import TreeClient

SOON_SECONDS = 30
OWNER = "owner"
RULES = """{
  // What a user may do with what is theirs.
  "rules": {
    "users": {
      "$uid": {
        ".read": "auth != null && auth.uid == $uid",
        ".write": "auth != null && auth.uid == $uid",
        ".validate": "newData.hasChildren(['name'])",
        "age": { ".validate": "newData.isNumber() && newData.val() >= 0" }
      }
    },
    "room": {
      ".read": "root.child('members').child(auth.uid).exists()",
      ".write": "root.child('members').child(auth.uid).exists() && newData.hasChildren(['text'])"
    },
    "lists": { ".read": "query.orderByKey && query.limitToFirst <= 10", ".indexOn": "n" },
    "log": { "$entry": { ".write": "!data.exists() && newData.child('at').val() == now" } },
    "staff": { ".read": "auth.token.staff == true && auth.provider == 'custom'" },
    "online": { "$uid": { ".write": "auth.uid == $uid" } }
  }
}"""


class Judged:
    """A tree with rules, as several users see it."""

    def __init__(self, server: BrasaServer):
        self.server = server
        self.tree = Tree(server.address)
        self.sockets: list[TreeClient] = []

    def ask(self, token: str | None, method: str, path: str, value=None, **parameters):
        if token is not None:
            parameters["auth"] = token
        status, answer, _ = self.tree.ask(method, path, value, **parameters)
        return status, answer

    def upload(self, text: str, **parameters):
        status, answer, _ = self.tree.ask(
            "PUT", "/.settings/rules", body=text.encode(), headers={"Authorization": "Bearer owner"}, **parameters
        )
        return status, answer

    def connect(self, token: str | None = None, action: str = "auth") -> TreeClient:
        client = TreeClient(self.server.address, self.tree.name)
        self.sockets.append(client)
        if token is not None:
            client.ok(action, {"cred": token})
        return client


@pytest.fixture
def judged(start_server) -> Iterator[Judged]:
    judged = Judged(start_server("--emulator"))
    assert judged.upload(RULES) == (200, {"status": "ok"})
    yield judged
    for client in judged.sockets:
        client.close()


ADA, BOB = unsigned("ada"), unsigned("bob")
DENIED = (401, {"error": "Permission denied"})


def test_users_reach_what_is_theirs(judged):
    ada = {"name": "Ada", "age": 36}
    for token, method, path, value, expected in [
        (ADA, "PUT", "/users/ada", ada, (200, ada)),
        (ADA, "PUT", "/users/bob", ada, DENIED),
        (None, "PUT", "/users/ada", ada, DENIED),
        (ADA, "PUT", "/users/ada", {"age": 3}, DENIED),
        (ADA, "PUT", "/users/ada/age", -1, DENIED),
        (ADA, "PATCH", "/users/ada", {"age": 37}, (200, {"age": 37})),
        (ADA, "GET", "/users/ada/age", None, (200, 37)),
        (BOB, "GET", "/users/ada", None, DENIED),
        (None, "GET", "/users/none", None, DENIED),
        (ADA, "GET", "/users", None, DENIED),
        (ADA, "GET", "/", None, DENIED),
        (OWNER, "GET", "/users/ada/age", None, (200, 37)),
        (ADA, "DELETE", "/users/ada", None, (200, None)),
        (unsigned("eve", staff=True, firebase={"sign_in_provider": "custom"}), "GET", "/staff", None, (200, None)),
        (unsigned("eve", staff=True), "GET", "/staff", None, DENIED),
        (unsigned("eve"), "GET", "/staff", None, DENIED),
    ]:
        assert judged.ask(token, method, path, value) == expected, (method, path, value)


def test_one_denied_path_denies_the_whole_update(judged):
    update = {"users/ada": {"name": "Ada"}, "users/bob": {"name": "Bob"}}
    assert judged.ask(ADA, "PATCH", "/", update) == DENIED
    assert judged.ask(OWNER, "GET", "/") == (200, None)
    # What one path writes is what the rule of another sees.
    assert judged.ask(ADA, "PATCH", "/room", {"text": "hi"}) == DENIED
    assert judged.ask(OWNER, "PUT", "/members/ada", True)[0] == 200
    assert judged.ask(ADA, "PATCH", "/room", {"text": "hi"})[0] == 200
    assert judged.ask(ADA, "PATCH", "/room", {"text": None, "other": 1}) == DENIED


def test_rules_see_the_values_that_the_server_works_out(judged):
    status, written = judged.ask(None, "PUT", "/log/one", {"at": {".sv": "timestamp"}})
    assert status == 200 and abs(written["at"] / 1000 - time.time()) < 600
    assert judged.ask(None, "PUT", "/log/two", {"at": 5}) == DENIED
    assert judged.ask(None, "PUT", "/log/one", {"at": {".sv": "timestamp"}}) == DENIED


def test_rules_look_at_queries(judged):
    judged.ask(OWNER, "PUT", "/lists", {"a": {"n": 1}, "b": {"n": 2}})
    order = {"orderBy": '"$key"'}
    assert judged.ask(None, "GET", "/lists", limitToFirst=1, **order) == (200, {"a": {"n": 1}})
    assert judged.ask(None, "GET", "/lists", limitToFirst=11, **order) == DENIED
    assert judged.ask(None, "GET", "/lists") == DENIED
    assert judged.ask(None, "GET", "/lists", orderBy='"n"', limitToFirst=1) == DENIED


def test_conditions_tell_nothing_to_who_may_not_read(judged):
    judged.ask(OWNER, "PUT", "/online/ada", True)
    for etag in ["null_etag", "anything"]:
        status, answer, headers = judged.tree.ask(
            "PUT", "/online/ada", False, headers={"if-match": etag}, auth=ADA
        )
        assert (status, answer) == DENIED and "etag" not in headers
    assert judged.ask(ADA, "PUT", "/online/ada", False) == (200, False)
    # Neither by the socket's hashes.
    ada = judged.connect(ADA)
    assert ada.ask("p", {"p": "/online/ada", "d": True, "h": ""})[0] == "permission_denied"


def test_administrators_may_be_judged_as_somebody_else(judged):
    override = {"auth_variable_override": '{"uid":"ada"}'}
    assert judged.ask(OWNER, "PUT", "/users/ada", {"name": "Ada"}, **override)[0] == 200
    assert judged.ask(OWNER, "PUT", "/users/bob", {"name": "Bob"}, **override) == DENIED
    assert judged.ask(OWNER, "GET", "/users/ada", auth_variable_override="null") == DENIED
    assert judged.ask(OWNER, "GET", "/users/ada", auth_variable_override="7")[0] == 400
    assert judged.ask(BOB, "GET", "/users/ada", **override) == DENIED
    client = judged.connect()
    client.ok("gauth", {"cred": OWNER, "authvar": {"uid": "ada"}})
    assert client.ok("g", {"p": "/users/ada", "q": {}}) == {"name": "Ada"}
    assert client.ask("g", {"p": "/users/bob", "q": {}})[0] == "permission_denied"


def test_rules_are_uploaded_by_administrators_and_outlive_the_process(judged, start_server):
    connection = http.client.HTTPConnection(judged.tree.host, judged.tree.port, timeout=20)
    connection.request("GET", judged.tree.target("/.settings/rules", auth=OWNER))
    assert connection.getresponse().read().decode() == RULES
    connection.close()
    for token in [ADA, None]:
        assert judged.ask(token, "GET", "/.settings/rules") == DENIED
        assert judged.ask(token, "PUT", "/.settings/rules", {"rules": {}}) == DENIED
    wrong = '{\n  "rules": {\n    ".read": "auth.uid = 5"\n  }\n}'
    for parameters in [{}, {"dryRun": "true"}]:
        status, answer = judged.upload(wrong, **parameters)
        assert status == 400 and answer["error"].startswith("Line 3:") and "/.read" in answer["error"], answer
    assert judged.upload("{", dryRun="true")[0] == 400
    assert judged.ask(ADA, "PUT", "/users/ada", {"name": "Ada"})[0] == 200
    judged.server.kill()
    judged.server = start_server("--emulator")
    judged.tree.address = judged.server.address
    judged.tree.port = int(judged.server.address.rpartition(":")[2])
    assert judged.ask(ADA, "GET", "/users/ada") == (200, {"name": "Ada"})
    assert judged.ask(BOB, "GET", "/users/ada") == DENIED
    # Trees without rules of their own are open in an emulator.
    assert Tree(judged.server.address).ask("PUT", "/x", 1)[0] == 200
    names = [entry["name"] for entry in judged.ask(OWNER, "GET", "/.inspect/databases")[1]]
    assert judged.tree.name in names and ".settings" not in names


def test_without_an_emulator_trees_without_rules_are_closed_and_the_file_is_for_all(
    start_server, tmp_path: Path, binary
):
    file = tmp_path / "rules.json"
    file.write_text('{"rules":{".read":"auth == null"}}')
    server = start_server("--tree-rules", str(file))
    tree = Tree(server.address)
    assert tree.ask("GET", "/a")[:2] == (200, None)
    assert tree.ask("PUT", "/a", 1)[:2] == DENIED
    assert tree.ask("PUT", "/.settings/rules", {"rules": {}})[:2] == DENIED
    file.write_text('{"rules":{".write":true}}')
    server.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + SOON_SECONDS
    while tree.ask("PUT", "/a", 1)[0] != 200:
        assert time.monotonic() < deadline
    assert tree.ask("GET", "/a")[:2] == DENIED
    file.write_text("{")
    with pytest.raises(ServerFailed):
        start_server("--tree-rules", str(file), data="other")


def events(response) -> Iterator[tuple[str, str]]:
    while True:
        name = response.readline().decode().removeprefix("event: ").strip()
        if not name:
            return
        data = response.readline().decode().removeprefix("data: ").strip()
        assert response.readline() == b"\n"
        if name != "keep-alive":
            yield name, data


def test_a_stream_is_cancelled_when_rules_or_what_they_look_at_change(judged):
    for uid in ["ada", "bob"]:
        judged.ask(OWNER, "PUT", f"/members/{uid}", True)
    streams = {}
    for token in [ADA, BOB]:
        connection = http.client.HTTPConnection(judged.tree.host, judged.tree.port, timeout=20)
        connection.request("GET", judged.tree.target("/room", auth=token), headers={"Accept": "text/event-stream"})
        streams[token] = events(connection.getresponse())
        assert next(streams[token]) == ("put", '{"path":"/","data":null}')
    judged.ask(OWNER, "DELETE", "/members/bob")
    assert list(streams[BOB]) == [("cancel", '"Permission denied"')]
    judged.ask(OWNER, "PUT", "/room", {"text": "hi"})
    assert next(streams[ADA]) == ("put", '{"path":"/","data":{"text":"hi"}}')
    assert judged.upload('{"rules":{}}')[0] == 200
    assert list(streams[ADA]) == [("cancel", '"Permission denied"')]
    connection = http.client.HTTPConnection(judged.tree.host, judged.tree.port, timeout=20)
    connection.request("GET", judged.tree.target("/room", auth=ADA), headers={"Accept": "text/event-stream"})
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())) == DENIED


def test_the_socket_asks_rules(judged):
    judged.ask(OWNER, "PUT", "/lists", {"a": {"n": 1}, "b": {"n": 2}})
    nobody, ada, owner = judged.connect(), judged.connect(ADA), judged.connect(OWNER, "gauth")
    denied = ("permission_denied", "Permission denied", [])
    for client, action, body in [
        (nobody, "p", {"p": "/users/ada", "d": {"name": "Ada"}}),
        (nobody, "q", {"p": "/users/ada", "h": ""}),
        (nobody, "g", {"p": "/users/ada", "q": {}}),
        (nobody, "o", {"p": "/online/ada", "d": True}),
        (ada, "p", {"p": "/users/bob", "d": {"name": "Bob"}}),
        (ada, "p", {"p": "/users/ada", "d": {"age": 1}}),
        (ada, "m", {"p": "/", "d": {"users/ada": {"name": "Ada"}, "users/bob": {"name": "Bob"}}}),
        (ada, "q", {"p": "/users", "h": ""}),
        (ada, "om", {"p": "/online", "d": {"ada": True, "bob": True}}),
    ]:
        assert client.ask(action, body) == denied, (action, body)
    ada.ok("p", {"p": "/users/ada", "d": {"name": "Ada"}})
    assert ada.ask("q", {"p": "/users/ada", "h": ""})[::2] == (
        "ok",
        [{"a": "d", "b": {"p": "users/ada", "d": {"name": "Ada"}}}],
    )
    # An index is asked for, and its lack told.
    by_n = {"i": "n", "l": 1, "vf": "l"}
    by_m = {"i": "m", "l": 1, "vf": "l"}
    assert owner.ok("q", {"p": "/lists", "q": by_n, "t": 1, "h": ""}) == {}
    assert owner.ok("q", {"p": "/lists", "q": by_m, "t": 2, "h": ""}) == {"w": ["no_index"]}
    status, text, _ = owner.ask("g", {"p": "/lists", "q": by_m})
    assert status != "ok" and text == 'Index not defined, add ".indexOn": "m", for path "/lists", to the rules'


def test_listens_are_revoked_one_by_one(judged):
    judged.ask(OWNER, "PUT", "/members/ada", True)
    ada, owner = judged.connect(ADA), judged.connect(OWNER, "gauth")
    ada.ok("q", {"p": "/users/ada", "h": ""})
    ada.ok("q", {"p": "/room", "h": ""})
    owner.ok("q", {"p": "/room", "h": ""})
    judged.ask(OWNER, "DELETE", "/members/ada")
    assert ada.message()["d"] == {"a": "c", "b": {"p": "room"}}
    judged.ask(OWNER, "PUT", "/room", {"text": "hi"})
    assert owner.message()["d"] == {"a": "d", "b": {"p": "room", "d": {"text": "hi"}}}
    judged.ask(OWNER, "PUT", "/users/ada", {"name": "Ada"})
    assert ada.message()["d"] == {"a": "d", "b": {"p": "users/ada", "d": {"name": "Ada"}}}
    # As somebody else.
    ada.send("auth", {"cred": BOB})
    assert ada.answer(ada.number)[0] == "ok"
    assert ada.message()["d"] == {"a": "c", "b": {"p": "users/ada"}}
    assert ada.ask("q", {"p": "/users/ada", "h": ""})[0] == "permission_denied"


def test_what_a_client_leaves_is_judged_again_when_it_is_written(judged):
    ada, bob = judged.connect(ADA), judged.connect(BOB)
    ada.ok("o", {"p": "/online/ada", "d": "left"})
    bob.ok("o", {"p": "/online/bob", "d": "left"})
    ada.close()
    deadline = time.monotonic() + SOON_SECONDS
    while judged.ask(OWNER, "GET", "/online")[1] != {"ada": "left"}:
        assert time.monotonic() < deadline
    assert judged.upload('{"rules":{"done":{".write":true}}}')[0] == 200
    bob.ok("o", {"p": "/done", "d": True})
    bob.close()
    while judged.ask(OWNER, "GET", "/done")[1] is not True:
        assert time.monotonic() < deadline
    assert judged.ask(OWNER, "GET", "/online")[1] == {"ada": "left"}
