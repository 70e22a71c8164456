"""Bloom filters as clients read them (reference 8.6), computed by themselves."""

from __future__ import annotations

import hashlib
from typing import Any, Iterable


def positions(name: str, bit_count: int, hash_count: int) -> list[int]:
    digest = hashlib.md5(name.encode()).digest()
    first, second = (int.from_bytes(digest[start : start + 8], "little") for start in (0, 8))
    return [(first + index * second) % 2**64 % bit_count for index in range(hash_count)]


def bitmap(names: Iterable[str], bit_count: int, hash_count: int) -> bytes:
    bits = bytearray((bit_count + 7) // 8)
    for name in names:
        for position in positions(name, bit_count, hash_count):
            bits[position // 8] |= 1 << position % 8
    return bytes(bits)


class Filter:
    """What a client makes of `unchanged_names`."""

    def __init__(self, message: Any):
        self.bits = message.bits.bitmap
        self.padding = message.bits.padding
        self.hash_count = message.hash_count
        # What clients check before they trust it.
        assert 0 <= self.padding <= 7
        assert self.hash_count > 0 if self.bits else self.padding == 0
        self.bit_count = len(self.bits) * 8 - self.padding

    def may_contain(self, name: str) -> bool:
        if self.bit_count == 0:
            return False
        places = positions(name, self.bit_count, self.hash_count)
        return all(self.bits[place // 8] >> place % 8 & 1 for place in places)

    def is_of(self, names: Iterable[str]) -> bool:
        """Whether it is exactly the filter of these names, bit by bit."""
        return self.bits == bitmap(names, self.bit_count, self.hash_count)
