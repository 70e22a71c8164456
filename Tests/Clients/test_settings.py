"""A file of settings: what it means to `brasa serve` is what it means in YAML, and some of it changes while it serves."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable

import yaml
from grpc import StatusCode

from support.clients import client_for, close_client
from support.identity import Issuer
from support.listening import REMOVE, ListenStream, collection_target, is_change
from support.servers import clean_environment, get
from support.websocket import Closed, TreeClient
from support.wire import Database, Wire

SECONDS = 30


def printed(binary: Path, path: Path) -> str | None:
    command = [binary, "serve", "--config", path, "--print-config"]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=60, check=False)
    return done.stdout if done.returncode == 0 else None


def test_what_is_taken_means_what_it_means_in_yaml(binary, tmp_path):
    """Lines of signs that mean something to YAML. What is refused, though YAML has it, is no error here."""
    source = random.Random(1)
    signs = ["a", "b", "1", "~", " ", ":", "#", "'", '"', "\\", "-", "?", "[", "]", "{", "&", "*", "!", "|", ">", "%", "@", ",", "é", "n", "."]
    path = tmp_path / "brasa.yaml"
    taken = 0
    for _ in range(400):
        value = "".join(source.choice(signs) for _ in range(source.randint(1, 6)))
        if source.random() < 0.4:
            quote = source.choice("'\"")
            value = quote + value + quote
        path.write_text(f"data-dir: {value}\n")
        text = printed(binary, path)
        if text is None:
            continue
        taken += 1
        expected = yaml.load(path.read_text(), yaml.BaseLoader)
        assert yaml.load(text, yaml.BaseLoader)["data-dir"] == expected["data-dir"], value
    assert 50 < taken < 390


def test_what_is_printed_is_taken_again(binary, tmp_path):
    path = tmp_path / "brasa.yaml"
    path.write_text("max-memory: 2G\nlog-format: json\nemulator: true\nissuers: '/a # b'\n")
    first = printed(binary, path)
    path.write_text(first)
    said = lambda text: yaml.load(text, yaml.BaseLoader)  # noqa: E731
    assert said(printed(binary, path)) == said(first)
    assert said(first)["max-memory"] == "2G" and said(first)["shards"] == "4" and "tls-key" not in said(first)


def test_who_mistypes_a_setting_is_told_the_nearest(binary, tmp_path):
    path = tmp_path / "brasa.yaml"
    path.write_text("# memory\nmax-memroy: 2G\n")
    done = subprocess.run([binary, "serve", "--config", path], capture_output=True, text=True, timeout=60, check=False)
    sentence = f"brasa: {path}:2: there is no setting max-memroy; the nearest is max-memory\n"
    assert (done.returncode, done.stderr) == (1, sentence)


def until(condition: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)


def connects(address: str) -> bool:
    """Whether the server keeps a connection: one past a bound is closed as soon as it is accepted."""
    try:
        return get(f"http://{address}/livez")[0] == 200
    except OSError:
        return False


def test_a_running_server_takes_up_what_may_change(start_server, tmp_path):
    path = tmp_path / "brasa.yaml"
    path.write_text("connections-per-address: 10\nlog-level: warning\n")
    server = start_server("--config", str(path))

    def change(text: str) -> int:
        """Where the log stood."""
        place = len(server.log.read_text())
        path.write_text(text)
        os.kill(server.process.pid, signal.SIGHUP)
        return place

    client = client_for(server.address, "changes")
    client.document("c/1").set({"a": 1})
    change("connections-per-address: 1\nlog-level: info\n")
    # The client's connection stays, and there may be no other.
    until(lambda: not connects(server.address), server.log)
    assert client.document("c/1").get().to_dict() == {"a": 1}
    change("connections-per-address: 10\nlog-level: info\nshards: 3\n")
    until(lambda: connects(server.address), server.log)
    until(lambda: "a setting has changed that takes a restart setting=shards" in server.log.read_text(), server.log)
    place = change("connections-per-address: some\n")
    until(lambda: "connections-per-address takes a number from 1, not" in server.log.read_text()[place:], server.log)
    assert connects(server.address)
    close_client(client)
    assert server.stop() == 0


def test_a_running_server_takes_up_other_issuers(start_server, tmp_path):
    issuers = [Issuer(tmp_path, f"https://{name}.example", name) for name in ("one", "two")]
    listed = tmp_path / "issuers.json"
    path = tmp_path / "brasa.yaml"

    def believe(*chosen: Issuer) -> None:
        listed.write_text(json.dumps({"issuers": [issuer.entry for issuer in chosen]}))

    believe(issuers[0])
    # Open until there is somebody to ask for: everybody is the owner.
    path.write_text("log-level: info\n")
    server = start_server("--config", str(path))
    wire = Wire(server.address)

    def outcome(user: Issuer | None) -> StatusCode:
        wire.authorization = None
        shown = [("authorization", f"Bearer {user.token('u')}")] if user else []
        name = "projects/demo/databases/(default)/documents/c/none"
        return wire.call("GetDocument", name=name, metadata=shown).code

    def change(text: str) -> None:
        path.write_text(text)
        os.kill(server.process.pid, signal.SIGHUP)

    assert [outcome(each) for each in (None, *issuers)] == [StatusCode.NOT_FOUND] * 3
    # A user of an issuer that is believed is known, and may do nothing without rules.
    change(f"issuers: {listed}\n")
    known, unknown = StatusCode.PERMISSION_DENIED, StatusCode.UNAUTHENTICATED
    until(lambda: [outcome(each) for each in (None, *issuers)] == [known, known, unknown], server.log)
    believe(issuers[1])
    change(f"issuers: {listed}\n")
    until(lambda: [outcome(each) for each in issuers] == [unknown, known], server.log)
    listed.write_text("{")
    change(f"issuers: {listed}\n")
    until(lambda: "the issuers of before are believed on" in server.log.read_text(), server.log)
    assert [outcome(each) for each in issuers] == [unknown, known]
    # Who was asked for is asked for until a restart, also when nobody can come any more.
    change("log-level: info\n")
    until(lambda: outcome(issuers[1]) is unknown, server.log)
    assert outcome(None) is known
    wire.close()
    assert server.stop() == 0


def test_bounds_of_callers_change_while_a_server_runs(start_server, tmp_path):
    path = tmp_path / "brasa.yaml"
    path.write_text("log-level: info\n")
    # What is asked there is nobody's call.
    server = start_server("--config", str(path), "--metrics-address", "127.0.0.1:0")
    line = next(line for line in server.log.read_text().splitlines() if "serving metrics" in line)
    metrics = f"http://{line.split('address=')[1].split()[0]}/metrics"
    database = Database(Wire(server.address), "demo")

    def change(text: str) -> None:
        path.write_text(text)
        os.kill(server.process.pid, signal.SIGHUP)

    def refused(bound: str) -> int:
        start = f'brasa_caller_refusals_total{{bound="{bound}"}} '
        return next(int(line[len(start) :]) for line in get(metrics)[1].splitlines() if line.startswith(start))

    def cause(number: int) -> StatusCode | None:
        """Why the stream's next target is refused."""
        stream.add(collection_target(database, "c", number))
        told = stream.until(lambda response: is_change(response, REMOVE, number) or response.target_change.target_change_type == 3)
        change = told[-1].target_change
        return change.cause if change.target_change_type == REMOVE else None

    with ListenStream(database, collection_target(database, "c", 1)) as stream:
        stream.until_current(1)
        change("listeners-per-caller: 1\nstreams-per-caller: 2\n")
        until(lambda: server.log.read_text().count("a setting has changed") == 2, server.log)
        told = cause(2)
        assert told.code == StatusCode.RESOURCE_EXHAUSTED.value[0] and "too many listeners" in told.message
        assert told.details[0].type_url.endswith("google.rpc.RetryInfo")
        assert refused("listeners") == 1
        # The stream that is open is one, and a WebSocket of trees the other.
        tree = TreeClient(server.address, "one")
        try:
            TreeClient(server.address, "one")
            raise AssertionError("it is let in")
        except Closed as closed:
            assert closed.code == 1013
        assert refused("streams") == 1
        tree.close()
        change("log-level: info\n")
        until(lambda: server.log.read_text().count("a setting has changed") == 4, server.log)
        assert cause(3) is None
    assert (refused("calls"), refused("bytes")) == (0, 0)
    change("calls-per-second: 1\n")
    until(lambda: database.get("c/none").code is StatusCode.RESOURCE_EXHAUSTED, server.log)
    assert refused("calls") >= 1
