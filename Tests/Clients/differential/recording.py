"""Lives a plan on one server and writes down what its Listen stream makes a listener know.

Times become numbers of commits. Tokens, the moments of snapshots, the order of changes between two snapshots and how
changes share messages are the server's freedoms (reference 8.3 and 8.4) and do not show.
"""

from __future__ import annotations

import bisect
import dataclasses
from typing import Any

import grpc
from grpc import StatusCode

from differential.listening import FENCE, FENCE_NAME, Action, Add, Away, Commit, Plan, Remove, Settle
from support import messages
from support.assembly import AssembledStream, Listened
from support.listening import CURRENT, PATIENCE_SECONDS, ListenRequest, ListenResponse
from support.messages import microseconds
from support.wire import Database, Wire

# A document as a target has it: number of the commits that made and last changed it, and its fields.
Known = dict[str, tuple[int, int, tuple]]


@dataclasses.dataclass(frozen=True)
class Shown:
    """What a listener knows of a target at a global snapshot, and what it was told to know that."""

    name: int
    # The number of commits that the snapshot includes.
    commits: int
    documents: Known
    told: dict[str, str]
    expected: dict[str, str]


@dataclasses.dataclass
class Kept:
    """A target, whatever stream it is on."""

    add: Add
    number: int = 0
    # What it knew at the last snapshot at which it was current.
    documents: Known = dataclasses.field(default_factory=dict)
    listened: Listened | None = None
    time: messages.Timestamp | None = None
    told: dict[str, str] = dataclasses.field(default_factory=dict)
    # The documents of its first state, as they came.
    first: list[str] = dataclasses.field(default_factory=list)
    is_first_told: bool = False


