"""Makes a sequence of writes and structured queries from a seed. The values are few, so that they meet.

A server may answer a shape of query by a scan at first and by an index later: queries come again, with writes in
between, and among enough other documents that an index is worth its while.
"""

from __future__ import annotations

from typing import Any

from differential.generate import Generator
from differential.steps import Step
from support import messages
from support.messages import Geo, Reference, StructuredQuery, Timestamp, message
from support.queries import all_of, any_of, compare, cursor, field, order, unary, vector

COLLECTIONS = ["a", "b"]
IDS = [*"123456789", *"ABCD", "12", "10", "__id7__", "__id-7__", "é"]
PARENTS = ["", "", "", "", "a/1", "p/q"]
FIELDS = ["n", "t", "list", "m", "v"]
PATHS = ["n", "t", "list", "m", "m.n", "m.t", "v", "none"]
PADDING = 90

NUMBERS: list[Any] = [0, 1, 2, 3, -1, 1.0, 2.5, 3.0, -0.0, 0.5]
EXTREMES: list[Any] = [
    *(2**53, 2**53 + 1, float(2**53), 2**63 - 1, -(2**63), float(2**63), 1e308),
    *(float("inf"), float("-inf"), float("nan")),
]
TEXTS = ["", "a", "b", "ab", "é", "\uffee", "🎉"]
OTHERS: list[Any] = [
    *(None, None, True, False, b"", b"a", b"\xff"),
    *(Timestamp(seconds=1_000_000_000), Timestamp(seconds=1_000_000_000, nanos=1_000)),
    *(Geo((0.0, 0.0)), Geo((0.0, 1.0)), Geo((-1.0, 5.0))),
]
VECTORS = [vector(1.0), vector(2.0), vector(1.0, 0.0), vector(0.0, 1.0), vector(3.0, -4.0), vector(1.0, 2.0)]

RANGES = ["LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL"]
UNARY = ["IS_NULL", "IS_NAN", "IS_NOT_NULL", "IS_NOT_NAN"]


