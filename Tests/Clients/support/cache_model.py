"""Random batches of a client that is killed again and again, and what they make of documents."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

ITEMS = 12
ERA = 100
Fields = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Batch:
    """`number` counts from 1 and is the batch's own. Each life of the client notes its batches in a journal and counts them;
    another journal has those of all lives, so many in each of its parts."""

    number: int
    life: int
    operations: tuple[Fields, ...]


class Model:
    """What a queue of batches makes of the items, if each is applied in its turn."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.items: dict[str, Fields] = {}

    def add(self, batch: Batch) -> None:
        self.batches.append(batch)
        for operation in batch.operations:
            folder, _, name = operation["path"].partition("/")
            if folder != "items":
                continue
            kind = operation["kind"]
            if kind == "delete":
                self.items.pop(name, None)
            elif kind == "set":
                self.items[name] = dict(operation["fields"])
            else:
                self.items[name] = self.items.get(name, {}) | operation["fields"]

    def keep(self, count: int) -> None:
        """The batches after the first `count` were lost."""
        kept, self.batches, self.items = self.batches[:count], [], {}
        for batch in kept:
            self.add(batch)

    def journal(self, life: int) -> list[int]:
        return [batch.number for batch in self.batches if batch.life == life]

    def journals(self) -> dict[str, Fields]:
        journals: dict[str, Fields] = {}
        for batch in self.batches:
            for name in (f"life{batch.life}", f"era{batch.number // ERA}"):
                journals.setdefault(name, {"list": []})["list"].append(batch.number)
        return journals

    def counters(self) -> dict[str, Fields]:
        """A batch that is applied twice counts twice, whatever else is in it."""
        counters: dict[str, Fields] = {}
        for batch in self.batches:
            for name in (f"life{batch.life}", "all"):
                counters.setdefault(name, {"count": 0})["count"] += 1
        return counters

    def shared(self) -> dict[str, Fields]:
        """What we wrote last where others write, too."""
        operations = [operation for batch in self.batches for operation in batch.operations]
        return {o["path"].partition("/")[2]: o["fields"] for o in operations if o["path"].startswith("shared/")}


class Script:
    """Batches for one client, by chance. None has a precondition: one that is sent again, since its answer was lost, might
    fail where it did not the first time."""

    def __init__(self, chance: random.Random):
        self._chance = chance
        self._number = 0

    def next(self, model: Model, life: int) -> Batch:
        self._number += 1
        number = self._number
        operations: list[Fields] = [{"kind": "union", "path": f"journal/life{life}", "number": number}]
        operations.append({"kind": "union", "path": f"journal/era{number // ERA}", "number": number})
        for name in (f"life{life}", "all"):
            operations.append({"kind": "increment", "path": f"counters/{name}", "number": 1})
        for item in self._chance.sample(range(ITEMS), self._chance.randint(1, 3)):
            operations.append(self._change(f"item{item}", number))
        if self._chance.random() < 0.3:
            # Somebody else writes there, too.
            path = f"shared/s{self._chance.randrange(3)}"
            operations.append({"kind": "set", "path": path, "fields": {"ours": number}})
        batch = Batch(number, life, tuple(operations))
        model.add(batch)
        return batch

    def _change(self, name: str, number: int) -> Fields:
        kind = self._chance.choice(["set", "merge", "merge", "delete"])
        operation: Fields = {"kind": kind, "path": f"items/{name}"}
        if kind == "set":
            operation["fields"] = {"number": number, "text": "x" * self._chance.randrange(300)}
        elif kind != "delete":
            operation["fields"] = {f"f{self._chance.randrange(4)}": number}
        return operation
