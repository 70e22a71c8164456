"""The Realtime Database's WebSocket, against a real server, message by message."""

import base64
import hashlib
import http.client
import json
import signal
import struct
import time

import pytest

from support.websocket import PING, PONG, Closed, TreeClient, WebSocket

# The hash of the number 1, as the official clients' tests have it.
HASH_OF_ONE = "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="


@pytest.fixture
def connect(address, request):
    """Connections to a tree of this test's own."""
    made = []
    name = "t" + "".join(letter if letter.isalnum() else "-" for letter in request.node.name)[:40]

    def make(query: str = "", namespace: str = name, **options) -> TreeClient:
        made.append(TreeClient(address, namespace, query, **options))
        return made[-1]

    yield make
    for client in made:
        client.close()


def data(number: int, action: str, body: str) -> str:
    return f'{{"t":"d","d":{{"r":{number},"a":"{action}","b":{body}}}}}'


# The session of the reference, letter by letter: what the client sends, and all that the server says to it.
SESSION = [
    (data(1, "s", '{"c":{"sdk.js.11-0-0":1}}'), ['{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}']),
    (
        data(2, "q", '{"p":"/posts","h":""}'),
        [
            '{"t":"d","d":{"a":"d","b":{"p":"posts","d":{"k1":{"n":1}}}}}',
            '{"t":"d","d":{"r":2,"b":{"s":"ok","d":{}}}}',
        ],
    ),
    (
        data(3, "q", '{"p":"/s","q":{"i":".key","l":2,"vf":"r"},"t":1,"h":""}'),
        [
            '{"t":"d","d":{"a":"d","b":{"p":"s","d":{"b":2,"c":3},"t":1}}}',
            '{"t":"d","d":{"r":3,"b":{"s":"ok","d":{}}}}',
        ],
    ),
    (
        data(4, "p", '{"p":"/s/d","d":4}'),
        [
            '{"t":"d","d":{"a":"m","b":{"p":"s","d":{"b":null,"d":4},"t":1}}}',
            '{"t":"d","d":{"r":4,"b":{"s":"ok","d":""}}}',
        ],
    ),
    (
        data(5, "p", f'{{"p":"/posts/k1/n","d":2,"h":"{HASH_OF_ONE}"}}'),
        [
            '{"t":"d","d":{"a":"d","b":{"p":"posts/k1/n","d":2}}}',
            '{"t":"d","d":{"r":5,"b":{"s":"ok","d":""}}}',
        ],
    ),
]


def test_the_session_of_the_reference_is_replayed_byte_by_byte(connect):
    writer = connect()
    writer.ok("p", {"p": "/", "d": {"posts": {"k1": {"n": 1}}, "s": {"a": 1, "b": 2, "c": 3}}})
    client = connect()
    assert client.hello["t"] == "c" and client.hello["d"]["t"] == "h"
    hello = client.hello["d"]["d"]
    assert hello["v"] == "5" and abs(hello["ts"] / 1000 - time.time()) < 60
    for sent, expected in SESSION:
        client.send_text(sent)
        assert [client.message_text() for _ in expected] == expected
    # The same transaction once more: what is there is 2 now, and that was pushed before.
    status, _, pushes = client.ask("p", {"p": "/posts/k1/n", "d": 2, "h": HASH_OF_ONE})
    assert (status, pushes) == ("datastale", [])


def test_who_has_it_already_is_sent_nothing(connect):
    client = connect()
    client.ok("p", {"p": "/n", "d": 1})
    assert client.ask("q", {"p": "/n", "h": HASH_OF_ONE}) == ("ok", {}, [])
    assert client.ok("n", {"p": "/n"}) == ""
    _, _, pushes = client.ask("q", {"p": "/n", "h": ""})
    assert pushes == [{"a": "d", "b": {"p": "n", "d": 1}}]


