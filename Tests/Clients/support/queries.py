"""Short ways to write queries, and to ask them more than once."""

from __future__ import annotations

import datetime
from typing import Any, Callable, Iterable

from google.cloud import firestore
from google.cloud.firestore_v1.base_query import And, BaseCompositeFilter, FieldFilter, Or

from support import messages
from support.messages import StructuredQuery, message

ASCENDING, DESCENDING = 1, 2

# A shape of query may be answered by a scan first and by an index of its own later: each is asked this often.
TIMES = 3

# More documents than a server would look through without making an index for what it looks for.
PADDING = 150

Build = Callable[[Any], Any]


def where(path: str, operator: str, operand: Any) -> FieldFilter:
    return FieldFilter(path, operator, operand)


def every(*filters: Any) -> And:
    return And(filters=list(filters))


def either(*filters: Any) -> Or:
    return Or(filters=list(filters))


def ids(snapshots: Iterable[Any]) -> list[str]:
    return [snapshot.id for snapshot in snapshots]


def answer(query: Any, **options) -> list[str]:
    """The ids that a query returns, the same each time."""
    first = ids(query.stream(**options))
    for _ in range(TIMES - 1):
        assert ids(query.stream(**options)) == first
    return first


def fill(client: firestore.Client, contents: dict[str, dict[str, Any]]) -> None:
    """Writes documents by path."""
    pending = list(contents.items())
    for start in range(0, len(pending), 400):
        batch = client.batch()
        for path, content in pending[start : start + 400]:
            batch.set(client.document(path), content)
        batch.commit()


def padding(collection: str) -> dict[str, dict[str, Any]]:
    """Documents after all others that have none of the fields that queries ask for."""
    return {f"{collection}/~{number:04}": {"padding": number} for number in range(PADDING)}


def moment(*parts: int) -> datetime.datetime:
    return datetime.datetime(*parts, tzinfo=datetime.timezone.utc)


# Raw messages: what the library does not send, or sends otherwise.


def field(path: str) -> Any:
    return StructuredQuery.FieldReference(field_path=path)


OPERATORS = {
    name: number for name, number in StructuredQuery.FieldFilter.Operator.items() if name != "OPERATOR_UNSPECIFIED"
}
UNARY_OPERATORS = {
    name: number for name, number in StructuredQuery.UnaryFilter.Operator.items() if name != "OPERATOR_UNSPECIFIED"
}


def compare(path: str, operator: str | int, operand: Any) -> Any:
    number = OPERATORS[operator] if isinstance(operator, str) else operator
    filtered = StructuredQuery.FieldFilter(field=field(path), op=number, value=messages.value(operand))
    return StructuredQuery.Filter(field_filter=filtered)


def unary(path: str, operator: str | int) -> Any:
    number = UNARY_OPERATORS[operator] if isinstance(operator, str) else operator
    return StructuredQuery.Filter(unary_filter=StructuredQuery.UnaryFilter(field=field(path), op=number))


def composite(operator: int, *filters: Any) -> Any:
    return StructuredQuery.Filter(composite_filter=StructuredQuery.CompositeFilter(op=operator, filters=filters))


def all_of(*filters: Any) -> Any:
    return composite(1, *filters)


def any_of(*filters: Any) -> Any:
    return composite(2, *filters)


def order(path: str, direction: int = ASCENDING) -> Any:
    return StructuredQuery.Order(field=field(path), direction=direction)


def cursor(*values: Any, before: bool = True) -> Any:
    return message("Cursor")(values=[messages.value(each) for each in values], before=before)


def collection(identifier: str, filter: Any = None, *, group: bool = False, **members) -> StructuredQuery:
    """A query of a collection, or of a collection group."""
    selector = StructuredQuery.CollectionSelector(collection_id=identifier, all_descendants=group)
    return StructuredQuery(from_=[selector], where=filter, **members)


def vector(*components: float) -> dict[str, Any]:
    return {"__type__": "__vector__", "value": list(components)}


def names(outcome: Any) -> list[str]:
    """The paths that a RunQuery returned, below the database's root."""
    found = [each.document.name for each in outcome.stream if each.HasField("document")]
    return [name.partition("/documents/")[2] for name in found]
