"""`brasa-tools bundle` beside the official client's FirestoreBundle: equal input, equal bundles."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator

import grpc
import pytest
from google.cloud import firestore
from google.cloud.firestore_bundle import FirestoreBundle
from google.cloud.firestore_v1._helpers import deserialize_bundle
from google.cloud.firestore_v1.base_query import FieldFilter

from support.interop import SwiftClient
from support.values import ODD_NUMBERS, TEXTS, VALUES, tagged

ALL = VALUES | ODD_NUMBERS | TEXTS
# The official writer takes such times for others.
BUNDLED = {name: value for name, value in ALL.items() if name not in ("last timestamp", "before the epoch")}
QUERY = {
    "from": [{"collectionId": "cities"}],
    "where": {"fieldFilter": {"field": {"fieldPath": "size"}, "op": "GREATER_THAN", "value": {"integerValue": "1"}}},
    "orderBy": [{"field": {"fieldPath": "size"}, "direction": "DESCENDING"}],
    "limit": 2,
}


def elements(bundle: bytes) -> list[dict[str, Any]]:
    """The objects of a bundle; each has its length in bytes before it."""
    found = []
    while bundle:
        length, _, _ = bundle.partition(b"{")
        end = len(length) + int(length)
        found.append(json.loads(bundle[len(length) : end]))
        bundle = bundle[end:]
    return found


def of_kind(bundle: bytes, kind: str) -> list[dict[str, Any]]:
    return [element[kind] for element in elements(bundle) if kind in element]


@pytest.fixture
def swift(address: str, client: firestore.Client, tmp_path: Path) -> Iterator[SwiftClient]:
    log = tmp_path / "interop.log"
    swift = SwiftClient(address, client.project, log)
    yield swift
    assert swift.stop() == 0, log.read_text()


@pytest.fixture
def build(tools: Path, address: str, client: firestore.Client, tmp_path: Path):
    """Runs `brasa-tools bundle` on the test's database."""

    def run(*arguments: str, status: int = 0) -> bytes:
        command = [tools, "bundle", "--target", address, "--project", client.project, *arguments]
        ended = subprocess.run(command, capture_output=True, timeout=60)
        assert ended.returncode == status, ended.stderr
        return ended.stdout if status == 0 else ended.stderr

    return run


def test_a_bundle_says_what_the_official_one_says(build, client):
    client.document("odd/values").set({str(n): value for n, value in enumerate(BUNDLED.values())})
    client.document("odd/names").set({"a.b": 1, "`": 2, "é": 3, "e\u0301": 4, "ref": client.document("a/b")})
    for size, city in enumerate(["Lisboa", "Porto", "Évora", "Braga"]):
        client.document(f"cities/{city}").set({"size": size})

    official = FirestoreBundle("b")
    for path in ("odd/values", "odd/names", "cities/Lisboa"):
        official.add_document(client.document(path).get())
    query = client.collection("cities").where(filter=FieldFilter("size", ">", 1))
    query = query.order_by("size", direction=firestore.Query.DESCENDING).limit(2)
    official.add_named_query("big", query)
    theirs = official.build().encode()
    documents = [f"--document={path}" for path in ("odd/values", "odd/names", "cities/Lisboa")]
    ours = build("--id=b", *documents, "--query", f"big={json.dumps(QUERY)}")

    assert of_kind(ours, "document") == of_kind(theirs, "document")
    kept = ("name", "exists", "queries")
    mine, other = ([{key: head.get(key) for key in kept} for head in of_kind(each, "documentMetadata")] for each in (ours, theirs))
    assert mine == other
    # The official client writes the query's name in the place of its parent.
    assert [named["bundledQuery"] | {"parent": "big"} for named in of_kind(ours, "namedQuery")] == [
        named["bundledQuery"] for named in of_kind(theirs, "namedQuery")
    ]
    (mine,), (other,) = of_kind(ours, "metadata"), of_kind(theirs, "metadata")
    assert {key: mine[key] for key in ("id", "version", "totalDocuments")} == {
        key: other[key] for key in ("id", "version", "totalDocuments")
    }


@pytest.mark.parametrize("author", ["official", "ours"])
def test_the_swift_client_loads_bundles_whoever_made_them(build, client, swift, author):
    values = {str(n): value for n, value in enumerate((BUNDLED if author == "official" else ALL).values())}
    client.document("odd/values").set(values)
    for size, city in enumerate(["Lisboa", "Porto", "Évora", "Braga"]):
        client.document(f"countries/pt/cities/{city}").set({"size": size})
    query = client.collection("countries/pt/cities").where(filter=FieldFilter("size", ">", 1))
    query = query.order_by("size", direction=firestore.Query.DESCENDING).limit(2)
    if author == "official":
        official = FirestoreBundle("b")
        official.add_document(client.document("odd/values").get())
        official.add_document(client.document("odd/none").get())
        official.add_named_query("big", query)
        bundle = official.build().encode()
    else:
        named = json.dumps({"structuredQuery": QUERY, "parent": "countries/pt"})
        bundle = build("--id=b", "--document=odd/values", "--document=odd/none", "--query", f"big={named}")
    swift.load(bundle)
    assert swift.read("cache", "odd/values") == tagged(values)["map"]
    assert swift.read("cache", "odd/none") is None
    assert swift.named("big") == ["Braga", "Évora"]
    assert swift.named("small") is None


