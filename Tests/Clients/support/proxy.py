"""A TCP proxy whose connections break when a test says so."""

from __future__ import annotations

import socket
import struct
import threading
import time

CHUNK_BYTES = 1 << 16


class Proxy:
    """Forwards to `server`. While that is empty, connections are taken and wait: a client does not back off."""

    def __init__(self, server: str):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._changed = threading.Condition()
        self._server = server
        self._sockets: set[socket.socket] = set()
        self._is_closed = False
        # Each piece, either way, waits for so long.
        self.delay_seconds = 0.0
        # What the server says goes nowhere, until `cut`.
        self._is_mute = False
        threading.Thread(target=self._accept, daemon=True).start()

    def forward_to(self, server: str) -> None:
        with self._changed:
            self._server = server
            self._changed.notify_all()

    def hold(self) -> None:
        """Lets new connections wait, until `forward_to`."""
        self.forward_to("")

    def mute(self) -> None:
        """Loses what the server says from now on, so that a client does not know what became of its requests, until `cut`."""
        self._is_mute = True

    def cut(self) -> None:
        """Breaks every connection, and holds new ones until `forward_to`."""
        with self._changed:
            self._server = ""
            self._is_mute = False
            sockets, self._sockets = self._sockets, set()
        for one in sockets:
            # RST, as from a machine that is gone.
            try:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._server or self._is_closed)
            if self._is_closed:
                return client.close()
            host, _, port = self._server.rpartition(":")
            try:
                server = socket.create_connection((host, int(port)))
            except OSError:
                return client.close()
            self._sockets |= {client, server}
        for way in ((client, server, False), (server, client, True)):
            threading.Thread(target=self._pump, args=way, daemon=True).start()
        return None

    def _pump(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        try:
            while chunk := source.recv(CHUNK_BYTES):
                if self.delay_seconds:
                    time.sleep(self.delay_seconds)
                if not (is_answer and self._is_mute):
                    sink.sendall(chunk)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
