"""Every kind of value of the Realtime Database at its edges, and what is read of it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any


@dataclasses.dataclass(frozen=True)
class Stored:
    """A value that is read otherwise than it was written."""

    written: Any
    read: Any


def nested(depth: int) -> Any:
    return {"m": nested(depth - 1)} if depth else "deep"


VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "one": 1,
    "minus one": -1,
    "more than 32 bits": 2**32 + 1,
    "largest integer that doubles tell apart": 2**53,
    "smallest integer that doubles tell apart": -(2**53),
    "largest integer": 2**63 - 1,
    "smallest integer": -(2**63),
    "integer of no 64 bits": Stored(2**64, 2.0**64),
    "double": 1.5,
    "double of many digits": 0.1 + 0.2,
    "integral double": Stored(3.0, 3),
    "minus zero": Stored(-0.0, 0),
    "smallest double": 5e-324,
    "largest double": 1.7976931348623157e308,
    "large integral double": 1e21,
    "empty string": "",
    "string": "Grüße, 世界 🎉",
    "string like a number": "17",
    "string like a server value": ".sv",
    "control characters": "a\0b\x1f\x7f",
    "quotes and lines": "\"\\/\r\n\t\u2028",
    "composed": "\u00e9",
    "decomposed": "e\u0301",
    "highest character": "\U0010ffff",
    "family emoji": "👨‍👩‍👧‍👦🏳️‍🌈",
    "long string": "ä" * 100_000,
    "map": {"b": 1, "a": {"c": [True, "x"]}},
    "deep map": nested(28),
    "map with odd keys": {"a b": 1, "🎉": 2, "`\"\\": 5, "-1": 6, "01": 7, "ключ": 8, ":;,": 9},
    "map with a composed key": {"\u00e9": 1},
    "map with a decomposed key": {"e\u0301": 1},
    "map with null": Stored({"a": None, "b": {"c": None}, "d": 1}, {"d": 1}),
    "empty map": Stored({}, None),
    "map of nothing": Stored({"a": {"b": {}}}, None),
    "array": [1, "two", True, {"three": [3]}],
    "array of arrays": [[1, 2], [3]],
    "empty array": Stored([], None),
    "array with null": [1, None, 3],
    "array with null last": Stored([1, 2, None], [1, 2]),
    "array with null first": [None, 1, 2],
    "map with all indices": Stored({"0": "a", "1": "b"}, ["a", "b"]),
    "map with most indices": Stored({"0": "a", "2": "c"}, ["a", None, "c"]),
    "map with few indices": {"0": "a", "7": "h"},
    "map with indices and a key": {"0": "a", "1": "b", "x": 1},
    "array of few": Stored([None, None, None, "d"], {"3": "d"}),
    "large index": {"9007199254740991": 1},
    "wide map": {f"k{number}": number for number in range(500)},
    "wide array": list(range(500)),
}


def written(name: str) -> Any:
    value = VALUES[name]
    return value.written if isinstance(value, Stored) else value


def read(name: str) -> Any:
    value = VALUES[name]
    return value.read if isinstance(value, Stored) else value


def text(value: Any) -> str:
    """Equal for equal values, and else not: 1 is not true, and minus zero not zero. There is one kind of number, so 3.0 is 3,
    and what no 64 bits hold is a double, however many digits it was read with."""
    return json.dumps(_normal(value), sort_keys=True, ensure_ascii=True)


def _normal(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _normal(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_normal(element) for element in value]
    if isinstance(value, float) and value.is_integer() and str(value) != "-0.0":
        value = int(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value
