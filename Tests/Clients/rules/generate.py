"""Scenarios from a seed: a rules file, documents, and requests."""

from __future__ import annotations

from typing import Any

from rules.requests import NOW, RequestGenerator


class Generator(RequestGenerator):
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
                lambda: f"{self.pick(['exists', 'exists', 'existsAfter'])}({self.path(less)})",
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
            " function none(name) { return !exists(/databases/$(database)/documents/none/$(name)); }"
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
            elif writes and self.chance(0.5):
                condition = f"({self.atomic()})"
                if self.chance(0.4):
                    condition += f" {self.pick(['&&', '||'])} ({self.pick([self.atomic, lambda: self.condition(1)])()})"
            elif method in ("get", "get, update") and self.chance(0.15):
                condition = f"{self.calls()} {self.pick(['&&', '||'])} {self.condition(0)}"
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
            "request.query.orderBy.a == 'ASC'", "request.query.limit == 30", "request.query.orderBy == {}",
            "request.query.limit < 30 || request.auth.uid == 'alice'", f"exists(/databases/$(database)/documents/u/$({data}.owner))",
            "id == 'x'",
            f"{data}.m.k in ['v']", f"'owner' in {data}", f"{data}.get('owner', '') == 'alice'", f"!({data}.a == 1)",
            f"get(/databases/$(database)/documents/u/$(request.auth.uid)).data.pub == true", "resource != null",
            f"{data}.a == 1 ? {data}.pub : {data}.owner == 'alice'", f"{data}.at < request.time",
            f"{data}.owner is string",
        ]
        return self.pick([" && ", " || ", " && "]).join(f"({self.pick(parts)})" for _ in range(self.pick([1, 1, 2, 3])))

    def atomic(self) -> str:
        """A condition on what a commit does as a whole, or on how it changes its document."""
        documents, new = "/databases/$(database)/documents", "request.resource.data"
        user = f"{documents}/u/{self.pick(['alice', 'bob', '$(request.auth.uid)'])}"
        other = f"{documents}/{self.pick(['t/x', 't/y', 'u/alice', 'none/x'])}"
        fields = self.pick(["['a']", "['a', 'at']", "['a', 'b', 's', 'l', 'at']"])
        return self.pick(
            [
                f"getAfter({user}).data.a == get({user}).data.a + {self.pick(['1', '2', '(-1)'])}",
                f"getAfter({user}).data.at == request.time", f"getAfter({user}).data.owner == {new}.owner",
                f"existsAfter({other}) {self.pick(['&&', '||', '=='])} exists({other})",
                f"!existsAfter({other})", f"existsAfter({other}) && !exists({other})", f"!exists({other})",
                f"getAfter({other}).data != get({other}).data", f"getAfter({other}).id == 'x'",
                f"{new}.diff(resource.data).affectedKeys().hasOnly({fields})",
                f"{new}.diff(resource.data).{self.pick(['addedKeys', 'removedKeys', 'changedKeys'])}().size() <= 1",
                f"{new}.at == request.time", f"{new}.a == resource.data.a + {self.pick([1, 2])}",
                f"{new}.a > resource.data.a", f"{new}.l.size() > resource.data.l.size()", f"{new}.b is int",
                f"{new}.m.j > 1", f"{new}.m.keys().hasOnly(['k', 'j'])", f"{new}.keys().hasAll(['a', 's'])",
                "request.resource == null", "resource == null", "request.resource != null", f"{new}.size() < 8",
                f"resource == null || {new}.owner == resource.data.owner",
                "request.method == 'update' ? request.resource.id == resource.id : true",
                " && ".join(f"none({each})" for each in self.pick([["id"], ["id", "'a'"]]) for _ in range(2)),
                self.calls(),
            ]
        )

    def calls(self) -> str:
        """A condition that asks for so many documents that some requests may not ask for all of them."""
        count = self.pick([5, 6, 7, 10, 11])
        argument = self.pick(["'{}'", "id + '{}'", "id + '{}'"])
        return " && ".join(f"none({argument.format(chr(97 + index))})" for index in range(count))

    def scenario(self) -> dict[str, Any]:
        documents = self.documents()
        rules = self.rules()
        requests = [self.request(documents) for _ in range(12)]
        return {"now": NOW, "rules": rules, "documents": documents, "requests": requests}
