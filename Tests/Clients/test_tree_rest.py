"""The Realtime Database's REST: with plain HTTP and curl."""

import http.client
import json
import shutil
import subprocess
import threading

import pytest

from support.trees import Tree


@pytest.fixture
def tree(address) -> Tree:
    return Tree(address)


@pytest.fixture
def indexed(start_server) -> Tree:
    """A tree with rules of its own, which name an index, on a server of its own: others are open as long as there are none."""
    return Tree(start_server("--emulator").address).with_rules({"scores": {".indexOn": "n"}})


def test_reading_and_writing(tree):
    assert tree.get("/") is None
    assert tree.ask("PUT", "/users/ada", {"name": "Ada", "age": 36})[:2] == (200, {"name": "Ada", "age": 36})
    assert tree.ask("PATCH", "/", {"users/ada/age": 37, "users/alan/name": "Alan"})[0] == 200
    assert tree.get("/users") == {"ada": {"name": "Ada", "age": 37}, "alan": {"name": "Alan"}}
    assert tree.get("/users", shallow="true") == {"ada": True, "alan": True}
    names = [tree.ask("POST", "/list", number)[1]["name"] for number in range(5)]
    assert names == sorted(names) and tree.get("/list") == dict(zip(names, range(5)))
    assert tree.ask("DELETE", "/users/ada")[:2] == (200, None)
    assert tree.get("/users") == {"alan": {"name": "Alan"}}


def test_trees_are_apart(address, tree):
    tree.ask("PUT", "/a", 1)
    assert Tree(address).get("/") is None


@pytest.mark.parametrize("query", ["ns=%ZZ", "ns=%FF", "ns=demo&x=%", "ns=demo&print=%C3"])
def test_a_query_that_cannot_be_read_is_not_taken_for_another(tree, query):
    def status(method: str, target: str, headers: dict[str, str]) -> int:
        connection = http.client.HTTPConnection(tree.host, tree.port, timeout=20)
        connection.request(method, target, headers={"Host": f"{tree.name}.example.com", **headers})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status

    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    tree.ask("PUT", "/a", 1)
    assert status("DELETE", f"/.json?{query}", {}) == 400
    assert status("GET", f"/.lp?v=5&start=t&{query}", {}) == 400
    assert status("GET", f"/.ws?v=5&{query}", upgrade) != 101
    assert status("GET", "/.ws?v=5", upgrade) == 101
    assert tree.get("/a") == 1


@pytest.mark.parametrize("path", ["/a", "/a/b", "/a/b/c"])
def test_a_path_without_json_is_told_what_it_lacks(tree, path):
    connection = http.client.HTTPConnection(tree.host, tree.port, timeout=20)
    for query, text in [(f"?ns={tree.name}", "append .json to your request URI to use the REST API."), ("", "nothing is served at")]:
        for method in ("GET", "PUT", "DELETE"):
            connection.request(method, path + query)
            response = connection.getresponse()
            assert response.status == 404 and response.read().decode().startswith(text)
    connection.close()


def test_a_large_value_is_read_whole(tree):
    value = {f"k{number}": "x" * 50 for number in range(50_000)}
    assert tree.ask("PUT", "/large", value, print="silent")[0] == 204
    assert tree.get("/large") == value


def test_queries(indexed):
    tree = indexed
    tree.ask("PUT", "/scores", {"a": {"n": 3}, "b": {"n": 1}, "c": {"n": 2}})
    assert tree.get("/scores", orderBy='"n"', limitToLast=1) == {"a": {"n": 3}}
    assert tree.get("/scores", orderBy='"$key"', startAt='"b"') == {"b": {"n": 1}, "c": {"n": 2}}
    for parameters, error in [
        ({"limitToLast": 1}, "orderBy must be defined when other query parameters are defined"),
        ({"orderBy": '"m"'}, 'Index not defined, add ".indexOn": "m", for path "/scores", to the rules'),
        ({"orderBy": '"$value"'}, 'Index not defined, add ".indexOn": ".value", for path "/scores", to the rules'),
    ]:
        assert tree.ask("GET", "/scores", **parameters)[:2] == (400, {"error": error})


def test_transactions_by_etag_count_exactly(tree):
    def add(times: int) -> None:
        for _ in range(times):
            _, value, headers = tree.ask("GET", "/stars", headers={"X-Firebase-ETag": "true"})
            status, etag = 412, headers["ETag"]
            while status == 412:
                status, found, headers = tree.ask("PUT", "/stars", (value or 0) + 1, headers={"if-match": etag})
                value, etag = found, headers.get("ETag", etag)
            assert status == 200

    threads = [threading.Thread(target=add, args=(10,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tree.get("/stars") == 40


def test_increments(tree):
    for _ in range(5):
        tree.ask("PATCH", "/post", {"stars": {".sv": {"increment": 1}}, "at": {".sv": "timestamp"}})
    value = tree.get("/post")
    assert value["stars"] == 5 and value["at"] > 1_500_000_000_000


def events(response, count: int) -> list[tuple[str, object]]:
    found = []
    while len(found) < count:
        name = response.readline().decode().removeprefix("event: ").strip()
        data = response.readline().decode().removeprefix("data: ").strip()
        assert response.readline() == b"\n"
        if name != "keep-alive":
            found.append((name, json.loads(data)))
    return found


def test_an_event_stream_follows_its_node(tree):
    connection = http.client.HTTPConnection(tree.host, tree.port, timeout=20)
    connection.request("GET", tree.target("/room"), headers={"Accept": "text/event-stream"})
    response = connection.getresponse()
    assert response.status == 200 and response.headers["Content-Type"].startswith("text/event-stream")
    assert events(response, 1) == [("put", {"path": "/", "data": None})]
    tree.ask("PUT", "/room/a", 1)
    tree.ask("PATCH", "/room", {"a": 2, "b": 3})
    tree.ask("PUT", "/other", 1)
    tree.ask("DELETE", "/", None)
    assert events(response, 3) == [
        ("put", {"path": "/a", "data": 1}),
        ("patch", {"path": "/", "data": {"a": 2, "b": 3}}),
        ("put", {"path": "/", "data": None}),
    ]
    connection.close()


def test_a_stream_that_is_not_read_loses_steps_and_never_the_end(tree):
    connection = http.client.HTTPConnection(tree.host, tree.port, timeout=20)
    connection.request("GET", tree.target("/slow"), headers={"Accept": "text/event-stream"})
    response = connection.getresponse()
    for number in range(200):
        tree.ask("PUT", "/slow", {"number": number, "text": "x" * 20_000})
    last = None
    while last != 199:
        ((name, event),) = events(response, 1)
        assert name == "put" and event["path"] == "/"
        last = event["data"] and event["data"]["number"]
    connection.close()


def test_curl(tree):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed (apt install curl)")
    url = f"http://{tree.address}"
    for version in ("--http1.1", "--http2-prior-knowledge"):
        subprocess.run(
            ["curl", "-sS", "-f", version, "-X", "PUT", "-d", '{"x":1}', url + tree.target("/c")], check=True
        )
        found = subprocess.run(
            ["curl", "-sS", "-f", version, url + tree.target("/c")], check=True, capture_output=True
        )
        assert json.loads(found.stdout) == {"x": 1}
