"""The differences from Google's emulator that stand, each with the section of the reference that decides against it."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

from differential.execute import NO_MORE_PAGES, Answer
from differential.steps import Step


@dataclasses.dataclass(frozen=True)
class Known:
    """A difference by name. `explains(step, ours, theirs)` tells whether two answers differ by it and nothing else."""

    name: str
    section: str
    explains: Callable[[Step, Answer, Answer], bool]


def refusal(ours: str, theirs: str, *texts: str) -> Callable[[Step, Answer, Answer], bool]:
    """Both statuses are as given, and the emulator's text holds one of these words."""

    def explains(step: Step, mine: Answer, other: Answer) -> bool:
        matches = not texts or any(text in other.text for text in texts)
        return mine.status == ours and other.status == theirs and matches

    return explains


def without_done(answer: Answer) -> list[Any]:
    """The messages of a query without the mark of the last, and without those that only count what was skipped."""
    kept = [{key: content for key, content in message.items() if key != "done"} for message in answer.messages]
    return [message for message in kept if "document" in message]


def same_documents(step: Step, ours: Answer, theirs: Answer) -> bool:
    if step.method != "RunQuery" or ours.status != "OK" or theirs.status != "OK":
        return False
    return without_done(ours) == without_done(theirs)


def last_page_is_full(step: Step, ours: Answer, theirs: Answer) -> bool:
    if ours.status == NO_MORE_PAGES:
        return theirs.status == "OK" and theirs.messages == [{}]
    if step.page is None or ours.status != "OK" or theirs.status != "OK":
        return False
    without_token = {key: content for key, content in theirs.messages[0].items() if key != "next_page_token"}
    return ours.messages == [without_token]


KNOWN = [
    Known("queries end with done, and skipped results are not announced", "7.7, 11.3", same_documents),
    Known("an exactly full last page has a token", "5.3, 11.3", last_page_is_full),
    Known("a bad request is UNKNOWN", "1.5", refusal("INVALID_ARGUMENT", "UNKNOWN")),
]


def explanation(step: Step, ours: Answer, theirs: Answer) -> Known | None:
    return next((known for known in KNOWN if known.explains(step, ours, theirs)), None)
