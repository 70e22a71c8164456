"""A peer that writes its HTTP/2 frames by hand. It reads what the server says of the connection and the statuses of its
calls, and takes nothing of an answer but its first bytes: no window is ever opened, unless it is told to take answers. And
one that writes HTTP/1.1 and reads nothing at all."""

from __future__ import annotations

import gzip
import re
import socket
import struct
from collections import Counter
from typing import Iterable

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
ACK, END_STREAM, END_HEADERS = 1, 1, 4
HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE = 1, 4
WINDOW_BYTES = 65_535
WINDOW_BYTES_MAX = (1 << 31) - 1
FRAME_BYTES_MAX = 16_384
SEND_SECONDS = 20
# Of each answer. Enough for what a Write stream says first, so that its status is not held up behind that; and little enough
# that the connection's window, of 64 KiB, is never used up.
TAKEN_BYTES = 128
# How long a server may take nothing of what is sent before it counts as done with reading.
HELD_UP_SECONDS = 2
# `grpc-status` in Huffman's code (RFC 7541, appendix B), as it stands in each block where there is no table to look it up
# in; and its value, which that code would not make shorter.
GRPC_STATUS = re.compile(re.escape(bytes.fromhex("9acac8b21234da8f")) + rb"[\x01\x02](\d{1,2})")


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def framed(message: bytes, compressed: bool = False) -> bytes:
    """A message as gRPC frames it; compressed by gzip as well as it can."""
    body = gzip.compress(message, 9) if compressed else message
    return bytes([compressed]) + struct.pack(">I", len(body)) + body


def string(text: bytes) -> bytes:
    """A string of HPACK, without Huffman's code."""
    if len(text) < 127:
        return bytes([len(text)]) + text
    rest, size = len(text) - 127, b"\x7f"
    while rest >= 128:
        rest, size = rest >> 7, size + bytes([rest & 127 | 128])
    return size + bytes([rest]) + text


def field(name: str, value: bytes, indexed: bool = False) -> bytes:
    """A field; `indexed` has the server's table keep it, so that one byte names it from then on."""
    return (b"\x40" if indexed else b"\x00") + string(name.encode()) + string(value)


def request_fields(path: str, compressed: bool = False) -> bytes:
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "x",
        "te": "trailers",
        "content-type": "application/grpc",
        "authorization": "Bearer owner",
    }
    if compressed:
        fields["grpc-encoding"] = "gzip"
    return b"".join(field(name, value.encode()) for name, value in fields.items())


class HostilePeer:
    """One connection. Once the server has turned it away, whatever it sends goes nowhere."""

    def __init__(self, address: str, takes_answers: bool = False):
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=SEND_SECONDS)
        self.sent_bytes = 0
        self.calls = 0
        self.was_turned_away = False
        # Of calls that are over, by the number of the status.
        self.statuses: Counter[int] = Counter()
        self._received = b""
        self._next_stream = 1
        self._streams_window = self._connection_window = WINDOW_BYTES
        # What the server has added to its streams' first window, and which it has reset.
        self._credit: dict[int, int] = {}
        self._reset: set[int] = set()
        self._pongs = 0
        window = WINDOW_BYTES_MAX if takes_answers else TAKEN_BYTES
        settings = struct.pack(">HIHI", HEADER_TABLE_SIZE, 0, INITIAL_WINDOW_SIZE, window)
        self.send(PREFACE + frame(SETTINGS, 0, 0, settings))
        if takes_answers:
            self.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW_BYTES_MAX - WINDOW_BYTES)))
        # Until the settings are acknowledged the server holds a client to smaller windows.
        while self._streams_window == WINDOW_BYTES and not self.was_turned_away:
            self._read()

    def send(self, data: bytes) -> None:
        if self.was_turned_away:
            return
        try:
            self.socket.sendall(data)
            self.sent_bytes += len(data)
        except OSError:
            self.was_turned_away = True

    def open(self, block: bytes, *, ends: bool = False) -> int:
        """A request with that block of fields; its stream."""
        stream, self._next_stream = self._next_stream, self._next_stream + 2
        self.send(frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, block))
        self.calls += not self.was_turned_away
        return stream

    def write(self, stream: int, data: bytes, *, ends: bool = False) -> None:
        """Sends as much as the server's windows let it, and the rest as they open."""
        sent = 0
        while sent < len(data) and stream not in self._reset and not self.was_turned_away:
            window = self._streams_window + self._credit.get(stream, 0) - sent
            size = min(FRAME_BYTES_MAX, len(data) - sent, window, self._connection_window)
            if size <= 0:
                self._read()
                continue
            is_last = ends and sent + size == len(data)
            self.send(frame(DATA, END_STREAM if is_last else 0, stream, data[sent : sent + size]))
            self._connection_window -= size
            sent += size

    def call(self, path: str, messages: Iterable[bytes], *, compressed: bool = False, ends: bool = True) -> None:
        stream = self.open(request_fields(path, compressed))
        self.write(stream, b"".join(messages), ends=ends)

    def settle(self) -> None:
        """Returns when the server has looked at all that was sent."""
        wanted = self._pongs + 1
        self.send(frame(PING, 0, 0, bytes(8)))
        while self._pongs < wanted and not self.was_turned_away:
            self._read()

    def close(self) -> None:
        self.socket.close()

    def _read(self) -> None:
        try:
            received = self.socket.recv(1 << 16)
        except OSError:
            received = b""
        if not received:
            self.was_turned_away = True
        self._received += received
        while len(self._received) >= 9:
            size = int.from_bytes(self._received[:3], "big")
            if len(self._received) < 9 + size:
                break
            kind, flags, stream = self._received[3], self._received[4], self._received[5:9]
            payload, self._received = self._received[9 : 9 + size], self._received[9 + size :]
            self._heard(kind, flags, int.from_bytes(stream, "big"), payload)

    def _heard(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            for at in range(0, len(payload), 6):
                setting, value = struct.unpack(">HI", payload[at : at + 6])
                if setting == INITIAL_WINDOW_SIZE:
                    self._streams_window = value
            self.send(frame(SETTINGS, ACK, 0))
        elif kind == WINDOW_UPDATE and stream == 0:
            self._connection_window += int.from_bytes(payload, "big")
        elif kind == WINDOW_UPDATE:
            self._credit[stream] = self._credit.get(stream, 0) + int.from_bytes(payload, "big")
        elif kind == HEADERS:
            self.statuses.update(int(status) for status in GRPC_STATUS.findall(payload))
        elif kind == RST_STREAM:
            self._reset.add(stream)
        elif kind == PING and flags & ACK:
            self._pongs += 1
        elif kind == GOAWAY:
            self.was_turned_away = True


class PipeliningPeer:
    """One connection of HTTP/1.1, whose requests come one behind the other without an answer being read."""

    def __init__(self, address: str):
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=HELD_UP_SECONDS)
        self.sent_bytes = 0
        self.calls = 0
        self.statuses: Counter[int] = Counter()
        self.was_turned_away = False

    def ask(self, request: bytes, count: int) -> None:
        """Sends until the server takes no more of it."""
        requests = request * count
        try:
            while self.sent_bytes < len(requests):
                self.sent_bytes += self.socket.send(requests[self.sent_bytes : self.sent_bytes + (1 << 16)])
        except TimeoutError:
            pass
        except OSError:
            self.was_turned_away = True
        self.calls = self.sent_bytes // len(request)

    def settle(self) -> None:
        """What it has sent is looked at as far as it ever will be."""

    def close(self) -> None:
        self.socket.close()
