"""What a client knows from a Listen stream. Every message is checked against what the reference allows (8.2 to 8.4)."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

from support import messages
from support.listening import ADD, CURRENT, NO_CHANGE, PATIENCE_SECONDS, REMOVE, RESET
from support.listening import ListenRequest, ListenResponse, ListenStream, describe, order

ALREADY_EXISTS = 6


@dataclasses.dataclass
class Listened:
    """One target, as the messages up to now tell it."""

    documents: dict[str, messages.Document] = dataclasses.field(default_factory=dict)
    is_current: bool = False
    # Known from before this stream, by a token: what arrives is a difference to that.
    token: bytes = b""
    # Nil while the target is listened to, and without a code when it ended as asked.
    cause: Any = None
    once: bool = False
    # Names of the target itself, which are said to be missing.
    names: frozenset[str] = frozenset()

    def times(self) -> dict[str, int]:
        """Update times by path."""
        return {
            name.partition("/documents/")[2]: messages.microseconds(document.update_time)
            for name, document in self.documents.items()
        }

    def fields(self) -> dict[str, dict[str, Any]]:
        return {name.partition("/documents/")[2]: dict(document.fields) for name, document in self.documents.items()}


class Assembly:
    """All targets of one stream. `resets_allowed` is for peers that tell every change as a new beginning."""

    def __init__(self, *, resets_allowed: bool = False, heard: Callable[["Assembly", Any], None] | None = None):
        self.targets: dict[int, Listened] = {}
        self.ended: list[tuple[int, Listened]] = []
        self.resets_allowed = resets_allowed
        self.resets = 0
        self.superfluous = 0
        self.snapshots = 0
        self.read_time: messages.Timestamp | None = None
        self.token = b""
        # Called at each global snapshot, with its time.
        self.heard = heard
        self.filters: list[Any] = []
        self._adding: dict[int, list[Listened]] = {}
        self._removing: dict[int, int] = {}
        # Whether documents have changed since the last global snapshot.
        self._is_open = False

    # What was asked for

    def sent(self, request: ListenRequest, known: Listened | None = None) -> None:
        """A request is on its way; `known` is what a resumed target had."""
        if request.HasField("add_target"):
            target = request.add_target
            listened = Listened(once=target.once, names=frozenset(target.documents.documents))
            if known is not None:
                listened.documents = dict(known.documents)
            self._adding.setdefault(target.target_id, []).append(listened)
        else:
            self._removing[request.remove_target] = self._removing.get(request.remove_target, 0) + 1

    # What came

    def apply(self, response: ListenResponse) -> None:
        kind = response.WhichOneof("response_type")
        assert kind is not None, "a message of no kind"
        getattr(self, f"_{kind}")(getattr(response, kind))

    def _target_change(self, change: Any) -> None:
        kind = change.target_change_type
        if kind == NO_CHANGE:
            return self._no_change(change)
        assert len(change.target_ids) == 1, f"{len(change.target_ids)} ids where one is expected"
        (number,) = change.target_ids
        if kind == ADD:
            return self._added(number)
        if kind == REMOVE:
            return self._removed(number, change)
        assert not change.HasField("cause"), "only removals have causes"
        listened = self._active(number)
        if kind == CURRENT:
            assert change.HasField("read_time") and change.resume_token, "CURRENT without time or token"
            listened.is_current = True
            listened.token = change.resume_token
            self._is_open = True
        elif kind == RESET:
            self.resets += 1
            listened.documents = {}
            listened.is_current = False
        return None

    def _no_change(self, change: Any) -> None:
        assert not change.HasField("cause"), "only removals have causes"
        if change.target_ids:
            for number in change.target_ids:
                self._active(number).token = change.resume_token
            return
        assert change.HasField("read_time"), "a global snapshot without time"
        # While a target is not current, there may be nothing that all of them could go on from.
        is_resumable = all(listened.is_current for listened in self.targets.values())
        assert change.resume_token or not is_resumable, "a global snapshot without token"
        if self.read_time is not None:
            assert order(change.read_time) >= order(self.read_time), "a global snapshot went back in time"
        self.read_time = change.read_time
        self.token = change.resume_token
        for listened in self.targets.values():
            listened.token = change.resume_token or listened.token
            if not self.resets_allowed:
                self._check_times(listened, change.read_time)
        self.snapshots += 1
        self._is_open = False
        if self.heard is not None:
            self.heard(self, change.read_time)

    @staticmethod
    def _check_times(listened: Listened, time: messages.Timestamp) -> None:
        for document in listened.documents.values():
            assert order(document.update_time) <= order(time), f"{document.name} is newer than the snapshot"

    def _added(self, number: int) -> None:
        if number not in self._adding and 0 in self._adding:
            # The server has chosen.
            self._adding[number] = [self._adding[0].pop(0)]
            if not self._adding[0]:
                del self._adding[0]
        assert number in self._adding, f"ADD of {number}, which nobody asked for"
        assert number not in self.targets, f"a second ADD of {number}"
        self.targets[number] = self._take(number)

    def _take(self, number: int) -> Listened:
        waiting = self._adding[number]
        first = waiting.pop(0)
        if not waiting:
            del self._adding[number]
        return first

    def _removed(self, number: int, change: Any) -> None:
        if not change.HasField("cause") or change.cause.code == 0:
            listened = self.targets.pop(number, None)
            if self._removing.get(number):
                self._removing[number] -= 1
            else:
                assert listened is not None and listened.once, f"REMOVE of {number}, which nobody asked for"
                assert listened.is_current, "a target that ends at once ends with a snapshot"
            if listened is not None:
                self.ended.append((number, listened))
            return
        assert change.cause.message, "a cause without a text"
        if number in self._adding and (number not in self.targets or change.cause.code == ALREADY_EXISTS):
            failed = self._take(number)
        else:
            failed = self._active(number)
            del self.targets[number]
        failed.cause = change.cause
        self.ended.append((number, failed))

    def _active(self, number: int) -> Listened:
        assert number in self.targets, f"a message about {number}, which is not listened to"
        return self.targets[number]

    def _document_change(self, change: Any) -> None:
        document = change.document
        assert document.name and document.HasField("create_time") and document.HasField("update_time")
        assert order(document.create_time) <= order(document.update_time)
        self._concerned(document.name, change.target_ids, change.removed_target_ids)
        for number in change.target_ids:
            known = self._active(number).documents.get(document.name)
            if known is not None and not self.resets_allowed:
                assert order(known.update_time) <= order(document.update_time), "a document went back in time"
            self.targets[number].documents[document.name] = document
        self._leave(document.name, change.removed_target_ids)

    def _document_delete(self, change: Any) -> None:
        assert change.HasField("read_time")
        self._concerned(change.document, (), change.removed_target_ids)
        self._leave(change.document, change.removed_target_ids)

    def _document_remove(self, change: Any) -> None:
        self._document_delete(change)

    def _concerned(self, name: str, ids: Any, removed: Any) -> None:
        assert len(ids) + len(removed) > 0, f"{name} concerns no target"
        assert len({*ids, *removed}) == len(ids) + len(removed), f"{name} has a target twice"
        self._is_open = True

    def _leave(self, name: str, removed: Any) -> None:
        for number in removed:
            listened = self._active(number)
            if name in listened.documents:
                del listened.documents[name]
            elif name not in listened.names:
                # Nothing that a client would notice.
                self.superfluous += 1

    def _filter(self, existence: Any) -> None:
        self._active(existence.target_id)
        self.filters.append(existence)

    # Whether all is told

    def is_awaited(self, number: int) -> bool:
        """A request about the id waits for its answer; until then messages about it are of no concern."""
        return number in self._adding or self._removing.get(number, 0) > 0

    @property
    def is_settled(self) -> bool:
        """The last message was a global snapshot, and no request waits for its answer."""
        return not self._is_open and not self._adding and not any(self._removing.values())


class AssembledStream(ListenStream):
    """A stream whose messages are checked and assembled as they are taken."""

    def __init__(self, database, *targets, known: Listened | None = None, reading: bool = True, **options):
        """`known` is what an earlier stream knew of these targets, which then go on from there."""
        self.assembly = Assembly(**options)
        self._known = known
        super().__init__(database, *targets, reading=reading)

    def send(self, request) -> None:
        if isinstance(request, ListenRequest):
            self.assembly.sent(request, self._known)
        super().send(request)

    def send_unchecked(self, request) -> None:
        """A request that cannot be answered."""
        super().send(request)

    def take(self, seconds: float = PATIENCE_SECONDS) -> ListenResponse:
        response = super().take(seconds)
        try:
            self.assembly.apply(response)
        except AssertionError as error:
            raise AssertionError(f"{error}; the last of\n{describe(self.received)}") from None
        return response

    def __getitem__(self, number: int) -> Listened:
        return self.assembly.targets[number]
