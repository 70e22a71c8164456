"""Documents from a seed, and requests that are judged one by one against these documents.

Values are in the protocol's JSON. Times are whole seconds; NOW is that of every request.
"""

from __future__ import annotations

import random
import time
from typing import Any

NOW = int(time.time())
USERS = [None, "alice", "bob"]
IDS = ["x", "y", "z"]
CLAIMS = {"admin": {"booleanValue": True}, "level": {"integerValue": "3"}, "team": {"stringValue": "red"}}


def text(value: str) -> dict[str, Any]:
    return {"stringValue": value}


def integer(value: int) -> dict[str, Any]:
    return {"integerValue": str(value)}


def array(*values: dict[str, Any]) -> dict[str, Any]:
    return {"arrayValue": {"values": list(values)}}


class RequestGenerator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, choices: list) -> Any:
        return self.random.choice(choices)

    # Documents

    def value(self, field: str) -> dict[str, Any]:
        if self.chance(0.12):
            return self.pick(
                [
                    {"nullValue": None}, {"doubleValue": 1.5}, {"doubleValue": 2.0}, {"booleanValue": False}, text(""),
                    {"doubleValue": "NaN"}, array(), {"mapValue": {"fields": {}}},
                    {"geoPointValue": {"latitude": 1.5, "longitude": 2.5}},
                ]
            )
        if field in ("a", "b"):
            return integer(self.pick([0, 1, 2, 3, 5, -1]))
        if field == "s":
            return text(self.pick(["", "a", "ab", "hello", "a.b", "é😀"]))
        if field == "owner":
            return text(self.pick(["alice", "bob"]))
        if field == "pub":
            return {"booleanValue": self.chance(0.5)}
        if field == "l":
            return array(*(self.pick([integer(1), integer(2), text("a"), text("b")]) for _ in range(self.pick([0, 1,
                3]))))
        if field == "at":
            return {"timestampValue": self.pick([0, 1_600_000_000])}
        return {"mapValue": {"fields": {"k": text(self.pick(["v", "w"])), "j": integer(self.pick([1, 2]))}}}

    FIELDS = ["a", "b", "s", "owner", "pub", "l", "m", "at"]

    def fields(self, fewer: float = 0.25) -> dict[str, Any]:
        return {field: self.value(field) for field in self.FIELDS if not self.chance(fewer)}

    def documents(self) -> dict[str, Any]:
        paths = [f"t/{id}" for id in IDS] + ["u/alice", "u/bob", "t/x/sub/x", "t/y/sub/z"]
        return {path: self.fields() for path in paths if self.chance(0.75)}

    # Requests

    def request(self, documents: dict[str, Any]) -> dict[str, Any]:
        request: dict[str, Any] = {"uid": self.pick(USERS)}
        if request["uid"]:
            request["claims"] = {name: value for name, value in CLAIMS.items() if self.chance(0.5)}
        kind = self.random.random()
        if kind < 0.2:
            request["get"] = [self.path_of_document()]
        elif kind < 0.3:
            request["get"] = sorted({self.path_of_document() for _ in range(self.pick([2, 3, 4]))})
        elif kind < 0.37:
            request["listing"] = self.listing()
        elif kind < 0.6:
            request["query"] = self.query()
            request["counts"] = self.chance(0.15)
        else:
            request["writes"] = self.writes()
        return request

    def path_of_document(self) -> str:
        return self.pick([f"t/{self.pick(IDS)}", f"t/{self.pick(IDS)}", f"u/{self.pick(['alice', 'bob'])}",
            "t/x/sub/x"])

    def writes(self) -> list[dict[str, Any]]:
        paths = [self.path_of_document() for _ in range(self.pick([1, 1, 1, 2, 3, 4]))]
        if self.chance(0.8):
            paths = sorted(set(paths))
        return [self.write(path) for path in paths]

    def write(self, path: str) -> dict[str, Any]:
        write: dict[str, Any] = {"path": path, "kind": self.pick(["set"] * 8 + ["delete", "delete", "verify"])}
        if write["kind"] == "verify" or self.chance(0.12):
            write["exists"] = self.chance(0.6)
        if write["kind"] != "set":
            return write
        write["fields"] = self.fields()
        if self.chance(0.6):
            write["mask"] = self.random.sample(self.FIELDS + ["m.k", "m.new"], self.pick([1, 1, 2, 3]))
            if "m" in write["mask"]:
                write["mask"] = [path for path in write["mask"] if not path.startswith("m.")]
            names = {path.partition(".")[0] for path in write["mask"]}
            write["fields"] = {name: self.value(name) for name in sorted(names) if self.chance(0.8)}
        if self.chance(0.4):
            write["transforms"] = [self.transform() for _ in range(self.pick([1, 1, 2]))]
        return write

    def transform(self) -> dict[str, Any]:
        op = self.pick(["setToServerValue", "setToServerValue", "increment", "increment", "maximum", "minimum",
            "appendMissingElements", "removeAllFromArray"])
        if op == "setToServerValue":
            return {"field": self.pick(["at", "at", "at", "m.new"]), "op": op}
        if op in ("appendMissingElements", "removeAllFromArray"):
            return {"field": "l", "op": op, "values": [self.pick([integer(1), text("a"), text("c")])]}
        return {"field": self.pick(["a", "a", "b", "m.j"]), "op": op,
            "values": [self.pick([integer(1), integer(2), {"doubleValue": 1.5}])]}

    def listing(self) -> dict[str, Any]:
        order = [{"field": self.pick(["a", "s"]), "descends": self.chance(0.3)}] if self.chance(0.3) else []
        return {"collection": self.pick(["t", "t", "u", "t/x/sub"]), "pageSize": self.pick([0, 1, 2, 3, 30]),
            "orderBy": order}

    def query(self) -> dict[str, Any]:
        descendants = self.chance(0.15)
        query: dict[str, Any] = {
            "parent": "t/x" if self.chance(0.1) else "",
            "collection": self.pick(["sub", "t"]) if descendants else self.pick(["t", "t", "t", "u", "sub"]),
            "descendants": descendants,
        }
        filters = self.filters()
        if len(filters) == 1:
            query["filter"] = filters[0]
        elif filters:
            disjoint = any(filter["op"] == "NOT_IN" for filter in filters)
            query["filter"] = {"and" if disjoint else self.pick(["and", "and", "or"]): filters}
        if self.chance(0.4):
            query["limit"] = self.pick([1, 2, 3])
        if self.chance(0.1):
            query["offset"] = 1
        if self.chance(0.2):
            query["orderBy"] = [{"field": "a", "descends": self.chance(0.3)}]
        return query

    def filters(self) -> list[dict[str, Any]]:
        """Filters that a query may have beside each other."""
        filters = [self.filter() for _ in range(self.pick([0, 1, 1, 2, 3]))]
        ops = [filter["op"] for filter in filters]
        arrays = sum(op.startswith("ARRAY") for op in ops)
        negations = sum(op in ("NOT_EQUAL", "NOT_IN", "IS_NOT_NULL") for op in ops)
        mixed = "NOT_IN" in ops and ("IN" in ops or "ARRAY_CONTAINS_ANY" in ops)
        return filters[:1] if arrays > 1 or negations > 1 or mixed else filters

    def filter(self) -> dict[str, Any]:
        field = self.pick(["owner", "owner", "a", "a", "s", "pub", "l", "m.k"])
        value = {"m.k": text("v"), "pub": {"booleanValue": True}}.get(field) or self.value(field)
        if field == "l":
            element = self.pick([text("a"), text("b"), text("c")])
            if self.chance(0.5):
                return {"field": field, "op": "ARRAY_CONTAINS", "value": element}
            return {"field": field, "op": "ARRAY_CONTAINS_ANY", "value": array(element, text("b"))}
        if self.chance(0.15):
            return {"field": field, "op": self.pick(["IN", "NOT_IN"]), "value": array(value, self.value(field))}
        if self.chance(0.05):
            return {"field": field, "op": self.pick(["IS_NULL", "IS_NOT_NULL"])}
        ops = ["EQUAL"] * 4 + ["NOT_EQUAL", "LESS_THAN", "GREATER_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN_OR_EQUAL"]
        return {"field": field, "op": self.pick(ops), "value": value}
