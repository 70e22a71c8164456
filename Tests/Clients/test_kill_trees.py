"""A server that is killed while clients of trees come and go: what a session leaves (`onDisconnect`) is written once, by its
own end or by the next start, before anybody is answered."""

from __future__ import annotations

import dataclasses
import subprocess
import threading

import pytest

from support.servers import BrasaServer
from support.tokens import unsigned
from support.trees import Tree
from support.websocket import Closed, TreeClient

WORKERS = 6
# What a round has noted before the server is killed in the middle of what comes next.
ROUND_SESSIONS = 60
# Sessions of one worker that are open at a time.
OPEN_SESSIONS = 3
INCREMENT = {".sv": {"increment": 1}}


@dataclasses.dataclass
class Ledger:
    """What one worker knows of its sessions. Written by its own thread, read when the thread has ended."""

    # What they leave is durable, as far as they were told.
    noted: list[int] = dataclasses.field(default_factory=list)
    # Asked for, and not answered.
    uncertain: list[int] = dataclasses.field(default_factory=list)
    # Taken back, and that was answered.
    cancelled: list[int] = dataclasses.field(default_factory=list)


class Load:
    """One round of workers, who open sessions, say that they are there, leave what says that they are not, and go."""

    def __init__(self, address: str, name: str, ledgers: dict[str, Ledger], first: int):
        self.address = address
        self.name = name
        self.ledgers = ledgers
        self.first = first
        self.enough = threading.Semaphore(0)
        self.errors: list[BaseException] = []
        self.threads = [threading.Thread(target=self.work, args=(worker,), name=worker) for worker in ledgers]

    def run_until_killed(self, kill) -> None:
        for thread in self.threads:
            thread.start()
        for _ in range(ROUND_SESSIONS):
            if not self.enough.acquire(timeout=60):
                break
        kill()
        for thread in self.threads:
            thread.join(timeout=60)
            assert not thread.is_alive(), f"{thread.name} hangs"
        assert not self.errors, self.errors

    def work(self, worker: str) -> None:
        ledger = self.ledgers[worker]
        clients: list[TreeClient] = []
        number = self.first
        try:
            while True:
                client = TreeClient(self.address, self.name)
                clients.append(client)
                ledger.uncertain.append(number)
                place = f"/sessions/{worker}/{number}"
                client.ok("p", {"p": f"{place}/online", "d": True})
                # Several requests on their way; the last answer says that all are durable.
                client.send("o", {"p": f"{place}/online", "d": False})
                client.send("o", {"p": f"{place}/ends", "d": INCREMENT})
                client.send("om", {"p": "/", "d": {f"ends/{worker}": INCREMENT, f"{place}/at": {".sv": "timestamp"}}})
                for request in range(client.number - 2, client.number + 1):
                    status, data, _ = client.answer(request)
                    assert status == "ok", data
                if number % 5 == 0:
                    client.ok("oc", {"p": "/", "d": None})
                    ledger.cancelled.append(number)
                else:
                    ledger.noted.append(number)
                ledger.uncertain.pop()
                self.enough.release()
                number += 1
                if len(clients) > OPEN_SESSIONS:
                    clients.pop(0).close()
        except (OSError, Closed):
            # The server is gone.
            pass
        except BaseException as error:  # noqa: BLE001
            self.errors.append(error)
        finally:
            for client in clients:
                client.close()


def check(tree: Tree, ledgers: dict[str, Ledger]) -> None:
    """With the first answers of a new server."""
    for worker, ledger in ledgers.items():
        sessions = tree.get(f"/sessions/{worker}") or {}
        if isinstance(sessions, list):
            sessions = {str(number): session for number, session in enumerate(sessions) if session is not None}
        for number in ledger.noted:
            session = sessions[str(number)]
            assert (session["online"], session["ends"]) == (False, 1), (worker, number, session)
            assert session["at"] > 0
        for number in ledger.cancelled:
            assert sessions[str(number)] == {"online": True}, (worker, number)
        for number in ledger.uncertain:
            assert sessions.get(str(number), {}).get("ends", 0) <= 1, (worker, number)
        ended = sum(1 for number in ledger.uncertain if "at" in sessions.get(str(number), {}))
        # All of a session's end, or nothing of it.
        assert (tree.get(f"/ends/{worker}") or 0) == len(ledger.noted) + ended, worker


@pytest.mark.timeout(600)
def test_what_sessions_leave_is_written_once_over_kills(start_server, request):
    kills = max(2, request.config.getoption("--kills") // 2)
    ledgers = {f"w{number}": Ledger() for number in range(WORKERS)}
    name = None
    for life in range(kills + 1):
        server = start_server()
        tree = Tree(server.address)
        name = tree.name = name or tree.name
        check(tree, ledgers)
        if life == kills:
            break
        Load(server.address, name, ledgers, first=life * 1_000_000).run_until_killed(server.kill)
    assert sum(len(ledger.noted) + len(ledger.cancelled) for ledger in ledgers.values()) >= kills * ROUND_SESSIONS
    # Nothing is left for a start after an orderly end.
    assert server.stop() == 0
    tree = Tree(start_server().address)
    tree.name = name
    check(tree, ledgers)


def test_what_a_user_left_is_judged_as_theirs_after_a_kill(start_server):
    rules = '{"rules":{"online":{"$uid":{".write":"auth.uid === $uid && root.child(\'frozen\').val() !== auth.uid"}}}}'
    ada, bob = unsigned("ada"), unsigned("bob")
    owner = {"Authorization": "Bearer owner"}
    server = start_server("--emulator")
    tree = Tree(server.address)
    status, answer, _ = tree.ask("PUT", "/.settings/rules", body=rules.encode(), headers=owner)
    assert status == 200, answer
    for name, token in [("ada", ada), ("bob", bob)]:
        client = TreeClient(server.address, tree.name)
        client.ok("auth", {"cred": token})
        client.ok("o", {"p": f"/online/{name}", "d": "left"})
        assert client.ask("o", {"p": "/online/eve", "d": "left"})[0] == "permission_denied"
    assert tree.ask("PUT", "/frozen", "bob", headers=owner)[0] == 200
    server.kill()
    again = Tree(start_server("--emulator").address)
    again.name = tree.name
    assert again.ask("GET", "/online", headers=owner)[1] == {"ada": "left"}


def test_a_check_says_what_sessions_leave(start_server, binary, tmp_path):
    server: BrasaServer = start_server()
    client = TreeClient(server.address, "checked")
    client.ok("om", {"p": "/", "d": {"a": 1, "b": 2}})
    server.kill()
    command = [str(binary), "check", str(tmp_path / "data")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "1 sessions were open and leave 2 places to be written: a start does that" in result.stdout
