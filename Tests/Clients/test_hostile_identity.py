"""Tokens and handshakes that are made to get in, or to wear the server out."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from grpc import StatusCode

from support.identity import Issuer, Signer, encoded
from support.secure import REFUSED, SOON_SECONDS, Secure
from support.wire import Database

PLACES_FOR_HANDSHAKES = 256
SLOW_HANDSHAKES = 1_200
# What a handshake begins with: one byte of a record of 512.
BEGUN_HELLO = bytes.fromhex("1603010200") + b"\x01"


def part(value: object) -> str:
    return encoded(json.dumps(value).encode())


def hostile_tokens(server: Secure, issuer: Issuer) -> dict[str, str]:
    """Of an administrator's key and of a user's issuer alike."""
    now = int(time.time())
    made = {}
    user = {"iss": issuer.name, "aud": issuer.audience, "sub": "u", "iat": now, "exp": now + 60}
    for whose, signer, claims in [
        ("key", server.key.signer, server.key.claims()),
        ("issuer", issuer.signer, user),
    ]:
        public = signer.key.public_key().public_numbers()
        pem = signer.pem()
        body = part(claims)
        secret = {"alg": "HS256", "typ": "JWT", "kid": signer.name}
        confused = f"{part(secret)}.{body}"
        seal = hmac.new(pem, confused.encode(), hashlib.sha256).digest()
        good = signer.token(claims)
        head, _, signature = good.split(".")
        stranger = Signer(signer.name)
        made |= {
            f"the public {whose} as a shared secret": f"{confused}.{encoded(seal)}",
            f"unsigned, of the {whose}": f"{part({'alg': 'none', 'kid': signer.name})}.{body}.",
            f"unsigned in capitals, of the {whose}": f"{part({'alg': 'NONE', 'kid': signer.name})}.{body}.{signature}",
            f"without a signature, of the {whose}": f"{head}.{body}.",
            f"by PS256, of the {whose}": signer.token(claims, alg="PS256"),
            f"by ES256, of the {whose}": signer.token(claims, alg="ES256"),
            f"a path for the {whose}'s name": signer.token(claims, kid="../../../../../../dev/null"),
            f"a URL for the {whose}'s name": signer.token(claims, kid="http://127.0.0.1:1/keys"),
            f"a quote in the {whose}'s name": signer.token(claims, kid="' OR 1=1 --"),
            f"a key of its own instead of the {whose}": stranger.token(claims, jwk=stranger.jwk()),
            f"a place of its own for the {whose}": stranger.token(claims, jku="http://127.0.0.1:1/keys"),
            f"what it calls critical, of the {whose}": signer.token(claims, crit=["exp"]),
            f"expired by a second, of the {whose}": signer.token({**claims, "iat": now - 60, "exp": now - 1}),
            f"without an end, of the {whose}": signer.token({k: v for k, v in claims.items() if k != "exp"}),
            f"an end that is text, of the {whose}": signer.token({**claims, "exp": str(now + 60)}),
            f"an end beyond all numbers, of the {whose}": signer.token({**claims, "exp": 1e300}),
            f"huge claims, of the {whose}": signer.token({**claims, "x": "x" * 12_000}),
            f"deep claims, of the {whose}": signer.token({**claims, "x": json.loads("[" * 60 + "]" * 60)}),
            f"many audiences, of the {whose}": signer.token({**claims, "aud": [f"a{n}" for n in range(200)]}),
            f"a signature of nothing, of the {whose}": f"{head}.{body}.{encoded(bytes(256))}",
            f"a signature as long as the modulus, of the {whose}": (
                f"{head}.{body}.{encoded(public.n.to_bytes(256, 'big'))}"
            ),
            f"one part too many, of the {whose}": f"{good}.x",
            f"a space in it, of the {whose}": good.replace(".", ". ", 1),
            f"padded, of the {whose}": f"{head}=.{body}.{signature}",
            f"in another alphabet, of the {whose}": ".".join(
                base64.b64encode(base64.urlsafe_b64decode(p + "===")).decode() for p in good.split(".")
            ),
        }
    return made | {
        "the seal of an access token, without one": "brasa~AAAAAAAAAAAAAAAA~" + encoded(bytes(32)),
        "dots": "..",
        "megabytes of nothing": "A" * 20_000,
    }


def metrics(server: Secure) -> dict[str, float]:
    headers = {"authorization": f"Bearer {server.key.token()}"}
    asked = urllib.request.Request(f"https://{server.address}/metrics", headers=headers)
    with urllib.request.urlopen(asked, context=server.authority.context(), timeout=20) as answer:
        lines = re.findall(r"^(brasa_\S+) (\S+)$", answer.read().decode(), re.M)
    return {name: float(value) for name, value in lines}


def test_hostile_tokens_are_refused_alike_and_told_in_the_log_alone(secure, tmp_path):
    issuer = Issuer(tmp_path, "https://one.example", "one")
    listed = tmp_path / "issuers.json"
    listed.write_text(json.dumps({"issuers": [issuer.entry]}))
    server = secure("--issuers", str(listed))
    tokens = hostile_tokens(server, issuer)
    wire = server.wire()
    for name, token in tokens.items():
        shown = [("authorization", f"Bearer {token}")]
        outcome = wire.call("GetDocument", name=Database(wire, "demo").doc("c/x"), metadata=shown)
        assert (name, outcome.code, outcome.text) == (name, StatusCode.UNAUTHENTICATED, REFUSED)
    assert server.get(server.key.token()).code is StatusCode.NOT_FOUND
    server.get(issuer.token("u")).refused(StatusCode.PERMISSION_DENIED)
    assert metrics(server)["brasa_tokens_refused_total"] == len(tokens)
    log = server.server.log.read_text()
    refused = [line for line in log.splitlines() if "a token is refused" in line]
    # One for each reason, of which there are fewer than tokens.
    assert 5 <= len(refused) <= 20, refused
    assert not any(token in log for token in tokens.values() if len(token) > 10)


def test_two_headers_that_name_callers_name_none(secure):
    server = secure()
    good, bad = f"Bearer {server.key.token()}", "Bearer x"
    wire = server.wire()
    for shown in ([good, bad], [bad, good], [good, good]):
        metadata = [("authorization", value) for value in shown]
        outcome = wire.call("GetDocument", name=Database(wire, "demo").doc("c/x"), metadata=metadata)
        assert (shown, outcome.code) == (shown, StatusCode.UNAUTHENTICATED)
        request = "GET /metrics HTTP/1.1\r\nhost: x\r\n" + "".join(f"authorization: {value}\r\n" for value in shown)
        with tls(server) as connection:
            connection.sendall(f"{request}\r\n".encode())
            assert connection.recv(64).split()[1] in (b"400", b"401"), shown


def tls(server: Secure, source: str = "127.0.0.1", name: str | None = "localhost") -> ssl.SSLSocket:
    """A connection behind its handshake."""
    context = server.authority.context()
    context.check_hostname = name is not None
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=20, source_address=(source, 0))
    try:
        return context.wrap_socket(plain, server_hostname=name)
    except BaseException:
        plain.close()
        raise


def ready(connection: ssl.SSLSocket) -> bool:
    connection.sendall(b"GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n")
    return connection.recv(64).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("version", ["SSLv3", "TLSv1", "TLSv1_1"])
def test_old_versions_of_tls_are_not_spoken(secure, version):
    server = secure()
    before = metrics(server)
    number = {"SSLv3": b"\x03\x00", "TLSv1": b"\x03\x01", "TLSv1_1": b"\x03\x02"}[version]
    # By hand, since libraries do not send these any more: one cipher that every one of them has.
    hello = number + bytes(32) + b"\x00" + b"\x00\x02\x00\x2f" + b"\x01\x00"
    record = b"\x01" + len(hello).to_bytes(3, "big") + hello
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"\x16" + number + len(record).to_bytes(2, "big") + record)
        answer = connection.recv(4096)
        # An alert, and the end.
        assert answer[:1] in (b"\x15", b"") and connection.recv(4096) == b""
    with tls(server) as connection:
        assert connection.version() == "TLSv1.3" and ready(connection)
    refused = 'brasa_connections_refused_total{reason="tls"}'
    assert metrics(server)[refused] == before[refused] + 1
    assert server.server.log.read_text().count("connections come to no TLS handshake") == 1


def test_a_client_that_names_no_server_is_shown_the_certificate(secure):
    with tls(secure(), name=None) as connection:
        assert ready(connection)


def test_a_connection_is_not_negotiated_anew(secure):
    server = secure()
    command = ["openssl", "s_client", "-connect", server.address, "-tls1_2", "-legacy_renegotiation"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
        shown = b""
        while b"---\nSSL handshake has read" not in shown or not shown.rstrip().endswith(b"---"):
            assert (line := client.stdout.readline()), shown
            shown += line
        client.stdin.write(b"R\n")
        client.stdin.flush()
        rest, _ = client.communicate(timeout=60)
    # It ends of itself: what it asks for is refused.
    assert b"RENEGOTIATING" in rest and client.returncode != 0, rest
    with tls(server) as connection:
        assert ready(connection)


def test_slow_handshakes_by_the_thousand_take_their_part_of_the_places_and_no_more(secure):
    server = secure("--connections-per-address", str(4 * PLACES_FOR_HANDSHAKES))
    before = metrics(server)
    slow = []
    for _ in range(SLOW_HANDSHAKES):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        try:
            connection.sendall(BEGUN_HELLO)
        except ConnectionError:
            pass
        slow.append(connection)
    try:
        # Others come in meanwhile, and at once.
        for _ in range(20):
            with tls(server, source="127.0.0.2") as connection:
                assert ready(connection)
        left = list(slow)
        deadline = time.monotonic() + SOON_SECONDS
        while left:
            assert time.monotonic() < deadline, len(left)
            connection = left.pop()
            try:
                while connection.recv(4096):
                    pass
            except ConnectionError:
                pass
    finally:
        for connection in slow:
            connection.close()
    after = metrics(server)
    refused = {
        reason: after[key] - before[key]
        for reason in ("handshakes", "tls")
        for key in [f'brasa_connections_refused_total{{reason="{reason}"}}']
    }
    assert sum(refused.values()) == SLOW_HANDSHAKES, refused
    # Those that had a place, some of them freed by others' ends.
    assert PLACES_FOR_HANDSHAKES <= refused["tls"] < SLOW_HANDSHAKES, refused
    log = server.server.log.read_text()
    assert len(re.findall("handshake", log)) in range(1, 10), log
