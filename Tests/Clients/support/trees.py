"""The Realtime Database's REST by plain HTTP."""

from __future__ import annotations

import http.client
import json
import uuid
from urllib.parse import quote, urlencode


# The command line and the SDKs for administrators say so to an emulator.
OWNER = {"Authorization": "Bearer owner"}


class Tree:
    """One tree, by paths."""

    def __init__(self, address: str):
        self.host, _, port = address.rpartition(":")
        self.port = int(port)
        self.address = address
        self.name = f"t{uuid.uuid4().hex[:16]}"
        # With each request.
        self.headers: dict[str, str] = {}

    def with_rules(self, rules: dict) -> Tree:
        """Asked by its administrator from then on."""
        self.headers = OWNER
        assert self.ask("PUT", "/.settings/rules", {"rules": rules})[:2] == (200, {"status": "ok"})
        return self

    def target(self, path: str, **parameters) -> str:
        return f"{quote(path)}.json?" + urlencode({"ns": self.name, **parameters})

    def ask(self, method: str, path: str, value=None, headers=None, body: bytes | None = None, **parameters):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        try:
            if body is None and value is not None:
                body = json.dumps(value).encode()
            connection.request(method, self.target(path, **parameters), body=body, headers={**self.headers, **(headers or {})})
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None, response.headers
        finally:
            connection.close()

    def get(self, path: str, **parameters):
        status, value, _ = self.ask("GET", path, **parameters)
        assert status == 200, value
        return value
