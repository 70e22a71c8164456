"""One call of a sequence, before it is bound to a server: its request, and which of the server's own words it needs."""

from __future__ import annotations

import dataclasses
from typing import Any

from google.protobuf import text_format

from support.messages import StructuredQuery


@dataclasses.dataclass
class Step:
    """A request whose transaction ids, tokens and times are filled in from earlier answers of the same server."""

    method: str
    request: Any
    # The number of the transaction that the request belongs to, or that it retries.
    transaction: int | None = None
    retries: int | None = None
    # That transaction was committed or rolled back before.
    after_end: bool = False
    # The number that a transaction gets if this step begins one.
    begins: int | None = None
    # The token slot that this step continues, and the one that it fills.
    page: int | None = None
    # Position of a write -> whose update time its precondition names: a document's path, as last seen.
    current: dict[int, str] = dataclasses.field(default_factory=dict)
    # Read at the time of the n-th commit that succeeded.
    read_commit: int | None = None
    note: str = ""

    def describe(self) -> str:
        bound = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in dataclasses.fields(self)[2:]
            if getattr(self, field.name) not in (None, "", {}, False)
        ]
        request = self.request if isinstance(self.request, bytes) else None
        text = request.hex() if request is not None else text_format.MessageToString(self.request, as_one_line=True)
        return f"{self.method} {' '.join(bound)} {{{text}}}"


def collection_query(collection: str | None, *, group: bool = False, **members) -> StructuredQuery:
    selector = StructuredQuery.CollectionSelector(all_descendants=group)
    if collection is not None:
        selector.collection_id = collection
    return StructuredQuery(from_=[selector], **members)
