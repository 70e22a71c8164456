"""The differences from Google's emulator that stand, each with the section of the reference that decides against it."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

from differential.execute import NO_MORE_PAGES, Answer
from differential.known_queries import (
    dead_branch,
    disjunctions_that_repeat,
    last_digits,
    not_in_nan,
    repeated_array_filter,
    same_documents,
    ties_between_neighbours,
    too_many_filters,
)
from differential.steps import Step

Explains = Callable[[Step, Answer, Answer], bool]


@dataclasses.dataclass(frozen=True)
class Known:
    """A difference by name. `explains(step, ours, theirs)` tells whether two answers differ by it and nothing else."""

    name: str
    section: str
    explains: Explains


def refusal(ours: str, theirs: str, *methods: str) -> Explains:
    """The statuses are as given, in one of these methods if there are any."""

    def explains(step: Step, mine: Answer, other: Answer) -> bool:
        return (mine.status, other.status) == (ours, theirs) and (not methods or step.method in methods)

    return explains


def ended_transaction(step: Step, ours: Answer, theirs: Answer) -> bool:
    """Here an id is of no more use after its commit, whether that succeeded or not, and says so before all else."""
    is_refused = ours.status in ("ABORTED", "INVALID_ARGUMENT") and ours.text == EXPIRED
    return step.after_end and is_refused and ours.status != theirs.status


def continued_in_order(step: Step, ours: Answer, theirs: Answer) -> bool:
    is_ordered = step.method == "ListDocuments" and step.request.order_by != ""
    return is_ordered and (ours.status, theirs.status) == ("OK", "UNKNOWN")


def lock_outlives(step: Step, ours: Answer, theirs: Answer) -> bool:
    return theirs.text == "Transaction lock timeout."


def integer_in_a_vector(step: Step, ours: Answer, theirs: Answer) -> bool:
    return theirs.status == "INVALID_ARGUMENT" and theirs.text == "Vector must only contain values of type 'double'"


def last_page_is_full(step: Step, ours: Answer, theirs: Answer) -> bool:
    if ours.status == NO_MORE_PAGES:
        # In an order by name the emulator cannot even continue from it.
        return theirs.status == "UNKNOWN" or theirs.status == "OK" and theirs.messages == [{}]
    if step.page is None or (ours.status, theirs.status) != ("OK", "OK"):
        return False
    without_token = {key: content for key, content in theirs.messages[0].items() if key != "next_page_token"}
    return ours.messages == [without_token]


def missing_have_times(step: Step, ours: Answer, theirs: Answer) -> bool:
    """In lists the emulator gives a missing document the time of its deletion, if it ever existed."""
    if step.method != "ListDocuments" or (ours.status, theirs.status) != ("OK", "OK"):
        return False
    documents = [
        document if "create_time" in document else {"name": document["name"]}
        for document in theirs.messages[0].get("documents", [])
    ]
    return last_page_is_full(step, ours, with_documents(theirs, documents)) or ours.messages == [
        with_documents(theirs, documents).messages[0]
    ]


def with_documents(answer: Answer, documents: list[Any]) -> Answer:
    return Answer(answer.status, [{**answer.messages[0], "documents": documents}])


def mask_is_ignored(step: Step, ours: Answer, theirs: Answer) -> bool:
    """With show_missing the emulator shows whole documents, whatever the mask."""
    if step.method != "ListDocuments" or not (step.request.show_missing and step.request.HasField("mask")):
        return False
    if (ours.status, theirs.status) != ("OK", "OK"):
        return False

    def names(answer: Answer) -> list[Any]:
        documents = answer.messages[0].get("documents", [])
        return [(document["name"], document.get("create_time")) for document in documents]

    return names(ours) == names(theirs)


def has_a_time_without_a_version(step: Step, ours: Answer, theirs: Answer) -> bool:
    """Of the times of writes that delete or verify: the emulator gives a time to a delete beside other writes of the
    document and to the verification of a missing one, and none to a write that a delete follows."""
    if step.method not in ("Commit", "BatchWrite") or (ours.status, theirs.status) != ("OK", "OK"):
        return False
    writes = step.request.writes
    # A verification is a write without an operation that the library knows; it is never beside another write.
    names = {write.delete for write in writes if write.delete}

    def timeless(answer: Answer) -> dict[str, Any]:
        results = [
            {key: content for key, content in result.items() if key != "update_time" or not concerned(write)}
            for write, result in zip(writes, answer.messages[0]["write_results"])
        ]
        return {**answer.messages[0], "write_results": results}

    def concerned(write: Any) -> bool:
        name = write.update.name or write.delete or write.transform.document
        return not name or name in names

    return timeless(ours) == timeless(theirs)


def batch_write_as_a_whole(step: Step, ours: Answer, theirs: Answer) -> bool:
    """Of a batch with a malformed write, the emulator refuses all."""
    if step.method != "BatchWrite" or (ours.status, theirs.status) != ("OK", "INVALID_ARGUMENT"):
        return False
    return any(status.get("code") == 3 for status in ours.messages[0]["status"])


def negative_page_size(step: Step, ours: Answer, theirs: Answer) -> bool:
    is_negative = step.method == "ListDocuments" and step.request.page_size < 0
    return is_negative and ours.status == "INVALID_ARGUMENT" and theirs.status in ("OK", NO_MORE_PAGES)


def says(theirs_status: str, start: str, *ours_statuses: str) -> Explains:
    """The emulator refuses with these words; ours answers, or refuses for another reason."""

    def explains(step: Step, ours: Answer, theirs: Answer) -> bool:
        is_other = ours.status in ("OK", *ours_statuses)
        return is_other and theirs.status == theirs_status and theirs.text.startswith(start)

    return explains


EXPIRED = "The referenced transaction has expired or is no longer valid."

KNOWN = [
    Known("queries end with done, and skipped results are counted elsewhere", "7.7, 11.3", same_documents),
    Known("an exactly full last page has a token", "5.3, 11.3", last_page_is_full),
    Known("a list with missing documents ignores its mask", "5.1, 5.3", mask_is_ignored),
    Known("an ordered list has no second page", "5.3", continued_in_order),
    Known("a missing document has a time in lists", "5.3", missing_have_times),
    Known("vectors hold doubles only", "4.6", integer_in_a_vector),
    Known("a negative page size is taken", "5.3", negative_page_size),
    Known("a delete or a verification has a time without a version", "5.6, appendix A", has_a_time_without_a_version),
    Known("a malformed write fails its whole batch", "5.7", batch_write_as_a_whole),
    Known("reading no names fails in a transaction", "5.2", refusal("OK", "UNKNOWN", "BatchGetDocuments")),
    Known("an ended transaction is answered otherwise", "6.7", ended_transaction),
    Known("a lock outlives its transaction", "6.7", lock_outlives),
    Known(
        "names cannot descend",
        "11.3",
        says("FAILED_PRECONDITION", "Firestore does not support descending key scans", "INVALID_ARGUMENT"),
    ),
    Known("filters are not counted once for each disjunction", "7.3", too_many_filters),
    Known("neighbours at one distance come in another order", "7.10", ties_between_neighbours),
    Known("branches that match nothing ask for no fields", "7.4", dead_branch),
    Known("disjunctions that repeat are not counted", "7.3", disjunctions_that_repeat),
    Known("an array filter that repeats is counted once", "7.3", repeated_array_filter),
    Known("NOT_IN with NaN lets NaN pass", "7.3", not_in_nan),
    Known("sums of doubles differ in the last digits", "7.9", last_digits),
    Known("a bad request is UNKNOWN", "1.5", refusal("INVALID_ARGUMENT", "UNKNOWN")),
]


def explanation(step: Step, ours: Answer, theirs: Answer) -> Known | None:
    return next((known for known in KNOWN if known.explains(step, ours, theirs)), None)
