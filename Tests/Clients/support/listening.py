"""A Listen stream without the client library: what was sent, what came, and when the stream ended."""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, Iterable

import grpc

from support import messages
from support.messages import StructuredQuery, message
from support.wire import SERVICE, Database

ListenRequest = message("ListenRequest")
ListenResponse = message("ListenResponse")
Target = message("Target")
TargetChange = message("TargetChange")
NO_CHANGE, ADD, REMOVE, CURRENT, RESET = (
    TargetChange.TargetChangeType.Value(name) for name in ("NO_CHANGE", "ADD", "REMOVE", "CURRENT", "RESET")
)

# Long, since it is only waited for in full when a test fails.
PATIENCE_SECONDS = 20


class StreamEnded(Exception):
    """The server ended the stream."""

    def __init__(self, code: grpc.StatusCode, text: str):
        super().__init__(f"{code.name}: {text}")
        self.code = code
        self.text = text


class Silence(AssertionError):
    """The message that was waited for did not come."""


def query_target(database: Database, query: StructuredQuery, number: int, parent: str = "", **members) -> Target:
    under = database.doc(parent) if parent else database.root
    return Target(query={"parent": under, "structured_query": query}, target_id=number, **members)


def documents_target(database: Database, paths: Iterable[str], number: int, **members) -> Target:
    return Target(documents={"documents": [database.doc(path) for path in paths]}, target_id=number, **members)


def collection_target(database: Database, collection: str, number: int, **members) -> Target:
    selector = StructuredQuery.CollectionSelector(collection_id=collection)
    return query_target(database, StructuredQuery(from_=[selector]), number, **members)


class ListenStream:
    """One call. Messages are read as they come; `take` hands them out in order."""

    def __init__(self, database: Database, *targets: Target, reading: bool = True):
        self.database = database
        self.received: list[ListenResponse] = []
        self._requests: queue.SimpleQueue = queue.SimpleQueue()
        self._arrived: queue.SimpleQueue = queue.SimpleQueue()
        make = database.wire.channel.stream_stream(
            f"/{SERVICE}/Listen",
            request_serializer=lambda sent: sent if isinstance(sent, bytes) else sent.SerializeToString(),
            response_deserializer=ListenResponse.FromString,
        )
        # As the client libraries do; Google's emulator needs it.
        metadata = [("google-cloud-resource-prefix", database.name)]
        if database.wire.authorization:
            metadata.append(("authorization", database.wire.authorization))
        self.call = make(iter(self._requests.get, None), metadata=metadata)
        for target in targets:
            self.add(target)
        self._reader = threading.Thread(target=self._read, daemon=True)
        if reading:
            self.start_reading()

    def start_reading(self) -> None:
        self._reader.start()

    # Requests

    def send(self, request: ListenRequest | bytes) -> None:
        self._requests.put(request)

    def add(self, target: Target) -> None:
        self.send(ListenRequest(database=self.database.name, add_target=target))

    def remove(self, number: int) -> None:
        self.send(ListenRequest(database=self.database.name, remove_target=number))

    def half_close(self) -> None:
        self._requests.put(None)

    def close(self) -> None:
        self.call.cancel()
        self._requests.put(None)
        if self._reader.is_alive():
            self._reader.join(PATIENCE_SECONDS)

    def __enter__(self) -> "ListenStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Responses

    def _read(self) -> None:
        try:
            for response in self.call:
                self._arrived.put(response)
            ended = StreamEnded(self.call.code(), self.call.details() or "")
        except grpc.RpcError as error:
            ended = StreamEnded(error.code(), error.details() or "")
        self._arrived.put(ended)

    def take(self, seconds: float = PATIENCE_SECONDS) -> ListenResponse:
        """The next message."""
        try:
            arrived = self._arrived.get(timeout=seconds)
        except queue.Empty:
            raise Silence(f"nothing came in {seconds} s after\n{describe(self.received)}") from None
        if isinstance(arrived, StreamEnded):
            self._arrived.put(arrived)
            raise arrived
        self.received.append(arrived)
        return arrived

    def until(self, is_last: Callable[[ListenResponse], bool]) -> list[ListenResponse]:
        """The messages up to one, that one included."""
        taken = [self.take()]
        while not is_last(taken[-1]):
            taken.append(self.take())
        return taken

    def until_snapshot(self, at_least: messages.Timestamp | None = None) -> list[ListenResponse]:
        """The messages up to a global snapshot that is as new as that time."""

        def is_last(response: ListenResponse) -> bool:
            if not is_snapshot(response):
                return False
            return at_least is None or order(response.target_change.read_time) >= order(at_least)

        return self.until(is_last)

    def until_current(self, number: int) -> list[ListenResponse]:
        """The messages up to the global snapshot after the target's CURRENT."""
        taken = self.until(lambda response: is_change(response, CURRENT, number))
        return taken + self.until_snapshot()

    def end(self) -> StreamEnded:
        """Waits for the end; the messages before it are in `received`."""
        try:
            while True:
                self.take()
        except StreamEnded as ended:
            return ended


