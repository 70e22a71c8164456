"""Random rules files, documents and requests to our evaluator and to Google's emulator: they must decide alike.

More: `pytest Tests/Clients/rules --seed 5000 --seeds 1000`; one that failed: `--seed 17 --seeds 1`. Every seed is
twelve requests. BRASA_TEST_PEER=HOST:PORT compares with an emulator that runs already.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

from differential.conftest import peer  # noqa: F401
from rules.compare import Comparison
from rules.decide import Ours, Peer
from support.servers import REPOSITORY


@pytest.fixture(scope="module")
def ours() -> Iterator[Ours]:
    """`rules-decide` of the build that BRASA_PROGRAMS names, else of the debug build."""
    folder = Path(os.environ.get("BRASA_PROGRAMS", REPOSITORY / ".build" / "debug"))
    program = folder / "rules-decide"
    if not program.exists():
        pytest.fail(f"no {program}: build it with `swift build`")
    running = Ours(program)
    yield running
    running.stop()


@pytest.mark.timeout(0)
def test_random_rules_decide_alike(ours, peer, request):  # noqa: F811
    first = request.config.getoption("--seed")
    count = request.config.getoption("--seeds")
    print(f"seeds {first} to {first + count - 1}")
    comparison = Comparison(ours, Peer(peer))
    for seed in range(first, first + count):
        differences = comparison.run(seed)
        if differences:
            pytest.fail(differences[0], pytrace=False)
    for name, times in sorted(comparison.counts.items()):
        print(f"{times:6} {name}")
    for name, times in sorted(comparison.explained.items()):
        print(f"{times:6} known: {name}")
    lacking = comparison.lacking(count)
    assert not lacking, f"too little was compared: {lacking}"