class Recorder:
    """One server's life of a plan. A patient one lets the server tell all of a commit before the next."""

    def __init__(self, wire: Wire, project: str, plan: Plan, *, is_patient: bool, may_reset: bool):
        self.database = Database(wire, project)
        self.plan = plan
        self.is_patient = is_patient
        self.may_reset = may_reset
        self.times: list[int] = []
        self.statuses: list[str] = []
        self.existing: list[frozenset[str]] = [frozenset()]
        self.fence = 0
        self.is_quiet = False
        self.kept: dict[int, Kept] = {}
        self.shown: list[Shown] = []
        # What is known of a target after so many commits, where all of them were told.
        self.settled: dict[tuple[int, int], Known] = {}
        self.first: dict[int, tuple[int, list[str]]] = {}
        self.resets = 0
        self.streams = 0
        self.stream: AssembledStream | None = None

    def run(self) -> "Recorder":
        try:
            self._open()
            for action in self.plan.actions:
                self._do(action)
        except grpc.RpcError as error:
            raise AssertionError(f"{error.code()} {error.details()}") from None
        finally:
            if self.stream is not None:
                self._close()
        return self

    def _do(self, action: Action) -> None:
        if isinstance(action, Commit):
            self._commit(action)
        elif isinstance(action, Add):
            self.kept[action.name] = Kept(action)
            self._add(self.kept[action.name])
        elif isinstance(action, Remove) and action.name in self.kept:
            self.stream.remove(self.kept[action.name].number)
            # Until it is acknowledged there may be more of it; nobody looks at that.
            del self.kept[action.name]
        elif isinstance(action, Away):
            self._close()
            for commit in action.commits:
                self._commit(commit)
            self._open()
            for kept in self.kept.values():
                self._add(kept, action.by)
        # Nothing says when a commit is told that the fence has no part in.
        if not self.is_quiet and (self.is_patient or isinstance(action, Settle)):
            self._settle()

    # Commits

    def _commit(self, commit: Commit) -> None:
        writes = [change.write(self.database) for change in commit.changes]
        if not commit.is_quiet:
            writes.append(messages.set_write(self.database.doc(FENCE), {"commit": len(self.statuses) + 1}))
        transaction = b""
        if commit.is_transaction:
            transaction = self.database.begin()
            self.database.batch_get(*(change.path for change in commit.changes), transaction=transaction).stream
        outcome = self.database.commit(*writes, transaction=transaction)
        self.statuses.append(outcome.code.name)
        assert outcome.code in (StatusCode.OK, StatusCode.NOT_FOUND), f"{outcome.code.name}: {outcome.text}"
        if not outcome.ok:
            if transaction:
                # As the client libraries do; the emulator keeps the locks otherwise.
                self.database.rollback(transaction)
            return
        self.is_quiet = commit.is_quiet
        if not commit.is_quiet:
            self.fence = len(self.statuses)
        self.times.append(microseconds(outcome.message.commit_time))
        deleted = {change.path for change in commit.changes if change.kind == "delete"}
        written = {change.path for change in commit.changes} - deleted
        self.existing.append(self.existing[-1] - deleted | written)

    def commits_at(self, time: messages.Timestamp) -> int:
        """How many commits there were up to a time."""
        return bisect.bisect_right(self.times, microseconds(time))

    # The stream

    def _open(self) -> None:
        self.streams += 1
        self.adds = 0
        self.stream = Recorded(self)

    def _close(self) -> None:
        self.stream.close()
        self.resets += self.stream.assembly.resets
        self.stream = None

    def _add(self, kept: Kept, by: str = "") -> None:
        self.adds += 1
        kept.number = self.adds if self.plan.are_ids_chosen_by_server else kept.add.number
        number = 0 if self.plan.are_ids_chosen_by_server else kept.number
        target = kept.add.asked.target(self.database, number)
        kept.told = {}
        if by and kept.listened is not None:
            if by == "token":
                target.resume_token = kept.listened.token
            else:
                target.read_time.CopyFrom(kept.time)
        else:
            kept.documents, kept.listened, kept.first = {}, None, []
        request = ListenRequest(database=self.database.name, add_target=target)
        self.stream.assembly.sent(request, kept.listened)
        self.stream.send_unchecked(request)

    def _settle(self) -> None:
        """Until everything that was asked and committed is told."""
        while not self._is_settled():
            self.stream.take()
        for name, kept in self.kept.items():
            if kept.listened is not None:
                self.settled[name, len(self.times)] = kept.documents

    def _is_settled(self) -> bool:
        assembly = self.stream.assembly
        if not assembly.is_settled or not all(listened.is_current for listened in assembly.targets.values()):
            return False
        fence = self.kept.get(FENCE_NAME)
        if fence is None or not fence.documents:
            return fence is None or self.fence == 0
        return dict(fence.documents[FENCE][2])["commit"] == str(messages.value(self.fence)).strip()

    # What is told

    def heard(self, response: Any) -> None:
        """A message that is not yet taken account of."""
        kind = response.WhichOneof("response_type")
        if kind == "target_change":
            return self._heard_of_targets(response.target_change)
        if kind == "filter":
            return None
        content = getattr(response, kind)
        name = content.document.name if kind == "document_change" else content.document
        path = name.removeprefix(f"{self.database.root}/")
        for number in content.removed_target_ids:
            self._told(number, path, "deleted" if kind == "document_delete" else "left")
        for number in getattr(content, "target_ids", ()):
            self._told(number, path, "is")
        return None

    def _told(self, number: int, path: str, what: str) -> None:
        for kept in self._of(number):
            kept.told[path] = what
            if not kept.is_first_told:
                kept.first.append(path)

    def _heard_of_targets(self, change: Any) -> None:
        if change.target_change_type == CURRENT:
            for kept in self._of(change.target_ids[0]):
                if not kept.is_first_told:
                    self.first[kept.add.name] = (self.commits_at(change.read_time), kept.first)
                kept.is_first_told = True

    def _of(self, number: int) -> list[Kept]:
        """The target of an id that is listened to; none while its end or its beginning is not acknowledged."""
        if self.stream.assembly.is_awaited(number):
            return []
        return [kept for kept in self.kept.values() if kept.number == number]

    def snapshot(self, assembly: Any, time: messages.Timestamp) -> None:
        """A global snapshot was told."""
        for kept in list(self.kept.values()):
            listened = assembly.targets.get(kept.number)
            if listened is None or not listened.is_current or kept not in self._of(kept.number):
                continue
            commits = self.commits_at(time)
            documents = self.known(listened)
            expected = self.difference(kept, documents, commits)
            self.shown.append(Shown(kept.add.name, commits, documents, self.news(kept), expected))
            kept.documents, kept.told, kept.time = documents, {}, time
            kept.listened = Listened(documents=dict(listened.documents), token=listened.token)

    def known(self, listened: Listened) -> Known:
        return {
            name.removeprefix(f"{self.database.root}/"): (
                self.commits_at(document.create_time),
                self.commits_at(document.update_time),
                tuple((field, str(document.fields[field]).strip()) for field in sorted(document.fields)),
            )
            for name, document in listened.documents.items()
        }

    def difference(self, kept: Kept, documents: Known, commits: int) -> dict[str, str]:
        """What leads from what was known to what is: no more needs to be told, and no less."""
        expected = {path: "is" for path, document in documents.items() if kept.documents.get(path) != document}
        for path in kept.documents:
            if path not in documents:
                expected[path] = "left" if path in self.existing[commits] else "deleted"
        return expected

    @staticmethod
    def news(kept: Kept) -> dict[str, str]:
        """What was told, without the missing documents that a documents target may be told of (reference 8.3)."""
        return {
            path: what
            for path, what in kept.told.items()
            if not (what == "deleted" and path in kept.add.asked.documents and path not in kept.documents)
        }


class Recorded(AssembledStream):
    """A stream whose messages are written down, too."""

    def __init__(self, recorder: Recorder):
        self.recorder = recorder
        super().__init__(recorder.database, resets_allowed=recorder.may_reset, heard=recorder.snapshot)

    def take(self, seconds: float = PATIENCE_SECONDS) -> ListenResponse:
        response = super().take(seconds)
        self.recorder.heard(response)
        return response
