"""What a server lets users read and write is what its rules say: generated rules, documents and requests to both."""

from __future__ import annotations

import collections
import os
from pathlib import Path

import pytest

from rules.decide import Ours
from rules.generate import Generator
from rules.server import Server
from rules.test_rules_differential import ours  # noqa: F401

SEEDS = 25


@pytest.mark.hosted("rules of our server")
def test_a_server_decides_as_its_rules_alone(ours: Ours, start_server, tmp_path: Path):  # noqa: F811
    if os.environ.get("BRASA_TEST_HOST"):
        pytest.skip("needs a server process of its own")
    rules = tmp_path / "some.rules"
    rules.write_text("service cloud.firestore { match /{p=**} { allow read: if false; } }")
    server = Server(start_server("--emulator", "--rules", str(rules)), rules)
    counts: collections.Counter[tuple[bool, bool]] = collections.Counter()
    for seed in range(SEEDS):
        scenario = Generator(seed).scenario()
        requests = scenario["requests"]
        alone = ours.decide(scenario)
        assert not alone["errors"], alone["errors"]
        for request, here, there in zip(requests, alone["decisions"], server.decide(scenario, f"p{seed}"), strict=True):
            if there is None or here["allowed"] is None:
                continue
            assert there == here["allowed"], f"seed {seed}: {request}\n{here}\n{scenario['rules']}"
            counts["writes" in request, there] += 1
    for writes in (False, True):
        assert counts[writes, True] >= SEEDS // 5 and counts[writes, False] >= SEEDS // 5, counts
