"""The Realtime Database's long polling over plain HTTP, request by request, as a page's scripts do it."""

from __future__ import annotations

import base64
import json
import re
import select
import socket
from urllib.parse import urlencode

CALLBACK = "17"
# What clients put into one request.
SEGMENT_CHARACTERS = 1840
# What a browser says of pages of the machine that it runs on.
OF_THIS_MACHINE = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}


class Ended(Exception):
    """The server says that there is no such session, or not any more."""


class Request:
    """One request on a connection of its own. Its answer may come late."""

    def __init__(self, address: str, target: str, headers: dict[str, str] | None = None, method: str = "GET"):
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=40)
        fields = {"Host": address, "Connection": "close", **(OF_THIS_MACHINE if headers is None else headers)}
        lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.received = b""

    def is_whole(self) -> bool:
        """Takes what has come, and waits where nothing has."""
        data = self.socket.recv(1 << 20)
        self.received += data
        return not data

    def answer(self) -> tuple[int, str]:
        try:
            while not self.is_whole():
                pass
        finally:
            self.socket.close()
        head, _, body = self.received.partition(b"\r\n\r\n")
        self.head = head.decode().lower()
        if "transfer-encoding: chunked" in self.head:
            whole = b""
            while body:
                size, _, rest = body.partition(b"\r\n")
                whole += rest[: int(size, 16)]
                body = rest[int(size, 16) + 2 :]
            body = whole
        return int(head.split(b" ", 2)[1]), body.decode()

    def is_answered(self, seconds: float) -> bool:
        """Whether more than a head comes within that time."""
        self.socket.settimeout(seconds)
        try:
            while b"pRTLPCB" not in self.received and b"pLPCommand" not in self.received:
                if self.is_whole():
                    return True
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(40)
        return True

    def close(self) -> None:
        self.socket.close()


def segments_of(message: str, size: int = SEGMENT_CHARACTERS) -> list[str]:
    text = base64.urlsafe_b64encode(message.encode()).decode().replace("=", ".")
    return [text[start : start + size] for start in range(0, len(text), size)]


def replies_in(script: str) -> list[tuple[int, list]]:
    found = re.findall(r"^pRTLPCB\((\d+),(\[.*\])\);$", script, re.MULTILINE)
    return [(int(number), json.loads(text.replace('["__proto__"]:', '"__proto__":'))) for number, text in found]


class PollingClient:
    """One session: a request is open while it waits, and requests have numbers, answers in any order."""

    def __init__(self, address: str, namespace: str, query: str = "", headers: dict[str, str] | None = None):
        self.address = address
        self.headers = headers
        self.number = 0
        self.segment = 0
        self.next_reply = 0
        # Replies that came before those in front of them.
        self.early: dict[int, list] = {}
        self.messages: list[dict] = []
        self.open: list[Request] = []
        target = f"/.lp?start=t&ser=1&cb={CALLBACK}&v=5&ns={namespace}{query}"
        self.status, self.script = Request(address, target, headers).answer()
        if self.status != 200:
            raise Ended(self.status)
        started = re.search(r"^pLPCommand\('start','(\w+)','(\w+)'\);$", self.script, re.MULTILINE)
        if started is None:
            raise Ended(self.script)
        self.id, self.password = started.groups()
        self._take(self.script)
        self.hello = self.message()
        self.session = self.hello["d"]["d"]["s"]

    def target(self, **parameters) -> str:
        return "/.lp?" + urlencode({"id": self.id, "pw": self.password, "ser": 2, **parameters})

    def _take(self, script: str) -> None:
        for number, messages in replies_in(script):
            assert number >= self.next_reply and number not in self.early, (number, self.next_reply)
            self.early[number] = messages
        while self.next_reply in self.early:
            self.messages += self.early.pop(self.next_reply)
            self.next_reply += 1
        if "pLPCommand('close'" in script:
            raise Ended(script)

    def poll(self, **parameters) -> Request:
        """Another request; those before it are answered first."""
        self.open.append(Request(self.address, self.target(**parameters), self.headers))
        return self.open[-1]

    def settle(self) -> None:
        """Takes the answer that is there first. Which request the server has seen first is up to the network."""
        while True:
            readable, _, _ = select.select([request.socket for request in self.open], [], [], 40)
            assert readable, "no request is answered"
            for request in [request for request in self.open if request.socket in readable]:
                if request.is_whole():
                    self.open.remove(request)
                    status, script = request.answer()
                    assert status == 200, (status, script)
                    return self._take(script)

    def message(self) -> dict:
        while not self.messages:
            if not self.open:
                self.poll()
            self.settle()
        return self.messages.pop(0)

    def pack(self, message: str, size: int = SEGMENT_CHARACTERS) -> list[dict]:
        """The parameters of a message's requests, one for each."""
        parts = segments_of(message, size)
        requests = []
        for part in parts:
            requests.append({"seg0": self.segment, "ts0": len(parts), "d0": part})
            self.segment += 1
        return requests

    def send_text(self, message: str, size: int = SEGMENT_CHARACTERS) -> None:
        for parameters in self.pack(message, size):
            self.poll(**parameters)
            while len(self.open) > 1:
                self.settle()

    def send(self, action: str, body: dict) -> int:
        self.number += 1
        envelope = {"t": "d", "d": {"r": self.number, "a": action, "b": body}}
        self.send_text(json.dumps(envelope, separators=(",", ":"), ensure_ascii=False))
        return self.number

    def send_unread(self, action: str, body: dict) -> None:
        """A short one, whatever becomes of it."""
        self.number += 1
        envelope = {"t": "d", "d": {"r": self.number, "a": action, "b": body}}
        (parameters,) = self.pack(json.dumps(envelope))
        self.poll(**parameters)

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
        for request in self.open:
            request.close()
        self.open = []
