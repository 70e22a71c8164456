"""Sends a sequence to one server and writes its answers down so that two servers can be compared.

Times become names in the order in which they are first seen (T0, T1, …), so their identity and order are compared but
not their values. Times that transforms made become "S": only their presence can be compared. Transaction ids and page
tokens become their presence. The text of errors is not compared: most is for people.
"""

from __future__ import annotations

import dataclasses
import math
import struct
import time
from typing import Any

import grpc

from differential.steps import Step
from support import messages
from support.messages import microseconds
from support.wire import Outcome, Wire

STALE_MICROSECONDS = 1_500_000_000_000_000
CALL_SECONDS = 30
# In place of a status: the page before was the last.
NO_MORE_PAGES = "NO MORE PAGES"


class Stalled(Exception):
    """A server did not answer in time; nothing can be said about what follows."""


@dataclasses.dataclass
class Answer:
    status: str
    messages: list[Any]
    text: str = dataclasses.field(default="", compare=False)


class Session:
    """What one server has said so far in one sequence."""

    def __init__(self, wire: Wire, database: str):
        self.wire = wire
        self.database = database
        self.root = f"{database}/documents/"
        self.transactions: dict[int, bytes] = {}
        self.pages: dict[int, str] = {}
        self.times: dict[int, str] = {}
        self.latest: dict[str, messages.Timestamp] = {}
        self.commits: list[messages.Timestamp] = []
        # A generous window around "now" tells the server's times from those in documents.
        self.start = int(time.time() - 3600) * 1_000_000

    # Requests

    def bind(self, step: Step) -> Any:
        if isinstance(step.request, bytes):
            return step.request
        request = type(step.request)()
        request.CopyFrom(step.request)
        if step.transaction is not None:
            request.transaction = self.transactions.get(step.transaction, b"never issued")
        if step.retries is not None:
            retried = self.transactions.get(step.retries, b"never issued")
            request.options.read_write.retry_transaction = retried
        if step.page is not None and "page_token" in request.DESCRIPTOR.fields_by_name:
            request.page_token = self.pages.get(step.page, "")
        stale = messages.timestamp(STALE_MICROSECONDS)
        for position, path in step.current.items():
            known = self.latest.get(path, stale)
            target = request.writes[position] if step.method in ("Commit", "BatchWrite") else request
            target.current_document.update_time.CopyFrom(known)
        if step.read_commit is not None and self.commits:
            moment = self.commits[step.read_commit % len(self.commits)]
            if step.method == "BeginTransaction":
                request.options.read_only.read_time.CopyFrom(moment)
            else:
                request.read_time.CopyFrom(moment)
        return request

    # Answers

    def run(self, step: Step) -> Answer:
        if step.page is not None and self.pages.get(step.page) == "":
            return Answer(NO_MORE_PAGES, [])
        request = self.bind(step)
        outcome = self.wire.call(step.method, request, timeout=CALL_SECONDS)
        if outcome.code is grpc.StatusCode.DEADLINE_EXCEEDED:
            raise Stalled(f"{self.wire.address} {step.describe()}")
        self._remember(step, request, outcome)
        received = [self._plain(message, step) for message in outcome.messages]
        if step.method == "BatchGetDocuments":
            received.sort(key=repr)
        return Answer(outcome.code.name, received, outcome.text)

    def _remember(self, step: Step, request: Any, outcome: Outcome) -> None:
        for message in outcome.messages:
            if step.begins is not None and getattr(message, "transaction", b""):
                self.transactions[step.begins] = message.transaction
            if step.page is not None:
                self.pages[step.page] = message.next_page_token
        if not outcome.ok or not outcome.messages:
            return
        message = outcome.messages[0]
        if step.method in ("Commit", "BatchWrite"):
            self._forget_times_without_version(request.writes, message.write_results)
        if step.method == "BatchWrite":
            # Each write may have a time of its own; all of them are one time here.
            name = f"T{len(set(self.times.values()))}"
            for result in message.write_results:
                if result.HasField("update_time"):
                    self.times.setdefault(microseconds(result.update_time), name)
        if step.method in ("Commit", "BatchWrite"):
            for write, result in zip(request.writes, message.write_results):
                path = (write.update.name or write.delete or write.transform.document).removeprefix(self.root)
                if result.HasField("update_time"):
                    self.latest[path] = result.update_time
                else:
                    self.latest.pop(path, None)
        if step.method == "Commit" and request.writes:
            self.commits.append(message.commit_time)
        if step.method in ("GetDocument", "CreateDocument", "UpdateDocument"):
            self.latest[message.name.removeprefix(self.root)] = message.update_time

    def _plain(self, message: Any, step: Step) -> Any:
        """A message as nested lists and dictionaries, without what only one server can know."""
        full_name = message.DESCRIPTOR.full_name
        if full_name == "google.firestore.v1.Value":
            return self._plain_value(message)
        if full_name == "google.protobuf.Timestamp":
            return self._name(message)
        if full_name == "google.rpc.Status":
            return {"code": message.code}
        plain: dict[str, Any] = {}
        for field, content in message.ListFields():
            if field.name == "update_time" and self._is_without_version(message):
                # Only the emulator has these; they must not shift the names of the others.
                plain[field.name] = self.times.get(microseconds(content), "unknown")
            elif field.name in ("transaction", "next_page_token", "stream_token"):
                plain[field.name] = "present"
            elif field.name == "read_time":
                plain[field.name] = "present"
            elif field.name == "commit_time" and not step.request.writes:
                # The reference leaves it open whether a commit of nothing has a time.
                continue
            elif field.message_type is not None and field.message_type.GetOptions().map_entry:
                plain[field.name] = {key: self._plain_value(content[key]) for key in sorted(content)}
            elif field.is_repeated:
                plain[field.name] = [self._plain_member(member, step) for member in content]
            else:
                plain[field.name] = self._plain_member(content, step)
        return plain

    def _is_without_version(self, message: Any) -> bool:
        """A document that is missing, and yet has a time."""
        return message.DESCRIPTOR.name == "Document" and not message.HasField("create_time")

    def _forget_times_without_version(self, writes: Any, results: Any) -> None:
        """The results of deletes and verifications may have times that no document has."""
        marked = [(write.WhichOneof("operation") in ("delete", None), result) for write, result in zip(writes, results)]
        written = {microseconds(result.update_time) for is_without, result in marked if not is_without}
        for is_without, result in marked:
            time = microseconds(result.update_time)
            if is_without and time not in written and time not in self.times:
                result.ClearField("update_time")

    def _plain_member(self, content: Any, step: Step) -> Any:
        return self._plain(content, step) if hasattr(content, "ListFields") else content

    def _name(self, moment: messages.Timestamp) -> str:
        return self.times.setdefault(microseconds(moment), f"T{len(set(self.times.values()))}")

    def _plain_value(self, value: messages.Value) -> Any:
        kind = value.WhichOneof("value_type")
        if kind == "double_value":
            number = value.double_value
            return [kind, "nan" if math.isnan(number) else struct.pack(">d", number).hex()]
        if kind == "timestamp_value":
            if microseconds(value.timestamp_value) >= self.start and value.timestamp_value.seconds < 4_000_000_000:
                return [kind, "S"]
            return [kind, value.timestamp_value.seconds, value.timestamp_value.nanos]
        if kind == "map_value":
            fields = value.map_value.fields
            return [kind, {key: self._plain_value(fields[key]) for key in sorted(fields)}]
        if kind == "array_value":
            return [kind, [self._plain_value(element) for element in value.array_value.values]]
        if kind == "geo_point_value":
            point = value.geo_point_value
            return [kind, struct.pack(">dd", point.latitude, point.longitude).hex()]
        return [kind, getattr(value, kind) if kind else None]
