"""What an operator renews while clients call: issuers' keys, certificates, and the server itself. No call fails."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
import time

import pytest
from grpc import StatusCode

from support.identity import AT_ONCE, Issuer, Signer, official_environment
from support.interop import SwiftFailed
from support.load import Load
from support.secure import DENIED, REFUSED, SOON_SECONDS
from support.wire import Database

# Between two looks at an issuer's keys, whatever asks for them (docs/limits.md).
KEYS_FLOOR_SECONDS = 30
# Between two attempts of the library, at most.
LIBRARY_PAUSE_SECONDS = 60


def test_issuers_rotate_their_keys_under_load(secure, tmp_path):
    issuers = [Issuer(tmp_path, f"https://{name}.example", name) for name in ("one", "two")]
    listed = tmp_path / "issuers.json"
    listed.write_text(json.dumps({"issuers": [issuer.entry for issuer in issuers]}))
    server = secure("--issuers", str(listed))
    signers = [issuer.signer for issuer in issuers]
    wires = [server.wire() for _ in range(4)]

    def token(number: int, signer: Signer) -> str:
        issuer = issuers[number % 2]
        claims = {"iss": issuer.name, "aud": issuer.audience, "sub": f"u{number}", "exp": int(time.time()) + 600}
        return signer.token(claims)

    def call(number: int, signer: Signer):
        shown = [("authorization", f"Bearer {token(number, signer)}")]
        return wires[number].call("GetDocument", name=Database(wires[number], "demo").doc("c/x"), metadata=shown)

    def step(number: int) -> None:
        # Users are known, and may do nothing without rules: that is the answer to whose token is believed.
        call(number, signers[number % 2]).refused(StatusCode.PERMISSION_DENIED, DENIED)

    for wire in wires:
        wire.authorization = None
    with Load(step) as load:
        load.more(20)
        read = time.monotonic()
        old = list(signers)
        new = [Signer(f"{issuer.audience}-2") for issuer in issuers]
        for issuer, signer in zip(issuers, new):
            issuer.path.write_text(json.dumps({"keys": [issuer.signer.jwk(), signer.jwk()]}))
        # As issuers do it, tokens are signed by the new key when everybody has had time to see it.
        while time.monotonic() - read < KEYS_FLOOR_SECONDS:
            load.more(1)
        signers[:] = new
        load.more(50)
        # Tokens of before are good until they end.
        for number in range(4):
            call(number, old[number % 2]).refused(StatusCode.PERMISSION_DENIED, DENIED)
            call(number, Signer(f"{issuers[number % 2].audience}-3")).refused(StatusCode.UNAUTHENTICATED, REFUSED)
            call(number, new[(number + 1) % 2]).refused(StatusCode.UNAUTHENTICATED, REFUSED)
        load.more(20)


def test_certificates_are_renewed_under_load_without_a_failed_call(secure):
    server = secure()
    token = server.key.token()
    kept = Database(server.wire(token), "demo")

    def step(number: int) -> None:
        if number % 2 == 0:
            kept.set(f"c/{number}")
            return
        wire = server.authority.wire(server.port, token)
        try:
            Database(wire, "demo").set(f"c/{number}")
        finally:
            wire.close()

    with Load(step) as load:
        for _ in range(3):
            shown = ssl.get_server_certificate(("localhost", server.port))
            server.authority.issue("server")
            deadline = time.monotonic() + SOON_SECONDS
            while ssl.get_server_certificate(("localhost", server.port)) == shown:
                assert time.monotonic() < deadline
            load.more(20)


def test_certificates_are_renewed_under_load_of_swift_clients_without_a_failed_call(secure, tmp_path):
    server = secure()
    kept = [server.swift(server.key, tmp_path / f"kept-{number}.log") for number in range(2)]
    counts = [0] * len(kept)

    def step(number: int) -> None:
        counts[number] += 1
        kept[number].write("set", f"c/{number}", {"count": counts[number]})
        assert kept[number].find("c", "count", counts[number]) != []

    with Load(step, threads=len(kept)) as load:
        for renewal in range(3):
            shown = ssl.get_server_certificate(("localhost", server.port))
            server.authority.issue("server")
            deadline = time.monotonic() + SOON_SECONDS
            while ssl.get_server_certificate(("localhost", server.port)) == shown:
                assert time.monotonic() < deadline
            new = server.swift(server.key, tmp_path / f"new-{renewal}.log")
            new.write("set", "c/new", {"renewal": renewal})
            assert new.find("c", "renewal", renewal) == ["new"]
            assert new.stop() == 0
            load.more(10)
    assert [client.stop() for client in kept] == [0] * len(kept)


RULES = """
service cloud.firestore {
  match /databases/{database}/documents {
    match /c/{user} { allow read, write: if request.auth.uid == user; }
  }
}
"""
# So that streams end, and clients come with another token, many times.
USERS_TOKEN_SECONDS = 8


def test_users_of_swift_clients_go_on_when_tokens_end_and_issuers_rotate_their_keys(secure, tmp_path):
    issuers = [Issuer(tmp_path, f"https://{name}.example", name) for name in ("one", "two")]
    (listed := tmp_path / "issuers.json").write_text(json.dumps({"issuers": [issuer.entry for issuer in issuers]}))
    (rules := tmp_path / "firestore.rules").write_text(RULES)
    server = secure("--issuers", str(listed), "--rules", str(rules))
    signers = [issuer.signer for issuer in issuers]
    shown = [tmp_path / f"{issuer.audience}.token" for issuer in issuers]

    def show() -> None:
        for issuer, signer, path in zip(issuers, signers, shown):
            end = int(time.time()) + USERS_TOKEN_SECONDS
            claims = {"iss": issuer.name, "aud": issuer.audience, "sub": issuer.audience, "exp": end}
            (new := path.with_suffix(".new")).write_text(signer.token(claims))
            os.replace(new, path)

    show()
    clients = [
        server.swift(server.key, tmp_path / f"{path.stem}.log", FIRESTORE_TOKEN_FILE=str(path)) for path in shown
    ]
    counts = [0] * len(clients)

    def step(number: int) -> None:
        counts[number] += 1
        clients[number].write("set", f"c/{issuers[number].audience}", {"count": counts[number]})

    with Load(step, threads=len(clients)) as load:
        load.more(10)
        read = time.monotonic()
        new = [Signer(f"{issuer.audience}-2") for issuer in issuers]
        for issuer, signer in zip(issuers, new):
            issuer.path.write_text(json.dumps({"keys": [issuer.signer.jwk(), signer.jwk()]}))
        while time.monotonic() - read < KEYS_FLOOR_SECONDS:
            show()
            load.more(1)
            time.sleep(0.5)
        signers[:] = new
        for _ in range(2 * USERS_TOKEN_SECONDS):
            show()
            load.more(1)
            time.sleep(0.5)
    for issuer, client, count in zip(issuers, clients, counts):
        assert client.read("document", f"c/{issuer.audience}") == {"count": {"integer": str(count)}}
        with pytest.raises(SwiftFailed, match="(?i)permission"):
            client.write("set", "c/somebody", {"count": 0})
        assert client.stop() == 0


SYNC = """
import itertools, sys, threading
from google.cloud import firestore
client = firestore.Client(project="demo", client_options={"api_endpoint": sys.argv[1]})
stopped = threading.Event()
counts = [0] * 4

