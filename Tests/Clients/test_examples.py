"""The programs of `Examples` run against a server, and say what their page says."""

from __future__ import annotations

import signal
import subprocess

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
