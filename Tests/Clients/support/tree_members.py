"""Clients that write, break off, are killed and come back, and what of their writes has to be in the database then."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any, Callable

from support.proxy import Proxy
from support.tokens import unsigned
from support.tree_worker import TreeWorker

ITEMS = 8
SHARED = 8
TALLIES = 2
# Transactions of the whole and of the count in it overlap.
NEST = "nest"
# What rules do not let anybody write.
REFUSED = {"refused": True}
INCREMENT = {".sv": {"increment": 1}}
TIMESTAMP = {".sv": "timestamp"}
# What members listen to: a path below which all write, and a question about it.
QUERIES = [
    ("shared", {}),
    ("shared", {"orderBy": "n", "limitToLast": 3}),
    ("shared", {"orderBy": "$key", "limitToFirst": 4}),
    ("shared", {"orderBy": "$key", "startAt": "s3"}),
    ("shared", {"orderBy": "$priority", "startAt": 2}),
    ("shared", {"orderBy": "$value", "limitToLast": 2}),
    ("shared/s1", {}),
    ("present", {}),
    ("tally", {}),
    ("nest", {}),
    ("nest/count", {}),
    ("own", {}),
    ("", {}),
]


def placed(node: Any, path: list[str], value: Any) -> Any:
    """A tree with a value at a place; None is nothing, and a leaf has nothing below it."""
    if not path:
        return value
    if value is None and not isinstance(node, dict):
        return node
    children = dict(node) if isinstance(node, dict) else {}
    child = placed(children.get(path[0]), path[1:], value)
    if child is None:
        children.pop(path[0], None)
    else:
        children[path[0]] = child
    return children or None


@dataclasses.dataclass
class Life:
    """One process."""

    number: int
    worker: TreeWorker
    has_ended: bool = False
    # By the number of the question.
    queries: dict[str, tuple[str, dict]] = dataclasses.field(default_factory=dict)

    @property
    def connections_max(self) -> int:
        """The newest may not have been told of yet."""
        return len(self.worker.told.get("connections", [])) + 1


@dataclasses.dataclass(frozen=True)
class Write:
    """An update of the member's own place, which nobody else writes: all of it or nothing. It counts itself."""

    number: int
    life: Life
    request: int
    changes: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Transaction:
    place: str
    # What it notes; none where it only counts.
    entry: str | None
    life: Life
    request: int