def run(number):
    document = client.document(f"load/{number}")
    for count in itertools.count(1):
        if stopped.is_set():
            break
        document.set({"count": count})
        assert document.get().to_dict() == {"count": count}
        counts[number] = count

failed = []
threading.excepthook = lambda failure: (failed.append(failure), print(repr(failure), file=sys.stderr, flush=True))
threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for line in sys.stdin:
    print(sum(counts), flush=True)
stopped.set()
for thread in threads:
    thread.join()
assert not failed
""" + AT_ONCE

ASYNC = """
import asyncio, itertools, sys
from google.cloud import firestore

async def main():
    client = firestore.AsyncClient(project="demo", client_options={"api_endpoint": sys.argv[1]})
    stopped = asyncio.Event()
    counts = [0] * 4

    async def run(number):
        document = client.document(f"load/{number}")
        for count in itertools.count(1):
            if stopped.is_set():
                break
            await document.set({"count": count})
            assert (await document.get()).to_dict() == {"count": count}
            counts[number] = count

    async def listen():
        while await asyncio.to_thread(sys.stdin.readline):
            print(sum(counts), flush=True)
        stopped.set()

    await asyncio.gather(listen(), *(run(number) for number in range(4)))

asyncio.run(main())
"""


class OfficialLoad:
    """A program of the official client that writes and reads until it is told to end. It retries as the library does."""

    def __init__(self, server, *program: str | os.PathLike[str]):
        environment = official_environment(server.authority, server.key)
        self._process = subprocess.Popen(
            program, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def count(self) -> int:
        assert self._process.poll() is None, self._process.stderr.read()
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, self._process.stderr.read()
        return int(line)

    def more(self, count: int) -> None:
        wanted = self.count() + count
        deadline = time.monotonic() + 2 * LIBRARY_PAUSE_SECONDS
        while self.count() < wanted:
            assert time.monotonic() < deadline and self._process.poll() is None

    def end(self) -> None:
        _, errors = self._process.communicate(timeout=120)
        assert self._process.returncode == 0, errors


@pytest.mark.timeout(8 * LIBRARY_PAUSE_SECONDS)
@pytest.mark.parametrize("program", [SYNC, ASYNC], ids=["sync", "async"])
def test_restarts_under_load_fail_no_call_of_clients_that_retry(secure, program):
    server = secure()
    load = OfficialLoad(server, sys.executable, "-c", program, server.address)
    restart(server, load)
    load.end()


@pytest.mark.timeout(8 * LIBRARY_PAUSE_SECONDS)
def test_nor_do_they_fail_one_of_the_go_client_but_by_telling_it_to_try_again(secure, go_program):
    server = secure()
    load = OfficialLoad(server, go_program, server.address, "load")
    restart(server, load)
    load.end()


@pytest.mark.timeout(8 * LIBRARY_PAUSE_SECONDS)
def test_nor_do_they_fail_a_write_of_the_swift_client(secure, tmp_path):
    """Reads that may not be answered from the cache are told when there is no server, as its documentation has it."""
    server = secure()
    clients = [server.swift(server.key, tmp_path / f"swift-{number}.log") for number in range(3)]
    counts = [0] * len(clients)

    def step(number: int) -> None:
        counts[number] += 1
        clients[number].write("set", f"load/{number}", {"count": counts[number]})

    with Load(step, threads=len(clients)) as load:
        restart(server, load)
    for number, count in enumerate(counts):
        assert clients[number].read("document", f"load/{number}") == {"count": {"integer": str(count)}}
    assert [client.stop() for client in clients] == [0] * len(clients)


def restart(server, load) -> None:
    """Three times, while it is called."""
    load.more(20)
    for _ in range(3):
        assert server.server.stop() == 0
        server.server.start()
        load.more(20)


def test_issuers_are_others_on_sighup(secure, tmp_path):
    one, two = [Issuer(tmp_path, f"https://{name}.example", name) for name in ("one", "two")]
    listed = tmp_path / "issuers.json"
    listed.write_text(json.dumps({"issuers": [one.entry]}))
    server = secure("--issuers", str(listed))
    server.get(one.token("u")).refused(StatusCode.PERMISSION_DENIED, DENIED)
    server.get(two.token("u")).refused(StatusCode.UNAUTHENTICATED, REFUSED)
    # What cannot be used changes nothing.
    listed.write_text('{"issuers": [{"issuer": "https://two.example"}]}')
    server.server.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + SOON_SECONDS
    while "the issuers of before are believed on" not in server.server.log.read_text():
        assert time.monotonic() < deadline
    server.get(one.token("u")).refused(StatusCode.PERMISSION_DENIED, DENIED)
    listed.write_text(json.dumps({"issuers": [two.entry]}))
    server.server.process.send_signal(signal.SIGHUP)
    server.eventually(StatusCode.PERMISSION_DENIED, two.token("u"))
    server.get(one.token("u")).refused(StatusCode.UNAUTHENTICATED, REFUSED)
    assert server.get(server.key.token()).code is StatusCode.NOT_FOUND
