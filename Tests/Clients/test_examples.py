"""The programs of `Examples` run against a server, and say what their page says."""

from __future__ import annotations

import re
import signal
import subprocess
import uuid
from typing import Callable, Iterator

import pytest

from support.interop import swift_environment, swift_program
from support.wire import Database


def run(address: str, database: Database, name: str, *arguments: str) -> list[str]:
    """The lines that the program writes until it ends."""
    command = [str(swift_program(f"{name}Example")), *arguments]
    environment = swift_environment(address, database.project)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_tasks_let_a_city_grow_and_none_overwrites_another(address, database):
    lines = run(address, database, "PopulationTransaction")
    grown = [int(line.removeprefix("grown to ")) for line in lines[:-2]]
    assert len(set(grown)) == 10
    assert max(grown) == 860_055
    assert lines[-2:] == ["not grown: 1060055 people would be too many", "population: 860055"]


def test_ratings_and_what_is_kept_of_them_agree(address, database):
    lines = run(address, database, "RatingsAggregation")
    assert [line.partition(":")[0] for line in sorted(lines[:-2])] == [f"after {count}" for count in range(1, 7)]
    assert lines[-2:] == ["the restaurant says: 6 ratings, average 3.83", "its ratings say: 6 ratings, 23 stars"]


def test_the_board_follows_a_collection_until_it_is_interrupted(address, database):
    database.set("cities/SF", {"name": "San Francisco", "population": 5})
    database.set("cities/LA", {"name": "Los Angeles", "population": 4})
    command = [str(swift_program("TerminalBoardExample")), "cities", "--order", "population", "--descending"]
    environment = swift_environment(address, database.project)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as board:
        drawn_until(board, ["+  SF  San Francisco  5", "+  LA  Los Angeles    4"])
        database.set("cities/LA", {"name": "Los Angeles", "population": 6})
        drawn_until(board, ["*  LA  Los Angeles    6", "SF  San Francisco  5"])
        board.send_signal(signal.SIGINT)
        assert board.wait() == 0


def drawn_until(board: subprocess.Popen, rows: list[str]) -> None:
    """Reads what the board draws up to these rows, live."""
    lines: list[str] = []
    while lines[-4:] != ["cities: 2 documents, live", "id  name           population", *rows]:
        line = board.stdout.readline()
        assert line, lines
        lines += [line.strip()] if line.strip() else []


class Chatter:
    """Somebody in a room, as a process of its own."""

    def __init__(self, address: str, project: str, name: str):
        environment = swift_environment(address, project) | {"FIREBASE_DATABASE_EMULATOR_HOST": address}
        command = [str(swift_program("TerminalChatExample")), "kitchen", name]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1, env=environment)
        self.lines: list[str] = []

    def says(self, text: str) -> None:
        self.process.stdin.write(f"{text}\n")

    def sees(self, line: str) -> None:
        """Reads up to this line, which may have a time before it."""
        while not self.lines or self.lines[-1] != line:
            read = self.process.stdout.readline()
            assert read, f"{line!r} is not in {self.lines}"
            self.lines.append(CLOCK.sub("", read.rstrip("\n")))

    def leaves(self) -> int:
        self.process.stdin.close()
        status = self.process.wait()
        self.lines += self.process.stdout.read().splitlines()
        self.process.stdout.close()
        return status

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


CLOCK = re.compile(r"^\d\d:\d\d:\d\d ")
LOST = "-- no connection: what you say is sent when there is one"


@pytest.fixture
def chatter() -> Iterator[Callable[[str, str], Chatter]]:
    """Lets somebody into the test's room on a server."""
    project = f"test-{uuid.uuid4().hex[:16]}"
    entered: list[Chatter] = []

    def enter(address: str, name: str) -> Chatter:
        entered.append(Chatter(address, project, name))
        entered[-1].sees(f"-- connected as {name}")
        return entered[-1]

    yield enter
    for one in entered:
        if one.process.poll() is None:
            one.kill()


def test_people_in_a_room_see_what_is_said_and_who_comes_and_leaves(address, chatter):
    ana = chatter(address, "Ana")
    ana.says("anybody here?")
    ana.sees("Ana: anybody here?")
    bao = chatter(address, "Bao")
    ana.sees("* Bao came [Ana, Bao]")
    bao.says("I am")
    for one in (ana, bao):
        one.sees("Bao: I am")
    assert "Ana: anybody here?" in bao.lines
    assert any(line.startswith("* Ana came [Ana") for line in bao.lines)

    # As a power cut would: what Bao's process has asked the server for happens without it.
    bao.kill()
    ana.sees("* Bao left [Ana]")
    chidi = chatter(address, "Chidi")
    ana.sees("* Chidi came [Ana, Chidi]")
    chidi.says("good night")
    assert chidi.leaves() == 0
    ana.sees("* Chidi left [Ana]")
    assert ana.lines.count("Chidi: good night") == 1
    assert ana.leaves() == 0


def test_what_is_said_without_a_server_is_sent_when_it_is_back(start_server, chatter):
    server = start_server("--emulator")
    ana, bao = chatter(server.address, "Ana"), chatter(server.address, "Bao")
    ana.sees("* Bao came [Ana, Bao]")
    server.kill()
    ana.sees(LOST)
    words = [f"word {number}" for number in range(3)]
    for word in words:
        ana.says(word)
        # At once, though nobody else has it.
        ana.sees(f"Ana: {word}")

    ana.lines.clear()
    start_server("--emulator", listen=server.address)
    bao.sees(f"Ana: {words[-1]}")
    assert [line for line in bao.lines if line.startswith("Ana: ")] == [f"Ana: {word}" for word in words]
    ana.sees("-- connected as Ana")
    assert not [line for line in ana.lines if line.startswith("Ana: ")]