def test_everything_in_a_bundle_is_read_at_one_time(build, client):
    for number in range(3):
        client.document(f"cities/{number}").set({"size": number})
    bundle = build("--id=b", "--document=cities/0", "--document=cities/none", "--query", f"big={json.dumps(QUERY)}")
    (metadata,) = of_kind(bundle, "metadata")
    times = {head["readTime"] for kind in ("documentMetadata", "namedQuery") for head in of_kind(bundle, kind)}
    assert times == {metadata["createTime"]}
    assert [head["name"].rpartition("/")[2] for head in of_kind(bundle, "documentMetadata")] == ["0", "none", "2"]
    assert [head.get("exists", False) for head in of_kind(bundle, "documentMetadata")] == [True, False, True]
    assert metadata["totalDocuments"] == 3
    first = json.dumps(elements(bundle)[0], separators=(",", ":"))
    assert int(metadata["totalBytes"]) == len(bundle) - len(first) - len(str(len(first)))


def test_the_official_reader_reads_a_bundle(build, client):
    client.document("cities/Évora").set({"size": 7, "name": "Évora"})
    bundle = build("--id=b", "--document=cities/Évora")
    read = deserialize_bundle(bundle.decode(), client)
    (document,) = read.documents.values()
    assert document.snapshot.to_dict() == {"size": 7, "name": "Évora"}


def test_a_file_is_written_whole_or_not_at_all(build, client, tmp_path):
    client.document("cities/0").set({"size": 1})
    file = tmp_path / "cities.bundle"
    assert build("--id=b", "--document=cities/0", "--output", str(file)) == b""
    assert len(of_kind(file.read_bytes(), "document")) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--document=cities",),
        ("--query", "q={}"),
        ("--query", "q"),
        ("--query", 'q={"from":[{"collectionId":"c"}],"offset":1}'),
        ("--query", 'q={"from":[{"collectionId":"c"}],"where":{"fieldFilter":{}}}'),
    ],
)
def test_what_cannot_be_bundled_is_refused(build, arguments):
    status = 64 if arguments == ("--query", "q") else 1
    assert b"q" in build("--id=b", *arguments, status=status) or arguments[0] == "--document=cities"


def test_a_server_that_is_not_there_is_named(tools):
    command = [tools, "bundle", "--target", "127.0.0.1:1", "--project", "p", "--id", "b", "--document", "c/d"]
    ended = subprocess.run(command, capture_output=True, timeout=120)
    assert ended.returncode == 1
    assert b"127.0.0.1:1" in ended.stderr


class Gate(grpc.GenericRpcHandler):
    """Lets nobody in, and remembers what each showed."""

    def __init__(self) -> None:
        self.shown: list[str | None] = []

    def service(self, details):
        def refuse(_, context):
            self.shown.append(dict(context.invocation_metadata()).get("authorization"))
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "not you")

        return grpc.unary_stream_rpc_method_handler(refuse)


@pytest.mark.parametrize(
    ("arguments", "variable", "shown"),
    [
        ((), None, "Bearer owner"),
        ((), "", "Bearer owner"),
        (("--token", "mine"), None, "Bearer mine"),
        ((), "from a file\n", "Bearer from a file"),
        (("--token", "mine"), "another", "Bearer mine"),
    ],
)
def test_the_server_is_shown_the_token(tools, arguments, variable, shown):
    gate = Gate()
    with ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads, handlers=[gate])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        command = [tools, "bundle", "--target", f"127.0.0.1:{port}", "--project", "p", "--id", "b", "--document", "c/d"]
        environment = os.environ | ({} if variable is None else {"BRASA_TOKEN": variable})
        ended = subprocess.run([*command, *arguments], capture_output=True, timeout=60, env=environment)
        server.stop(None).wait()
    assert ended.returncode == 1
    assert b"PERMISSION_DENIED: not you" in ended.stderr
    assert gate.shown == [shown]


def test_a_token_that_no_header_can_carry_is_refused(tools):
    command = [tools, "bundle", "--project", "p", "--id", "b", "--document", "c/d", "--token", "a\nb"]
    ended = subprocess.run(command, capture_output=True, timeout=60)
    assert ended.returncode == 1
    assert b"the token's byte 1 is 10" in ended.stderr