def test_a_write_is_pushed_once_to_each_connection_that_listens(connect):
    writer, reader, beside = connect(), connect(), connect()
    reader.ok("q", {"p": "/a", "h": ""})
    beside.ok("q", {"p": "/b", "h": ""})
    writer.ok("m", {"p": "/a", "d": {"x": 1, "y/z": 2}})
    assert reader.message()["d"] == {"a": "m", "b": {"p": "a", "d": {"x": 1, "y/z": 2}}}
    assert beside.ask("g", {"p": "/a", "q": {}}) == ("ok", {"x": 1, "y": {"z": 2}}, [])


def test_what_is_read_after_a_write_was_sent_shows_it(connect):
    client = connect()
    numbers = [client.send("p", {"p": "/n", "d": value}) for value in range(20)]
    read = client.send("g", {"p": "/n", "q": {}})
    assert [client.answer(number)[0] for number in numbers] == ["ok"] * 20
    assert client.answer(read)[:2] == ("ok", 19)


def test_transactions_of_several_clients_lose_nothing(connect):
    clients = [connect() for _ in range(4)]
    values = {}
    for client in clients:
        _, _, pushes = client.ask("q", {"p": "/count", "h": ""})
        values[client] = pushes[-1]["b"]["d"] if pushes else None
    def hash_of(value) -> str:
        if value is None:
            return ""
        text = "number:" + struct.pack(">d", value).hex()
        return base64.b64encode(hashlib.sha1(text.encode()).digest()).decode()

    done = dict.fromkeys(clients, 0)
    while min(done.values()) < 10:
        for client in clients:
            if done[client] == 10:
                continue
            value = values[client]
            status, _, pushes = client.ask("p", {"p": "/count", "d": (value or 0) + 1, "h": hash_of(value)})
            for push in pushes:
                values[client] = push["b"]["d"]
            assert status in ("ok", "datastale")
            done[client] += status == "ok"
    assert clients[0].ask("g", {"p": "/count", "q": {}})[1] == 40


def test_long_messages_go_in_pieces_both_ways(connect):
    client = connect()
    text = "ä" * 50_000
    client.ok("p", {"p": "/text", "d": text})
    assert client.ok("g", {"p": "/text", "q": {}}) == text


def test_signs_of_life_are_answered_as_they_should_be(connect):
    client = connect()
    client.web.send_frame(b"0")
    client.send_text('{"t":"c","d":{"t":"p","d":{}}}')
    assert client.message_text() == '{"t":"c","d":{"t":"o","d":null}}'
    client.web.send_frame(b"hello", PING)
    assert client.web.frame() == (PONG, b"hello")


def test_what_a_client_leaves_is_written_when_its_connection_breaks(connect):
    watcher, client = connect(), connect()
    watcher.ok("q", {"p": "/", "h": ""})
    client.ok("o", {"p": "/users/u", "d": {"online": False, "last": {".sv": "timestamp"}}})
    client.ok("om", {"p": "/rooms", "d": {"r/u": None, "s/u": "left"}})
    client.ok("o", {"p": "/gone", "d": 1})
    client.ok("oc", {"p": "/gone", "d": None})
    client.close()
    push = watcher.message()["d"]
    assert push["a"] == "m" and push["b"]["p"] == ""
    assert set(push["b"]["d"]) == {"users/u", "rooms/s/u"}
    assert push["b"]["d"]["users/u"]["online"] is False
    assert watcher.ok("g", {"p": "/gone", "q": {}}) is None


def test_the_next_connection_ends_the_last(connect):
    first = connect()
    first.ok("o", {"p": "/online", "d": False})
    second = connect(f"&ls={first.session}")
    assert second.ok("g", {"p": "/online", "q": {}}) is False
    with pytest.raises(Closed):
        first.message()


def test_what_is_wrong_in_a_request_is_answered_and_the_connection_goes_on(connect):
    client = connect()
    for action, body, status in [
        ("p", {"p": "/a.b", "d": 1}, "invalid_data"),
        ("p", {"p": "/a", "d": {"x#": 1}}, "invalid_data"),
        ("p", {"p": "/a"}, "invalid_arguments"),
        ("p", {"p": "/none/.priority", "d": 1}, "invalid_data"),
        ("nothing", {}, "unknown_action"),
    ]:
        assert client.ask(action, body)[0] == status, (action, body)
    assert client.ok("g", {"p": "/", "q": {}}) is None


