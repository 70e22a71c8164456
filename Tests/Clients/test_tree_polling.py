"""The Realtime Database's long polling, against a real server."""

import http.client
import json
import re
import shutil
import signal
import subprocess
import time
import uuid

import pytest

from support.polling import CALLBACK, OF_THIS_MACHINE, Ended, PollingClient, Request, replies_in, segments_of
from support.trees import Tree
from support.websocket import TreeClient, WebSocket


@pytest.fixture
def namespace() -> str:
    return f"t{uuid.uuid4().hex}"


@pytest.fixture
def connect(address, namespace):
    """Sessions with a tree of this test's own."""
    made = []

    def make(query: str = "", **options) -> PollingClient:
        made.append(PollingClient(address, namespace, query, **options))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def listener(address, namespace):
    """Somebody else with a WebSocket, who sees what is written."""
    client = TreeClient(address, namespace)
    yield client
    client.close()


def test_a_session_begins_with_a_script_that_says_by_what_it_goes_on(connect, address):
    client = connect()
    assert f'parent.window["pLPCommand{CALLBACK}"]' in client.script
    assert f'parent.window["pRTLPCB{CALLBACK}"]' in client.script
    assert client.hello["t"] == "c" and client.hello["d"]["t"] == "h"
    hello = client.hello["d"]["d"]
    assert hello["v"] == "5" and hello["h"] == address and abs(hello["ts"] / 1000 - time.time()) < 60
    assert len(client.id) == 32 and len(client.password) == 32 and client.id != client.password
    other = connect()
    assert other.id != client.id and other.password != client.password


def test_what_is_asked_is_answered_and_pushes_come_in_front(connect):
    client = connect()
    assert client.ok("s", {"c": {"sdk.js.11-0-0": 1}}) == ""
    assert client.ok("p", {"p": "/a", "d": {"x": 1}}) == ""
    assert client.ask("q", {"p": "/a", "h": ""}) == ("ok", {}, [{"a": "d", "b": {"p": "a", "d": {"x": 1}}}])
    assert client.ask("p", {"p": "/a/x", "d": 2}) == ("ok", "", [{"a": "d", "b": {"p": "a/x", "d": 2}}])
    assert client.ok("g", {"p": "/", "q": {}}) == {"a": {"x": 2}}


def test_an_event_reaches_the_request_that_is_held(connect, listener):
    client = connect()
    client.ok("q", {"p": "/n", "h": ""})
    held = client.poll()
    assert not held.is_answered(0.3)
    listener.ok("p", {"p": "/n", "d": 1})
    begin = time.monotonic()
    assert client.message()["d"] == {"a": "d", "b": {"p": "n", "d": 1}}
    assert time.monotonic() - begin < 10


def test_a_new_request_releases_the_one_before_it(connect):
    client = connect()
    first = client.poll()
    assert not first.is_answered(0.2)
    second = client.poll()
    status, script = first.answer()
    assert status == 200 and replies_in(script) == [(1, [])]
    assert not second.is_answered(0.2)
    third = client.poll()
    assert replies_in(second.answer()[1]) == [(2, [])]
    assert not third.is_answered(0.2)
    assert "cache-control: no-store" in first.head and "javascript" in first.head


def test_segments_come_in_any_order_by_any_request_and_more_than_once(connect, address):
    client = connect()
    text = "ä<✔🐵" * 100
    message = json.dumps({"t": "d", "d": {"r": 7, "a": "p", "b": {"p": "/text", "d": text}}})
    requests = client.pack(message, size=301)
    assert len(requests) > 5
    orders = [requests[0], *reversed(requests[1:]), requests[3], requests[-1]]
    # Two in one request, and the rest alone.
    both = {**orders[0], **{name[:-1] + "1": value for name, value in orders[1].items()}}
    for parameters in [both, *orders[2:]]:
        client.poll(**parameters)
        while len(client.open) > 1:
            client.settle()
    assert client.answer(7)[:2] == ("ok", "")
    assert client.ok("g", {"p": "/text", "q": {}}) == text


def test_long_messages_go_both_ways(connect):
    client = connect()
    text = "ä" * 100_000
    client.ok("p", {"p": "/text", "d": text})
    assert client.ok("g", {"p": "/text", "q": {}}) == text


