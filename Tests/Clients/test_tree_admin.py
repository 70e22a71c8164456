"""The official client for administrators, of Python, against the Realtime Database's REST."""

from __future__ import annotations

import threading
from typing import Callable, Iterator

import pytest

from support.trees import Tree

admin = pytest.importorskip("firebase_admin")
from firebase_admin import db, exceptions  # noqa: E402

RULES = {
    "posts": {".indexOn": ["stars", ".value"]},
    "scores": {".indexOn": [".value", "n"]},
    "users": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}},
}
SECONDS = 20


@pytest.fixture
def apps(start_server, monkeypatch) -> Iterator[Callable[..., Callable[[str], db.Reference]]]:
    """Apps of one tree, each as a function from paths to references."""
    tree = Tree(start_server("--emulator").address).with_rules(RULES)
    monkeypatch.setenv("FIREBASE_DATABASE_EMULATOR_HOST", tree.address)
    made = []

    def make(**options):
        options = {"databaseURL": f"http://{tree.address}?ns={tree.name}", "projectId": "demo", **options}
        app = admin.initialize_app(options=options, name=f"{tree.name}-{len(made)}")
        made.append(app)
        return lambda path="/": db.reference(path, app=app)

    yield make
    for app in made:
        admin.delete_app(app)


@pytest.fixture
def official(apps):
    return apps()


def test_the_official_client(official):
    reference = official("/posts")
    reference.set({"a": {"stars": 1}})
    reference.update({"a/stars": 2, "b/stars": 5})
    assert reference.get() == {"a": {"stars": 2}, "b": {"stars": 5}}
    assert official("/").get(shallow=True) == {"posts": True}
    assert reference.child("b").child("stars").get() == 5 and reference.child("b").parent.key == "posts"
    reference.child("b").delete()
    assert reference.get() == {"a": {"stars": 2}}
    reference.delete()
    assert reference.get() is None


def test_pushed_keys_are_in_their_order(official):
    reference = official("/list")
    keys = [reference.push(number).key for number in range(10)] + [reference.push().key]
    assert keys == sorted(set(keys))
    assert list(reference.order_by_key().get().values()) == [*range(10), ""]


@pytest.mark.parametrize(
    "ask, keys",
    [
        (lambda it: it.order_by_child("n").limit_to_last(2), ["d", "a"]),
        (lambda it: it.order_by_child("n").start_at(2).end_at(3), ["c", "d"]),
        (lambda it: it.order_by_child("n").equal_to(3), ["d"]),
        (lambda it: it.order_by_child("n").end_at(1), ["e", "b"]),
        (lambda it: it.order_by_key().start_at("b").limit_to_first(2), ["b", "c"]),
        (lambda it: it.order_by_key().end_at("b"), ["a", "b"]),
        (lambda it: it.order_by_key().equal_to("x"), []),
    ],
)
def test_queries_by_child_and_key(official, ask, keys):
    reference = official("/scores")
    reference.set({"a": {"n": 4}, "b": {"n": 1}, "c": {"n": 2}, "d": {"n": 3}, "e": {"m": 1}})
    # The client orders what it gets by itself.
    assert list(ask(reference).get() or {}) == keys


def test_queries_by_value(official):
    reference = official("/scores")
    reference.set({"a": 4, "b": "text", "c": 2, "d": True, "e": False})
    assert list(reference.order_by_value().get()) == ["e", "d", "c", "a", "b"]
    assert list(reference.order_by_value().start_at(3).get()) == ["a", "b"]
    assert list(reference.order_by_value().limit_to_first(2).get()) == ["e", "d"]


def test_what_is_wrong_is_an_error_of_its_kind(official):
    with pytest.raises(exceptions.InvalidArgumentError, match="Index not defined"):
        official("/scores").order_by_child("unknown").get()
    with pytest.raises(exceptions.InvalidArgumentError, match="invalid characters"):
        official("/scores").set({"a.b": 1})
    with pytest.raises(exceptions.InvalidArgumentError):
        official("/scores").update({"a": 1, "a/b": 2})
    assert official("/scores").get() is None


def test_conditions(official):
    reference = official("/posts/a")
    value, etag = reference.get(etag=True)
    assert (value, etag) == (None, "null_etag")
    done, value, etag = reference.set_if_unchanged(etag, {"stars": 3})
    assert done and value == {"stars": 3}
    assert reference.get(etag=True) == ({"stars": 3}, etag)
    assert reference.get_if_changed(etag) == (False, None, None)
    assert reference.get_if_changed("another") == (True, {"stars": 3}, etag)
    assert reference.set_if_unchanged("another", 1) == (False, {"stars": 3}, etag)
    assert reference.get() == {"stars": 3}


def test_transactions_of_several_clients_count_exactly(apps):
    references = [apps()("/posts/a/stars") for _ in range(4)]
    failures: list[Exception] = []

    def run(reference) -> None:
        for _ in range(10):
            while True:
                try:
                    reference.transaction(lambda value: (value or 0) + 1)
                    break
                except db.TransactionAbortedError:
                    # It gives up after 25 tries; so the program goes on.
                    continue
                except Exception as failure:
                    failures.append(failure)
                    return

    threads = [threading.Thread(target=run, args=(reference,)) for reference in references]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert references[0].get() == 40


def test_a_transaction_that_is_given_up_changes_nothing(official):
    reference = official("/posts/a")
    reference.set(1)

    def give_up(_):
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        reference.transaction(give_up)
    assert reference.get() == 1


def test_an_app_that_is_judged_as_somebody(apps):
    ada = apps(databaseAuthVariableOverride={"uid": "ada"})
    ada("/users/ada").set({"name": "Ada"})
    assert ada("/users/ada").get() == {"name": "Ada"}
    for refused in (lambda: ada("/users/alan").set(1), lambda: ada("/").get(), lambda: apps(databaseAuthVariableOverride=None)("/users/ada").get()):
        with pytest.raises(exceptions.UnauthenticatedError, match="Permission denied"):
            refused()
    assert apps()("/users").get() == {"ada": {"name": "Ada"}}


class Told:
    """What a registration was told."""

    def __init__(self):
        self.events: list[tuple[str, str, object]] = []
        self.changed = threading.Condition()

    def __call__(self, event) -> None:
        with self.changed:
            self.events.append((event.event_type, event.path, event.data))
            self.changed.notify()

    def wait(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.events) == count, timeout=SECONDS), self.events


# The client's own thread falls over its connection when it is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_official_client_listens(official):
    told = Told()
    registration = official("/live").listen(told)
    told.wait(1)
    official("/live/x").set(1)
    told.wait(2)
    official("/live").update({"x": 2, "y/z": 3})
    told.wait(3)
    official("/live/x").delete()
    told.wait(4)
    registration.close()
    assert told.events == [
        ("put", "/", None),
        ("put", "/x", 1),
        ("patch", "/", {"x": 2, "y/z": 3}),
        ("put", "/x", None),
    ]
