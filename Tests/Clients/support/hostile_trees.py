"""Peers of the Realtime Database that send what no client would, and count what becomes of it."""

from __future__ import annotations

import http.client
import json
import re
import socket
import struct
from collections import Counter

from support.trees import Tree
from support.websocket import CLOSE, TEXT, WebSocket

# How long a server may take nothing of what is sent, or say nothing, before it counts as done.
HELD_UP_SECONDS = 2
SECONDS = 20
STATUS = re.compile(rb'^\{"t":"d","d":\{"r":\d+,"b":\{"s":"(\w+)"')


def frame_head(size: int, opcode: int = TEXT, final: bool = True) -> bytes:
    """Of a frame whose mask is zero."""
    first = bytes([(0x80 if final else 0) | opcode])
    if size < 126:
        return first + bytes([0x80 | size]) + bytes(4)
    if size < 65536:
        return first + b"\xfe" + struct.pack(">H", size) + bytes(4)
    return first + b"\xff" + struct.pack(">Q", size) + bytes(4)


class HostileSocket:
    """One WebSocket. `outcomes` has the statuses of answers, and with what code the server has closed it."""

    def __init__(self, address: str, namespace: str):
        self.web = WebSocket(address, f"/.ws?v=5&ns={namespace}")
        assert self.web.status == 101
        self.web.socket.settimeout(HELD_UP_SECONDS)
        self.outcomes: Counter[str] = Counter()
        self.is_over = False
        self.number = 0
        self.hear(frames=1)

    def send(self, data: bytes) -> None:
        """As far as the server takes it."""
        if self.is_over:
            return
        try:
            self.web.socket.sendall(data)
        except TimeoutError:
            self.over("held up")
        except OSError:
            # What it said before is still there to be read.
            self.hear()
            self.over("cut off")

    def over(self, outcome: str) -> None:
        if not self.is_over:
            self.outcomes[outcome] += 1
        self.is_over = True

    def frame(self, payload: bytes, opcode: int = TEXT, final: bool = True) -> None:
        self.send(frame_head(len(payload), opcode, final) + payload)

    def message(self, text: bytes) -> None:
        """In pieces, as clients cut it."""
        pieces = [text[start : start + 16384] for start in range(0, len(text), 16384)]
        if len(pieces) > 1:
            self.frame(str(len(pieces)).encode())
        for piece in pieces:
            self.frame(piece)

    def ask(self, action: str, body: bytes | dict) -> None:
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.number += 1
        self.message(b'{"t":"d","d":{"r":%d,"a":"%s","b":%s}}' % (self.number, action.encode(), text))

    def hear(self, frames: int | None = None, answers: int | None = None) -> None:
        """Until so many frames or answers have come, nothing comes any more, or it is over."""
        while not self.is_over and frames != 0 and (answers is None or answers > 0):
            try:
                opcode, payload = self._frame()
            except TimeoutError:
                return
            except OSError:
                return self.over("cut off")
            frames = None if frames is None else frames - 1
            if opcode == CLOSE:
                return self.over(f"closed {struct.unpack('>H', payload[:2])[0]}" if payload else "closed")
            answer = STATUS.match(payload)
            if answer:
                self.outcomes[answer[1].decode()] += 1
                answers = None if answers is None else answers - 1

    def _frame(self) -> tuple[int, bytes]:
        first, second = self._bytes(2)
        size = second & 0x7F
        if size > 125:
            size = int.from_bytes(self._bytes(2 if size == 126 else 8), "big")
        return first & 0x0F, self._bytes(size)

    def _bytes(self, count: int) -> bytes:
        while len(self.web.received) < count:
            more = self.web.socket.recv(1 << 16)
            if not more:
                raise ConnectionError
            self.web.received += more
        taken, self.web.received = self.web.received[:count], self.web.received[count:]
        return taken

    def close(self) -> None:
        self.web.close()


class SlowReader:
    """An event stream whose reader takes what the system takes for it, and no more."""

    def __init__(self, tree: Tree, path: str, **parameters):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(SECONDS)
        self.socket.connect((tree.host, tree.port))
        head = f"GET {tree.target(path, **parameters)} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
        self.socket.sendall(head.encode())
        self.received = b""

    def until(self, text: bytes) -> bool:
        """Reads on; whether that came before the end."""
        try:
            while text not in self.received:
                # Of a value that ends in what is looked for, an end is enough.
                self.received = self.received[-2 * len(text) :]
                more = self.socket.recv(1 << 16)
                if not more:
                    return False
                self.received += more
            return True
        except OSError:
            return False

    def close(self) -> None:
        self.socket.close()


class UnfinishedRequest:
    """A request over HTTP/1.1 that never comes to its end. `outcome` is what the server says, or `cut off`."""

    def __init__(self, tree: Tree, path: str, headers: dict[str, str]):
        self.socket = socket.create_connection((tree.host, tree.port), timeout=HELD_UP_SECONDS)
        lines = [f"PUT {tree.target(path)} HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in headers.items())]
        self.outcome = "held up"
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def send(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except TimeoutError:
            return
        except OSError:
            self.outcome = "cut off"

    def hear(self) -> str:
        try:
            line = self.socket.recv(1 << 16).split(b"\r\n")[0].decode()
            self.outcome = line.split(" ")[1] if line else "cut off"
        except TimeoutError:
            pass
        except OSError:
            self.outcome = "cut off"
        return self.outcome

    def close(self) -> None:
        self.socket.close()


def rest(tree: Tree, method: str, target: str, body: bytes | None = None) -> str:
    """The status of one request, or `cut off`."""
    connection = http.client.HTTPConnection(tree.host, tree.port, timeout=SECONDS)
    try:
        connection.request(method, target, body=body)
        return str(connection.getresponse().status)
    except OSError:
        # It has answered what it did not want to have whole.
        try:
            return str(connection.getresponse().status)
        except (OSError, http.client.HTTPException):
            return "cut off"
    finally:
        connection.close()
