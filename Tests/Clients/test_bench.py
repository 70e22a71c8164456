"""`brasa-tools bench` does each of its works with the Swift clients against a real server, without a failed call."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.clients import client_for

WORKS = ("get", "read", "cached", "query", "set", "commit", "increment", "transaction", "change", "listen")


@pytest.mark.parametrize("work", WORKS)
def test_the_swift_client_is_measured_at_its_work(address, tools, work):
    command = [str(tools), "bench", "client", work, "--target", address, "--format", "row", "--documents", "200"]
    command += ["--clients", "2", "--tasks", "4", "--warm-up", "10ms", "--duration", "200ms"]
    assert_measured(command)


def assert_measured(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rate, median, tail, core_rate = map(float, done.stdout.split())
    assert rate > 0 and core_rate > 0
    assert 0 < median <= tail


def test_the_swift_client_makes_as_many_calls_as_asked(start_server, tools):
    server = start_server()
    command = [str(tools), "bench", "client", "increment", "--target", server.address, "--format", "row"]
    command += ["--documents", "1", "--tasks", "4", "--calls", "30"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    client = client_for(server.address, "bench")
    assert client.document("client/document-0").get().get("version") == 30


def tree_client(address: str, tools: Path, work: str) -> list[str]:
    command = [str(tools), "bench", "tree-client", work, "--target", address, "--format", "row", "--leaves", "200"]
    return [*command, "--warm-up", "10ms", "--duration", "200ms"]


@pytest.mark.parametrize("work, tasks", [("set", 4), ("increment", 4), ("transaction", 4), ("get", 4), ("first", 1), ("change", 4)])
def test_the_swift_client_of_trees_is_measured_at_its_work(address, tools, work, tasks):
    assert_measured([*tree_client(address, tools, work), "--tasks", str(tasks)])


@pytest.mark.parametrize("work", ["children", "values"])
def test_events_of_the_swift_client_of_trees_are_measured(address, tools, work):
    writer = [str(tools), "bench", "tree", "write", "--target", address, "--connections", "1", "--in-flight", "4"]
    with subprocess.Popen([*writer, "--places", "200", "--duration", "1h"]) as writing:
        try:
            assert_measured(tree_client(address, tools, work))
        finally:
            writing.kill()


def test_a_start_with_the_swift_clients_cache_of_trees_is_measured(address, tools, tmp_path):
    def figures(phase: str) -> list[float]:
        command = [str(tools), "bench", "tree-cache", phase, "--target", address, "--folder", str(tmp_path)]
        done = subprocess.run(
            [*command, "--leaves", "500", "--format", "row"], capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        return [float(figure) for figure in done.stdout.split()]

    time, size = figures("fill")
    assert time > 0 and size > 500 * 150
    times = figures("start")
    assert len(times) == 4 and times == sorted(times) and times[0] > 0


def test_durable_writes_to_a_tree_are_measured(address, tools):
    command = [str(tools), "bench", "tree", "write", "--target", address, "--format", "row", "--connections", "2"]
    command += ["--in-flight", "4", "--places", "10", "--warm-up", "10ms", "--duration", "200ms"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rate, median, tail = map(float, done.stdout.split())
    assert rate > 0 and 0 < median <= tail


@pytest.mark.parametrize("listeners, more", [(20, []), (1, ["--connections", "1"]), (0, []), (20, ["--rate", "50"])])
def test_listeners_to_a_tree_are_measured(address, tools, listeners, more):
    command = [str(tools), "bench", "tree", "listen", "--target", address, "--format", "row", "--connections", "3"]
    command += ["--listeners", str(listeners), "--warm-up", "10ms", "--duration", "300ms", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    events, median, tail, answers, answer = map(float, done.stdout.split())
    assert answers > 0 and answer > 0
    if listeners == 0:
        assert events == 0
    else:
        # Each change is an event for each of them, but for the last.
        assert events >= (answers - 20) * listeners * 0.5
        assert 0 < median <= tail
