"""The Realtime Database over TLS: REST by both versions of HTTP, event streams, the WebSocket and long polling."""

import http.client
import json
import shutil
import subprocess

import pytest

from support.secure import Secure
from support.websocket import TreeClient

NAMESPACE = "demo-trees"


@pytest.fixture
def server(secure):
    return secure()


def https(server: Secure) -> http.client.HTTPSConnection:
    return http.client.HTTPSConnection("localhost", server.port, timeout=20, context=server.authority.context())


def headers(server: Secure) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.key.token()}"}


def test_rest_and_an_event_stream(server):
    writer, reader = https(server), https(server)
    writer.request("PUT", f"/a.json?ns={NAMESPACE}", body='{"n":1}', headers=headers(server))
    response = writer.getresponse()
    assert (response.status, json.loads(response.read())) == (200, {"n": 1})
    reader.request("GET", f"/a.json?ns={NAMESPACE}", headers={**headers(server), "Accept": "text/event-stream"})
    stream = reader.getresponse()
    assert stream.readline() + stream.readline() == b'event: put\ndata: {"path":"/","data":{"n":1}}\n'
    assert stream.readline() == b"\n"
    writer.request("PATCH", f"/a.json?ns={NAMESPACE}", body='{"n":2,"x/y":3}', headers=headers(server))
    assert writer.getresponse().read()
    assert stream.readline() + stream.readline() == b'event: patch\ndata: {"path":"/","data":{"n":2,"x/y":3}}\n'
    # Who shows nothing may nothing.
    other = https(server)
    other.request("GET", f"/a.json?ns={NAMESPACE}")
    assert other.getresponse().status == 401
    for connection in (writer, reader, other):
        connection.close()


@pytest.mark.parametrize("version", ["1.1", "2"])
def test_curl_by_each_version_of_http(server, version):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed (apt install curl)")
    command = ["curl", "-sS", "-f", f"--http{version}", "--cacert", server.authority.path("ca.pem")]
    command += ["-H", f"Authorization: Bearer {server.key.token()}", "-w", "\n%{http_version}"]
    url = f"https://{server.address}/c.json?ns={NAMESPACE}"
    for more in (["-X", "PUT", "-d", '{"x":1}'], []):
        done = subprocess.run([*command, *more, url], check=True, capture_output=True, text=True)
        assert done.stdout == f'{{"x":1}}\n{version}'


def test_the_websocket(server):
    context = server.authority.context()
    writer = TreeClient(server.address, NAMESPACE, headers=headers(server), context=context)
    reader = TreeClient(server.address, NAMESPACE, context=context)
    assert reader.ask("q", {"p": "/n", "h": ""})[0] == "permission_denied"
    assert reader.ask("gauth", {"cred": server.key.token()})[0] == "ok"
    assert reader.ask("q", {"p": "/n", "h": ""})[0] == "ok"
    writer.ok("p", {"p": "/n", "d": "x" * 100_000})
    assert reader.message()["d"] == {"a": "d", "b": {"p": "n", "d": "x" * 100_000}}
    writer.ok("o", {"p": "/n", "d": "left"})
    writer.close()
    assert reader.message()["d"] == {"a": "d", "b": {"p": "n", "d": "left"}}
    reader.close()


def test_long_polling(server):
    connection = https(server)
    connection.request("GET", f"/.lp?start=t&ser=1&cb=7&v=5&ns={NAMESPACE}", headers={"Sec-Fetch-Site": "same-site"})
    response = connection.getresponse()
    script = response.read().decode()
    assert response.status == 200 and "pLPCommand('start','" in script and 'pRTLPCB(0,[{"t":"c"' in script
    connection.close()