class QueryGenerator(Generator):
    """One sequence: documents, then queries of them with now and then a write."""

    def __init__(self, seed: int, project: str, length: int = 45):
        super().__init__(seed, project, length)
        self.asked: list[Step] = []
        self.bad_values = 0.0
        # What was written to each field: most filters and cursors should meet a document.
        self.written: dict[str, list[Any]] = {}

    def steps(self) -> list[Step]:
        made = [self.padding(parent) for parent in ("", "a/1") if self.chance(0.7)]
        made += [self.write_some(60) for _ in range(3)]
        while len(made) < self.length:
            kind = self.random.random()
            if kind < 0.2:
                made.append(self.write_some(3))
            elif kind < 0.45 and self.asked:
                made.append(self.pick(self.asked))
            else:
                made.append(self.query_step())
                self.asked.append(made[-1])
        return made + self.random.sample(self.asked, min(10, len(self.asked)))

    # Documents

    def padding(self, parent: str) -> Step:
        prefix = f"{parent}/" if parent else ""
        collection = self.pick(COLLECTIONS)
        content = {"padding": True} | ({"n": 77} if self.chance(0.5) else {})
        names = [self.name(f"{prefix}{collection}/~{number:03}") for number in range(PADDING)]
        self.commits += 1
        return Step("Commit", self.request("Commit", writes=[messages.set_write(name, content) for name in names]))

    def document_path(self) -> str:
        parent = self.pick(PARENTS)
        return f"{parent}/{self.leaf_path()}" if parent else self.leaf_path()

    def leaf_path(self) -> str:
        return f"{self.pick(COLLECTIONS)}/{self.pick(IDS)}"

    def write_some(self, count: int) -> Step:
        paths = sorted({self.document_path() for _ in range(self.random.randint(1, count))})
        writes = []
        for path in paths:
            kind = self.random.random()
            if kind < 0.12:
                writes.append(messages.delete_write(self.name(path)))
            elif kind < 0.3:
                chosen = self.pick(FIELDS)
                content = {chosen: self.written_value(chosen)} if self.chance(0.8) else {}
                writes.append(messages.set_write(self.name(path), content, mask=[chosen]))
            else:
                writes.append(messages.set_write(self.name(path), self.document()))
        self.commits += 1
        return Step("Commit", self.request("Commit", writes=writes))

    def document(self) -> dict[str, Any]:
        return {name: self.written_value(name) for name in FIELDS if self.chance(0.8)}

    def written_value(self, name: str) -> Any:
        value = self.value_for(name)
        self.written.setdefault(name, []).append(value)
        for key, member in value.items() if isinstance(value, dict) else ():
            self.written.setdefault(f"{name}.{key}", []).append(member)
        return value

    def operand(self, path: str) -> Any:
        """A value to compare with, mostly one that some document holds."""
        if path in self.written and self.chance(0.7):
            return self.pick(self.written[path])
        return self.value_for(path)

    def value_for(self, path: str) -> Any:
        """Mostly of the type that the field usually has."""
        if self.chance(0.15):
            return self.any_value()
        match path.rpartition(".")[2]:
            case "n":
                return self.pick(NUMBERS)
            case "t":
                return self.pick(TEXTS)
            case "list":
                return self.small_array()
            case "m":
                return self.small_map()
            case "v":
                return self.pick(VECTORS)
        return self.any_value()

    def scalar(self) -> Any:
        kind = self.random.random()
        if kind < 0.1:
            return Reference(self.name(self.document_path()))
        return self.pick(self.pick([NUMBERS, NUMBERS, EXTREMES, TEXTS, OTHERS]))

    def small_array(self) -> list[Any]:
        members = NUMBERS[:4] + TEXTS[:3] + [None, float("nan"), {"n": 1}]
        return [self.pick(members) for _ in range(self.random.randint(0, 3))]

    def small_map(self) -> dict[str, Any]:
        return {name: self.pick(NUMBERS + TEXTS + [None]) for name in ("n", "t") if self.chance(0.6)}

    def any_value(self) -> Any:
        kind = self.random.random()
        if kind < 0.7:
            return self.scalar()
        if kind < 0.8:
            return self.small_array()
        if kind < 0.92:
            return self.small_map()
        return self.pick(VECTORS)

    # Queries

    def query_step(self) -> Step:
        parent, selector = self.source()
        is_kindless = not selector.collection_id
        query = StructuredQuery(from_=[selector])
        if is_kindless:
            self.add_names_only(query)
        else:
            self.add_clauses(query)
        if not is_kindless and self.chance(0.05):
            return Step("RunQuery", self.nearest(query, parent), **self.reading())
        if self.chance(0.25):
            return self.aggregation(query, parent)
        if self.chance(0.2):
            chosen = self.random.sample(PATHS + ["__name__"], self.random.randint(0, 3))
            query.select.CopyFrom(
                StructuredQuery.Projection(fields=[field(path) for path in self.without_overlap(chosen)])
            )
        request = self.request("RunQuery", parent=parent, structured_query=query)
        return Step("RunQuery", request, **self.reading())

    def reading(self) -> dict[str, Any]:
        return {"read_commit": self.random.randrange(1000)} if self.chance(0.1) else {}

    @staticmethod
    def without_overlap(paths: list[str]) -> list[str]:
        return [path for path in paths if not ("m" in paths and path.startswith("m."))]

    def source(self) -> tuple[str, Any]:
        selector = StructuredQuery.CollectionSelector(collection_id=self.pick(COLLECTIONS))
        kind = self.random.random()
        if kind < 0.3:
            selector.all_descendants = True
            return self.root, selector
        if kind < 0.36:
            selector.collection_id = ""
            selector.all_descendants = self.chance(0.6)
        parent = self.pick(PARENTS)
        return (self.name(parent) if parent else self.root), selector

    def add_names_only(self, query: Any) -> None:
        if self.chance(0.5):
            query.where.CopyFrom(self.name_filter())
        if self.chance(0.3):
            query.order_by.append(order("__name__"))
        self.add_bounds(query)

    def add_clauses(self, query: Any) -> None:
        if self.chance(0.75):
            query.where.CopyFrom(self.filter())
        if self.chance(0.55):
            self.add_orders(query)
        self.add_bounds(query)

    def add_orders(self, query: Any) -> None:
        paths = self.random.sample(PATHS[:-1], self.pick([1, 1, 1, 2, 2, 3]))
        filtered = sorted(inequality_paths(query.where))
        if filtered and self.chance(0.5):
            paths = [*filtered[:2], *(path for path in paths if path not in filtered)][: len(paths)]
        uniform = self.pick([1, 2])
        directions = [uniform if self.chance(0.7) else self.pick([0, 1, 2]) for _ in paths]
        query.order_by.extend(order(path, direction) for path, direction in zip(paths, directions))
        if self.chance(0.2):
            query.order_by.append(order("__name__", self.pick([uniform, 1, 2])))
        for name in ("start_at", "end_at"):
            if self.chance(0.3):
                getattr(query, name).CopyFrom(self.cursor(query.order_by))

    def cursor(self, orders: Any) -> Any:
        count = self.random.randint(1, len(orders))
        values = [
            Reference(self.name(self.document_path())) if each.field.field_path == "__name__" else None
            for each in orders[:count]
        ]
        values = [
            self.operand(each.field.field_path) if value is None else value for each, value in zip(orders, values)
        ]
        return cursor(*values, before=self.chance(0.5))

    def add_bounds(self, query: Any) -> None:
        if self.chance(0.35):
            query.limit.value = self.random.randint(0, 6)
        if self.chance(0.15):
            query.offset = self.random.randint(0, 4)

    def filter(self, depth: int = 0) -> Any:
        if depth < 3 and self.chance(0.5 if depth == 0 else 0.3):
            members = [self.filter(depth + 1) for _ in range(self.pick([1, 2, 2, 2, 3, 3, 4]))]
            return all_of(*members) if self.chance(0.6) else any_of(*members)
        return self.name_filter() if self.chance(0.06) else self.field_filter()

    def field_filter(self) -> Any:
        path = self.pick(PATHS)
        kind = self.random.random()
        if kind < 0.34:
            return compare(path, "EQUAL", self.operand(path))
        if kind < 0.62:
            return compare(path, self.pick(RANGES), self.operand(path))
        if kind < 0.67:
            return compare(path, "NOT_EQUAL", self.operand(path))
        if kind < 0.77:
            return compare(path, "IN", [self.operand(path) for _ in range(self.random.randint(1, 3))])
        if kind < 0.80:
            return compare(path, "NOT_IN", [self.operand(path) for _ in range(self.random.randint(1, 3))])
        if kind < 0.87:
            return compare(self.pick(["list", path]), "ARRAY_CONTAINS", self.pick(NUMBERS[:4] + TEXTS[:3] + [None]))
        if kind < 0.92:
            members = [self.pick(NUMBERS[:4] + TEXTS[:3] + [{"n": 1}, None]) for _ in range(self.random.randint(1, 3))]
            return compare("list", "ARRAY_CONTAINS_ANY", members)
        return unary(path, self.pick(UNARY))

    def name_filter(self) -> Any:
        if self.chance(0.2):
            references = [Reference(self.name(self.document_path())) for _ in range(self.random.randint(1, 3))]
            return compare("__name__", self.pick(["IN", "IN", "NOT_IN"]), references)
        operator = self.pick(RANGES + ["EQUAL", "EQUAL", "NOT_EQUAL"])
        return compare("__name__", operator, Reference(self.name(self.document_path())))

    # Aggregations and vectors

    def aggregation(self, query: Any, parent: str) -> Step:
        asked = message("StructuredAggregationQuery")(structured_query=query)
        aliases = ["x", "é", "", "total" if self.chance(0.9) else "field_1"]
        for alias in self.random.sample(aliases, self.pick([1, 1, 2, 3])):
            asked.aggregations.add(alias=alias).MergeFrom(self.operator())
        request = self.request("RunAggregationQuery", parent=parent, structured_aggregation_query=asked)
        return Step("RunAggregationQuery", request, **self.reading())

    def operator(self) -> Any:
        aggregation = message("StructuredAggregationQuery").Aggregation
        kind = self.random.random()
        if kind < 0.3:
            return aggregation(count={})
        if kind < 0.4:
            return aggregation(count={"up_to": {"value": self.random.randint(0, 5)}})
        chosen = {"field": {"field_path": self.pick(["n", "n", "m.n", "t", "list"])}}
        return aggregation(sum=chosen) if kind < 0.7 else aggregation(avg=chosen)

    def nearest(self, query: Any, parent: str) -> Any:
        for clause in ("limit", "start_at", "end_at"):
            query.ClearField(clause)
        query.offset = 0
        query.find_nearest.vector_field.field_path = "v"
        query.find_nearest.query_vector.CopyFrom(messages.value(self.pick(VECTORS)))
        query.find_nearest.distance_measure = self.pick([1, 2, 3])
        query.find_nearest.limit.value = self.random.randint(1, 6)
        if self.chance(0.3):
            query.find_nearest.distance_threshold.value = self.pick([0.0, 1.0, 2.5])
        if self.chance(0.3):
            query.find_nearest.distance_result_field = self.pick(["d", "n"])
        return self.request("RunQuery", parent=parent, structured_query=query)

    def request(self, method: str, **members) -> Any:
        if method == "RunAggregationQuery":
            members.setdefault("parent", self.root)
        return super().request(method, **members)


def inequality_paths(filter: Any) -> set[str]:
    """The fields that a filter compares by anything but equality."""
    kind = filter.WhichOneof("filter_type")
    if kind == "composite_filter":
        return {path for each in filter.composite_filter.filters for path in inequality_paths(each)}
    if kind == "field_filter" and filter.field_filter.op in (1, 2, 3, 4, 6, 10):
        return {filter.field_filter.field.field_path}
    if kind == "unary_filter" and filter.unary_filter.op in (4, 5):
        return {filter.unary_filter.field.field_path}
    return set()


def query_sequence(seed: int, project: str) -> list[Step]:
    return QueryGenerator(seed, project).steps()