def test_what_is_told_is_nothing_but_data_to_a_script(connect):
    client = connect()
    value = {"__proto__": {"x": 1}, "a": "</script><!--\u2028\u2029'\"\\"}
    client.ok("p", {"p": "/v", "d": value})
    client.send("g", {"p": "/v", "q": {}})
    status, script = client.open.pop().answer()
    assert status == 200
    for wrong in ("<", "\u2028", "\u2029", '{"__proto__"'):
        assert wrong not in script
    assert replies_in(script)[0][1][0]["d"]["b"]["d"] == value


def test_what_a_client_leaves_is_written_when_it_says_that_it_goes(connect, listener, address):
    client = connect()
    listener.ok("q", {"p": "/online", "h": ""})
    client.ok("o", {"p": "/online", "d": False})
    held = client.poll()
    frame = Request(address, client.target(dframe="t"))
    status, page = frame.answer()
    assert status == 200 and "text/html" in frame.head and "disconn=t&" in page and client.id not in page
    assert Request(address, client.target(dframe="t", disconn="t"), method="POST").answer()[0] == 200
    assert listener.message()["d"] == {"a": "d", "b": {"p": "online", "d": False}}
    # When it has had all replies up to that one.
    assert re.search(r"^pRTLPCB\((\d+),.*\npLPCommand\('close',\1\);$", held.answer()[1], re.MULTILINE)
    client.close()
    with pytest.raises(Ended):
        client.ask("g", {"p": "/", "q": {}})


def test_what_a_client_leaves_is_written_when_its_requests_stop(connect, listener):
    client = connect()
    listener.ok("q", {"p": "/online", "h": ""})
    client.ok("o", {"p": "/online", "d": False})
    held = client.poll()
    assert not held.is_answered(0.2)
    begin = time.monotonic()
    client.close()
    assert listener.message()["d"] == {"a": "d", "b": {"p": "online", "d": False}}
    # Not at once: a request may break and the next one come.
    assert 3 < time.monotonic() - begin < 20


def test_a_client_goes_on_after_a_request_that_broke(connect):
    client = connect()
    held = client.poll()
    assert not held.is_answered(0.2)
    client.close()
    time.sleep(0.3)
    assert client.ok("p", {"p": "/a", "d": 1}) == ""


def test_the_next_session_ends_the_last_of_either_kind(connect, address, namespace):
    first = connect()
    first.ok("o", {"p": "/first", "d": True})
    second = connect(f"&ls={first.session}")
    assert second.ok("g", {"p": "/first", "q": {}}) is True
    second.ok("o", {"p": "/second", "d": True})
    third = TreeClient(address, namespace, f"&ls={second.session}")
    assert third.ok("g", {"p": "/second", "q": {}}) is True
    third.close()
    for client in (first, second):
        with pytest.raises(Ended):
            client.ask("g", {"p": "/", "q": {}})


def test_who_does_not_know_the_password_is_told_that_there_is_no_session(connect, address):
    client = connect()
    held = client.poll()
    wrong = ("0" if client.password[0] != "0" else "1") + client.password[1:]
    for key in (
        {"id": client.id, "pw": wrong},
        {"id": client.id, "pw": ""},
        {"id": client.id, "pw": client.password + "0"},
        {"id": client.password, "pw": client.id},
        {"id": "x', alert(1), '", "pw": "y"},
    ):
        for more in ({}, {"disconn": "t"}, {"seg0": 0, "ts0": 1, "d0": segments_of("{}")[0]}):
            status, script = Request(address, client.target(**{**key, **more})).answer()
            assert (status, script) == (200, "pLPCommand('close');\n"), (key, more)
    assert not held.is_answered(0.2)
    assert client.ok("p", {"p": "/a", "d": 1}) == ""


@pytest.mark.parametrize(
    "query",
    [
        "",
        "start=t&v=5&ns=one",
        "start=t&cb=&v=5&ns=one",
        "start=t&cb=1x&v=5&ns=one",
        "start=t&cb=%22%5D%3Balert(1)%2F%2F&v=5&ns=one",
        "start=t&cb=" + "1" * 17 + "&v=5&ns=one",
        "start=t&cb=1&v=4&ns=one",
        "start=t&cb=1&ns=one",
        "start=t&cb=1&v=5",
        "id=1",
    ],
)
def test_other_requests_are_refused(address, query):
    status, text = Request(address, f"/.lp?{query}").answer()
    assert status == 400 and "alert" not in text


