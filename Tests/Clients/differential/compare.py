"""Runs one sequence on two servers, and makes a sequence that differs as short as it can."""

from __future__ import annotations

import collections
import dataclasses
import uuid
from typing import Callable

from differential.execute import Answer, Session
from differential.generate import sequence
from differential.known import explanation
from differential.steps import Step
from support.wire import Wire

WRITES = {"Commit", "BatchWrite", "CreateDocument", "UpdateDocument", "DeleteDocument", "BeginTransaction", "Rollback"}


@dataclasses.dataclass
class Difference:
    """Where two servers parted: the calls up to there, and the two answers to the last one."""

    seed: int
    kept: list[int]
    steps: list[Step]
    ours: Answer
    theirs: Answer

    def resembles(self, other: "Difference") -> bool:
        """They part in the same call and with the same statuses."""
        statuses = [(each.kept[-1], each.ours.status, each.theirs.status) for each in (self, other)]
        return statuses[0] == statuses[1]

    def describe(self) -> str:
        lines = [f"seed {self.seed}: the servers differ in the last of these calls"]
        lines += [f"  {position:3} {step.describe()}" for position, step in zip(self.kept, self.steps)]
        lines += [f"ours:   {self.ours.status} {self.ours.text}", f"        {self.ours.messages}"]
        lines += [f"theirs: {self.theirs.status} {self.theirs.text}", f"        {self.theirs.messages}"]
        return "\n".join(lines)


class Pair:
    """Two servers that should agree."""

    def __init__(self, ours: Wire, theirs: Wire, make: Callable[[int, str], list[Step]] = sequence):
        self.ours = ours
        self.theirs = theirs
        self.make = make
        self.calls: collections.Counter[tuple[str, str]] = collections.Counter()
        self.explained: collections.Counter[str] = collections.Counter()

    def run(self, seed: int, kept: list[int] | None = None) -> Difference | None:
        """Runs the sequence of a seed, or some of its steps, in a database that nobody has used."""
        project = f"differential-{seed}-{uuid.uuid4().hex[:12]}"
        whole = self.make(seed, project)
        positions = list(range(len(whole))) if kept is None else kept
        steps = [whole[position] for position in positions]
        database = f"projects/{project}/databases/(default)"
        sessions = Session(self.ours, database), Session(self.theirs, database)
        for index, step in enumerate(steps):
            ours, theirs = (session.run(step) for session in sessions)
            self.calls[step.method, ours.status] += 1
            if ours == theirs:
                continue
            known = explanation(step, ours, theirs)
            if known is None:
                self.leave(sessions)
                return Difference(seed, positions[: index + 1], steps[: index + 1], ours, theirs)
            self.explained[known.name] += 1
            if step.method in WRITES and ours.status != theirs.status and "OK" in (ours.status, theirs.status):
                # One server did what the other refused: from here on they hold different documents.
                break
        self.leave(sessions)
        return None

    @staticmethod
    def leave(sessions: tuple[Session, Session]) -> None:
        for session in sessions:
            for transaction in session.transactions.values():
                session.wire.call("Rollback", database=session.database, transaction=transaction)

    def shrink(self, difference: Difference) -> Difference:
        """Leaves out steps as long as the servers still differ in the last one."""
        best = difference
        size = max(1, len(best.kept) // 2)
        while size:
            start = 0
            while start < len(best.kept) - 1:
                end = min(start + size, len(best.kept) - 1)
                again = self.run(best.seed, best.kept[:start] + best.kept[end:])
                if again is not None and again.resembles(best):
                    best = again
                else:
                    start += size
            size //= 2
        return best
