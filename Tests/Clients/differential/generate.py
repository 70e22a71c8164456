"""Makes a sequence of calls from a seed: documents, writes, reads, lists, queries and transactions."""

from __future__ import annotations

import random
from typing import Any, Callable

from differential.steps import Step, collection_query
from support import messages
from support.messages import Document, DocumentMask, FieldTransform, Geo, Raw, Reference, Timestamp, Write, message

COLLECTIONS = ["a", "b", "a b"]
IDS = ["1", "2", "12", "é", "__id5__", "__id-7__", "x y", "🎉"]
# Transactions read and write below these collections only, everything else above: so nothing ever waits for a lock.
LOCKED_COLLECTIONS = ["l", "m"]
KEYS = ["n", "m", "t", "list", "x.y", "é", "0", "`"]
PATHS = ["n", "m", "t", "list", "m.n", "m.m", "m.m.n", "`x.y`", "m.`x.y`", "`é`", "`0`", "`\\``", "n.m", "list.n"]
BAD_PATHS = ["", "a..b", "0", "é", "`a", "a-b", "__a__", "a.__b__", "*"]
BAD_NAMES = ["", "a", "a/", "a//b", "a/..", "./b", "a/__x__", "__x__/b", "a/b/c", "/a/b", "a/1/b/2/c"]
# The chance of a value that no document may hold.
BAD_VALUES = 0.006
NUMBERS: list[Any] = [
    *(0, 1, -1, 3, 7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)),
    *(0.0, -0.0, 1.0, 3.0, 3.5, -2.5, float(2**53), 1e308, -1e308, 5e-324, 9.3e18),
    *(float("inf"), float("-inf"), float("nan")),
]


