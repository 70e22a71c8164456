"""The same lives of Listen streams on the server under test and on Google's emulator: what listeners know must agree.

The emulator tells every change as a new beginning (RESET and all documents), ours tells differences; both are in the
reference. So states are compared, and of ours also that what is told is the difference and nothing else. The emulator is
given the time to tell of every commit; ours is not, and may leave out states.

Lives take the options of the differential test: `--seed 17 --seeds 1`.
"""

from __future__ import annotations

import collections
import dataclasses
import uuid

import pytest

from differential.listening import BEGINNING, Plan, Planner
from differential.recording import Known, Recorder
from support.listening import StreamEnded
from support.wire import Wire


# The emulator now and then tells a commit in two snapshots (against reference 8.4), and so shows a state that never was.
# A difference counts when it is found against several of the emulator's lives.
REFERENCES = 4


class Lives:
    """A plan lived on both servers."""

    def __init__(self, plan: Plan, ours: Wire, theirs: Wire):
        self.plan = plan
        self.theirs = theirs
        self.broken = 0
        self.references = [self.reference()]
        self.ours = Recorder(ours, self.project(), plan, is_patient=False, may_reset=False).run()
        self.compared = 0

    @staticmethod
    def project() -> str:
        return f"listening-{uuid.uuid4().hex[:12]}"

    def reference(self) -> Recorder:
        """The emulator's life. Sometimes it fails: it has sent a damaged message, or nothing at all."""
        while True:
            try:
                return Recorder(self.theirs, self.project(), self.plan, is_patient=True, may_reset=True).run()
            except (AssertionError, StreamEnded):
                self.broken += 1
                if self.broken >= REFERENCES:
                    raise

    def differences(self) -> list[str]:
        found = self._differences()
        while found and len(self.references) < REFERENCES:
            self.references.append(self.reference())
            found = self._differences()
        return found

    def _differences(self) -> list[str]:
        found = []
        if any(self.ours.statuses != reference.statuses for reference in self.references):
            found.append(f"commits: {self.ours.statuses}, there {self.references[0].statuses}")
        if self.ours.resets:
            found.append(f"{self.ours.resets} resets, of targets whose history is there")
        return found + self._of_snapshots() + self._of_first_states()

    def _of_snapshots(self) -> list[str]:
        """Snapshots that differ, whether by their state or by how it was told."""
        found = []
        self.compared = 0
        for shown in self.ours.shown:
            place = f"target {shown.name} after commit {shown.commits}"
            if shown.told != shown.expected:
                found.append(f"{place}: told {shown.told}, where {shown.expected} has changed")
            states = self._states(shown.name, shown.commits)
            self.compared += bool(states)
            if states and shown.documents not in states:
                found.append(f"{place}:\n  ours   {shown.documents}\n  theirs {states[0]}")
        for (name, commits), documents in self.ours.settled.items():
            states = self._states(name, commits)
            if states and documents not in states:
                found.append(f"target {name} does not come to the state after commit {commits}")
        return found

    def _states(self, name: int, commits: int) -> list[Known]:
        known = (reference.settled.get((name, commits)) for reference in self.references)
        return [documents for documents in known if documents is not None]

    def _of_first_states(self) -> list[str]:
        """First states told in an order that is neither the query's nor that of names (reference 8.3)."""
        found = []
        for name, (commits, paths) in self.ours.first.items():
            by_name = sorted(paths, key=lambda path: path.split("/"))
            firsts = [reference.first[name] for reference in self.references if name in reference.first]
            orders = [theirs for at, theirs in firsts if at == commits]
            if orders and paths != by_name and paths not in orders:
                found.append(f"target {name} begins with {paths}, there with {orders[0]}")
        return found


def shrink(plan: Plan, ours: Wire, theirs: Wire) -> tuple[Plan, list[str]]:
    """Leaves out actions as long as there is a difference; what makes a life comparable stays."""
    best, found = plan, Lives(plan, ours, theirs).differences()
    place = BEGINNING
    while place < len(best.actions) - 1:
        shorter = dataclasses.replace(best, actions=best.actions[:place] + best.actions[place + 1 :])
        again = Lives(shorter, ours, theirs).differences()
        if again:
            best, found = shorter, again
        else:
            place += 1
    return best, found


@pytest.mark.timeout(0)
def test_listeners_know_the_same(address, peer, request):
    first = request.config.getoption("--seed")
    count = request.config.getoption("--seeds")
    print(f"seeds {first} to {first + count - 1}")
    ours, theirs = Wire(address), Wire(peer)
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(first, first + count):
        plan = Planner(seed).plan()
        lives = Lives(plan, ours, theirs)
        if lives.differences():
            shortest, found = shrink(plan, ours, theirs)
            lines = [f"seed {seed}", *map(str, shortest.actions), *found]
            pytest.fail("\n".join(lines), pytrace=False)
        counts["commits"] += len(lives.ours.statuses)
        counts["streams"] += lives.ours.streams
        counts["snapshots"] += len(lives.ours.shown)
        counts["states compared"] += lives.compared
        counts["first states in order"] += len(lives.ours.first)
        counts["resets there"] += sum(reference.resets for reference in lives.references)
        counts["lives lived again there"] += len(lives.references) - 1 + lives.broken
    for name, number in counts.items():
        print(f"{number:6} {name}")
    # The test is of no use when states of the two cannot be matched.
    assert counts["states compared"] > counts["snapshots"] // 2
    ours.close()
    theirs.close()
