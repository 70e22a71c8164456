"""Differences from Google's emulator in queries, aggregations and vector searches."""

from __future__ import annotations

import math
import operator
import struct
from typing import Any, Iterator

from differential.execute import Answer
from differential.queries import inequality_paths
from differential.steps import Step

TOO_MANY_ORDERS = "order by clause cannot contain more fields after the key"
EQUALITY_ON_NAME = (
    "Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities."
)
AND = 1
NOT_EQUAL, ARRAY_CONTAINS, IN, ARRAY_CONTAINS_ANY, NOT_IN = 6, 7, 8, 9, 10


def documents_alone(answer: Answer) -> list[Any]:
    """The messages of a query that bring a document, without what counts skipped results or marks the last."""
    return [
        {key: content for key, content in message.items() if key not in ("done", "skipped_results")}
        for message in answer.messages
        if "document" in message
    ]


def same_documents(step: Step, ours: Answer, theirs: Answer) -> bool:
    if step.method != "RunQuery" or (ours.status, theirs.status) != ("OK", "OK"):
        return False
    return documents_alone(ours) == documents_alone(theirs)


def structured_query(step: Step) -> Any:
    """What a step asks, if it asks a query."""
    if step.method == "RunQuery":
        return step.request.structured_query
    if step.method == "RunAggregationQuery":
        return step.request.structured_aggregation_query.structured_query
    return None


def field_filters(filter: Any) -> Iterator[Any]:
    kind = filter.WhichOneof("filter_type")
    if kind == "composite_filter":
        for member in filter.composite_filter.filters:
            yield from field_filters(member)
    elif kind == "field_filter":
        yield filter.field_filter


def is_void(value: Any) -> bool:
    """Null and NaN: nothing is equal to them, less or greater."""
    return value.WhichOneof("value_type") == "null_value" or math.isnan(value.double_value)


def matches_nothing(filter: Any) -> bool:
    """Whether the operand of a field's filter lets no value match."""
    members = filter.value.array_value.values
    if filter.op == NOT_EQUAL:
        return filter.value.WhichOneof("value_type") == "null_value"
    if filter.op == NOT_IN:
        return any(member.WhichOneof("value_type") == "null_value" for member in members)
    if filter.op in (IN, ARRAY_CONTAINS_ANY):
        return all(map(is_void, members))
    return is_void(filter.value)


def compared_fields(filter: Any) -> set[str] | None:
    """The fields of the inequalities in branches that something can match; None if nothing can match at all."""
    kind = filter.WhichOneof("filter_type")
    if kind == "field_filter":
        return None if matches_nothing(filter.field_filter) else inequality_paths(filter)
    if kind != "composite_filter":
        return inequality_paths(filter)
    parts = [compared_fields(each) for each in filter.composite_filter.filters]
    if filter.composite_filter.op == AND and None in parts or parts and not any(part is not None for part in parts):
        return None
    return set().union(*(part for part in parts if part is not None))


def dead_branch(step: Step, ours: Answer, theirs: Answer) -> bool:
    """The emulator leaves out a branch that nothing can match before it looks which fields must exist."""
    query = structured_query(step)
    is_comparable = ours.status == "OK" or ours.text in (TOO_MANY_ORDERS, EQUALITY_ON_NAME)
    if query is None or theirs.status != "OK" or not is_comparable:
        return False
    live = compared_fields(query.where) or set()
    ordered = {each.field.field_path for each in query.order_by}
    return bool(inequality_paths(query.where) - live - ordered)


def disjunctions_that_repeat(step: Step, ours: Answer, theirs: Answer) -> bool:
    """The emulator counts disjunctions without those that are there already and those that nothing can match."""
    is_refused = ours.status == "INVALID_ARGUMENT" and ours.text.startswith("Too many disjunctions")
    if not is_refused or theirs.status != "OK":
        return False
    return any(map(has_idle_member, field_filters(structured_query(step).where)))


def has_idle_member(filter: Any) -> bool:
    members = filter.value.array_value.values
    is_repeated = any(each in members[:index] for index, each in enumerate(members))
    return filter.op in (IN, ARRAY_CONTAINS_ANY) and (is_repeated or any(map(is_void, members)))


def repeated_array_filter(step: Step, ours: Answer, theirs: Answer) -> bool:
    """The emulator takes a filter of an array that is there twice for one."""
    is_refused = ours.text.startswith("A maximum of 1 'ARRAY_CONTAINS' filter")
    if not is_refused or (ours.status, theirs.status) != ("INVALID_ARGUMENT", "OK"):
        return False
    filters = field_filters(structured_query(step).where)
    of_arrays = [each for each in filters if each.op in (ARRAY_CONTAINS, ARRAY_CONTAINS_ANY)]
    return any(each in of_arrays[:index] for index, each in enumerate(of_arrays))


def not_in_nan(step: Step, ours: Answer, theirs: Answer) -> bool:
    query = structured_query(step)
    if query is None or (ours.status, theirs.status) != ("OK", "OK"):
        return False
    return any(
        each.op == NOT_IN and any(math.isnan(member.double_value) for member in each.value.array_value.values)
        for each in field_filters(query.where)
    )


def last_digits(step: Step, ours: Answer, theirs: Answer) -> bool:
    """Sums of doubles depend on the order of the summands."""
    if step.method != "RunAggregationQuery" or (ours.status, theirs.status) != ("OK", "OK"):
        return False
    results = [answer.messages[0]["result"]["aggregate_fields"] for answer in (ours, theirs)]
    return results[0].keys() == results[1].keys() and all(
        nearly(content, results[1][alias]) for alias, content in results[0].items()
    )


def nearly(ours: Any, theirs: Any) -> bool:
    if ours == theirs:
        return True
    if (ours[0], theirs[0]) == ("integer_value", "double_value"):
        # The emulator adds up doubles once a part of the sum is out of range.
        return float(ours[1]) == struct.unpack(">d", bytes.fromhex(theirs[1]))[0]
    if not ours[0] == theirs[0] == "double_value" or "nan" in (ours[1], theirs[1]):
        return False
    return math.isclose(*(struct.unpack(">d", bytes.fromhex(each[1]))[0] for each in (ours, theirs)), rel_tol=1e-12)


def too_many_filters(step: Step, ours: Answer, theirs: Answer) -> bool:
    is_refused = ours.text.startswith("The query may not have more than 100 filters")
    return is_refused and (ours.status, theirs.status) == ("INVALID_ARGUMENT", "OK")


def ties_between_neighbours(step: Step, ours: Answer, theirs: Answer) -> bool:
    """Documents at one distance come in another order, and so the last of them may be others."""
    query = structured_query(step)
    if query is None or not query.HasField("find_nearest") or (ours.status, theirs.status) != ("OK", "OK"):
        return False
    found = [[distance(query.find_nearest, each["document"]) for each in documents_alone(it)] for it in (ours, theirs)]
    return len(found[0]) == len(found[1]) and all(math.isclose(*pair, abs_tol=1e-12) for pair in zip(*found))


def distance(asked: Any, document: Any) -> float:
    left = [each.double_value for each in asked.query_vector.map_value.fields["value"].array_value.values]
    _, content = document["fields"][asked.vector_field.field_path]
    right = [struct.unpack(">d", bytes.fromhex(number))[0] for _, number in content["value"][1]]
    dot = sum(map(operator.mul, left, right))
    match asked.distance_measure:
        case 1:
            return math.dist(left, right)
        case 2:
            return 1 - dot / (math.hypot(*left) * math.hypot(*right))
    return dot