class Generator:
    """One sequence. Keeps track of what its own calls would do, just enough to make later ones interesting."""

    def __init__(self, seed: int, project: str, length: int = 60):
        self.random = random.Random(seed)
        self.length = length
        self.database = f"projects/{project}/databases/(default)"
        self.root = f"{self.database}/documents"
        self.transactions = 0
        self.pages = 0
        self.open_transaction: int | None = None
        self.open_read_only: int | None = None
        self.ended: list[int] = []
        self.commits = 0
        self.bad_values = BAD_VALUES
        # Paths that were used before: most calls should meet a document.
        self.used: list[str] = []
        self.used_locked: list[str] = []

    def steps(self) -> list[Step]:
        made: list[Step] = []
        while len(made) < self.length:
            made.extend(self.some_step())
        made.append(Step("RunQuery", self.request("RunQuery", structured_query=collection_query(None, group=True))))
        made.append(Step("ListCollectionIds", self.request("ListCollectionIds")))
        return made

    # Chances

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, choices: list[Any]) -> Any:
        return self.random.choice(choices)

    # Names

    def path(self) -> str:
        if self.used and self.chance(0.75):
            return self.pick(self.used)
        path = f"{self.pick(COLLECTIONS)}/{self.pick(IDS)}"
        while self.chance(0.3) and path.count("/") < 6:
            path += f"/{self.pick(COLLECTIONS)}/{self.pick(IDS)}"
        self.used.append(path)
        return path

    def locked_path(self) -> str:
        if self.used_locked and self.chance(0.75):
            return self.pick(self.used_locked)
        path = f"{self.pick(LOCKED_COLLECTIONS)}/{self.pick(IDS)}"
        path += f"/{self.pick(COLLECTIONS)}/{self.pick(IDS)}" if self.chance(0.2) else ""
        self.used_locked.append(path)
        return path

    def name(self, path: str) -> str:
        return f"{self.root}/{path}"

    def document_name(self, locked: bool = False) -> str:
        if self.chance(0.02):
            bad = self.pick(BAD_NAMES)
            return self.name(bad) if bad else ""
        return self.name(self.locked_path() if locked else self.path())

    def parent(self) -> str:
        return self.root if self.chance(0.7) else self.name(self.path())

    # Values

    def value(self, depth: int = 0) -> Any:
        kinds: list[Callable[[], Any]] = [
            lambda: None,
            lambda: self.chance(0.5),
            lambda: self.pick(NUMBERS),
            lambda: self.pick(NUMBERS),
            lambda: self.random.randint(-100, 100),
            self.time,
            lambda: self.pick(["", "text", "a\0b", "Ünï", "🎉", "\ufffd", "x" * 2000]),
            lambda: self.pick([b"", b"\0\xff", b"bytes"]),
            lambda: Reference(self.name(self.path())),
            lambda: Reference("projects/other/databases/named/documents/a/b"),
            lambda: Geo((self.random.uniform(-90, 90), self.random.uniform(-180, 180))),
            lambda: Geo((0.0, -0.0)),
        ]
        if depth < 3:
            kinds += [lambda: self.array(depth), lambda: self.map(depth), lambda: self.map(depth)]
            kinds.append(self.vector)
        if self.chance(self.bad_values):
            return self.bad_value()
        return self.pick(kinds)()

    def time(self) -> Timestamp:
        """Long before now, so that it is not taken for a time that a server made."""
        return Timestamp(seconds=self.random.randint(-62135596800, 1_400_000_000), nanos=self.random.randrange(10**9))

    def vector(self) -> dict[str, Any]:
        components = [self.random.uniform(-1, 1) for _ in range(self.random.randint(1, 4))]
        return {"__type__": "__vector__", "value": components}

    def array(self, depth: int) -> list[Any]:
        members = [self.value(depth + 1) for _ in range(self.random.randint(0, 3))]
        return [member for member in members if not self.is_array_or_vector(member)]

    @staticmethod
    def is_array_or_vector(member: Any) -> bool:
        return isinstance(member, list) or isinstance(member, dict) and "__type__" in member

    def map(self, depth: int) -> dict[str, Any]:
        return {self.pick(KEYS): self.value(depth + 1) for _ in range(self.random.randint(0, 3))}

    def bad_value(self) -> Any:
        """What no document may hold, inside or outside the mask."""
        return self.pick(
            [
                Raw(b""),
                [[1]],
                {"__reserved__": 1},
                Geo((91.0, 0.0)),
                Timestamp(seconds=253402300800),
                Reference("a/b"),
                Reference(f"{self.root}/a"),
                {"__type__": "__vector__", "value": [1, 2.0]},
                {"__type__": "__vector__", "value": []},
                {"__type__": "__vector__", "value": [1.0], "more": 1},
                {"__type__": "__vector__"},
                [{"__type__": "__vector__", "value": [1.0]}],
            ]
        )

    def content(self) -> dict[str, Any]:
        return {self.pick(KEYS): self.value() for _ in range(self.random.randint(0, 4))}

    def field_path(self) -> str:
        return self.pick(BAD_PATHS) if self.chance(0.01) else self.pick(PATHS)

    def mask(self) -> list[str]:
        """Paths of which none holds another: the answer to overlapping ones is open."""
        chosen: list[str] = []
        for path in {self.field_path() for _ in range(self.random.randint(0, 3))}:
            if not any(path.startswith(f"{other}.") or other.startswith(f"{path}.") for other in chosen):
                chosen.append(path)
        return sorted(chosen)

    def transform(self) -> FieldTransform:
        path = self.field_path()
        # What the emulator does not check in a transform, it stores: only legal values here.
        self.bad_values = 0.0
        elements = [self.value(2) for _ in range(self.random.randint(0, 3))]
        self.bad_values = BAD_VALUES
        elements = [element for element in elements if not self.is_array_or_vector(element)]
        number = "text" if self.chance(0.01) else self.pick(NUMBERS)
        return self.pick(
            [
                lambda: messages.increment(path, number),
                lambda: messages.increment(path, self.random.randint(-5, 5)),
                lambda: messages.maximum(path, number),
                lambda: messages.minimum(path, number),
                lambda: messages.union(path, elements),
                lambda: messages.removal(path, elements),
                lambda: messages.server_time(path),
            ]
        )()

    # Writes

    def write(self, position: int, current: dict[int, str], *, locked: bool = False, name: str = "") -> Write:
        name = name or self.document_name(locked)
        kind = self.random.random()
        transforms = [self.transform() for _ in range(self.random.randint(1, 3))] if self.chance(0.25) else []
        if kind < 0.4:
            write = messages.set_write(name, self.content(), transforms=transforms)
        elif kind < 0.72:
            write = messages.set_write(name, self.content(), mask=self.mask(), transforms=transforms)
        elif kind < 0.87:
            write = messages.delete_write(name)
            if self.chance(0.02):
                write.update_mask.field_paths.append("n")
        elif kind < 0.93:
            write = messages.verify_write(name)
        elif kind < 0.99:
            write = Write(transform={"document": name, "field_transforms": [self.transform()]})
        else:
            write = Write()
        self.condition(write, name, position, current)
        if 0.87 <= kind < 0.93 and not write.HasField("current_document") and position not in current:
            write.current_document.exists = self.chance(0.7)
        return write

    def condition(self, target: Any, name: str, position: int, current: dict[int, str]) -> None:
        chance = self.random.random()
        if chance < 0.1:
            target.current_document.exists = True
        elif chance < 0.15:
            target.current_document.exists = False
        elif chance < 0.27:
            current[position] = name.removeprefix(f"{self.root}/")
        elif chance < 0.3:
            target.current_document.update_time.FromSeconds(self.pick([1_500_000_000, 15_000_000_000]))

    def writes(self, locked: bool = False) -> tuple[list[Write], dict[int, str]]:
        current: dict[int, str] = {}
        repeated = self.document_name(locked) if self.chance(0.15) else ""
        made = [
            self.write(position, current, locked=locked, name=repeated if self.chance(0.7) else "")
            for position in range(self.pick([1, 1, 1, 2, 3, 4]))
        ]
        return made, current

    # Calls

    def request(self, method: str, **members) -> Any:
        if method in ("Commit", "BatchWrite", "BatchGetDocuments", "BeginTransaction", "Rollback"):
            members.setdefault("database", self.database)
        elif method in ("ListDocuments", "ListCollectionIds", "RunQuery", "CreateDocument"):
            members.setdefault("parent", self.root)
        return message(f"{method}Request")(**members)

    def some_step(self) -> list[Step]:
        choices: list[tuple[float, Callable[[], list[Step]]]] = [
            (34, self.commit),
            (6, self.batch_write),
            (5, self.create),
            (5, self.update),
            (3, self.delete),
            (8, self.get),
            (8, self.batch_get),
            (8, self.list),
            (4, self.list_collections),
            (9, self.query),
            (6, self.begin),
            (14 if self.open_transaction is not None else 0, self.in_transaction),
            (8 if self.open_read_only is not None else 0, self.in_read_only),
            (2 if self.ended else 0, self.use_ended),
        ]
        weights = [weight for weight, _ in choices]
        (_, make), *_ = self.random.choices(choices, weights)
        return make()

    def commit(self) -> list[Step]:
        writes, current = self.writes()
        self.commits += 1
        return [Step("Commit", self.request("Commit", writes=writes), current=current)]

    def batch_write(self) -> list[Step]:
        current: dict[int, str] = {}
        writes = [self.write(position, current) for position in range(self.random.randint(0, 4))]
        return [Step("BatchWrite", self.request("BatchWrite", writes=writes), current=current)]

    def create(self) -> list[Step]:
        # Never without an id: a document whose id its server chose would differ ever after.
        identifier = self.pick(IDS) if self.chance(0.95) else self.pick(["__x__", "a/b", ".."])
        members = {"parent": self.parent(), "collection_id": self.pick(COLLECTIONS), "document_id": identifier}
        document = Document(fields=messages.fields(self.content()))
        mask = DocumentMask(field_paths=self.mask()) if self.chance(0.3) else None
        return [Step("CreateDocument", self.request("CreateDocument", document=document, mask=mask, **members))]

    def update(self) -> list[Step]:
        name = self.document_name()
        request = self.request("UpdateDocument", document=Document(name=name, fields=messages.fields(self.content())))
        if self.chance(0.5):
            request.update_mask.CopyFrom(DocumentMask(field_paths=self.mask()))
        if self.chance(0.3):
            request.mask.CopyFrom(DocumentMask(field_paths=self.mask()))
        current: dict[int, str] = {}
        self.condition(request, name, 0, current)
        return [Step("UpdateDocument", request, current=current)]

    def delete(self) -> list[Step]:
        name = self.document_name()
        request = self.request("DeleteDocument", name=name)
        current: dict[int, str] = {}
        self.condition(request, name, 0, current)
        return [Step("DeleteDocument", request, current=current)]

    def reading(self) -> dict[str, Any]:
        return {"read_commit": self.random.randrange(1000)} if self.commits and self.chance(0.2) else {}

    def get(self, locked: bool = False, **bound) -> list[Step]:
        request = self.request("GetDocument", name=self.document_name(locked))
        if self.chance(0.4):
            request.mask.CopyFrom(DocumentMask(field_paths=self.mask()))
        return [Step("GetDocument", request, **(bound or self.reading()))]

    def batch_get(self, locked: bool = False, **bound) -> list[Step]:
        names = [self.document_name(locked) for _ in range(self.random.randint(0, 4))]
        request = self.request("BatchGetDocuments", documents=names)
        if self.chance(0.3):
            request.mask.CopyFrom(DocumentMask(field_paths=self.mask()))
        return [Step("BatchGetDocuments", request, **(bound or self.reading()))]

    def list(self) -> list[Step]:
        members: dict[str, Any] = {"parent": self.parent(), "collection_id": self.pick(COLLECTIONS)}
        members["page_size"] = self.pick([0, 1, 2, 3, 5, 100]) if self.chance(0.97) else -1
        if self.chance(0.3):
            members["mask"] = DocumentMask(field_paths=self.mask())
        if self.chance(0.4):
            members["show_missing"] = True
        elif self.chance(0.2):
            members["order_by"] = self.pick(["n", "n desc", "m, n desc", "__name__", "n sideways", "m.n"])
        bound = self.reading()
        request = self.request("ListDocuments", **members)
        self.pages += 1
        return [Step("ListDocuments", request, page=self.pages, **bound) for _ in range(self.random.randint(1, 4))]

    def list_collections(self) -> list[Step]:
        request = self.request("ListCollectionIds", parent=self.parent(), page_size=self.pick([0, 1, 2, 2**31 - 1]))
        self.pages += 1
        bound = self.reading()
        return [Step("ListCollectionIds", request, page=self.pages, **bound) for _ in range(self.random.randint(1, 3))]

    def query(self, locked: bool = False, **bound) -> list[Step]:
        members: dict[str, Any] = {}
        if self.chance(0.4):
            members["limit"] = {"value": self.random.randint(0, 4)}
        if self.chance(0.3):
            members["offset"] = self.random.randint(0, 4)
        if self.chance(0.3):
            paths = self.mask()
            members["select"] = {"fields": [{"field_path": path} for path in paths]}
        if self.chance(0.5):
            members["order_by"] = [{"field": {"field_path": "__name__"}, "direction": 1}]
            for cursor in ("start_at", "end_at"):
                if self.chance(0.4):
                    reference = Reference(self.name(self.locked_path() if locked else self.path()))
                    members[cursor] = {"values": [messages.value(reference)], "before": self.chance(0.5)}
        if locked:
            source, parent = self.pick(LOCKED_COLLECTIONS), self.root
            query = collection_query(source, **members)
        else:
            parent = self.parent()
            kind = self.random.random()
            collection = self.pick(COLLECTIONS) if kind < 0.85 else None
            query = collection_query(collection, group=kind > 0.55, **members)
            if kind > 0.55 and collection is not None:
                parent = self.root
        request = self.request("RunQuery", parent=parent, structured_query=query)
        return [Step("RunQuery", request, **(bound or self.reading()))]

    # Transactions

    def begin(self) -> list[Step]:
        read_only = self.chance(0.35)
        slot_taken = self.open_read_only if read_only else self.open_transaction
        if slot_taken is not None:
            return []
        self.transactions += 1
        number = self.transactions
        if read_only:
            self.open_read_only = number
            request = self.request("BeginTransaction", options=messages.READ_ONLY)
            # The first read pins the snapshot, in the emulator the beginning does: nothing may come between.
            step = Step("BeginTransaction", request, begins=number, **self.reading())
            read = self.request("BatchGetDocuments", documents=[self.name(self.path())])
            return [step, Step("BatchGetDocuments", read, transaction=number)]
        self.open_transaction = number
        if self.chance(0.3):
            names = [self.document_name(locked=True) for _ in range(2)]
            options = messages.READ_WRITE
            request = self.request("BatchGetDocuments", documents=names, new_transaction=options)
            return [Step("BatchGetDocuments", request, begins=number)]
        retries = self.pick(self.ended) if self.ended and self.chance(0.3) else None
        request = self.request("BeginTransaction", options=messages.READ_WRITE)
        return [Step("BeginTransaction", request, begins=number, retries=retries)]

    def in_transaction(self) -> list[Step]:
        number = self.open_transaction
        kind = self.random.random()
        if kind < 0.25:
            return self.get(locked=True, transaction=number)
        if kind < 0.5:
            return self.batch_get(locked=True, transaction=number)
        if kind < 0.65:
            return self.query(locked=True, transaction=number)
        self.open_transaction = None
        self.ended.append(number)
        if kind < 0.85:
            writes, current = self.writes(locked=True)
            request = self.request("Commit", writes=writes)
            ending = [Step("Commit", request, transaction=number, current=current)]
        elif kind < 0.9:
            ending = [Step("Commit", self.request("Commit"), transaction=number)]
        else:
            ending = [Step("Rollback", self.request("Rollback"), transaction=number)]
        # As the official clients do: a commit that fails is followed by a rollback, which must be fine.
        if self.chance(0.2):
            ending.append(Step("Rollback", self.request("Rollback"), transaction=number, after_end=True))
        return ending

    def in_read_only(self) -> list[Step]:
        number = self.open_read_only
        kind = self.random.random()
        if kind < 0.3:
            return self.get(transaction=number)
        if kind < 0.6:
            return self.batch_get(transaction=number)
        if kind < 0.8:
            return self.query(transaction=number)
        self.open_read_only = None
        self.ended.append(number)
        if kind < 0.93:
            return [Step("Commit", self.request("Commit"), transaction=number)]
        return [Step("Rollback", self.request("Rollback"), transaction=number)]

    def use_ended(self) -> list[Step]:
        bound: dict[str, Any] = {"transaction": self.pick(self.ended), "after_end": True}
        kind = self.random.random()
        if kind < 0.3:
            return self.batch_get(locked=True, **bound)
        if kind < 0.6:
            writes, current = self.writes(locked=True)
            return [Step("Commit", self.request("Commit", writes=writes), current=current, **bound)]
        return [Step("Rollback", self.request("Rollback"), **bound)]


def sequence(seed: int, project: str, length: int = 60) -> list[Step]:
    return Generator(seed, project, length).steps()
