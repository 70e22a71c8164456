"""Scenarios from a seed: a rules file, documents, and requests that are judged one by one against these documents.

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


class Generator:
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

    # Conditions

    def data(self) -> str:
        return self.pick(self.roots)

    def number(self, depth: int) -> str:
        simple = ["0", "1", "2", "3", "-1", "1.5", "2.0", f"{self.data()}.a", f"{self.data()}.a", f"{self.data()}.b"]
        if depth == 0 or self.chance(0.5):
            return self.pick(simple)
        inner = self.number(depth - 1)
        return self.pick(
            [
                f"({inner} {self.pick(['+', '-', '*', '%'])} {self.number(depth - 1)})",
                f"({inner} / {self.pick([0, 2, 3])})",
                f"{self.data()}.s.size()", f"{self.data()}.l.size()", f"{self.data()}.m.j", f"math.abs({inner})",
                f"{self.data()}.size()", f"{self.data()}.keys().size()", f"int({inner})", f"{self.data()}.get('a', 7)",
                f"({self.condition(0)} ? {inner} : 2)", f"-({inner})", f"math.round({inner})", f"{self.data()}.l[0]",
                "request.auth.token.level", "[1, 2, 3][1]", f"{self.data()}.at.toMillis()", f"{self.data()}.at.year()",
                f"request.time.year() - {self.data()}.at.year()", f"math.floor({inner})", f"math.ceil({inner})",
                f"math.sqrt({inner})", f"math.pow({inner}, 2)", f"float({inner})",
                f"int('{self.pick(['1', '-2', '+3', 'x', '1.0'])}')",
                f"float('{self.pick(['1', '.5', '1e3', 'NaN', 'inf', 'x'])}')", f"{self.string(0)}.toUtf8().size()",
                f"hashing.crc32({self.string(0)}).size()",
                f"{self.data()}.at.{self.pick(['month', 'day', 'hours', 'dayOfWeek', 'dayOfYear', 'nanos'])}()",
                f"latlng.value({inner}, 2).latitude()", "latlng.value(0, 0).distance(latlng.value(0, 1))",
                f"timestamp.date(2024, {self.pick([1, 2, 13])}, {self.pick([1, 29, 31])}).dayOfYear()",
                f"duration.time({self.pick([1, 30])}, 2, 3, 4).seconds()",
                f"timestamp.value({self.pick([0, 1500, -1])}).seconds()",
                f"{self.collection(0)}.size()", f"{self.set(depth - 1)}.size()",
                f"duration.value({inner}, 's').seconds()",
            ]
        )

    def string(self, depth: int) -> str:
        simple = [
            "'a'", "'ab'", "''", "'alice'", "request.auth.uid", "request.auth.uid", f"{self.data()}.owner", "id",
            f"{self.data()}.s",
        ]
        if depth == 0 or self.chance(0.6):
            return self.pick(simple)
        inner = self.string(depth - 1)
        return self.pick(
            [
                f"({inner} + {self.string(depth - 1)})", f"{inner}.lower()", f"{inner}.upper()", f"{inner}.trim()",
                f"{self.data()}.get(['m', 'k'], 'q')", f"{self.data()}.m.k", f"{inner}.split('[.]')[0]",
                f"{inner}.replace('a', 'b')", f"string({self.number(depth - 1)})", f"{inner}[0:1]", "database",
                "request.method", f"{self.data()}.keys().join(',')", f"string({self.path(depth - 1)})",
                f"{self.document(depth - 1)}.data.owner", f"{inner}.toUtf8().toBase64()", "request.auth.token.team",
                f"hashing.{self.pick(['md5', 'sha256', 'crc32', 'crc32c'])}({inner}).toHexString()",
                f"{inner}.toUtf8().toHexString()",
                f"{self.collection(0)}.join({self.string(0)})",
                f"{inner}.replace('{self.pick(['(.)', '[aeiou]', 'l+', '^'])}', '{self.pick(['$1$1', '-', ''])}')",
                f"{inner}.split('{self.pick(['', ',', '[.]', 'l', '(b)'])}').join('|')",
                f"{inner}[{self.pick(['0', '1', '0:2', '1:', ':1', '2:1'])}]",
                f"string({self.pick(['1.0', '10000000.0', '0.0001', 'true', 'null', '-0.0', '[1]', '1.5'])})",
                f"({self.path(0)})[{self.pick([0, 3, 4, 9])}]", "path('a/{x}').bind({'x': 'q'})[1]",
            ]
        )

    def collection(self, depth: int) -> str:
        simple = [
            f"{self.data()}.l", "['a', 'b']", "[1, 2]", "[]", f"{self.data()}.keys()", "['alice', 'bob']",
            "['a', 's', 'owner']", f"{self.data()}.m.values()",
        ]
        if depth == 0 or self.chance(0.6):
            return self.pick(simple)
        inner = self.collection(depth - 1)
        return self.pick(
            [
                f"{inner}.concat({self.collection(depth - 1)})", f"{inner}.removeAll({self.collection(depth - 1)})",
                f"{inner}[0:1]", f"{self.string(depth - 1)}.split('')", f"[{self.anything(depth - 1)}]",
            ]
        )

    def set(self, depth: int) -> str:
        inner = f"{self.collection(max(depth - 1, 0))}.toSet()"
        if depth == 0 or self.chance(0.4):
            return inner
        method = self.pick(["union", "difference", "intersection"])
        kind = self.pick(["affectedKeys", "addedKeys", "removedKeys", "changedKeys", "unchangedKeys"])
        return self.pick([f"{inner}.{method}({self.set(depth - 1)})", f"{self.data()}.diff({self.data()}).{kind}()"])

    def path(self, depth: int) -> str:
        documents = "/databases/$(database)/documents"
        return self.pick(
            [
                f"{documents}/t/x", f"{documents}/u/$({self.string(0)})", f"{documents}/t/$(id)", "request.path",
                "/a/b",
                "resource.__name__", f"{documents}/none/x",
            ]
        )

    def document(self, depth: int) -> str:
        # A missing document is an error there and null here; either way it has no data.
        return f"{self.pick(self.accesses)}({self.path(depth)})"

    def anything(self, depth: int) -> str:
        return self.pick(
            [
                self.number, self.string, self.collection, self.set, self.path, self.condition,
                lambda _: "null", lambda _: self.data(), lambda _: f"{self.data()}.m", lambda _: "request.time",
                lambda _: f"{self.data()}.at", lambda _: f"{self.data()}.none", lambda _: "request.auth",
                lambda _: f"{self.data()}.n",
            ]
        )(depth)

    def condition(self, depth: int) -> str:
        if depth == 0:
            return self.pick(
                [
                    "true", "false", "request.auth != null", f"request.auth.uid == {self.data()}.owner",
                    f"{self.data()}.pub", f"{self.data()}.a > 1", f"{self.data()}.s == 'a'", "isSignedIn()",
                    f"'a' in {self.data()}", "owns()", "request.auth.token.admin == true", f"{self.data()}.pub == true",
                ]
            )
        less = depth - 1
        return self.pick(
            [
                lambda: f"({self.condition(less)} && {self.condition(less)})",
                lambda: f"({self.condition(less)} || {self.condition(less)})",
                lambda: f"({self.condition(less)} && {self.condition(less)})",
                lambda: f"({self.condition(less)} || {self.condition(less)})",
                lambda: f"!({self.condition(less)})",
                lambda: f"({self.condition(less)} ? {self.condition(less)} : {self.condition(less)})",
                lambda: f"({self.number(less)} {self.pick(['==', '!=', '<', '<=', '>', '>='])} {self.number(less)})",
                lambda: f"({self.string(less)} {self.pick(['==', '!=', '<', '>'])} {self.string(less)})",
                lambda: f"({self.anything(less)} {self.pick(['==', '!=', '<', 'in'])} {self.anything(less)})",
                lambda: f"({self.anything(less)} in {self.collection(less)})",
                lambda: f"({self.string(less)} in {self.data()})",
                lambda: f"({self.anything(less)} is {self.pick(['int', 'float', 'number', 'string', 'list', 'map', 'path', 'bool', 'timestamp'])})",
                lambda: f"{self.collection(less)}.{self.pick(['hasAll', 'hasAny', 'hasOnly'])}({self.collection(less)})",
                lambda: f"{self.set(less)}.{self.pick(['hasAll', 'hasAny', 'hasOnly'])}({self.collection(less)})",
                lambda: f"{self.string(less)}.matches('{self.pick(['a.*', '[a-z]+', '.', '(a|b)*', ''])}')",
                lambda: f"exists({self.path(less)})",
                lambda: f"({self.document(less)}.data.{self.pick(self.FIELDS)} == {self.anything(less)})",
                lambda: f"equals({self.anything(less)}, {self.anything(less)})",
                lambda: f"({self.string(less)} == {self.pick(['0CC175B9C0F1B6A831C399E269772661', 'a', 'YQ==', 'h', 'hel', 'aa'])!r})",
                lambda: f"({self.number(less)} == {self.pick([0, 1, 2, 3, 4, 5, 2024, 1.5, 60])})",
                lambda: f"({self.number(less)} {self.pick(['>', '<='])} {self.pick([0, 1, 5, 111195])})",
                lambda: f"({self.data()}.at < request.time)",
                lambda: f"({self.data()}.a == {self.data()}.b)",
                lambda: self.condition(0),
            ]
        )()

    # Rules files

    def rules(self) -> str:
        self.roots, self.accesses = ["resource.data"], ["get"]
        functions = (
            "function isSignedIn() { return request.auth != null; }"
            " function owns() { let uid = request.auth.uid; return resource.data.owner == uid; }"
            " function equals(a, b) { let unused = a + b; return a == b; }"
        )
        blocks = [self.block("/t/{id}"), self.block("/u/{id}")]
        if self.chance(0.5):
            blocks.append(self.block(self.pick(["/t/{other}/sub/{id}", "/{p=**}/sub/{id}", "/t/{id}/{p=**}",
                "/{p=**}"])))
        if self.chance(0.3):
            blocks.append(self.block(self.pick(["/t/x", "/{c}/{id}", "/t/{id}/sub/z"])))
        return (
            "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents {\n"
            + functions + "\n" + "\n".join(blocks) + "\n} }"
        )

    def block(self, pattern: str) -> str:
        statements = []
        for _ in range(self.pick([1, 2, 3])):
            method = self.pick(["read", "get", "list", "list", "write", "create", "update", "delete", "get, update"])
            writes = method in ("write", "create", "update", "delete")
            self.roots = ["resource.data"] + (["request.resource.data"] * 2 if writes else [])
            self.accesses = ["get", "getAfter"] if writes else ["get"]
            if method == "list" and self.chance(0.6):
                condition = self.provable()
            else:
                condition = self.condition(self.pick([0, 1, 2, 2, 3]))
            statements.append(f"  allow {method}: if {condition};")
        return f"match {pattern} {{\n" + "\n".join(statements) + "\n}"

    def provable(self) -> str:
        """A condition of a kind that queries are written for."""
        data = "resource.data"
        parts = [
            f"{data}.owner == request.auth.uid", f"{data}.a > 1", f"{data}.a >= 1 && {data}.a < 5", f"{data}.a != 2",
            f"{data}.pub == true", f"'a' in {data}.l", f"{data}.l.hasAny(['a', 'b'])", f"{data}.s == 'a'",
            f"{data}.m.k == 'v'", f"{data}.a != null", f"1 < {data}.a", f"{data}.s.size() == 1", f"{data}.a == 1",
            f"{data}.s > 'a'", "request.query.limit <= 2", "request.query.offset == 0", f"{data}.owner in ['alice']",
            "request.query.orderBy.a == 'ASC'", f"exists(/databases/$(database)/documents/u/$({data}.owner))",
            "id == 'x'",
            f"{data}.m.k in ['v']", f"'owner' in {data}", f"{data}.get('owner', '') == 'alice'", f"!({data}.a == 1)",
            f"get(/databases/$(database)/documents/u/$(request.auth.uid)).data.pub == true", "resource != null",
            f"{data}.a == 1 ? {data}.pub : {data}.owner == 'alice'", f"{data}.at < request.time",
            f"{data}.owner is string",
        ]
        return self.pick([" && ", " || ", " && "]).join(f"({self.pick(parts)})" for _ in range(self.pick([1, 1, 2, 3])))

    # Requests

    def scenario(self) -> dict[str, Any]:
        documents = self.documents()
        rules = self.rules()
        requests = [self.request(documents) for _ in range(12)]
        return {"now": NOW, "rules": rules, "documents": documents, "requests": requests}

    def request(self, documents: dict[str, Any]) -> dict[str, Any]:
        request: dict[str, Any] = {"uid": self.pick(USERS)}
        if request["uid"]:
            request["claims"] = {name: value for name, value in CLAIMS.items() if self.chance(0.5)}
        kind = self.random.random()
        if kind < 0.3:
            request["get"] = self.path_of_document()
        elif kind < 0.6:
            request["query"] = self.query()
        else:
            paths = {self.path_of_document() for _ in range(self.pick([1, 1, 1, 2, 3]))}
            request["writes"] = [self.write(path, documents) for path in sorted(paths)]
        return request

    def path_of_document(self) -> str:
        return self.pick([f"t/{self.pick(IDS)}", f"t/{self.pick(IDS)}", f"u/{self.pick(['alice', 'bob'])}",
            "t/x/sub/x"])

    def write(self, path: str, documents: dict[str, Any]) -> dict[str, Any]:
        """`fields` is what the write leaves, `mask` what is sent of it: nil for all, and nothing for a transform."""
        before = documents.get(path)
        if self.chance(0.2):
            return {"path": path, "method": "delete", "fields": None}
        write: dict[str, Any] = {"path": path, "method": "create" if before is None else "update"}
        fields = self.fields()
        if self.chance(0.5):
            mask = self.random.sample(self.FIELDS, self.pick([1, 2]))
            merged = {name: value for name, value in (before or {}).items() if name not in mask}
            fields = merged | {name: self.value(name) for name in mask if self.chance(0.8)}
            write["mask"] = mask
        if self.chance(0.2):
            write["stamped"] = "at"
            fields["at"] = {"timestampValue": NOW}
        return write | {"fields": fields}

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
