"""Calls of the service without the client library's retries, defaults and checks."""

from __future__ import annotations

import dataclasses
import uuid
from typing import Any

import grpc
from google.protobuf import empty_pb2

from support import messages
from support.messages import message

SERVICE = "google.firestore.v1.Firestore"
CALL_SECONDS = 30
UNARY = "unary"
STREAM = "stream"

METHODS = {
    "GetDocument": (UNARY, message("GetDocumentRequest"), messages.Document),
    "ListDocuments": (UNARY, message("ListDocumentsRequest"), message("ListDocumentsResponse")),
    "CreateDocument": (UNARY, message("CreateDocumentRequest"), messages.Document),
    "UpdateDocument": (UNARY, message("UpdateDocumentRequest"), messages.Document),
    "DeleteDocument": (UNARY, message("DeleteDocumentRequest"), empty_pb2.Empty),
    "BatchGetDocuments": (STREAM, message("BatchGetDocumentsRequest"), message("BatchGetDocumentsResponse")),
    "BeginTransaction": (UNARY, message("BeginTransactionRequest"), message("BeginTransactionResponse")),
    "Commit": (UNARY, message("CommitRequest"), message("CommitResponse")),
    "Rollback": (UNARY, message("RollbackRequest"), empty_pb2.Empty),
    "RunQuery": (STREAM, message("RunQueryRequest"), message("RunQueryResponse")),
    "RunAggregationQuery": (STREAM, message("RunAggregationQueryRequest"), message("RunAggregationQueryResponse")),
    "PartitionQuery": (UNARY, message("PartitionQueryRequest"), message("PartitionQueryResponse")),
    "BatchWrite": (UNARY, message("BatchWriteRequest"), message("BatchWriteResponse")),
    "ListCollectionIds": (UNARY, message("ListCollectionIdsRequest"), message("ListCollectionIdsResponse")),
}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a call came to: its status, and the messages that arrived before it."""

    code: grpc.StatusCode
    text: str
    messages: tuple[Any, ...] = ()

    @property
    def ok(self) -> bool:
        return self.code is grpc.StatusCode.OK

    @property
    def message(self) -> Any:
        """The one message of a call that succeeded."""
        assert self.ok, f"{self.code.name}: {self.text}"
        assert len(self.messages) == 1, self.messages
        return self.messages[0]

    @property
    def stream(self) -> tuple[Any, ...]:
        """All messages of a call that succeeded."""
        assert self.ok, f"{self.code.name}: {self.text}"
        return self.messages

    def refused(self, code: grpc.StatusCode, text: str = "") -> "Outcome":
        """Asserts the status; the text is compared where the reference fixes it."""
        assert self.code is code, f"{self.code.name}: {self.text}"
        assert text in self.text
        return self


class Pending:
    """A call that is under way."""

    def __init__(self, call: Any, kind: str):
        self._call = call
        self._kind = kind

    def outcome(self) -> Outcome:
        received: list[Any] = []
        try:
            if self._kind == UNARY:
                received.append(self._call.result())
            else:
                received.extend(self._call)
        except grpc.RpcError as error:
            return Outcome(error.code(), error.details() or "", tuple(received))
        return Outcome(grpc.StatusCode.OK, "", tuple(received))

    @property
    def done(self) -> bool:
        return self._call.done()

    def cancel(self) -> None:
        self._call.cancel()


class Wire:
    """One connection to a server. Unlike the client library's, its channel is shared with nobody."""

    def __init__(
        self,
        address: str,
        credentials: grpc.ChannelCredentials | None = None,
        authorization: str | None = "Bearer owner",
    ):
        self.address = address
        self.authorization = authorization
        options = [
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_receive_message_length", -1),
        ]
        if credentials is None:
            self.channel = grpc.insecure_channel(address, options=options)
        else:
            self.channel = grpc.secure_channel(address, credentials, options=options)
        self._stubs: dict[str, Any] = {}

    def close(self) -> None:
        self.channel.close()

    def stub(self, method: str) -> Any:
        if method not in self._stubs:
            kind, request, response = METHODS[method]
            make = self.channel.unary_unary if kind == UNARY else self.channel.unary_stream
            self._stubs[method] = make(
                f"/{SERVICE}/{method}",
                request_serializer=lambda sent: sent if isinstance(sent, bytes) else sent.SerializeToString(),
                response_deserializer=response.FromString,
            )
        return self._stubs[method]

    def start(self, method: str, request: Any = None, /, timeout: float = CALL_SECONDS, metadata=None, **members):
        """Sends a request (a message, bytes, or its members by keyword) and does not wait for the answer."""
        kind, request_class, _ = METHODS[method]
        if request is None:
            request = request_class(**members)
        sent = [*([("authorization", self.authorization)] if self.authorization else []), *(metadata or ())]
        stub = self.stub(method)
        call = stub.future if kind == UNARY else stub
        return Pending(call(request, timeout=timeout, metadata=sent), kind)

    def call(self, method: str, request: Any = None, /, **arguments) -> Outcome:
        return self.start(method, request, **arguments).outcome()


