"""A WebSocket client of RFC 6455 over a plain socket, which sees every frame, and the Realtime Database's messages on it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import ssl
import struct

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
UNITS_MAX = 16384


class Closed(Exception):
    """The server has closed the connection, for that reason."""

    def __init__(self, code: int | None):
        super().__init__(code)
        self.code = code


class WebSocket:
    """Frames as they come; nothing is answered by itself."""

    def __init__(
        self, address: str, target: str, headers: dict[str, str] | None = None, context: ssl.SSLContext | None = None
    ):
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_hostname=host)
        self.received = b""
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {
            "Host": address,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Version": "13",
            **(headers or {}),
        }
        lines = [f"GET {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = self._until(b"\r\n\r\n").decode()
        self.status = int(head.split(" ", 2)[1])
        if self.status == 101:
            accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
            assert f"sec-websocket-accept: {accept}".lower() in head.lower(), head

    def _more(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise Closed(None)
        self.received += data

    def _until(self, end: bytes) -> bytes:
        while end not in self.received:
            self._more()
        head, self.received = self.received.split(end, 1)
        return head

    def _bytes(self, count: int) -> bytes:
        while len(self.received) < count:
            self._more()
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def send_frame(self, payload: bytes, opcode: int = TEXT, final: bool = True) -> None:
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([(0x80 if final else 0) | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(head + mask + masked)

    def frame(self) -> tuple[int, bytes]:
        first, second = self._bytes(2)
        assert first & 0x80 and not second & 0x80, "a server's frames are whole and not masked"
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", self._bytes(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self._bytes(8))
        payload = self._bytes(size)
        if first & 0x0F == CLOSE:
            raise Closed(struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None)
        return first & 0x0F, payload

    def text(self) -> str:
        opcode, payload = self.frame()
        assert opcode == TEXT, opcode
        return payload.decode()

    def close(self) -> None:
        self.socket.close()

    def silence(self, seconds: float = 0.3) -> None:
        """Nothing comes. To be used after something that would have come later than it."""
        self.socket.settimeout(seconds)
        try:
            data = self.received or self.socket.recv(1)
        except TimeoutError:
            return
        finally:
            self.socket.settimeout(20)
        raise AssertionError(f"came: {data!r}")


def split(message: str) -> list[str]:
    """Frames as the official clients cut them; for texts of the basic plane."""
    if len(message) <= UNITS_MAX:
        return [message]
    parts = [message[start : start + UNITS_MAX] for start in range(0, len(message), UNITS_MAX)]
    return [str(len(parts)), *parts]


class TreeClient:
    """One connection as the official clients make it: hello, then requests with numbers, and pushes as they come."""

    def __init__(
        self,
        address: str,
        namespace: str,
        query: str = "",
        headers: dict[str, str] | None = None,
        context: ssl.SSLContext | None = None,
    ):
        self.web = WebSocket(address, f"/.ws?v=5&ns={namespace}{query}", headers, context)
        assert self.web.status == 101, self.web.status
        self.number = 0
        self.hello = self.message()
        self.session = self.hello["d"]["d"]["s"]

    def message_text(self) -> str:
        text = self.web.text()
        if len(text) <= 6 and text.isdigit():
            text = "".join(self.web.text() for _ in range(int(text)))
        return text

    def message(self) -> dict:
        return json.loads(self.message_text())

    def send_text(self, message: str) -> None:
        for part in split(message):
            self.web.send_frame(part.encode())

    def send(self, action: str, body: dict) -> int:
        self.number += 1
        envelope = {"t": "d", "d": {"r": self.number, "a": action, "b": body}}
        self.send_text(json.dumps(envelope, separators=(",", ":")))
        return self.number

    def answer(self, number: int) -> tuple[str, object, list[dict]]:
        """Status and data of a request, and what was pushed in front of it."""
        pushes = []
        while True:
            content = self.message()["d"]
            if "r" not in content:
                pushes.append(content)
                continue
            assert content["r"] == number, content
            return content["b"]["s"], content["b"]["d"], pushes

    def ask(self, action: str, body: dict) -> tuple[str, object, list[dict]]:
        return self.answer(self.send(action, body))

    def ok(self, action: str, body: dict) -> object:
        status, data, _ = self.ask(action, body)
        assert status == "ok", (action, body, status, data)
        return data

    def close(self) -> None:
        self.web.close()
