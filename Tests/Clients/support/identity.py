"""Certificates, keys and tokens that the tests make themselves."""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import time
from pathlib import Path
from typing import Any

import grpc
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from support.servers import clean_environment
from support.wire import Wire

AUDIENCE = "https://firestore.googleapis.com/"
PROGRAM_SECONDS = 120


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Signer:
    """An RSA key with a name, and tokens that it signs."""

    def __init__(self, name: str, pem: str | None = None):
        self.name = name
        self.key = (
            serialization.load_pem_private_key(pem.encode(), None)
            if pem
            else rsa.generate_private_key(public_exponent=65537, key_size=2048)
        )

    def token(self, claims: dict[str, Any], **header: Any) -> str:
        header = {"alg": "RS256", "typ": "JWT", "kid": self.name, **header}
        signed = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}"
        signature = self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{encoded(signature)}"

    def pem(self) -> bytes:
        """The public half, as everybody may have it."""
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self.key.public_key().public_bytes(serialization.Encoding.PEM, form)

    def jwk(self) -> dict[str, str]:
        numbers = self.key.public_key().public_numbers()
        values = {"n": numbers.n, "e": numbers.e}
        parts = {name: encoded(value.to_bytes((value.bit_length() + 7) // 8, "big")) for name, value in values.items()}
        return {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.name, **parts}


class KeyFile:
    """What `brasa keys create` has printed."""

    def __init__(self, path: Path):
        self.path = path
        self.members = json.loads(path.read_text())
        self.email = self.members["client_email"]
        self.signer = Signer(self.members["private_key_id"], self.members["private_key"])

    def claims(self, **changes: Any) -> dict[str, Any]:
        """What official clients sign for a call; a claim that is changed to None is left out."""
        now = int(time.time())
        claims = {"iss": self.email, "sub": self.email, "aud": AUDIENCE, "iat": now, "exp": now + 3600, **changes}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, **changes: Any) -> str:
        return self.signer.token(self.claims(**changes))


def run_keys(binary: Path, data: Path, *arguments: str) -> str:
    command = [str(binary), "keys", *arguments, "--data-dir", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def make_key(binary: Path, data: Path, name: str, address: str, *arguments: str) -> KeyFile:
    path = data.parent / f"{name}.json"
    path.write_text(run_keys(binary, data, "create", name, "--project", "demo", "--server", address, *arguments))
    return KeyFile(path)


class Authority:
    """A certificate authority in a folder, by openssl."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ca.key")
        self._run("req -x509 -key ca.key -days 2 -subj /CN=authority -out ca.pem")

    def _run(self, arguments: str) -> None:
        done = subprocess.run(["openssl", *arguments.split()], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def issue(self, name: str) -> None:
        """NAME.pem and NAME.key, replaced whole when they are there already, as whoever renews does."""
        (self.folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        self._run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out new.key")
        self._run(f"req -new -key new.key -subj /CN={name} -out new.csr")
        self._run("x509 -req -in new.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out new.pem")
        os.replace(self.folder / "new.key", self.folder / f"{name}.key")
        os.replace(self.folder / "new.pem", self.folder / f"{name}.pem")

    def flags(self, name: str = "server") -> list[str]:
        return ["--tls-certificate", self.path(f"{name}.pem"), "--tls-key", self.path(f"{name}.key")]

    def credentials(self, client: str | None = None) -> grpc.ChannelCredentials:
        read = lambda name: (self.folder / name).read_bytes()  # noqa: E731
        if client is None:
            return grpc.ssl_channel_credentials(read("ca.pem"))
        return grpc.ssl_channel_credentials(read("ca.pem"), read(f"{client}.key"), read(f"{client}.pem"))

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.path("ca.pem"))

    def wire(self, port: int, token: str | None = None, client: str | None = None) -> Wire:
        return Wire(f"localhost:{port}", self.credentials(client), token and f"Bearer {token}")

    def run(self, program: str, key: KeyFile, *arguments: str) -> str:
        """Runs a program of an official client, which knows nothing but its key file and the authority."""
        environment = official_environment(self, key)
        command = [os.sys.executable, "-c", program + AT_ONCE, *arguments]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


# How programs of the official client end: the library waits at times, when the interpreter ends, for a lock of a thread that is
# gone by then.
AT_ONCE = """
import os, sys
sys.stdout.flush()
os._exit(0)
"""


def official_environment(authority: Authority, key: KeyFile) -> dict[str, str]:
    """All that a program of an official client is told, besides the address."""
    environment = {
        **clean_environment(),
        "GOOGLE_APPLICATION_CREDENTIALS": str(key.path),
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": authority.path("ca.pem"),
        "REQUESTS_CA_BUNDLE": authority.path("ca.pem"),
        "SSL_CERT_FILE": authority.path("ca.pem"),
    }
    environment.pop("FIRESTORE_EMULATOR_HOST", None)
    return environment


class Issuer:
    """An OpenID provider that publishes its keys in a file."""

    def __init__(self, folder: Path, name: str, audience: str):
        self.name = name
        self.audience = audience
        self.signer = Signer(f"{audience}-1")
        self.path = folder / f"{audience}-keys.json"
        self.publish()

    def publish(self) -> None:
        self.path.write_text(json.dumps({"keys": [self.signer.jwk()]}))

    @property
    def entry(self) -> dict[str, Any]:
        return {"issuer": self.name, "audiences": [self.audience], "keys": str(self.path)}

    def token(self, user: str, **changes: Any) -> str:
        now = int(time.time())
        claims = {"iss": self.name, "aud": self.audience, "sub": user, "iat": now, "exp": now + 3600, **changes}
        return self.signer.token(claims)
