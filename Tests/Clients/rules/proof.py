"""Whether a query that was allowed gave away what its rules refuse: each document it returns, judged by itself."""

from __future__ import annotations

import re
from typing import Any

from rules.decide import Ours, Peer

STATEMENT = re.compile(r"allow ([a-z, ]+):")


def refused_documents(
    ours: Ours, peer: Peer, scenario: dict[str, Any], request: dict[str, Any], project: str
) -> list[str]:
    """What an allowed query returns though the rule, asked for the document, refuses it."""
    query = request["query"] if "query" in request else query_of(request["listing"])
    returned = peer.results(query, project)
    user = {name: value for name, value in request.items() if name in ("uid", "claims")}
    gets = [user | {"get": [path]} for path in returned]
    rules = rules_of_results(scenario["rules"], query)
    verdict = ours.decide(scenario | {"rules": rules, "requests": gets})
    assert not verdict["errors"], f"{verdict['errors']}\n{rules}"
    return [path for path, decision in zip(returned, verdict["decisions"], strict=True) if not decision["allowed"]]


def query_of(listing: dict[str, Any]) -> dict[str, Any]:
    """The query that finds what a listing lists."""
    parent, _, collection = listing["collection"].rpartition("/")
    query = {"parent": parent, "collection": collection, "descendants": False, "limit": listing["pageSize"] or 30}
    return query | ({"orderBy": listing["orderBy"]} if listing["orderBy"] else {})


def rules_of_results(rules: str, query: dict[str, Any]) -> str:
    """The rules with their statements for `list` as the only ones for `get`. What these ask of the request, they are
    told of the query."""

    def statement(found: re.Match[str]) -> str:
        return "allow get:" if {"read", "list"} & set(found.group(1).split(", ")) else "allow delete:"

    order = {part["field"]: "DESC" if part["descends"] else "ASC" for part in query.get("orderBy", [])}
    asked = f"({{'limit': {query.get('limit', 'null')}, 'offset': {query.get('offset', 0)}, 'orderBy': {order}}})"
    return STATEMENT.sub(statement, rules).replace("request.query", asked).replace("request.method", "'list'")
