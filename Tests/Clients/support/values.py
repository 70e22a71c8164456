"""Every type of value at its edges, as the official client has it, and a form without loss that other languages read."""

from __future__ import annotations

import datetime
import math
import struct
from typing import Any

from google.cloud import firestore
from google.cloud.firestore_v1 import transforms
from google.cloud.firestore_v1.document import DocumentReference
from google.cloud.firestore_v1.vector import Vector


def nested(depth: int, *, last: object = 1) -> object:
    return {"m": nested(depth - 1, last=last)} if depth else last


MOMENT = datetime.datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=datetime.timezone.utc)
VALUES = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "largest integer": 2**63 - 1,
    "smallest integer": -(2**63),
    "integer beyond doubles": 2**53 + 1,
    "double": 1.5,
    "integral double": 3.0,
    "smallest double": 5e-324,
    "largest double": 1.7976931348623157e308,
    "infinity": math.inf,
    "negative infinity": -math.inf,
    "timestamp": MOMENT,
    "first timestamp": datetime.datetime(1, 1, 1, tzinfo=datetime.timezone.utc),
    "last timestamp": datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=datetime.timezone.utc),
    "before the epoch": datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=datetime.timezone.utc),
    "empty string": "",
    "string with NUL": "a\0b",
    "string": "Grüße, 世界 🎉",
    "long string": "x" * 100_000,
    "empty bytes": b"",
    "bytes": bytes(range(256)),
    "geo point": firestore.GeoPoint(-90, 180),
    "geo point at zero": firestore.GeoPoint(0, 0),
    "empty array": [],
    "array": [1, "two", None, {"three": [3]}],
    "empty map": {},
    "map": {"b": 1, "a": {"c": 2}},
    "map with odd keys": {"a.b": 1, "`": 2, "\\": 3, " ": 4, "🎉": 5, "\0": 6, "/": 7, "__x": 8, "x__": 9},
    "deep map": nested(19),
    "vector": Vector([1.0, -2.5, 0.0]),
    "long vector": Vector([float(n) for n in range(2048)]),
}
# Those that are not equal to themselves, or equal to what they are not.
ODD_NUMBERS = {
    "not a number": math.nan,
    "negative zero": -0.0,
    "positive zero": 0.0,
    "odd numbers in an array": [math.nan, -0.0, 0.0, 0],
    "odd numbers in a vector": Vector([-0.0, math.inf, 5e-324]),
    "geo point at negative zero": firestore.GeoPoint(-0.0, 0.0),
}
# Characters that look the same, and such as some languages take for equal.
TEXTS = {
    "composed": "\u00e9",
    "decomposed": "e\u0301",
    "map with a composed key": {"\u00e9": 1},
    "map with a decomposed key": {"e\u0301": 1},
    "highest character": "\U0010ffff",
    "text beyond the surrogates": "\ufffd\uffff",
    "lines": "a\r\nb\u2028c",
    "byte order mark": "\ufeffx",
}


def bits(number: float) -> str:
    return struct.pack(">d", number).hex()


def tagged(content: Any) -> dict[str, Any]:
    """The value with its type: what `Tests/interop` reads and writes. Equal forms are equal values, bit by bit."""
    match content:
        case None:
            return {"null": True}
        case bool():
            return {"boolean": content}
        case int():
            return {"integer": str(content)}
        case float():
            return {"double": f"{int(bits(content), 16):x}"}
        case datetime.datetime():
            return {"timestamp": _timestamp(content)}
        case str():
            return {"string": content}
        case bytes():
            return {"bytes": list(content)}
        case DocumentReference():
            return {"reference": content.path}
        case firestore.GeoPoint():
            return {"geoPoint": [tagged(float(part))["double"] for part in (content.latitude, content.longitude)]}
        case Vector():
            return {"vector": [tagged(float(part))["double"] for part in content]}
        case list():
            return {"array": [tagged(element) for element in content]}
        case dict():
            return {"map": {name: tagged(member) for name, member in content.items()}}
        case transforms.Increment() | transforms.Minimum() | transforms.Maximum():
            return {type(content).__name__.lower(): tagged(content.value)}
        case transforms.ArrayUnion() | transforms.ArrayRemove():
            name = "arrayUnion" if isinstance(content, transforms.ArrayUnion) else "arrayRemove"
            return {name: [tagged(element) for element in content.values]}
        case firestore.SERVER_TIMESTAMP:
            return {"serverTimestamp": True}
        case firestore.DELETE_FIELD:
            return {"delete": True}
    raise TypeError(type(content))


def _timestamp(moment: datetime.datetime) -> list[str]:
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    # The library's `timestamp_pb` would round towards the epoch, and its `nanosecond` is 0 where microseconds say all.
    nanoseconds = getattr(moment, "nanosecond", 0) or since.microseconds * 1_000
    return [str(since.days * 86_400 + since.seconds), str(nanoseconds)]
