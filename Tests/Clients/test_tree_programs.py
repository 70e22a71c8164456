"""The programs of Google's page on reading and writing data of the Realtime Database, by REST and by WebSocket.

What the page says of apps that are offline is not here: writes wait in the client, which sends them when it is connected
again, as any others.
"""

from __future__ import annotations

import threading
from typing import Callable, Iterator

import pytest

from support.tree_programs import Refused, RestApp, SocketApp
from support.trees import Tree

POST = {"uid": "ada", "author": "Ada", "title": "On engines", "body": "..."}


@pytest.fixture(params=["REST", "WebSocket"])
def new_app(request: pytest.FixtureRequest, address: str) -> Iterator[Callable]:
    """Apps of one database of this test's own."""
    tree = Tree(address)
    made = []

    def make():
        made.append(RestApp(tree) if request.param == "REST" else SocketApp(address, tree.name))
        return made[-1]

    yield make
    for app in made:
        app.close()


@pytest.fixture
def app(new_app):
    return new_app()


def in_threads(count: int, run: Callable[[int], None]) -> None:
    failures: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            run(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_basic_write_replaces_what_is_at_its_place_and_nothing_beside_it(app):
    app.set("/users/ada", {"username": "ada", "email": "ada@example.org"})
    app.set("/users/alan", {"username": "alan"})
    app.set("/users/ada/username", "countess")
    assert app.get("/users/ada") == {"username": "countess", "email": "ada@example.org"}
    app.set("/users/ada", {"username": "ada"})
    assert app.get("/users") == {"ada": {"username": "ada"}, "alan": {"username": "alan"}}


@pytest.mark.parametrize(
    "value", ["text", "", 7, -7.5, True, False, {"a": {"b": "c"}}, "ä 🐵", 2**53]
)
def test_what_is_written_is_read_once(app, value):
    app.set("/value", value)
    assert app.get("/value") == value


def test_nothing_is_read_where_there_is_nothing(app):
    assert app.get("/nowhere/at/all") is None


def test_an_observer_sees_what_is_there_and_each_change_of_it_and_its_children(app):
    observer = app.observe("/post")
    assert observer.follow(None) == [None]
    app.set("/post", {"title": "first"})
    assert observer.follow({"title": "first"}) == [{"title": "first"}]
    app.set("/post/stars/ada", True)
    app.update("/post", {"title": "second", "stars/alan": True})
    app.set("/elsewhere", 1)
    app.remove("/post/stars")
    whole = {"title": "second", "stars": {"ada": True, "alan": True}}
    assert observer.follow({"title": "second"}) == [
        {"title": "first", "stars": {"ada": True}},
        whole,
        {"title": "second"},
    ]
    app.remove("/post")
    assert observer.follow(None) == [None]
    later = app.observe("/elsewhere")
    assert later.follow(1) == [1]
    observer.detach()


def test_an_observer_that_was_detached_is_told_nothing(app):
    observer = app.observe("/post")
    observer.follow(None)
    observer.detach()
    app.set("/post", 1)
    observer.hears_nothing()


def test_child_events(app):
    app.update("/comments", {"a": {"text": "one"}, "b": {"text": "two"}})
    observer = app.observe("/comments")
    assert observer.child_events() == [("added", "a", {"text": "one"}), ("added", "b", {"text": "two"})]
    app.set("/comments/c", {"text": "three"})
    app.set("/comments/a/text", "uno")
    app.set("/comments/b/text", "two")
    app.remove("/comments/b")
    observer.follow({"a": {"text": "uno"}, "c": {"text": "three"}})
    assert observer.child_events() == [
        ("added", "c", {"text": "three"}),
        ("changed", "a", {"text": "uno"}),
        ("removed", "b", {"text": "two"}),
    ]


def test_child_events_of_the_last_children(app):
    app.update("/posts", {"a": 1, "b": 2, "c": 3})
    observer = app.observe("/posts", last=2)
    assert observer.child_events() == [("added", "b", 2), ("added", "c", 3)]
    app.set("/posts/a", 10)
    app.set("/posts/d", 4)
    observer.follow({"c": 3, "d": 4})
    assert sorted(observer.child_events()) == [("added", "d", 4), ("removed", "b", 2)]
    app.remove("/posts/d")
    observer.follow({"b": 2, "c": 3})
    assert sorted(observer.child_events()) == [("added", "b", 2), ("removed", "d", 4)]


def test_several_places_are_updated_at_once_and_observers_see_it_so(app):
    everything, post, list_ = app.observe("/"), app.observe("/posts/k1"), app.observe("/user-posts/ada")
    for observer in (everything, post, list_):
        observer.follow(None)
    app.update("/", {"posts/k1": POST, "user-posts/ada/k1": POST})
    whole = {"posts": {"k1": POST}, "user-posts": {"ada": {"k1": POST}}}
    # One change each: nobody sees the one without the other.
    assert everything.follow(whole) == [whole]
    assert post.follow(POST) == [POST]
    assert list_.follow({"k1": POST}) == [{"k1": POST}]


@pytest.mark.parametrize("wrong", [{"posts/k#": 1}, {"posts/k1": {"a.b": 1}}, {"posts": 1, "posts/k1": 2}])
def test_of_an_update_that_is_wrong_at_one_place_nothing_is_done(app, wrong):
    app.set("/posts/k1", POST)
    with pytest.raises(Refused):
        app.update("/", {"user-posts/ada/k1": POST, **wrong})
    assert app.get("/") == {"posts": {"k1": POST}}


def test_data_is_deleted_in_several_ways(app):
    places = {key: {"there": True} for key in "abcd"}
    app.set("/", places)
    app.remove("/a")
    app.set("/b", None)
    app.update("/", {"c": None, "d/there": None})
    assert app.get("/") is None


def toggle_star(post: dict | None, uid: str) -> dict:
    """The page's transaction."""
    post = dict(post or {})
    stars, count = dict(post.get("stars") or {}), post.get("starCount") or 0
    if stars.pop(uid, None):
        count -= 1
    else:
        stars[uid] = True
        count += 1
    return {**post, "starCount": count, "stars": stars}


def test_stars_are_counted_exactly_by_transactions_of_several(new_app):
    new_app().set("/posts/k1", POST)
    apps = [new_app() for _ in range(4)]

    def run(number: int) -> None:
        # Each user's star ends set, after it was set and taken back.
        for turn in range(15):
            apps[number].transaction("/posts/k1", lambda post: toggle_star(post, f"user-{number}-{turn // 3}"))

    in_threads(len(apps), run)
    post = apps[0].get("/posts/k1")
    assert post["starCount"] == len(post["stars"]) == 20
    assert {key: post[key] for key in POST} == POST


def test_a_transaction_of_something_that_is_not_there_begins_with_nothing(app):
    assert app.transaction("/new", lambda value: {"was": value is None}) == {"was": True}
    assert app.get("/new") == {"was": True}


def test_stars_are_counted_exactly_by_increments_of_several(new_app):
    apps = [new_app() for _ in range(4)]
    one_more = {".sv": {"increment": 1}}

    def run(number: int) -> None:
        for turn in range(25):
            uid = f"user-{number}-{turn}"
            apps[number].update(
                "/",
                {
                    f"posts/k1/stars/{uid}": True,
                    "posts/k1/starCount": one_more,
                    f"user-posts/ada/k1/stars/{uid}": True,
                    "user-posts/ada/k1/starCount": one_more,
                },
            )

    in_threads(len(apps), run)
    for path in ("/posts/k1", "/user-posts/ada/k1"):
        post = apps[0].get(path)
        assert post["starCount"] == len(post["stars"]) == 100


def test_a_time_is_the_server_s(app):
    app.set("/at", {".sv": "timestamp"})
    first = app.get("/at")
    app.set("/at", {".sv": "timestamp"})
    assert 1_500_000_000_000 < first <= app.get("/at")
