"""Random sequences to the server under test and to Google's emulator: what they answer must agree.

More sequences: `pytest Tests/Clients/differential --seed 5000 --seeds 1000`; one that failed: `--seed 17 --seeds 1`.
BRASA_TEST_PEER=HOST:PORT compares with a server that runs already in place of an emulator of the test's own.
"""

from __future__ import annotations

import pytest

from differential.compare import Pair
from differential.execute import Stalled
from differential.generate import sequence
from differential.known import KNOWN
from differential.queries import query_sequence
from support.wire import Wire


@pytest.mark.timeout(0)
@pytest.mark.parametrize("make", [sequence, query_sequence])
def test_random_sequences_agree(address, peer, request, make):
    first = request.config.getoption("--seed")
    count = request.config.getoption("--seeds")
    print(f"seeds {first} to {first + count - 1}")
    ours, theirs = Wire(address), Wire(peer)
    pair = Pair(ours, theirs, make)
    stalls = 0
    for seed in range(first, first + count):
        try:
            difference = pair.run(seed)
        except Stalled as stalled:
            # Only the emulator is known to do that; ours must never.
            assert str(stalled).startswith(f"{peer} "), stalled
            stalls += 1
            continue
        if difference is not None:
            pytest.fail(pair.shrink(difference).describe(), pytrace=False)
    for (method, status), times in sorted(pair.calls.items()):
        print(f"{times:6} {method} {status}")
    for known in KNOWN:
        print(f"{pair.explained[known.name]:6} known: {known.name} ({known.section})")
    assert stalls <= count // 4, f"the emulator stalled in {stalls} of {count} sequences"
    ours.close()
    theirs.close()
