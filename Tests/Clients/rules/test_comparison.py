"""What the comparison makes of scripted answers: where it must fail, it does."""

from __future__ import annotations

from typing import Any

import pytest

from rules import compare
from rules.compare import Comparison
from rules.proof import rules_of_results
from rules.requests import NOW, text

RULES = "match /t/{id} {\n  allow list: if request.path != /t/x;\n  allow get: if true;\n}"
# A kind of query for which being more generous than the emulator is known.
FILTER = {"field": "s", "op": "EQUAL", "value": {"doubleValue": 1.5}}
QUERY = {"parent": "", "collection": "t", "descendants": False, "filter": FILTER}
DOCUMENTS = {"t/x": {"s": text("a")}, "t/y": {"s": text("a")}}


class ScriptedPeer:
    """Refuses everything, or has nothing to say; a query finds all documents."""

    def __init__(self, allowed: bool | None = False):
        self.allowed = allowed

    def decide(self, scenario: dict[str, Any], project: str) -> dict[str, Any]:
        decision = {"allowed": self.allowed, "message": "evaluation error"}
        return {"errors": [], "decisions": [decision for _ in scenario["requests"]]}

    def results(self, query: dict[str, Any], project: str) -> list[str]:
        return list(DOCUMENTS)


class ScriptedOurs:
    """Allows everything but getting some documents."""

    def __init__(self, refused: set[str]):
        self.refused = refused

    def decide(self, scenario: dict[str, Any]) -> dict[str, Any]:
        allowed = [not self.refused.intersection(request.get("get", [])) for request in scenario["requests"]]
        decisions = [{"allowed": each, "message": ""} for each in allowed]
        return {"errors": [], "decisions": decisions}


@pytest.fixture(autouse=True)
def one_query(monkeypatch: pytest.MonkeyPatch) -> None:
    class OneQuery:
        def __init__(self, seed: int):
            pass

        def scenario(self) -> dict[str, Any]:
            return {"now": NOW, "rules": RULES, "documents": DOCUMENTS, "requests": [{"uid": "alice", "query": QUERY}]}

    monkeypatch.setattr(compare, "Generator", OneQuery)


def test_a_query_that_returns_what_may_not_be_got_is_not_excused():
    [difference] = Comparison(ScriptedOurs({"t/x"}), ScriptedPeer()).run(1)
    assert difference.startswith("returns what the rules refuse: ['t/x']")
    # Nor when the emulator is as generous.
    assert Comparison(ScriptedOurs({"t/x"}), ScriptedPeer(allowed=True)).run(1)


def test_a_query_of_which_all_results_may_be_got_is_excused():
    comparison = Comparison(ScriptedOurs(set()), ScriptedPeer())
    assert comparison.run(1) == []
    assert sum(comparison.explained.values()) == 1


@pytest.mark.parametrize("seeds", [1, 10, 60])
def test_a_comparison_of_nothing_fails(seeds: int):
    comparison = Comparison(ScriptedOurs(set()), ScriptedPeer(allowed=None))
    assert [comparison.run(seed) for seed in range(seeds)] == [[]] * seeds
    assert "0 compared" in comparison.lacking(seeds)[-1]


def test_a_comparison_of_one_kind_only_fails():
    comparison = Comparison(ScriptedOurs(set()), ScriptedPeer())
    for seed in range(60):
        comparison.run(seed)
    assert len(comparison.lacking(60)) == 2 * len(compare.KINDS)
    comparison.counts.update({f"{kind} {word}": 80 for kind in compare.KINDS for word in ("allowed", "denied")})
    assert comparison.lacking(60) == []


def test_results_are_judged_by_what_the_rules_say_of_lists():
    listed = "allow list: if request.query.limit <= 2 && request.method == 'list';"
    rules = f"{listed} allow get: if true; allow read: if false;"
    asked = "({'limit': 1, 'offset': 0, 'orderBy': {'a': 'DESC'}})"
    assert rules_of_results(rules, QUERY | {"limit": 1, "orderBy": [{"field": "a", "descends": True}]}) == (
        f"allow get: if {asked}.limit <= 2 && 'list' == 'list'; allow delete: if true; allow get: if false;"
    )