@pytest.mark.parametrize("headers", [{}, {"Origin": "https://a.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_a_page_that_may_be_from_elsewhere_gets_no_session_where_everybody_is_the_owner(address, namespace, headers):
    with pytest.raises(Ended) as ended:
        PollingClient(address, namespace, headers=headers)
    assert ended.value.args == (403,)


def test_rules_are_asked_and_a_token_is_taken_as_on_a_socket(start_server):
    server = start_server("--emulator")
    tree = Tree(server.address).with_rules({"open": {".read": True, ".write": True}})
    client = PollingClient(server.address, tree.name)
    assert client.ask("p", {"p": "/open", "d": 1})[0] == "ok"
    assert client.ask("q", {"p": "/closed", "h": ""})[0] == "permission_denied"
    assert client.ask("auth", {"cred": "nonsense"})[0] == "invalid_token"
    assert client.ask("gauth", {"cred": "owner"})[0] == "ok"
    assert client.ask("q", {"p": "/closed", "h": ""})[0] == "ok"
    client.close()


def segment(number: int, count: int, text: str) -> dict:
    return {"seg0": number, "ts0": count, "d0": text}


@pytest.mark.parametrize(
    "segments",
    [
        # So many segments that nobody has them, or none.
        [segment(0, 10_000, "e30.")],
        [segment(0, 0, "e30.")],
        # A gap that others do not close.
        [segment(65, 1, "e30.")],
        [segment(999_999_999_999_999, 1, "e30.")],
        # Of a message that has three, and of one that has four.
        [segment(0, 3, "e30"), segment(1, 4, "e30")],
        # No Base64, no message, no numbers.
        [segment(0, 1, "e3*")],
        [segment(0, 1, "e")],
        [segment(0, 1, ".e30")],
        [segment(0, 1, segments_of("[]")[0])],
        [segment(-1, 1, "e30.")],
        [segment("x", 1, "e30.")],
        [{"seg0": 0, "ts0": 1}],
    ],
)
def test_what_is_no_message_ends_the_session(connect, segments):
    client = connect()
    for parameters in segments:
        client.poll(**parameters)
    with pytest.raises(Ended):
        while True:
            client.settle()
    with pytest.raises(Ended):
        client.message()


def test_segments_without_the_first_are_kept_up_to_a_bound(connect):
    client = connect()
    parts = {f"{name}{place}": value for place in range(60) for name, value in
             (("seg", place + 1), ("ts", 2), ("d", "A" * 100))}
    client.poll(**parts)
    for number in (61, 62, 63, 64):
        client.poll(**segment(number, 2, "A"))
        client.settle()
    client.poll(**segment(65, 2, "A"))
    with pytest.raises(Ended):
        client.settle()
        client.settle()


def test_requests_without_end_are_answered_one_by_one_and_change_nothing(connect):
    client = connect()
    for _ in range(300):
        client.poll()
    for _ in range(299):
        client.settle()
    assert client.ok("p", {"p": "/a", "d": 1}) == ""


def test_there_are_so_many_sessions_of_one_address(start_server):
    server = start_server()
    target = f"/.lp?start=t&cb={CALLBACK}&v=5&ns=many"
    connection = http.client.HTTPConnection(*server.address.rpartition(":")[::2], timeout=20)

    def start() -> tuple[int, bytes]:
        connection.request("GET", target, headers={"Sec-Fetch-Site": "same-site"})
        response = connection.getresponse()
        return response.status, response.read()

    started = [start() for _ in range(1_024)]
    assert {status for status, _ in started} == {200}
    assert start()[0] == 503
    key = re.search(rb"'start','(\w+)','(\w+)'", started[0][1])
    connection.request("GET", f"/.lp?disconn=t&id={key[1].decode()}&pw={key[2].decode()}")
    connection.getresponse().read()
    assert start()[0] == 200
    connection.close()


def test_sessions_of_one_address_are_bounded_as_its_connections_are_and_counted(start_server):
    server = start_server("--connections-per-address", "3")
    connection = http.client.HTTPConnection(*server.address.rpartition(":")[::2], timeout=20)

    def get(target: str) -> tuple[int, str]:
        connection.request("GET", target, headers={"Sec-Fetch-Site": "same-site"})
        response = connection.getresponse()
        return response.status, response.read().decode()

    statuses = [get(f"/.lp?start=t&cb={CALLBACK}&v=5&ns=many")[0] for _ in range(5)]
    assert statuses == [200, 200, 200, 503, 503]
    lines = get("/metrics")[1].splitlines()
    assert {"brasa_polling_sessions 3", "brasa_polling_sessions_refused_total 2"} <= set(lines)
    connection.close()


def test_each_message_is_a_call_and_a_session_is_a_stream(start_server):
    server = start_server("--streams-per-caller", "1", "--calls-per-second", "20")
    client = PollingClient(server.address, "one")
    with pytest.raises(Ended):
        PollingClient(server.address, "one")
    begin = time.monotonic()
    for number in range(40):
        assert client.ask("p", {"p": "/n", "d": number})[0] == "ok"
    assert time.monotonic() - begin > 0.5
    client.close()


def test_a_server_that_stops_sends_clients_away_and_writes_what_they_left(start_server):
    server = start_server()
    client = PollingClient(server.address, "one")
    client.ok("p", {"p": "/online", "d": True})
    client.ok("o", {"p": "/online", "d": False})
    held = client.poll()
    assert not held.is_answered(0.2)
    begin = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    # When it has had all replies up to that one.
    assert re.search(r"^pRTLPCB\((\d+),.*\npLPCommand\('close',\1\);$", held.answer()[1], re.MULTILINE)
    assert server.process.wait(60) == 0
    assert time.monotonic() - begin < 20
    again = start_server()
    client = TreeClient(again.address, "one")
    assert client.ok("g", {"p": "/", "q": {}}) == {"online": False}
    client.close()


def test_requests_come_over_http_2_as_well(address, namespace, listener):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed (apt install curl)")

    def request(query: str) -> subprocess.Popen:
        command = ["curl", "-sS", "-f", "-N", "--max-time", "40", "--http2-prior-knowledge"]
        for name, value in OF_THIS_MACHINE.items():
            command += ["-H", f"{name}: {value}"]
        return subprocess.Popen([*command, f"http://{address}/.lp?{query}"], stdout=subprocess.PIPE, text=True)

    script, _ = request(f"start=t&cb=1&v=5&ns={namespace}").communicate()
    key = re.search(r"'start','(\w+)','(\w+)'", script)
    session = f"id={key[1]}&pw={key[2]}"
    (listen,) = segments_of('{"t":"d","d":{"r":1,"a":"q","b":{"p":"/n","h":""}}}')
    script, _ = request(f"{session}&seg0=0&ts0=1&d0={listen}").communicate()
    assert replies_in(script) == [(1, [{"t": "d", "d": {"r": 1, "b": {"s": "ok", "d": {}}}}])]
    held = request(session)
    listener.ok("p", {"p": "/n", "d": 1})
    script, _ = held.communicate()
    assert replies_in(script) == [(2, [{"t": "d", "d": {"a": "d", "b": {"p": "n", "d": 1}}}])]
    listener.ok("q", {"p": "/online", "h": ""})
    (leave,) = segments_of('{"t":"d","d":{"r":2,"a":"o","b":{"p":"/online","d":false}}}')
    request(f"{session}&seg0=1&ts0=1&d0={leave}").communicate()
    held = request(session)
    # The stream is reset, and none comes after it.
    time.sleep(0.3)
    held.terminate()
    assert listener.message()["d"] == {"a": "d", "b": {"p": "online", "d": False}}
    held.communicate()


def test_a_session_of_long_polling_is_not_gone_on_with_on_a_socket(connect, address, namespace):
    client = connect()
    web = WebSocket(address, f"/.ws?v=5&ns={namespace}&s={client.session}")
    assert web.status == 426
    web.close()
    assert client.ok("p", {"p": "/a", "d": 1}) == ""
