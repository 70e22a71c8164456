"""The differences from Google's emulator that stand, each with the section of the reference that decides against it."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable


@dataclasses.dataclass(frozen=True)
class Known:
    name: str
    section: str
    applies: Callable[[str, dict[str, Any], dict[str, Any], dict[str, Any]], bool]


def refused_query(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return ("query" in request or "listing" in request) and theirs["allowed"] and not ours["allowed"]


def unproven(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """The emulator takes what a query does not say for absent; here nothing follows from it."""
    return refused_query(rules, request, ours, theirs) and "not known before the query has run" in ours["message"]


def number_of_either_kind(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """A filter for 2 finds 2.0 as well: the rule must allow both, where the emulator judges what the filter says."""
    return refused_query(rules, request, ours, theirs) and "integerValue" in str(request["query"].get("filter", ""))


def field_given(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Beside an equality the emulator still keeps a range of the same field, and proves less."""
    if "query" not in request or theirs["allowed"] or not ours["allowed"]:
        return False
    filters = request["query"].get("filter", {})
    fields = [part["field"] for part in filters.get("and", []) + filters.get("or", [])]
    return len(set(fields)) < len(fields)


def bound_of_other_kind(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """The emulator does not see that what is at most 1.5 is not 2."""
    return (
        "query" in request and ours["allowed"] and not theirs["allowed"] and "evaluation error" in theirs["message"]
        and "doubleValue" in str(request["query"].get("filter", ""))
    )


def impossible_way(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Nothing is equal to null or NaN by this operator, or less or more than null; the emulator judges what would be."""
    filter = str(request.get("query", {}).get("filter", ""))
    if "query" not in request or ours["allowed"] == theirs["allowed"]:
        return False
    is_compared = any(word in filter for word in ("LESS_THAN", "GREATER_THAN"))
    return ("nullValue" in filter or "NaN" in filter) and (ours["allowed"] or is_compared)


def called_in_vain(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """The emulator's first pass over a request of several documents calls what its answer does not need, and these calls
    are free when they are needed."""
    several = max(len(request.get(kind, [])) for kind in ("get", "writes")) > 1
    return several and theirs["allowed"] and not ours["allowed"] and "Service call error" in ours["message"]


KNOWN = [
    Known("a call is free that another document made in vain", "2.5: ten for each operation", called_in_vain),
    Known("a way that no document meets", "5.3", impossible_way),
    Known("a bound excludes a number of the other kind", "5.4", bound_of_other_kind),
    Known("a field is given and bounded", "5.3: the value itself", field_given),
    Known("a query proves too little", "5.4, closed world", unproven),
    Known("a number is found as integer and as float", "3.1 and 5.4", number_of_either_kind),
]


def explanation(rules: str, request: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> Known | None:
    return next((known for known in KNOWN if known.applies(rules, request, ours, theirs)), None)