class Member:
    """A client of the database over all its lives. The line to the server breaks as the test says."""

    def __init__(self, name: str, database: str, folder: Path, *, is_persistent: bool, chance: random.Random):
        self.name = name
        self.is_persistent = is_persistent
        self.log = folder / f"{name}.log"
        self.transactions: list[Transaction] = []
        # Writes that rules refuse, and reads, by the lives that asked.
        self.refused: list[tuple[Life, int]] = []
        self.reads: list[tuple[Life, int]] = []
        self.proxy = Proxy("")
        # Between the two nobody says anything: the client is offline, or the line does not lead anywhere.
        self.is_away = True
        # Since it was let through last, the server has acknowledged that it is there. So nothing waits that was sent before.
        self.has_joined = False
        self._database = database
        self._folder = folder / name
        self._chance = chance
        self._lives: list[Life] = []
        self._count = 0
        # Of its own place, when that was compared last, and what it has written since.
        self._items: Any = None
        self._counts: dict[str, int] = {}
        self._writes: list[Write] = []

    # MARK: Its life

    @property
    def life(self) -> Life:
        return self._lives[-1]

    @property
    def worker(self) -> TreeWorker:
        return self.life.worker

    def begin(self) -> None:
        number = self.life.number + 1 if self._lives else 0
        options = ["--presence", f"present/{self.name}", "--life", str(number)]
        if self.is_persistent:
            options += ["--folder", str(self._folder)]
        worker = TreeWorker(self.proxy.address, self._database, self.log, *options, token=unsigned(self.name))
        self._lives.append(Life(number, worker))
        self.has_joined = False
        worker.send("observe", name="seq", path=f"own/{self.name}/seq", tell=True)
        for number in self._chance.sample(range(len(QUERIES)), self._chance.randint(2, 6)):
            self._turn_observer(number)

    def _turn_observer(self, number: int) -> None:
        """Begins to listen, or does so no longer."""
        name, (path, query) = str(number), QUERIES[number]
        if self.life.queries.pop(name, None):
            self.worker.send("forget", name=name)
        else:
            self.life.queries[name] = (path, query)
            self.worker.send("observe", name=name, path=f"/{path}", query=query)

    def kill(self) -> None:
        self.worker.kill()
        self.life.has_ended = True

    def cut(self) -> None:
        """Whatever is on its way is lost."""
        self.proxy.cut()
        self.is_away = True

    def go_offline(self) -> None:
        self.worker.ask("network", on=False)
        self.is_away = True

    def let_through(self, server: str) -> None:
        """Also where it had not been away: the server may be another."""
        self.proxy.forward_to(server)
        if self._chance.random() < 0.5:
            # It does not wait any longer then, however often it has failed.
            self.worker.send("network", on=False)
        self.worker.send("network", on=True)
        self.is_away = self.has_joined = False

    def join(self) -> None:
        self.worker.ask("joined")
        self.has_joined = True

    def drain(self) -> None:
        """Until the server has answered all requests, those of earlier lives included: they are sent in order."""
        self.worker.ask("set", path=f"fences/{self.name}", value=self.life.number)
        asked = [write.request for write in self._writes if write.life is self.life]
        asked += [one.request for one in self.transactions if one.life is self.life]
        asked += [request for life, request in self.refused + self.reads if life is self.life]
        self.worker.wait(lambda: all(request in self.worker.answers for request in asked))

    # MARK: What it asks for

    def burst(self) -> None:
        for _ in range(self._chance.randint(1, 8)):
            roll = self._chance.random()
            if roll < 0.4:
                self._write_own()
            elif roll < 0.6:
                self._write_shared()
            elif roll < 0.66:
                self._write_refused()
            elif roll < 0.72:
                path, query = self._chance.choice(QUERIES)
                self.reads.append((self.life, self.worker.send("get", path=f"/{path}", query=query)))
            elif roll < 0.9:
                self._transact()
            elif roll < 0.98:
                self._turn_observer(self._chance.randrange(len(QUERIES)))
            else:
                path, query = self._chance.choice(QUERIES)
                self.worker.send("keepSynced", path=f"/{path}", query=query, on=self._chance.random() < 0.7)

    def _write_own(self) -> None:
        self._count += 1
        item = f"items/i{self._chance.randrange(ITEMS)}"
        choices: list[Callable[[], dict[str, Any]]] = [
            lambda: {item: None},
            lambda: {item: self._count},
            lambda: {item: {"a": self._count, "b": {"c": "x" * self._chance.randrange(200)}}},
            lambda: {f"{item}/a": self._count},
            lambda: {f"{item}/b/d": self._count, f"{item}/b/c": None},
        ]
        changes = self._chance.choice(choices)()
        values = {"seq": self._count, f"counts/n{self._count}": INCREMENT, **changes}
        request = self.worker.send("update", path=f"own/{self.name}", values=values)
        self._writes.append(Write(self._count, self.life, request, changes))

    def _write_shared(self) -> None:
        name = f"s{self._chance.randrange(SHARED)}"
        number = self._chance.randrange(10)
        value: Any = self._chance.choice(
            [None, number, f"{self.name} 🎉", True, {"n": number, "by": self.name}, {"n": number}, TIMESTAMP]
        )
        roll = self._chance.random()
        if roll < 0.3:
            priority = self._chance.choice([number, "p"])
            self.worker.send("set", path=f"shared/{name}", value=value, priority=priority)
        elif roll < 0.6:
            self.worker.send("set", path=f"shared/{name}", value=value)
        elif roll < 0.8:
            self.worker.send("set", path=f"shared/{name}/n", value=number)
        else:
            others = {f"s{(int(name[1:]) + 1) % SHARED}/n": INCREMENT}
            self.worker.send("update", path="shared", values={name: value, **others})

    def _write_refused(self) -> None:
        """Is shown here until the server says no."""
        name, other = self._chance.sample([f"s{number}" for number in range(SHARED)], 2)
        choices: list[Callable[[], int]] = [
            lambda: self.worker.send("set", path=f"shared/{name}", value=REFUSED),
            lambda: self.worker.send("set", path=f"shared/{name}/refused", value=True),
            lambda: self.worker.send("set", path=f"shared/{name}", value={"n": 1, **REFUSED}, priority=3),
            lambda: self.worker.send("update", path="shared", values={f"{other}/n": INCREMENT, name: REFUSED}),
        ]
        self.refused.append((self.life, self._chance.choice(choices)()))

    def _transact(self) -> None:
        roll = self._chance.random()
        if roll < 0.2:
            self._add("plain")
        elif roll < 0.5:
            # While one waits for its answer, those above and below it wait for it.
            self._enter(NEST)
            for _ in range(self._chance.randint(2, 4)):
                if self._chance.random() < 0.2:
                    self._enter(NEST)
                else:
                    self._add(f"{NEST}/count")
        else:
            self._enter(f"tally/t{self._chance.randrange(TALLIES)}")

    def _add(self, place: str) -> None:
        request = self.worker.send("add", path=place, amount=1)
        self.transactions.append(Transaction(place, None, self.life, request))

    def _enter(self, place: str) -> None:
        entry = f"{self.name}-{self.life.number}-{len(self.transactions)}"
        request = self.worker.send("enter", path=place, entry=entry, hidden=self._chance.random() < 0.3)
        self.transactions.append(Transaction(place, entry, self.life, request))

    # MARK: What has to have come of it

    def check_start(self) -> None:
        """Without a connection a cache on disk shows what the life before has shown, or what that was asked for later."""
        shown = self._shown(self._lives[-2])
        if shown:
            self.worker.wait(lambda: "seq" in self.worker.told)
            assert shown <= (self.worker.told["seq"][0] or 0) <= self._count, f"{self.name} has lost what it showed"

    @staticmethod
    def _shown(life: Life) -> int:
        """The last of its writes that a life has shown."""
        return max(filter(None, life.worker.told.get("seq", [])), default=0)

    def check_own(self, own: dict[str, Any] | None) -> None:
        """Holds what the server has against what was written, when nothing of that is on its way any more."""
        own = own or {}
        counts: dict[str, int] = own.get("counts", {})
        assert self._counts.items() <= counts.items(), "what was answered long ago was written again"
        assert counts.keys() <= {f"n{number + 1}" for number in range(self._count)}
        applied = [write for write in self._writes if f"n{write.number}" in counts]
        for write in self._writes:
            self._check_count(write, counts.get(f"n{write.number}", 0))
        for life in self._lives:
            sent = [write.number for write in self._writes if write.life is life]
            done = [write.number for write in applied if write.life is life]
            assert done == sent[: len(done)], f"{self.name} has lost a write in between, in life {life.number}"
        for write in applied:
            for path, value in write.changes.items():
                self._items = placed(self._items, path.split("/")[1:], value)
        assert own.get("items") == self._items, f"{self.name} has written something else"
        self._writes, self._counts, self._lives = [], counts, [self.life]

    def _check_count(self, write: Write, count: int) -> None:
        """An increment counts again only where a write was sent again."""
        answer = write.life.worker.answers.get(write.request)
        what = f"write {write.number} of {self.name} counts {count} times, its answer is {answer}"
        if answer is not None:
            assert "error" not in answer, what
            # Its life knows on how many connections it may have been sent; the next one knows that it is done.
            assert 1 <= count <= answer["connections"], what
            return
        assert write.life.has_ended, what
        if not self.is_persistent:
            # It was let through once since everything before had been answered.
            assert count <= 1, what
            return
        assert count <= write.life.connections_max + self._connections_after(write.life), what
        if write.number <= self._shown(write.life):
            assert count >= 1, f"{what}, and was shown"

    def _connections_after(self, life: Life) -> int:
        return sum(one.connections_max for one in self._lives if one.number > life.number)
