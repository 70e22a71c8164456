"""Swift clients of one database that write, listen, count in transactions and show that they are there, over lines that break
and delay, while they and the server are killed: in the end all of them and the server have the same.

- What a client writes where nobody else does is there in its order: all that was acknowledged, and of a client with a cache
  on disk all that it showed, whatever was killed.
- A transaction that was told to have committed counts once, one that failed does not; of one whose fate nobody knows, and that
  says so, the server knows. An increment counts once, or as often as its write may have been sent at most.
- A write that rules refuse is told so and leaves nothing, a read has an answer, and one of a member's own place has what is there.
- Who is connected is shown to be there, and nobody else.
- What observers show is what the server has, and what child events have made of it is that as well, at each value.
"""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from support.tree_members import NEST, Member, Transaction
from support.tree_worker import SECONDS
from support.trees import Tree

RULES = {
    ".read": "auth != null",
    ".write": "auth != null",
    "shared": {".indexOn": ["n", ".value"], "$name": {".validate": "!newData.child('refused').exists()"}},
}


class Crowd:
    """One run. What happens is decided by the seed, but for where in its work a process is killed."""

    def __init__(self, seed: int, start_server, folder: Path):
        self.chance = random.Random(seed)
        self.start_server = start_server
        self.server = start_server("--emulator")
        self.tree = Tree(self.server.address).with_rules(RULES)
        # One with a cache on disk, one without, one by chance.
        kinds = [True, False, self.chance.random() < 0.5]
        self.members = [
            Member(f"c{number}", self.tree.name, folder, is_persistent=kind, chance=self.chance)
            for number, kind in enumerate(kinds)
        ]
        for member in self.members:
            member.begin()
            member.let_through(self.server.address)

    def step(self) -> None:
        member = self.chance.choice(self.members)
        if self.chance.random() < 0.7:
            self.join(member)
            if self.chance.random() < 0.3:
                self.compare(member)
        for one in self.members:
            if self.chance.random() < 0.6:
                one.burst()
                self.touch()
        if self.chance.random() < 0.3:
            value = self.chance.choice([None, 5, {"n": self.chance.randrange(10)}])
            self.tree.ask("PUT", f"/shared/s{self.chance.randrange(8)}", value, body=json.dumps(value).encode())
        disturb = self.chance.choice(
            [self.delay, self.cut, self.cut, self.mute, self.mute, self.offline, self.kill_server, self.kill, self.kill]
        )
        disturb(member)
        for one in self.members:
            if one.is_away and self.chance.random() < 0.6:
                one.let_through(self.server.address)

    def touch(self) -> None:
        """Transactions that have nothing to do with it have to run again."""
        for _ in range(self.chance.randrange(4)):
            value = self.chance.randrange(10)
            self.tree.ask("PUT", f"/{NEST}/touch", value, body=json.dumps(value).encode())

    def join(self, member: Member) -> None:
        if member.is_away:
            member.let_through(self.server.address)
        if not member.has_joined:
            member.join()

    def compare(self, member: Member) -> None:
        member.drain()
        own = self.own(member)
        member.check_own(own)
        assert member.worker.ask("get", path=f"own/{member.name}")["value"] == own

    def own(self, member: Member) -> dict[str, Any] | None:
        return self.tree.get(f"/own/{member.name}")

    # MARK: What happens to a member

    def delay(self, member: Member) -> None:
        member.proxy.delay_seconds = self.chance.choice([0.001, 0.005, 0.02])

    def cut(self, member: Member) -> None:
        member.cut()
        member.proxy.delay_seconds = 0

    def mute(self, member: Member) -> None:
        """The server does what it is asked for, and the client does not learn of it."""
        member.proxy.mute()
        member.burst()
        # How much of it the server comes to does not matter.
        time.sleep(self.chance.random() * 0.1)
        member.cut()

    def offline(self, member: Member) -> None:
        member.go_offline()
        member.burst()

    def kill_server(self, _: Member) -> None:
        for one in self.members:
            one.proxy.hold()
        self.server.kill()
        self.server = self.start_server("--emulator")
        tree = Tree(self.server.address)
        tree.name, tree.headers = self.tree.name, self.tree.headers
        self.tree = tree
        for one in self.members:
            if not one.is_away:
                one.let_through(self.server.address)

    def kill(self, member: Member) -> None:
        if not member.is_persistent:
            # What it wrote must have been sent once at most, and the server know what to do when it goes.
            self.end(member)
            member.check_own(self.own(member))
            member.begin()
            return
        member.burst()
        member.kill()
        if self.chance.random() < 0.5:
            member.begin()
        else:
            member.cut()
            member.begin()
            member.check_start()

    def end(self, member: Member) -> None:
        """Kills a member that is there; then it is not shown any more, and all that it sent has been done."""
        if not member.has_joined:
            self.join(member)
        member.burst()
        member.kill()
        self.wait(lambda: (self.tree.get(f"/present/{member.name}"), None))

    # MARK: The end

    def wait(self, look) -> None:
        """Until two things are the same."""
        deadline = time.monotonic() + SECONDS
        while True:
            found, wanted = (json.dumps(one, sort_keys=True, indent=1) for one in look())
            if found == wanted:
                return
            assert time.monotonic() < deadline, f"found: {found}\nwanted: {wanted}"
            time.sleep(0.05)

    def finish(self) -> None:
        gone = self.chance.choice(self.members)
        self.end(gone)
        there = [member for member in self.members if member is not gone]
        for member in there:
            member.burst()
            self.join(member)
        for member in there:
            self.compare(member)
        for member in there:
            self.wait(lambda member=member: (self.shown(member), self.wanted(member)))
        self.check_presence(there)
        self.check_transactions()
        for member in there:
            assert member.worker.stop() == 0, member.log.read_text()
        for member in self.members:
            self.check_answers(member)

    def check_answers(self, member: Member) -> None:
        for life, request in member.refused:
            answer = life.worker.answers.get(request)
            assert (answer or {}).get("error") == "Permission denied" or answer is None and life.has_ended, answer
        for life, request in member.reads:
            answer = life.worker.answers.get(request)
            assert answer is not None or life.has_ended, "a read has no end"
            # Nobody is there for three seconds.
            error = (answer or {}).get("error", "")
            assert not error or error.startswith("Unable to get latest value"), answer
        # A life is not told what became of the writes of the one before.
        failures = [line for line in member.log.read_text().splitlines() if "of an earlier process failed" in line]
        assert all(line.endswith("Permission denied") for line in failures), failures

    def shown(self, member: Member) -> dict[str, Any]:
        observers = member.worker.ask("show")["observers"]
        faults = {name: shown["fault"] for name, shown in observers.items() if "fault" in shown}
        assert faults == {}, f"{member.name}: {faults}"
        return {name: observers[name].get("export") for name in member.life.queries}

    def wanted(self, member: Member) -> dict[str, Any]:
        """What the server says to the questions of a member's observers."""
        return {
            name: self.tree.get(f"/{path}", format="export", **{bound: json.dumps(value) for bound, value in query.items()})
            for name, (path, query) in member.life.queries.items()
        }

    def check_presence(self, there: list[Member]) -> None:
        present = self.tree.get("/present")
        assert present.keys() == {member.name for member in there}
        for member in there:
            count = member.worker.told["connections"][-1]
            assert present[member.name] == {f"{member.life.number}-{count}": True}

    def check_transactions(self) -> None:
        transactions = [one for member in self.members for one in member.transactions]
        for one in transactions:
            answer = one.life.worker.answers.get(one.request)
            assert answer is not None or one.life.has_ended, "a transaction has no end"
            if answer is not None and "error" in answer:
                assert answer["error"] in ("disconnect", "maxretry"), answer
        tallies = {f"tally/{name}": tally for name, tally in (self.tree.get("/tally") or {}).items()}
        tallies[NEST] = self.tree.get(f"/{NEST}") or {}
        for place, tally in tallies.items():
            entries = tally.get("entries", {})
            assert entries.keys() <= {one.entry for one in transactions if one.place == place}
            added = self.added(transactions, f"{place}/count")
            assert tally.get("count", 0) - len(entries) in added, f"{place} has counted something twice, or not at all"
        assert (self.tree.get("/plain") or 0) in self.added(transactions, "plain")
        for one in transactions:
            if one.entry is not None and self.is_known(one):
                is_counted = one.entry in tallies.get(one.place, {}).get("entries", {})
                assert is_counted == self.is_committed(one), f"{one.entry}: {one.life.worker.answers.get(one.request)}"

    @staticmethod
    def is_known(one: Transaction) -> bool:
        """Nothing else than what became of one that was sent when the connection or the process ended is unknown."""
        answer = one.life.worker.answers.get(one.request)
        return answer is not None and answer.get("error") != "disconnect"

    def is_committed(self, one: Transaction) -> bool:
        return self.is_known(one) and one.life.worker.answers[one.request]["committed"]

    def added(self, transactions: list[Transaction], place: str) -> range:
        """What those that only count may have made."""
        here = [one for one in transactions if one.place == place and one.entry is None]
        committed = sum(self.is_committed(one) for one in here)
        return range(committed, committed + sum(not self.is_known(one) for one in here) + 1)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("run", range(2))
def test_clients_and_the_server_end_equal(start_server, tmp_path, request, run):
    seed = request.config.getoption("--tree-seed") + run
    print(f"replay with --tree-seed {seed}")
    crowd = Crowd(seed, start_server, tmp_path)
    try:
        for _ in range(request.config.getoption("--tree-steps")):
            crowd.step()
        crowd.finish()
    finally:
        for member in crowd.members:
            if not member.life.has_ended:
                member.kill()
            member.proxy.close()
