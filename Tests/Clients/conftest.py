"""Fixtures: the server under test, a database of each test's own, and clients for it.

The server is a real `brasa serve` process (BRASA_BINARY, or what `swift build` left). With BRASA_TEST_HOST=HOST:PORT
the tests use a server that runs already; BRASA_TEST_EMULATOR=1 says that it is Google's emulator.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Iterator

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.async_client import AsyncClient

from support import golang
from support.clients import async_client_for, client_for, close_async_client, close_client
from support.secure import Secure
from support.servers import BrasaServer, brasa_binary, tools_binary
from support.wire import Database, Wire


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=int, default=60, help="number of sequences in the differential test")
    parser.addoption("--seed", type=int, default=1, help="the first seed of the differential test")
    parser.addoption("--kills", type=int, default=10, help="number of times that the kill test kills the server")
    parser.addoption("--cache-kills", type=int, default=8, help="number of times that a client with a cache is killed")
    parser.addoption("--cache-seed", type=int, default=1, help="the first seed of the test that kills clients")
    parser.addoption("--tree-seed", type=int, default=1, help="the first seed of the test that clients of trees converge")
    parser.addoption("--tree-steps", type=int, default=40, help="how much happens in it before they do")


def is_emulator() -> bool:
    return os.environ.get("BRASA_TEST_EMULATOR") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not is_emulator():
        return
    for item in items:
        for mark in item.iter_markers("hosted"):
            item.add_marker(pytest.mark.skip(reason=f"Google's emulator differs: {mark.args[0]}"))


@pytest.fixture(autouse=True)
def no_emulator_is_named() -> None:
    """What one test's clients are told by the environment, clients of the next would show as `Bearer owner`, too."""
    os.environ.pop("FIRESTORE_EMULATOR_HOST", None)


@pytest.fixture(scope="session")
def binary() -> Path:
    """The server program, for tests that start processes of their own."""
    if os.environ.get("BRASA_TEST_HOST"):
        pytest.skip("needs a server process of its own")
    found = brasa_binary()
    if found is None or not found.exists():
        pytest.fail("no server to test: build one with `swift build`, or set BRASA_BINARY")
    return found


@pytest.fixture(scope="session")
def tools(binary: Path) -> Path:
    """The program `brasa-tools` of the same build."""
    found = tools_binary(binary)
    if not found.exists():
        pytest.fail(f"no {found}: build it with `swift build`")
    return found


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[str]:
    """HOST:PORT of the server that the tests share."""
    running = os.environ.get("BRASA_TEST_HOST")
    if running:
        yield running
        return
    binary = request.getfixturevalue("binary")
    server = BrasaServer(binary, tmp_path_factory.mktemp("shared") / "data", "--emulator").start()
    yield server.address
    assert server.stop() == 0, server.log.read_text()


@pytest.fixture
def start_server(binary: Path, tmp_path: Path) -> Iterator[Callable[..., BrasaServer]]:
    """Starts servers for one test, on `data` in its folder unless it names another."""
    started: list[BrasaServer] = []

    def start(*flags: str, data: str = "data", **options) -> BrasaServer:
        server = BrasaServer(binary, tmp_path / data, *flags, **options)
        started.append(server)
        return server.start()

    yield start
    for server in started:
        if server.process is not None and server.process.poll() is None:
            server.kill()


@pytest.fixture
def secure(binary: Path, tmp_path: Path, start_server) -> Iterator[Callable[..., Secure]]:
    made: list[Secure] = []

    def make(*flags: str) -> Secure:
        made.append(Secure(binary, tmp_path, start_server, *flags))
        return made[-1]

    yield make
    for server in made:
        for wire in server.wires:
            wire.close()


@pytest.fixture(scope="session")
def go_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return golang.built(tmp_path_factory.mktemp("golang"))


@pytest.fixture
def wire(address: str) -> Iterator[Wire]:
    wire = Wire(address)
    yield wire
    wire.close()


@pytest.fixture
def wires(address: str) -> Iterator[Callable[[], Wire]]:
    """Makes further connections."""
    made: list[Wire] = []

    def make() -> Wire:
        made.append(Wire(address))
        return made[-1]

    yield make
    for wire in made:
        wire.close()


@pytest.fixture
def database(wire: Wire) -> Database:
    return Database(wire)


@pytest.fixture
def client(address: str, database: Database) -> Iterator[firestore.Client]:
    """The official client on the test's database."""
    client = client_for(address, database.project)
    yield client
    close_client(client)


@pytest.fixture
async def async_client(address: str, database: Database) -> Iterator[AsyncClient]:
    client = async_client_for(address, database.project)
    yield client
    await close_async_client(client)