@pytest.mark.parametrize("frame", [b"[]", b'{"t":"d"', b'{"t":"d","d":{}}', b"{\xff}", b"99999"])
def test_what_is_no_message_ends_the_connection(connect, frame):
    client = connect()
    client.web.send_frame(frame)
    with pytest.raises(Closed) as closed:
        client.message()
    assert closed.value.code == 1002


def test_frames_have_a_bound(connect):
    client = connect()
    with pytest.raises((Closed, ConnectionError)):
        client.web.send_frame(b"x" * ((64 << 10) + 1))
        client.message()


@pytest.mark.parametrize("target", ["/.ws?v=4&ns=one", "/.ws?v=5", "/elsewhere", "/.ws?v=5&ns=%ff"])
def test_other_requests_are_not_upgraded(address, target):
    web = WebSocket(address, target)
    assert web.status in (404, 426)
    web.close()


def test_a_server_that_stops_sends_clients_away_and_writes_what_they_left(start_server):
    server = start_server()
    client = TreeClient(server.address, "one")
    client.ok("p", {"p": "/online", "d": True})
    client.ok("o", {"p": "/online", "d": False})
    server.process.send_signal(signal.SIGTERM)
    with pytest.raises(Closed) as closed:
        client.message()
    assert closed.value.code == 1001
    client.close()
    assert server.process.wait(60) == 0
    again = start_server()
    client = TreeClient(again.address, "one")
    assert json.dumps(client.ok("g", {"p": "/", "q": {}})) == '{"online": false}'
    client.close()


@pytest.mark.parametrize(
    "origin, is_let_in",
    [(None, True), ("http://localhost:3000", True), ("https://a.example", False), ("null", False)],
)
def test_a_page_from_elsewhere_may_nothing_on_a_server_that_takes_everybody_for_its_owner(address, origin, is_let_in):
    headers = {"Origin": origin} if origin else {}
    web = WebSocket(address, "/.ws?v=5&ns=pages", headers)
    assert web.status == (101 if is_let_in else 403)
    web.close()
    host, _, port = address.rpartition(":")
    for method in ("GET", "POST"):
        connection = http.client.HTTPConnection(host, int(port), timeout=20)
        connection.request(method, "/pages.json?ns=pages", body="1" if method == "POST" else None, headers=headers)
        assert connection.getresponse().status == (200 if is_let_in else 403)
        connection.close()


@pytest.mark.parametrize(
    "mode, more, status",
    [("no-cors", "", 403), ("navigate", "", 200), ("navigate", "&callback=take", 403), (None, "&callback=take", 403)],
)
def test_a_page_from_elsewhere_takes_no_data_for_a_script(address, mode, more, status):
    """Browsers name no origin there, and nothing else to servers without TLS that are not of their own machine."""
    connection = http.client.HTTPConnection(*address.rpartition(":")[::2], timeout=20)
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": "script"} if mode else {}
    connection.request("GET", f"/.json?ns=pages{more}", headers=headers)
    assert connection.getresponse().status == status
    connection.close()


@pytest.mark.parametrize("origin, status", [("http://localhost:3000", 200), ("https://a.example", 403)])
def test_nor_may_it_anything_on_an_emulator_that_has_rules_for_something_else(start_server, tmp_path, origin, status):
    rules = tmp_path / "firestore.rules"
    rules.write_text("service cloud.firestore { match /databases/{d}/documents { match /c/{id} { allow read; } } }")
    server = start_server("--emulator", "--rules", str(rules))
    connection = http.client.HTTPConnection(*server.address.rpartition(":")[::2], timeout=20)
    connection.request("GET", "/.json?ns=pages", headers={"Origin": origin})
    assert connection.getresponse().status == status
    connection.close()
    web = WebSocket(server.address, "/.ws?v=5&ns=pages", {"Origin": origin})
    assert web.status == (101 if status == 200 else 403)
    web.close()
