"""`brasa-tools bench client` does each of its works against a real server, without a failed call."""

from __future__ import annotations

import subprocess

import pytest
from support.clients import client_for

WORKS = ("get", "read", "cached", "query", "set", "commit", "increment", "transaction", "change", "listen")


@pytest.mark.parametrize("work", WORKS)
def test_the_swift_client_is_measured_at_its_work(address, tools, work):
    command = [str(tools), "bench", "client", work, "--target", address, "--format", "row", "--documents", "200"]
    command += ["--clients", "2", "--tasks", "4", "--warm-up", "10ms", "--duration", "200ms"]
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
