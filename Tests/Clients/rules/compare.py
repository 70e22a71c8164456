"""Compares what the emulator and our evaluator make of scenarios."""

from __future__ import annotations

import collections
import json
from typing import Any

from rules.decide import Ours, Peer
from rules.generate import Generator
from rules.known import explanation
from rules.proof import refused_documents

# By kind, how many seeds may pass without a comparison of either decision.
KINDS = {"get": 10, "query": 10, "writes": 10, "listing": 60, "several get": 60, "several writes": 60}


def kind_of(request: dict[str, Any]) -> str:
    kind = next(name for name in KINDS if name in request)
    return f"several {kind}" if kind in ("get", "writes") and len(request[kind]) > 1 else kind


class Comparison:
    def __init__(self, ours: Ours, peer: Peer):
        self.ours = ours
        self.peer = peer
        self.counts: collections.Counter[str] = collections.Counter()
        self.explained: collections.Counter[str] = collections.Counter()

    def run(self, seed: int) -> list[str]:
        """The differences that nothing explains."""
        scenario = Generator(seed).scenario()
        project = f"rules-{seed}"
        theirs = self.peer.decide(scenario, project)
        pairs = list(zip(scenario["requests"], theirs["decisions"]))
        # What is refused for other reasons than rules says nothing about them.
        asked = [pair for pair in pairs if pair[1]["allowed"] is not None]
        self.counts["not comparable"] += len(pairs) - len(asked)
        ours = self.ours.decide(scenario | {"requests": [request for request, _ in asked]})
        if bool(ours["errors"]) != bool(theirs["errors"]):
            return [f"seed {seed}: compiled here: {ours['errors']}, there: {theirs['errors']}\n{scenario['rules']}"]
        differences = []
        for (request, there), here in zip(asked, ours["decisions"]):
            if here["allowed"] is None:
                self.counts["not comparable"] += 1
                continue
            kind = kind_of(request)
            self.counts[f"{kind} {'allowed' if here['allowed'] else 'denied'}"] += 1
            # Nothing excuses a query or a listing that gives away what its rules refuse, whatever the emulator makes of it.
            if ("query" in request or "listing" in request) and here["allowed"]:
                refused = refused_documents(self.ours, self.peer, scenario, request, project)
                self.counts["query allowed, results judged"] += 1
                if refused:
                    difference = self._describe(seed, scenario, request, here, there)
                    differences.append(f"returns what the rules refuse: {refused}\n{difference}")
                    continue
            if here["allowed"] == there["allowed"]:
                continue
            known = explanation(scenario["rules"], request, here, there)
            if known is not None:
                self.explained[known.name] += 1
                continue
            differences.append(self._describe(seed, scenario, request, here, there))
        return differences

    def lacking(self, seeds: int) -> list[str]:
        """What there was too little of for a verdict. Of the twelve requests of a seed half must be comparable, and both
        decisions must occur for each kind; below ten seeds some of them need not."""
        compared = {f"{kind} {word}": seeds // rare for kind, rare in KINDS.items() for word in ("allowed", "denied")}
        lacking = [f"{self.counts[name]} {name}, at least {least}" for name, least in compared.items()
            if self.counts[name] < least]
        total, least = sum(self.counts[name] for name in compared), seeds * 6 if seeds >= 10 else 1
        return lacking + ([f"{total} compared, at least {least}"] if total < least else [])

    def _describe(self, seed: int, scenario: Any, request: Any, here: Any, there: Any) -> str:
        documents = {path: fields for path, fields in scenario["documents"].items()}
        return "\n".join(
            [
                f"seed {seed}: {json.dumps(request)}", f"here: {here}", f"there: {there}", scenario["rules"],
                json.dumps(documents),
            ]
        )