class Database:
    """A database of one test's own, and the calls that a test makes on it."""

    def __init__(self, wire: Wire, project: str = "", database: str = "(default)"):
        self.wire = wire
        self.project = project or f"test-{uuid.uuid4().hex[:16]}"
        self.database = database
        self.name = f"projects/{self.project}/databases/{database}"
        self.root = f"{self.name}/documents"

    def doc(self, path: str) -> str:
        return f"{self.root}/{path}"

    def through(self, wire: Wire) -> "Database":
        """The same database on another connection."""
        return Database(wire, self.project, self.database)

    # Writes

    def commit(self, *writes: messages.Write, transaction: bytes = b"", **options) -> Outcome:
        return self.start_commit(*writes, transaction=transaction, **options).outcome()

    def start_commit(self, *writes: messages.Write, transaction: bytes = b"", **options) -> Pending:
        return self.wire.start("Commit", database=self.name, writes=writes, transaction=transaction, **options)

    def set(self, path: str, content: dict[str, Any] | None = None, **options) -> messages.Timestamp:
        """Writes one document; its update time."""
        committed = self.commit(messages.set_write(self.doc(path), content, **options)).message
        return committed.write_results[0].update_time

    def delete(self, path: str) -> messages.Timestamp:
        return self.commit(messages.delete_write(self.doc(path))).message.commit_time

    def batch_write(self, *writes: messages.Write) -> Outcome:
        return self.wire.call("BatchWrite", database=self.name, writes=writes)

    # Reads

    def get(self, path: str, **members) -> Outcome:
        return self.wire.call("GetDocument", name=self.doc(path), **members)

    def fields(self, path: str) -> dict[str, messages.Value]:
        return dict(self.get(path).message.fields)

    def batch_get(self, *paths: str, **members) -> Outcome:
        return self.start_batch_get(*paths, **members).outcome()

    def start_batch_get(self, *paths: str, **members) -> Pending:
        names = [self.doc(path) for path in paths]
        return self.wire.start("BatchGetDocuments", database=self.name, documents=names, **members)

    def list(self, collection: str = "", parent: str = "", **members) -> Outcome:
        under = self.doc(parent) if parent else self.root
        return self.wire.call("ListDocuments", parent=under, collection_id=collection, **members)

    def collections(self, parent: str = "", **members) -> Outcome:
        return self.wire.call("ListCollectionIds", parent=self.doc(parent) if parent else self.root, **members)

    def query(self, query: Any, parent: str = "", **members) -> Outcome:
        under = self.doc(parent) if parent else self.root
        return self.wire.call("RunQuery", parent=under, structured_query=query, **members)

    def start_query(self, query: Any, **members) -> Pending:
        return self.wire.start("RunQuery", parent=self.root, structured_query=query, **members)

    def aggregate(self, query: Any, *aggregations: Any, parent: str = "", **members) -> Outcome:
        under = self.doc(parent) if parent else self.root
        asked = message("StructuredAggregationQuery")(structured_query=query, aggregations=aggregations)
        return self.wire.call("RunAggregationQuery", parent=under, structured_aggregation_query=asked, **members)

    def partition(self, query: Any, count: int, parent: str = "", **members) -> Outcome:
        under = self.doc(parent) if parent else self.root
        return self.wire.call("PartitionQuery", parent=under, structured_query=query, partition_count=count, **members)

    # Transactions

    def begin(self, options: messages.TransactionOptions = messages.READ_WRITE) -> bytes:
        return self.start_transaction(options).message.transaction

    def start_transaction(self, options: messages.TransactionOptions) -> Outcome:
        return self.wire.call("BeginTransaction", database=self.name, options=options)

    def rollback(self, transaction: bytes) -> Outcome:
        return self.wire.call("Rollback", database=self.name, transaction=transaction)
