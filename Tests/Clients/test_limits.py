"""What one caller may ask of a server."""

from __future__ import annotations

import time

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc import StatusCode

from support.wire import Database, message

CALLS_PER_SECOND = 3


def refusal(server, token: str) -> grpc.RpcError:
    """That of the first call that is one too many."""
    wire = server.wire(token)
    name = Database(wire, "demo").doc("c/none")
    for _ in range(1_000):
        try:
            wire.stub("GetDocument")(
                message("GetDocumentRequest")(name=name), metadata=[("authorization", wire.authorization)]
            )
        except grpc.RpcError as error:
            if error.code() is not StatusCode.NOT_FOUND:
                return error
    raise AssertionError("it may call for ever")


def test_one_caller_may_call_so_often_and_others_are_not_held_up(secure):
    server = secure("--calls-per-second", str(CALLS_PER_SECOND))
    other = server.make("other")
    server.eventually_known(other)
    error = refusal(server, server.key.token())
    assert error.code() is StatusCode.RESOURCE_EXHAUSTED
    told = dict(error.trailing_metadata())["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(told)
    assert (status.code, status.message) == (StatusCode.RESOURCE_EXHAUSTED.value[0], error.details())
    retry = error_details_pb2.RetryInfo()
    assert status.details[0].Unpack(retry)
    assert 0 < retry.retry_delay.ToNanoseconds() <= 1_000_000_000 // CALLS_PER_SECOND
    assert server.get(other.token()).code is StatusCode.NOT_FOUND
    assert server.get(None).code is StatusCode.PERMISSION_DENIED


def test_another_token_or_connection_gives_nobody_more(secure):
    server = secure("--calls-per-second", str(CALLS_PER_SECOND))
    wires = [server.wire(server.key.token(iat=int(time.time()) - number)) for number in range(2)]
    databases = [Database(wire, "demo") for wire in wires]
    granted = refused = 0
    start = time.monotonic()
    while refused < 20:
        for database in databases:
            code = database.get("c/none").code
            assert code in (StatusCode.NOT_FOUND, StatusCode.RESOURCE_EXHAUSTED)
            granted += code is StatusCode.NOT_FOUND
            refused += code is StatusCode.RESOURCE_EXHAUSTED
    assert granted <= CALLS_PER_SECOND * (1 + time.monotonic() - start) + 1
