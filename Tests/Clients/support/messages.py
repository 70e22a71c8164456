"""Requests of the service as raw protobuf messages, and short ways to write them."""

from __future__ import annotations

import datetime
from typing import Any, Iterable

from google.cloud.firestore_v1 import types
from google.protobuf import timestamp_pb2
from google.type import latlng_pb2


def message(name: str) -> Any:
    """The protobuf class of a message, without the wrapper that the client library puts around it."""
    return getattr(types, name).pb()


Document = message("Document")
Value = message("Value")
ArrayValue = message("ArrayValue")
MapValue = message("MapValue")
Write = message("Write")
Precondition = message("Precondition")
DocumentMask = message("DocumentMask")
FieldTransform = message("DocumentTransform").FieldTransform
TransactionOptions = message("TransactionOptions")
StructuredQuery = message("StructuredQuery")
Timestamp = timestamp_pb2.Timestamp


class Reference(str):
    """A string that `value` turns into a reference."""


class Geo(tuple):
    """A pair (latitude, longitude)."""


class Raw(bytes):
    """An encoded Value, sent as it stands."""


def value(content: Any) -> Value:
    """A Value of the type that the Python value suggests."""
    if isinstance(content, Value):
        return content
    if isinstance(content, Raw):
        return Value.FromString(bytes(content))
    if content is None:
        return Value(null_value=0)
    if isinstance(content, bool):
        return Value(boolean_value=content)
    if isinstance(content, int):
        return Value(integer_value=content)
    if isinstance(content, float):
        return Value(double_value=content)
    if isinstance(content, Reference):
        return Value(reference_value=content)
    if isinstance(content, str):
        return Value(string_value=content)
    if isinstance(content, bytes):
        return Value(bytes_value=content)
    if isinstance(content, Timestamp):
        return Value(timestamp_value=content)
    if isinstance(content, Geo):
        return Value(geo_point_value=latlng_pb2.LatLng(latitude=content[0], longitude=content[1]))
    if isinstance(content, (list, tuple)):
        return Value(array_value=ArrayValue(values=[value(element) for element in content]))
    if isinstance(content, dict):
        return Value(map_value=MapValue(fields=fields(content)))
    raise TypeError(type(content))


def fields(content: dict[str, Any]) -> dict[str, Value]:
    return {name: value(member) for name, member in content.items()}


def precondition(exists: bool | None = None, update_time: Timestamp | None = None) -> Precondition | None:
    if exists is not None:
        return Precondition(exists=exists)
    if update_time is not None:
        return Precondition(update_time=update_time)
    return None


def set_write(
    name: str,
    content: dict[str, Any] | None = None,
    *,
    mask: Iterable[str] | None = None,
    transforms: Iterable[FieldTransform] = (),
    exists: bool | None = None,
    update_time: Timestamp | None = None,
) -> Write:
    return Write(
        update=Document(name=name, fields=fields(content or {})),
        update_mask=None if mask is None else DocumentMask(field_paths=mask),
        update_transforms=transforms,
        current_document=precondition(exists, update_time),
    )


def delete_write(name: str, *, exists: bool | None = None, update_time: Timestamp | None = None) -> Write:
    return Write(delete=name, current_document=precondition(exists, update_time))


def verify_write(name: str, *, exists: bool | None = None, update_time: Timestamp | None = None) -> Write:
    """The `verify` operation is missing from the library's messages: field 5, written by hand."""
    encoded = name.encode()
    write = Write.FromString(b"\x2a" + varint(len(encoded)) + encoded)
    condition = precondition(exists, update_time)
    if condition is not None:
        write.current_document.CopyFrom(condition)
    return write


def varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def increment(path: str, by: Any) -> FieldTransform:
    return FieldTransform(field_path=path, increment=value(by))


def maximum(path: str, bound: Any) -> FieldTransform:
    return FieldTransform(field_path=path, maximum=value(bound))


def minimum(path: str, bound: Any) -> FieldTransform:
    return FieldTransform(field_path=path, minimum=value(bound))


def server_time(path: str) -> FieldTransform:
    return FieldTransform(field_path=path, set_to_server_value=1)


def union(path: str, elements: Iterable[Any]) -> FieldTransform:
    return FieldTransform(field_path=path, append_missing_elements=value(list(elements)).array_value)


def removal(path: str, elements: Iterable[Any]) -> FieldTransform:
    return FieldTransform(field_path=path, remove_all_from_array=value(list(elements)).array_value)


READ_WRITE = TransactionOptions(read_write=TransactionOptions.ReadWrite())
READ_ONLY = TransactionOptions(read_only=TransactionOptions.ReadOnly())


def retry_of(transaction: bytes) -> TransactionOptions:
    return TransactionOptions(read_write=TransactionOptions.ReadWrite(retry_transaction=transaction))


def microseconds(time: Timestamp) -> int:
    return time.seconds * 1_000_000 + time.nanos // 1000


def timestamp(micros: int) -> Timestamp:
    return Timestamp(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)


def moment(time: Timestamp) -> datetime.datetime:
    """The time as the client library's `read_time` wants it, exact to the microsecond."""
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return epoch + datetime.timedelta(microseconds=microseconds(time))