def order(time: messages.Timestamp) -> tuple[int, int]:
    return time.seconds, time.nanos


def is_snapshot(response: ListenResponse) -> bool:
    """A target change about the whole stream, with its time."""
    change = response.target_change
    return (
        response.HasField("target_change")
        and change.target_change_type == NO_CHANGE
        and not change.target_ids
        and change.HasField("read_time")
    )


def is_change(response: ListenResponse, kind: int, number: int) -> bool:
    change = response.target_change
    is_kind = response.HasField("target_change") and change.target_change_type == kind
    return is_kind and number in change.target_ids


def shape(responses: Iterable[ListenResponse]) -> list[str]:
    """The messages without times and tokens: kind, document, targets that it is in (+) or leaves (-)."""
    return [_shape(response) for response in responses]


def _shape(response: ListenResponse) -> str:
    kind = response.WhichOneof("response_type")
    content: Any = getattr(response, kind)
    if kind == "target_change":
        if is_snapshot(response):
            return "SNAPSHOT"
        return " ".join([TargetChange.TargetChangeType.Name(content.target_change_type), *map(str, content.target_ids)])
    if kind == "filter":
        return f"FILTER {content.target_id} {content.count}"
    name = content.document.name if kind == "document_change" else content.document
    words = [name.partition("/documents/")[2]]
    if kind != "document_change":
        words.append("deleted" if kind == "document_delete" else "removed")
    if kind == "document_change":
        words += [f"+{number}" for number in content.target_ids]
    return " ".join(words + [f"-{number}" for number in content.removed_target_ids])


def describe(responses: Iterable[ListenResponse]) -> str:
    """One line for each message, short enough to be read in a failure."""
    return "\n".join(_line(response) for response in responses) or "(no message)"


def _line(response: ListenResponse) -> str:
    kind = response.WhichOneof("response_type")
    content: Any = getattr(response, kind) if kind else None
    if kind == "target_change":
        name = TargetChange.TargetChangeType.Name(content.target_change_type)
        cause = f" cause {content.cause.code} {content.cause.message}" if content.HasField("cause") else ""
        time = f" at {messages.microseconds(content.read_time)}" if content.HasField("read_time") else ""
        token = f" token {content.resume_token.hex()}" if content.resume_token else ""
        return f"{name} {list(content.target_ids)}{cause}{time}{token}"
    if kind == "document_change":
        path = content.document.name.partition("/documents/")[2]
        time = messages.microseconds(content.document.update_time)
        return f"change {path} {list(content.target_ids)} removed {list(content.removed_target_ids)} updated {time}"
    if kind in ("document_delete", "document_remove"):
        path = content.document.partition("/documents/")[2]
        return f"{kind.removeprefix('document_')} {path} removed {list(content.removed_target_ids)}"
    if kind == "filter":
        bits = content.unchanged_names.bits
        return f"filter {content.target_id} count {content.count} bits {bits.bitmap.hex()} padding {bits.padding}"
    return f"{kind}"
