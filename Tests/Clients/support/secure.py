"""Servers that ask who calls."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable

from grpc import StatusCode

from support.identity import Authority, KeyFile, make_key, official_environment
from support.interop import SwiftClient
from support.servers import BrasaServer, free_port
from support.wire import Database, Wire

REFUSED = "The request's credentials are not valid."
DENIED = "Missing or insufficient permissions."
SOON_SECONDS = 30


class Secure:
    """A server with TLS and a key, on a port that is known before it starts."""

    def __init__(self, binary: Path, folder: Path, start: Callable[..., BrasaServer], *flags: str):
        self.binary = binary
        self.data = folder / "data"
        self.authority = Authority(folder / "tls")
        self.authority.issue("server")
        self.port = free_port()
        self.address = f"localhost:{self.port}"
        self.key = self.make("app")
        self.server = start(*self.authority.flags(), *flags, listen=f"127.0.0.1:{self.port}")
        self.wires: list[Wire] = []

    def make(self, name: str, *arguments: str) -> KeyFile:
        self.data.mkdir(exist_ok=True)
        return make_key(self.binary, self.data, name, f"https://{self.address}", *arguments)

    def swift(self, key: KeyFile, log: Path, **more: str) -> SwiftClient:
        """The Swift client, told an address and, by its environment, a key file."""
        environment = {**official_environment(self.authority, key), **more, "FIRESTORE_HOST": self.address}
        return SwiftClient(self.address, "demo", log, {**environment, "GCLOUD_PROJECT": "demo"})

    def wire(self, token: str | None = None, client: str | None = None) -> Wire:
        self.wires.append(self.authority.wire(self.port, token, client))
        return self.wires[-1]

    def get(self, token: str | None, client: str | None = None):
        """The outcome of looking for a document that is not there."""
        return Database(self.wire(token, client), "demo").get("c/none")

    def eventually_known(self, key: KeyFile) -> None:
        self.eventually(StatusCode.NOT_FOUND, key.token())

    def eventually_unknown(self, key: KeyFile) -> None:
        self.eventually(StatusCode.UNAUTHENTICATED, key.token())

    def eventually(self, code: StatusCode, token: str) -> None:
        """Commands take effect within seconds."""
        deadline = time.monotonic() + SOON_SECONDS
        wire = self.wire(token)
        while (outcome := Database(wire, "demo").get("c/none")).code is not code:
            assert time.monotonic() < deadline, outcome
            time.sleep(0.05)
