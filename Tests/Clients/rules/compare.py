"""Compares what the emulator and our evaluator make of scenarios."""

from __future__ import annotations

import collections
import json
from typing import Any

from rules.decide import Ours, Peer
from rules.generate import Generator
from rules.known import explanation


class Comparison:
    def __init__(self, ours: Ours, peer: Peer):
        self.ours = ours
        self.peer = peer
        self.counts: collections.Counter[str] = collections.Counter()
        self.explained: collections.Counter[str] = collections.Counter()

    def run(self, seed: int) -> list[str]:
        """The differences that nothing explains."""
        scenario = Generator(seed).scenario()
        theirs = self.peer.decide(scenario, f"rules-{seed}")
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
            kind = next(name for name in ("get", "query", "writes") if name in request)
            self.counts[f"{kind} {'allowed' if here['allowed'] else 'denied'}"] += 1
            if here["allowed"] == there["allowed"]:
                continue
            known = explanation(scenario["rules"], request, here, there)
            if known is not None:
                self.explained[known.name] += 1
                continue
            differences.append(self._describe(seed, scenario, request, here, there))
        return differences

    def _describe(self, seed: int, scenario: Any, request: Any, here: Any, there: Any) -> str:
        documents = {path: fields for path, fields in scenario["documents"].items()}
        return "\n".join(
            [
                f"seed {seed}: {json.dumps(request)}", f"here: {here}", f"there: {there}", scenario["rules"],
                json.dumps(documents),
            ]
        )
